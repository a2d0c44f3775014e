"""Comparison of topics, within a model and between two models."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._distances import pairs
from .._utils._ranking import top_columns
from .._utils._topics import topics_of
from .._utils._typing import Floats
from ..topics._matching import distances_between


class TopicMatch(NamedTuple):
    """Pairs of topics of two models, the most similar pair first.

    Attributes
    ----------
    first, second : ndarray of shape (n_pairs,)
        Topics of the first and of the second model in each pair.
    distance : ndarray of shape (n_pairs,)
        Hellinger distance of each pair, in [0, 1], ascending.

    See Also
    --------
    match_topics : Returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.metrics import match_topics
    >>> first, second, distance = match_topics(np.eye(2) + 1, np.eye(2)[::-1] + 1)
    >>> sorted(zip(first.tolist(), second.tolist(), strict=True))
    [(0, 1), (1, 0)]
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    distance: Floats


def topic_diversity(components: Any, *, n_top_words: int = 25) -> float:
    """Share of distinct words among the top words of all topics [1]_.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted model
        Weights of the words in the topics, >= 0, or an estimator with `components_`.
    n_top_words : int, default=25
        Number of top words of each topic.

    Returns
    -------
    float
        In (0, 1]: near 0 if topics repeat each other, 1 if they share no top word.

    Raises
    ------
    ValueError
        If the components are invalid.

    References
    ----------
    .. [1] Dieng, Ruiz, Blei (2020). Topic Modeling in Embedding Spaces. TACL 8.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.metrics import topic_diversity
    >>> topic_diversity(np.array([[5, 4, 1, 0], [0, 5, 4, 1]]), n_top_words=2)
    0.75
    """
    topics = topics_of(components)
    top = top_columns(topics, check.integer("n_top_words", n_top_words, 1))
    return len(np.unique(top)) / top.size


def match_topics(first: Any, second: Any) -> TopicMatch:
    r"""Pair the topics of two models so that pairs are as similar as possible.

    The pairs minimize the sum of Hellinger distances, :math:`(1 - \sum_v \sqrt{p_v q_v})^{1/2}`
    (Hungarian method).

    Parameters
    ----------
    first, second : arrays-like of shape (n_components, n_features), or fitted estimators
        Weights of the words in the topics, >= 0. The words are those of the columns if both are
        estimators that know them; they may differ, and a word that one model does not have is one
        of probability 0 there. Otherwise the columns must be the same words. If one model has more
        topics, some of them have no partner.

    Returns
    -------
    TopicMatch
        ``first`` and ``second``, the rows of each pair, as many as the smaller number of topics;
        ``distance``, the distances of the pairs, in [0, 1], ascending.

    Raises
    ------
    ValueError
        If the components are invalid, differ in their number of columns where the words are not
        known, or have no word in common.

    Notes
    -----
    Every topic of the smaller model gets a partner, even if the other model has no topic like it:
    look at the distances. To take labels over from another model, use `TemperedLDA.set_labels`,
    which leaves such topics out.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.metrics import match_topics
    >>> topics = np.array([[8.0, 1.0, 1.0], [1.0, 8.0, 1.0], [1.0, 1.0, 8.0]])
    >>> match = match_topics(topics, topics[[2, 0, 1]])
    >>> match.second[np.argsort(match.first)]
    array([1, 2, 0])
    >>> match.distance.round(6)
    array([0., 0., 0.])
    """
    rows, columns, distance = pairs(distances_between(first, second))
    order = np.argsort(distance, kind="stable")
    return TopicMatch(rows[order], columns[order], distance[order])
