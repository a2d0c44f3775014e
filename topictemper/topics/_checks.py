"""Checks of the models, topics and counts that functions take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import is_chunks


def lda_of(model: Any) -> Any:
    """Return the model of counts: that of a model of texts, or the model itself."""
    return getattr(model, "lda_", model)


def fitted_lda_of(model: Any) -> Any:
    """Return the model of counts, of a model that must be fitted."""
    check_is_fitted(model)
    return lda_of(model)


def topics_of(components: Any, name: str = "components") -> NDArray[Any]:
    """Return finite, non-empty topics (n_components, n_features) of an array or a model."""
    if hasattr(components, "get_topics"):  # gensim
        components = components.get_topics()
    elif hasattr(components, "get_topic_word_dist"):  # tomotopy
        components = np.stack([components.get_topic_word_dist(k) for k in range(components.k)])
    elif hasattr(components, "fit"):
        components = fitted_lda_of(components).components_
    if not hasattr(components, "__array__") and not isinstance(components, list | tuple):
        raise TypeError(
            f"{name} must be an array of topics, (n_components, n_features), or a fitted estimator "
            f"with components_, or a model of gensim or tomotopy; got {type(components).__name__}. "
            "For a model of another library pass its topics"
        )
    if _counts.holds_text(components):
        raise TypeError(
            f"{name} holds words; it must be an array of topics, (n_components, n_features), or a "
            "fitted estimator. The top words follow from the weights"
        )
    return check.topics(name, components)


def matrices(X: Any, n_features: int) -> Iterator[Any]:
    """Yield checked CSR counts: of one matrix at once, of chunks one after the other."""
    if not is_chunks(X):
        yield counts(X, n_features)
        return
    yield from _counts.some_chunks(
        X, lambda chunk: counts(_counts.acceptable_chunk(chunk), n_features)
    )


def counts(X: Any, n_features: int) -> Any:
    """Return checked CSR counts with as many columns as the topics."""
    X = _counts.count_matrix(X, "X", _counts.TYPES)
    X = sp.csr_matrix(_counts.without_vanishing(X))
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the topics have {n_features}")
    return X


def topic_labels(model: Any, n_components: int) -> list[str]:
    """Return the labels of an estimator's topics, or numbers: "topic 0", "topic 1" ..."""
    labels = getattr(model, "labels_", None)
    if labels is None or len(labels) != n_components:
        return [f"topic {k}" for k in range(n_components)]
    return [str(label) for label in labels]
