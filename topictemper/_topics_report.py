"""Topics that people can read: top words, top documents, and what pyLDAvis draws from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _parameters as check


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Places of the n largest values, the largest first, and the first of equal ones first."""
    n = min(n, len(values))
    places = np.flatnonzero(values >= np.partition(values, len(values) - n)[len(values) - n])
    return places[np.argsort(-values[places], kind="stable")[:n]]


def names_of(model: Any, feature_names: ArrayLike | None) -> list[str]:
    """The names given, or `feature_names_in_` of a fitted model, or else the columns' numbers."""
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", np.arange(model.n_features_in_))
    return [str(name) for name in check.feature_names(feature_names, model.n_features_in_)]


def top_words(components: NDArray[Any], n: int, names: list[str]) -> list[list[str]]:
    """Names of the n most probable words of every topic, row by row."""
    n = check.integer("n", n, 1)
    return [[names[v] for v in largest(topic, n)] for topic in components]


def top_documents(theta: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Rows of the n documents with the largest share of every topic, (n_components, n)."""
    n = check.integer("n", n, 1)
    return np.stack([largest(share, n) for share in theta.T])


def pyldavis_arrays(
    components: NDArray[Any], theta: NDArray[Any], X: Any, names: list[str]
) -> dict[str, Any]:
    """Arguments of ``pyLDAvis.prepare``: see `TemperedLDA.prepare_pyldavis`."""
    return {
        "topic_term_dists": _distributions(components),
        "doc_topic_dists": _distributions(theta),
        "doc_lengths": np.asarray(X.sum(axis=1, dtype=np.float64)).ravel(),
        "vocab": np.array(names),
        "term_frequency": np.asarray(X.sum(axis=0, dtype=np.float64)).ravel(),
    }


def _distributions(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Rows over their sums, in double precision: pyLDAvis wants them to sum to one."""
    rows = rows.astype(np.float64)
    return rows / rows.sum(axis=1, keepdims=True)
