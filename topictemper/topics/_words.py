"""Words that describe topics: probable ones, and distinctive ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._utils import _validation as check
from .._utils._topics import topics_of
from .._utils._typing import Floats

Measure = Literal["probability", "relevance", "frex", "lift"]


def relevance(components: Any, weight: float = 0.6) -> Floats:
    r"""Relevance of words to topics [1]_, between probability and lift.

    :math:`\lambda \log \beta_{kv} + (1-\lambda) \log (\beta_{kv} / p_v)`, where p is the mean of
    the topics, weighted by their sizes, the sums of the rows of `components`.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted estimator
        Weights of the words in the topics, >= 0, or an estimator with `components_`.
    weight : float, default=0.6
        lambda, in [0, 1]. 1 ranks words by probability, 0 by `lift`. In a user study 0.6 was best.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Higher is more relevant; minus infinity for words that a topic does not have.

    Raises
    ------
    ValueError
        If the components or the weight are invalid.

    References
    ----------
    .. [1] Sievert, Shirley (2014). LDAvis: A method for visualizing and interpreting topics.
       Workshop on Interactive Language Learning, Visualization, and Interfaces, ACL.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.topics import relevance
    >>> topics = np.array([[50, 30, 20, 1], [50, 1, 20, 30]])  # the first word is everywhere
    >>> relevance(topics, 1.0).argmax(axis=1)
    array([0, 0])
    >>> relevance(topics, 0.3).argmax(axis=1)
    array([1, 3])
    """
    weight = check.number("weight", weight, 0.0, 1.0)
    beta, p = _probabilities(components)
    with np.errstate(divide="ignore"):
        # log beta - (1 - weight) log p, which needs no ratio of zeros.
        scores = np.log(beta, out=beta)
        scores -= (1.0 - weight) * np.log(np.where(p > 0, p, 1.0))
    return scores


def lift(components: Any) -> Floats:
    r"""Lift of words in topics [1]_: :math:`\beta_{kv} / p_v`.

    p is the mean of the topics, weighted by their sizes, the sums of the rows of `components`.
    Rare words have the highest lift.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted estimator
        Weights of the words in the topics, >= 0, or an estimator with `components_`.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        1 for a word that is as frequent in the topic as on average, 0 for one that no topic has.

    Raises
    ------
    ValueError
        If the components are invalid.

    References
    ----------
    .. [1] Taddy (2012). On estimation and selection for topic models. AISTATS.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.topics import lift
    >>> lift(np.array([[50, 50, 0], [50, 0, 50]]))
    array([[1., 2., 0.],
           [1., 0., 2.]])
    """
    beta, p = _probabilities(components)
    return np.divide(beta, p, out=beta, where=p > 0)


def frex(components: Any, weight: float = 0.5) -> Floats:
    r"""FREX of words in topics [1]_: whether they are both frequent and exclusive.

    The weighted harmonic mean of two ranks: that of the probability of the word among all words of
    the topic, and that of its exclusivity, :math:`\beta_{kv} / \sum_j \beta_{jv}`. Ranks are
    divided by the number of words.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted estimator
        Weights of the words in the topics, >= 0, or an estimator with `components_`.
    weight : float, default=0.5
        Weight of frequency, in [0, 1]; that of exclusivity is ``1 - weight``.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        In (0, 1]; higher is more frequent and more exclusive.

    Raises
    ------
    ValueError
        If the components or the weight are invalid.

    References
    ----------
    .. [1] Bischof, Airoldi (2012). Summarizing topical content with word frequency and
       exclusivity. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.topics import frex
    >>> topics = np.array([[50, 30, 20, 9, 1, 1], [50, 1, 1, 9, 20, 30]])
    >>> frex(topics).argmax(axis=1)
    array([1, 5])
    """
    weight = check.number("weight", weight, 0.0, 1.0)
    scores, _ = _probabilities(components)
    total = scores.sum(axis=0)
    # Topic by topic, in place: ranks of all words in all topics would take nine times the memory.
    for beta in scores:
        exclusive = np.divide(beta, total, out=np.zeros_like(beta), where=total > 0)
        frequency, exclusivity = (
            rankdata(values, method="max") / len(beta) for values in (beta, exclusive)
        )
        beta[:] = 1.0 / (weight / frequency + (1.0 - weight) / exclusivity)
    return scores


#: What ranks the words of topics, by the names of `Measure`.
MEASURES: dict[Measure, Callable[..., NDArray[Any]]] = {
    "probability": topics_of,
    "relevance": relevance,
    "frex": frex,
    "lift": lift,
}
_WEIGHTED = ("relevance", "frex")


def word_scores(components: Any, by: Measure, weight: float | None) -> NDArray[Any]:
    """Scores by which to rank the words of topics; None is the usual weight of the measure.

    Raises
    ------
    ValueError
        If there is no such measure, or if it has no weight and gets one.
    """
    check.choice("by", by, MEASURES)
    if weight is None:
        return MEASURES[by](components)
    if by not in _WEIGHTED:
        raise ValueError(f"weight is for by='relevance' and by='frex'; by={by!r} has none")
    return MEASURES[by](components, weight)


def _probabilities(components: Any) -> tuple[Floats, Floats]:
    """beta, a new array, and the share of each word in all topics."""
    weights = topics_of(components).astype(np.float64)  # a copy
    sizes = weights.sum(axis=1, keepdims=True)
    p = weights.sum(axis=0) / sizes.sum()
    weights /= sizes
    return weights, p
