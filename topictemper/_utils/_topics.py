"""Topics as functions take them: an array, or a fitted model of this or another library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _counts
from . import _validation as check


def topics_of(components: Any, name: str = "components") -> NDArray[Any]:
    """Return finite, non-empty topics (n_components, n_features) of an array or a model."""
    # Of the class: a data frame has its columns as attributes, and "fit" may be one of the words.
    kind = type(components)
    given = kind.__name__
    if hasattr(kind, "get_topics"):  # gensim
        components = components.get_topics()
    elif hasattr(kind, "get_topic_word_dist"):  # tomotopy
        components = np.stack([components.get_topic_word_dist(k) for k in range(components.k)])
    elif hasattr(kind, "fit"):
        check_is_fitted(components)
        lda = getattr(components, "lda_", components)  # of a model of texts
        components = getattr(lda, "components_", components)
    if not hasattr(components, "__array__") and not isinstance(components, list | tuple):
        raise TypeError(
            f"{name} must be an array of topics, (n_components, n_features), or a fitted estimator "
            f"with components_, or a model of gensim or tomotopy; got {given}. "
            "For a model of another library pass its topics, as a dense array"
        )
    if _counts.holds_text(components):
        raise TypeError(
            f"{name} holds words; it must be an array of topics, (n_components, n_features), or a "
            "fitted estimator. The top words follow from the weights"
        )
    return check.topics(name, components)
