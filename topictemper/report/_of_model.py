"""Reports of a fitted `TemperedLDA`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._counts import NothingHeldOutError
from .._utils._log import Progress
from .._utils._topics import names_of
from .._utils._typing import Strings
from ._documents import sample_rows
from ._saved_labels import check_topics
from ._settings import settings_of
from ._write import page_to_write, write

# Documents that are scored at once.
_AT_ONCE = 2_048
# Proportions that are kept. If there are more, those of a sample are inferred again.
_MOST_KEPT = 1 << 26


class _Inferred:
    """Proportions of documents, inferred when they are asked for; once, unless there are many."""

    def __init__(self, model: Any, X: Any) -> None:
        self._model, self._X = model, X
        self.shape = X.shape[0], model.components_.shape[0]

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> NDArray[Any]:
        if math.prod(self.shape) <= _MOST_KEPT:
            return self._kept[rows]
        progress = self._progress  # which begins here
        inferred: NDArray[Any] = self._model._proportions(self._X[rows])
        if isinstance(rows, slice):  # of the pass over all documents
            progress.add(len(inferred))
        return inferred

    @cached_property
    def _progress(self) -> Progress:
        return Progress("inferring topics", bool(self._model.verbose), self._X.shape[0])

    @cached_property
    def _kept(self) -> NDArray[Any]:
        return self._model._proportions(self._X)


def write_model(
    model: Any,
    X: Any,
    words: Any,
    *,
    path: str | os.PathLike[str],
    labels: Strings | Mapping[Any, str] | None = None,
    other_models: Sequence[Any] = (),
    made_by: Mapping[str, str] | None = None,
    **options: Any,
) -> Path:
    """Write the report of a fitted model: `write` with what the model knows.

    Parameters
    ----------
    model : TemperedLDA
        A fitted model.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts.
    words : array-like, mapping or vectorizer
        Names of the columns.
    path : str or path-like
        The file.
    labels : sequence of str or mapping, optional
        Names of topics; a mapping has those of some, by number or by present label. None: those
        that the model has.
    other_models : sequence of estimators or of arrays-like
        Other fits of the same words.
    made_by : mapping of str to str, optional
        Settings that the model does not know.
    **options
        Of `write`: documents, names, dates, groups, title.
    """
    page_to_write(path)  # an error comes before topics are inferred
    other_models = models_like(model, other_models)
    X = model._fitted_counts(X)
    if not X.data.any():
        raise ValueError("no document has a word of the vocabulary, so there is nothing to report")
    if labels is None:
        labels = model._labels
    elif isinstance(labels, Mapping):
        check_topics(labels, model.components_, words)
        labels = model._with(labels)
    histories = {"temperature": model.temperature_history_}
    for name in ("score", "elbo"):  # which only some fits have
        if hasattr(model, f"{name}_history_"):
            histories[name] = getattr(model, f"{name}_history_")
    return write(
        model.components_,
        _Inferred(model, X),
        words,
        path=path,
        counts=X,
        labels=labels,
        other_topics=other_models,
        score=_score(model, X),
        history=histories,
        parameters=settings_of(model, made_by or {}),
        **options,
    )


def models_like(model: Any, other_models: Any) -> list[Any]:
    """Return other fits as a list, if they are models with the words of this one.

    Raises
    ------
    TypeError
        If one is no model.
    ValueError
        If one has other words.
    """
    if isinstance(other_models, str | os.PathLike) or not isinstance(other_models, Iterable):
        raise TypeError(
            f"other_models must be a sequence of models, got {type(other_models).__name__}"
        )
    models, own = list(other_models), names_of(model)
    for i, other in enumerate(models):
        if isinstance(other, str | os.PathLike):
            raise TypeError(
                f"other_models[{i}] must be a model or an array of topics, got {str(other)!r}; "
                "topictemper.load reads the model of a file"
            )
        names = names_of(other)
        if not (own is None or names is None or np.array_equal(own, names)):
            raise ValueError(
                f"other_models[{i}] must have the words of this model, in the same columns"
            )
    return models


def _score(model: Any, X: Any) -> float | None:
    """Return the score of the documents from which the page has coherence; None if it has none."""
    rows = sample_rows(X.shape[0], np.random.default_rng(0))
    try:
        score: float = model.score(_chunks(X, rows))
    except NothingHeldOutError:
        return None
    return score


def _chunks(X: Any, rows: NDArray[np.intp]) -> Iterator[Any]:
    for start in range(0, len(rows), _AT_ONCE):
        yield X[rows[start : start + _AT_ONCE]]
