"""Topics of two models: how far they are from each other, and which are the same topic."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils._distances import hellinger_of_roots, roots
from .._utils._topics import names_of, topics_of
from .._utils._typing import Floats

# Most topics that are mutually nearest, and within this distance, are also those of the same
# documents: `python -m benchmarks.lda.later` shows it.
_SAME_WITHIN = 0.55


def distances_between(
    first: Any, second: Any, names: tuple[str, str] = ("first", "second")
) -> Floats:
    """Hellinger distances of all topics of one model and all topics of another.

    Parameters
    ----------
    first, second : arrays-like of shape (n_components, n_features), or fitted estimators
        Weights of the words, >= 0. Where both models know their words, a word that one of them
        does not have is one of probability 0 there. Otherwise their columns are the same words.
    names : tuple of str
        What the two are called in errors.

    Returns
    -------
    ndarray of shape (n_components of the first, n_components of the second)
        Distances, in [0, 1].

    Raises
    ------
    ValueError
        If the topics are invalid, or have different columns or no common word.
    """
    p, q = (topics_of(*each) for each in zip((first, second), names, strict=True))
    words, others = names_of(first), names_of(second)
    if words is None or others is None:
        if p.shape[1] != q.shape[1]:
            raise ValueError(
                f"{names[0]} and {names[1]} must have the same words, but have {p.shape[1]} and "
                f"{q.shape[1]}; two estimators that know their words may have different ones"
            )
        return hellinger_of_roots(roots(p), roots(q))
    p, q = roots(p), roots(q)
    if not np.array_equal(words, others):
        common, columns, those = np.intersect1d(words, others, return_indices=True)
        if not len(common):
            raise ValueError(f"{names[0]} and {names[1]} must have a word in common")
        p, q = p[:, columns], q[:, those]
    return hellinger_of_roots(p, q)


def same_topics(first: Any, second: Any, names: tuple[str, str]) -> dict[int, int]:
    """Topics of one model by those of another that are the same topic.

    They are so if each is the nearest to the other, and they are near. A best pairing of all
    topics, as of `topictemper.metrics.match_topics`, also pairs those that have no counterpart.

    Parameters
    ----------
    first, second, names
        As for `distances_between`.

    Returns
    -------
    dict of int to int
        Topics of the second model by topics of the first.
    """
    distance = distances_between(first, second, names)
    nearest, back = distance.argmin(axis=1).tolist(), distance.argmin(axis=0).tolist()
    return {i: j for i, j in enumerate(nearest) if back[j] == i and distance[i, j] <= _SAME_WITHIN}
