"""Prediction by the estimator that learns by rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted

from ..lda._prediction import Inference, way_of
from . import _prediction
from ._blocks import is_lazy
from ._checkpoint import State
from ._executors import Executor
from ._tasks import Job, model


class PredictionMixin:
    """Gives an estimator `transform`, `score`, `perplexity` and `document_temperatures`.

    It has to have the executor, the job and the state of its rounds, and ``client_``.
    """

    _executor: Executor
    _job: Job
    _state: State
    client_: Any

    def transform(
        self,
        X: Any,
        *,
        inference: Inference = "auto",
        tempered: bool = False,
    ) -> Any:
        """Proportions of the topics in documents: `topictemper.dask.transform`.

        Parameters
        ----------
        X : dask.array.Array of shape (n_samples, n_features) or dask.dataframe
            Counts. Without a client also a matrix.
        inference, tempered
            As for `topictemper.TemperedLDA.transform`.

        Returns
        -------
        dask.array.Array of shape (n_samples, n_components)
            Lazy; for a matrix, an ndarray.
        """
        fitted = self._model(X)
        if not is_lazy(X):
            return fitted.transform(X, inference=inference, tempered=tempered)
        way_of(inference, tempered)  # here, not on a worker
        options: dict[str, Any] = {"inference": inference, "tempered": tempered}
        return _prediction.transform(fitted, X, meta=self._no_proportions, **options)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        inference: Inference = "auto",
        tempered: bool = False,
    ) -> Any:
        """Predictive log-likelihood of held-out words: `topictemper.dask.score`.

        Parameters
        ----------
        X : dask.array.Array of shape (n_samples, n_features) or dask.dataframe
            Counts. Without a client also a matrix.
        y : None
            Ignored.
        sample_weight : array-like or dask.array.Array of shape (n_samples,), optional
            How often the tokens of each document count in the mean, >= 0.
        inference, tempered
            As for `topictemper.TemperedLDA.score`.

        Returns
        -------
        dask.array.Array of shape ()
            Lazy, in nats per held-out token; for a matrix, a float.
        """
        fitted = self._model(X)
        options: dict[str, Any] = {
            "sample_weight": sample_weight,
            "inference": inference,
            "tempered": tempered,
        }
        return _prediction.score(fitted, X, **options) if is_lazy(X) else fitted.score(X, **options)

    def perplexity(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        inference: Inference = "auto",
        tempered: bool = False,
    ) -> Any:
        """Perplexity of held-out words, ``exp(-score(X))``.

        Parameters
        ----------
        X, y, sample_weight, inference, tempered
            As for `score`.

        Returns
        -------
        dask.array.Array of shape ()
            Lazy; for a matrix, a float. Lower is better.
        """
        score = self.score(X, None, sample_weight, inference=inference, tempered=tempered)
        return np.exp(-score)

    def document_temperatures(self, X: Any) -> Any:
        """Temperatures of documents: `topictemper.dask.document_temperatures`.

        Parameters
        ----------
        X : dask.array.Array of shape (n_samples, n_features) or dask.dataframe
            Counts. Without a client also a matrix.

        Returns
        -------
        dask.array.Array of shape (n_samples,)
            Lazy; for a matrix, an ndarray.
        """
        fitted = self._model(X)
        if not is_lazy(X):
            return fitted.document_temperatures(X)
        return _prediction.document_temperatures(fitted, X)

    def __sklearn_tags__(self) -> Any:
        parent: Any = super()
        tags = parent.__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    def _model(self, X: Any) -> Any:
        """The fitted local estimator, or a Future of it."""
        check_is_fitted(self)
        if self.client_ is not None and not is_lazy(X):
            raise TypeError(
                "X is a matrix of this process, and the model is on the cluster: use "
                "to_local().transform(X) and the like, or give a collection of Dask"
            )
        return self._submitted(model, getattr(self, "feature_names_in_", None))

    def _submitted(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Submit a task of the job, the tree, the blocks of topics and more arguments."""
        executor, state = self._executor, self._state
        executor.check_kept([state.tree, *state.averages])
        return executor.submit(task, self._job, state.tree, state.averages, *arguments)

    @property
    def _no_proportions(self) -> NDArray[Any]:
        """What `transform` returns for no documents."""
        parameters = self._job.parameters
        return np.empty((0, parameters["n_components"]), parameters["dtype"])
