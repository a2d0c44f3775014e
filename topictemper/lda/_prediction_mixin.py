"""Documents under a fitted `TemperedLDA`: proportions, scores, the ELBO, temperatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from .._core._workers import Workers
from .._utils import _counts
from .._utils._chunks import n_empty_rows, row_sums
from .._utils._missing import check_order
from .._utils._rows import GivenRows, Rows, check_memory
from .._utils._typing import Floats
from .._utils._warnings import warn
from ._completion import completions, score_of
from ._defaults import STREAM_SAMPLES
from ._e_step import Workspace
from ._elbo import document_elbo, topics_kl
from ._other_names import NORMALIZE, SUB_SAMPLING, tells_of
from ._prediction import (
    Inference,
    InverseTemperatures,
    Model,
    cold,
    document_inverse_temperatures,
    infer_documents,
    minibatches,
    predictor,
    proportions,
    way_of,
)
from ._training import Trainer


class PredictionMixin(TransformerMixin):
    """Gives an estimator `transform`, `score`, `perplexity`, `elbo` and `document_temperatures`.

    It has to have ``_trainer``, the model, ``_fitted_matrices(X)``, which checks counts, and the
    parameters `n_jobs` and `total_samples`. scikit-learn wraps `transform` for `set_output` where
    it stands, so this has to be the transformer.
    """

    _trainer: Trainer
    _fitted_matrices: Callable[[Any], tuple[Iterable[Any], int | None]]
    n_jobs: int | None
    total_samples: float | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    # That of scikit-learn hands nothing on to `transform`.
    @tells_of(*NORMALIZE)
    def fit_transform(self, /, X: Any, y: Any = None, **params: Any) -> NDArray[Any]:
        """Fit, and return the proportions of the topics in the documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, as for `fit`.
        y : None
            Ignored, but passed on to callbacks.
        **params
            Further arguments of `fit`, and those of `transform`: `inference`, `tempered`, `out`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            As from `transform`.

        Raises
        ------
        TypeError, ValueError
            As from `fit` and `transform`. After an error of `transform` the estimator is fitted,
            but a wrong `inference` is found before the fit.
        """
        of_transform = {
            name: params.pop(name) for name in ("inference", "tempered", "out") if name in params
        }
        way_of(of_transform.get("inference", "auto"), of_transform.get("tempered", False))
        estimator: Any = self
        fitted = estimator.fit(X, y, **params)
        return fitted.transform(X, **of_transform)

    @tells_of(*NORMALIZE)
    def transform(
        self,
        X: Any,
        *,
        inference: Inference = "auto",
        tempered: bool = False,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Proportions of the topics in documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, or chunks of them; only one chunk is in memory at a time.
        inference : {"auto", "mean_field", "collapsed", "gibbs"}, default="auto"
            How proportions are found at the fitted topics:

            - "mean_field": by the fixed point of gamma.
            - "collapsed": by zero-order collapsed inference [1]_, which is less overconfident than
              mean-field inference. It ends early, and its last three sweeps leave each token out of
              its own counts (eq. 9).
            - "gibbs": by collapsed Gibbs sampling, as means over 60 sweeps after 30 that are
              discarded. This takes several times as long.
            - "auto": "collapsed" if training sampled the documents, else "mean_field".
        tempered : bool, default=False
            Whether to use mean-field inference at the learned temperatures ("vt" and "lvt") instead
            of T = 1.
        out : ndarray of shape (n_samples, n_components), optional
            Where to write the proportions, of the dtype of the model: a memory-mapped array, if
            they are too many for memory. It is also what is returned, if `set_output` wants no
            table.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            E[theta_d]; rows sum to one. A document's row does not depend on the others. A document
            without a word of the vocabulary has the prior's mean, which says nothing about it. A
            warning says how many there are.

        Raises
        ------
        TypeError, ValueError
            If `inference` or the counts are invalid, or if `out` does not fit; without `out`, if
            the proportions of a matrix need more memory than there is. That chunks have more or
            fewer rows than `out` is known only when the others are written.

        References
        ----------
        .. [1] Asuncion, Welling, Smyth, Teh (2009). On Smoothing and Inference for Topic Models.
           UAI.
        """
        matrices, n_rows = self._fitted_matrices(X)
        topics, rows = self._trainer.topics, None
        if out is not None:
            rows = GivenRows(out, topics.n_components, topics.M.dtype, n_rows)
        elif n_rows is not None:
            check_memory(n_rows, topics.n_components, topics.M.dtype)
        cure = "leave out the rows with X.sum(axis=1) == 0"
        return self._transformed(matrices, inference, tempered, cure=cure, into=rows)

    def _transformed(
        self,
        matrices: Iterable[Any],
        inference: Inference = "auto",
        tempered: bool = False,
        *,
        cure: str,
        into: GivenRows | None = None,
    ) -> NDArray[Any]:
        """E[theta] of checked counts; a warning of empty documents says what to do."""
        found, n_empty = Rows() if into is None else into, 0
        self._warn_if_hot()
        proportions_of = self._proportions_by(inference, tempered)
        for counts in matrices:
            n_empty += n_empty_rows(counts)
            found.add(proportions_of(counts, found.room(counts.shape[0])))
        if n_empty:
            warn(
                f"{n_empty:,} of {len(found):,} documents have no word of the "
                f"vocabulary, so their proportions are the prior's mean; {cure}",
            )
        return found.array()

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        inference: Inference = "auto",
        tempered: bool = False,
    ) -> float:
        """Predictive log-likelihood of held-out words, by document completion.

        The tokens (occurrences of words) of each document are split into two random halves, always
        in the same way for the same document. The first half gives its proportions theta. The
        second half is scored with ``log sum_k E[theta_dk] E[beta_kv]`` (Hoffman et al. 2013;
        Abrol et al. 2014, eq. 23).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, or chunks of them; only one chunk is in memory at a time.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            How often the tokens of each row count in the mean, >= 0. For chunks, of all their rows.
        inference : {"auto", "mean_field", "collapsed", "gibbs"}, default="auto"
            How the observed half gives the proportions; as for `transform`.
        tempered : bool, default=False
            Whether the proportions are found by mean-field inference at the learned temperatures
            ("vt", "lvt"; VT section 4, footnote 1) instead of T = 1.

        Returns
        -------
        float
            Nats per held-out token; higher is better.

        Raises
        ------
        ValueError
            If no document has two tokens.
        """
        return self._score(X, sample_weight, inference, tempered)

    def _score(
        self,
        X: Any,
        sample_weight: Any,
        inference: Inference = "auto",
        tempered: bool = False,
        name: str = "X",
    ) -> float:
        check_order("X", X, sample_weight=sample_weight)
        matrices, n_rows = self._fitted_matrices(X)
        self._warn_if_hot()
        _counts.sample_weights(sample_weight, n_rows)
        found = self._completions(matrices, inference, tempered)
        score = score_of(*found, _counts.sample_weights(sample_weight, len(found[0])))
        if np.isnan(score):
            raise _counts.nothing_held_out(name)
        return score

    @tells_of(*SUB_SAMPLING)
    def perplexity(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        inference: Inference = "auto",
        tempered: bool = False,
    ) -> float:
        """Perplexity of held-out words, ``exp(-score(X))``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, or chunks of them; only one chunk is in memory at a time.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            As for `score`.
        inference : {"auto", "mean_field", "collapsed", "gibbs"}, default="auto"
            As for `transform`.
        tempered : bool, default=False
            As for `score`.

        Returns
        -------
        float
            Lower is better. Not comparable with the perplexity of scikit-learn's LDA, which is
            computed from a bound.
        """
        return float(np.exp(-self._score(X, sample_weight, inference, tempered)))

    def elbo(self, X: Any) -> float:
        """Evidence lower bound (ELBO) of the documents at T = 1, topics included.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, or chunks of them; only one chunk is in memory at a time.

        Returns
        -------
        float
            Nats per token: ``(sum_d L_d - KL(q(beta) || p(beta))) / W`` (Blei et al. 2003, eq. 15),
            with q(beta) = Dir(lambda) for any `inference`, and the alpha of training.

        Raises
        ------
        ValueError
            If no document has words.
        """
        matrices, _ = self._fitted_matrices(X)
        trainer, workspace = self._trainer, Workspace()
        of_documents, of_tokens = [], []
        model = Model(copy(trainer.predictive_topics), trainer.alpha, trainer.config.sweeps)
        model.topics.point = False
        with Workers(self.n_jobs) as workers, np.errstate(under="ignore"):
            for counts in matrices:
                of_tokens.append(row_sums(counts))
                for _, batch in minibatches(counts, model.topics):
                    local = infer_documents(model, batch, cold, workers, workspace)
                    of_documents.append(document_elbo(batch, local))
        # Summed at the end: where chunks end makes no difference.
        tokens = float(np.concatenate(of_tokens).sum())
        if not tokens:
            raise ValueError("X has no words: all rows are empty")
        total = float(np.concatenate(of_documents).sum())
        return (total - topics_kl(model.topics, trainer.eta)) / tokens

    def document_temperatures(self, X: Any) -> Floats:
        """Temperatures 1 / E[1/T_d] of documents under the fitted topics (VT eq. 10).

        High values mark documents whose words are improbable under their own mixture of topics. The
        temperature falls with the length of a document: compare documents of similar length. A
        mixture of very many topics does not raise it; `metrics.perplexity` by document shows those.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, or chunks of them; only one chunk is in memory at a time.

        Returns
        -------
        ndarray of shape (n_samples,)
            At least 1.
        """
        matrices, _ = self._fitted_matrices(X)
        found: list[Any] = []
        with Workers(self.n_jobs) as workers, np.errstate(under="ignore"):
            s = document_inverse_temperatures(self._trainer)
            for counts in matrices:
                found += [s(each, workers) for _, each in minibatches(counts, self._trainer.topics)]
        return 1.0 / np.concatenate(found)

    def _proportions(self, X: Any) -> NDArray[Any]:
        """E[theta] of checked counts: `transform` without `set_output`."""
        return self._proportions_by()(X)

    def _proportions_by(
        self, inference: Inference = "auto", tempered: bool = False
    ) -> Callable[..., NDArray[Any]]:
        """A function to E[theta] of checked counts; learned temperatures take long to prepare."""
        model = predictor(self._trainer, way_of(inference, tempered))
        s = self._inverse_temperatures(tempered)

        def found(X: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
            # One document needs no other threads.
            with Workers(self.n_jobs, most=X.shape[0]) as workers, np.errstate(under="ignore"):
                return proportions(model, X, s, workers, out)

        return found

    def _completions(
        self, matrices: Iterable[Any], inference: Inference = "auto", tempered: bool = False
    ) -> tuple[Floats, Floats]:
        """Log-likelihood and number of held-out tokens of each document, of checked counts."""
        way = way_of(inference, tempered)
        with Workers(self.n_jobs) as workers, np.errstate(under="ignore"):
            s = self._inverse_temperatures(tempered)
            return completions(predictor(self._trainer, way), matrices, s, workers)

    def _warn_if_hot(self) -> None:
        """Warn of a stream of unknown length, if topics are not yet what they will be."""
        trainer, clock = self._trainer, self._trainer.clock
        if self.total_samples is None and clock.is_short and trainer.is_hot:
            warn(
                f"topics are still hot (temperature {trainer.temperature:.4g}): partial_fit has "
                f"seen {clock.documents_seen:,.0f} documents, and takes a stream to have "
                f"{STREAM_SAMPLES:,.0f} if total_samples is None; if yours has fewer, set "
                "total_samples before the first partial_fit, or use fit",
            )

    def _inverse_temperatures(self, tempered: bool) -> InverseTemperatures:
        """Of documents, for prediction."""
        if not tempered:
            return cold
        mode = self._trainer.config.tempering.mode
        if mode == "vt":
            return lambda batch, workers: self._trainer.control.learned
        if mode == "lvt":
            return document_inverse_temperatures(self._trainer)
        raise ValueError(
            "tempered=True needs learned temperatures, of tempering 'vt' or 'lvt'; this model has "
            f"tempering={mode!r}"
        )
