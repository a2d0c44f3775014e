"""Topics that are nearly the same, and how many topics there are in effect."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._utils import _validation as check
from .._utils._numerics import ignoring_underflow
from .._utils._topics import topics_of

#: Hellinger distance of twins, at most.
TWINS_WITHIN = 0.3

_ROWS = 512  # of two blocks of topics that are compared at a time, at most
_ENTRIES = 2**23  # of such a block: where topics are alike, blocks are copied
_ROUNDING = 1e-6  # of one less a squared distance, in single precision
_BINS, _SLACK = 512, 1e-5  # of neighboring words; slack for their rounding


def twin_topics(components: Any, max_distance: float = TWINS_WITHIN) -> list[list[int]]:
    """Groups of topics that are nearly the same.

    A model that is asked for more topics than there is evidence for has twins. Merge them, or fit
    fewer topics.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted estimator
        Weights of the words in the topics, >= 0, or an estimator with `components_`.
    max_distance : float, default=0.3
        Topics with at most this Hellinger distance are twins, in (0, 1]. Twins of twins are in one
        group.

    Returns
    -------
    list of list of int
        The groups, each ascending and of two topics or more, such as `TemperedLDA.merge_topics`
        takes. Empty if there are no twins.

    Raises
    ------
    ValueError
        If the components or the distance are invalid.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.topics import twin_topics
    >>> twin_topics(np.array([[6, 4, 0], [0, 1, 9], [5, 5, 0]]))
    [[0, 2]]
    """
    distance = check.number("max_distance", max_distance, 0.0, 1.0, boundaries="right")
    topics = topics_of(components)
    return groups_within(topics, distance, np.empty(topics.shape, np.float32))


@ignoring_underflow
def groups_within(
    topics: NDArray[Any], distance: float, roots: NDArray[np.float32]
) -> list[list[int]]:
    """Groups of topics within a distance.

    Parameters
    ----------
    topics : ndarray of shape (n_components, n_features)
        Weights of the words, > 0 in every topic for one word at least.
    distance : float
        Hellinger distance of twins, in (0, 1].
    roots : ndarray of shape (n_components, n_features)
        Memory for the roots of the probabilities. It may be that of the topics.

    Returns
    -------
    list of list of int
        As those of `twin_topics`.
    """
    # Probabilities fit into single precision, whatever the size of the weights.
    sums = topics.sum(axis=1, keepdims=True, dtype=np.float64)
    np.divide(topics, sums, out=roots, casting="same_kind")
    # Distributions of bins are no further apart than those of words, which leaves few pairs.
    n_features = topics.shape[1]
    n_bins = min(_BINS, n_features)
    starts = np.arange(n_bins) * n_features // n_bins
    bins = np.sqrt(np.add.reduceat(roots, starts, axis=1))
    np.sqrt(roots, out=roots)
    least, group = 1.0 - max(distance**2, _ROUNDING), np.arange(len(roots))
    at_once = min(_ROWS, max(1, _ENTRIES // n_features))
    blocks = [slice(start, start + at_once) for start in range(0, len(roots), at_once)]
    for rows, columns in combinations_with_replacement(blocks, 2):
        near = bins[rows] @ bins[columns].T >= least - _SLACK
        # Where all topics are the same there are very many pairs: those of one group are left out.
        near &= group[rows, None] != group[columns]
        these, others = np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))
        near = near[np.ix_(these, others)]
        near &= roots[rows][these] @ roots[columns][others].T >= least
        if near.any():
            first, second = np.nonzero(near)
            ends = group[rows][these[first]], group[columns][others[second]]
            links = coo_array((np.ones(len(first)), ends), shape=(len(roots), len(roots)))
            group = connected_components(links, directed=False)[1][group]
    members: dict[int, list[int]] = {}
    for topic, number in enumerate(group.tolist()):
        members.setdefault(number, []).append(topic)
    return [topics for topics in members.values() if len(topics) > 1]


def effective_topics(sizes: Any) -> float:
    """The exponential of the entropy of the sizes of topics.

    It is K where all topics have the same size, and 1 where one topic has all tokens. It does not
    look at the words, so topics that are the same count as several.

    Parameters
    ----------
    sizes : array-like of shape (n_components,), or fitted estimator
        Sizes of topics, >= 0, such as the mean proportions of documents, or an estimator with
        `components_`, whose rows are summed.

    Returns
    -------
    float
        In [1, K].

    Raises
    ------
    TypeError
        If `sizes` is a model without `components_`, such as one of gensim.
    ValueError
        If a size is negative or not finite, or if all are 0.

    Examples
    --------
    >>> from topictemper.topics import effective_topics
    >>> round(effective_topics([1, 1, 0]), 6)
    2.0
    """
    kind = type(sizes)  # not the object: a topic of a pandas Series may be named "fit"
    if hasattr(kind, "get_topics") or hasattr(kind, "get_topic_word_dist"):
        raise TypeError(
            f"sizes must be an array or an estimator with components_, got {kind.__name__}, whose "
            "topics have no sizes; give the sums of the topic proportions of its documents"
        )
    if hasattr(kind, "fit"):
        sizes = topics_of(sizes).sum(axis=1, dtype=np.float64)
    sizes = check.numbers("sizes", sizes)
    if sizes.ndim != 1 or not np.isfinite(sizes).all() or (sizes < 0).any() or not sizes.any():
        raise ValueError("sizes must be finite numbers >= 0, not all 0, one for each topic")
    shares = sizes[sizes > 0] / sizes.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))
