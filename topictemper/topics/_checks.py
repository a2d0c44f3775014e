"""Checks of the models, topics and counts that functions take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from .._utils import _counts
from .._utils._chunks import is_chunks


def lda_of(model: Any) -> Any:
    """Return the model of counts: that of a model of texts, or the model itself."""
    return getattr(model, "lda_", model)


def fitted_lda_of(model: Any) -> Any:
    """Return the model of counts, of an estimator that must be fitted."""
    if not hasattr(model, "fit"):
        raise TypeError(f"estimator must be a fitted estimator, got {type(model).__name__}")
    check_is_fitted(model)
    return lda_of(model)


def matrices(X: Any, n_features: int) -> Iterator[Any]:
    """Yield checked CSR counts: of one matrix at once, of chunks one after the other."""
    if not is_chunks(X):
        yield counts(X, n_features)
        return
    yield from _counts.some_chunks(
        X, lambda chunk: counts(_counts.acceptable_chunk(chunk), n_features)
    )


def counts(X: Any, n_features: int, name: str = "X") -> Any:
    """Return checked CSR counts with as many columns as the topics."""
    X = _counts.count_matrix(X, name, _counts.TYPES)
    X = sp.csr_matrix(_counts.without_vanishing(X))
    if X.shape[1] != n_features:
        raise ValueError(f"{name} has {X.shape[1]} features, but the topics have {n_features}")
    return X


def topic_labels(model: Any, n_components: int) -> list[str]:
    """Return the labels of an estimator's topics, or numbers: "topic 0", "topic 1" ..."""
    labels = getattr(model, "labels_", None)
    if labels is None or len(labels) != n_components:
        return [f"topic {k}" for k in range(n_components)]
    return [str(label) for label in labels]
