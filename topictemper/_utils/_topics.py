"""Models as functions take them: topics in an array, or a fitted model of any library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _counts
from . import _validation as check


def lda_of(model: Any) -> Any:
    """Return the model of counts: that of a model of texts, or the model itself."""
    return getattr(model, "lda_", model)


def fitted_lda_of(model: Any) -> Any:
    """Return the model of counts, of an estimator that must be fitted."""
    if not hasattr(model, "fit"):
        raise TypeError(f"estimator must be a fitted estimator, got {type(model).__name__}")
    _refuse_what_holds_a_model(model, "estimator")
    check_is_fitted(model)
    return lda_of(model)


def names_of(model: Any) -> NDArray[Any] | None:
    """Return the names of the columns that a model was fitted with; None of arrays, too."""
    model = lda_of(model)
    return getattr(model, "feature_names_in_", None) if hasattr(type(model), "fit") else None


def _refuse_what_holds_a_model(estimator: Any, name: str) -> None:
    """Refuse a pipeline or a search, and say which part of it to give."""
    kind = type(estimator)
    if hasattr(kind, "named_steps"):
        part = "its last step, pipeline[-1], and for X what pipeline[:-1].transform returns"
    elif hasattr(estimator, "best_estimator_"):
        part = "its best_estimator_"
    else:  # of a model, `components_` may be a large array that is made when it is asked for
        return
    if hasattr(lda_of(estimator), "components_"):  # a subclass may have them
        return
    raise TypeError(f"{name} is a {kind.__name__}, which has no topics of its own; give {part}")


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
        _refuse_what_holds_a_model(components, name)
        check_is_fitted(components)
        components = getattr(lda_of(components), "components_", components)
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
