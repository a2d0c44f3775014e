"""Intervals of mean proportions, such as of the shares of topics in groups of documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from ._typing import Floats

# `betaincinv` is exact to some percent of the interval up to this sum of parameters, which needs
# more than ten million documents that do not differ. Of larger sums it may give NaN.
_MOST = 1e14


def size_in_documents(main: float, mean: Floats, square: Floats) -> Floats:
    """Proportions that topics have in documents about them.

    That of the main topic of a document, or what the documents of the topic have, if that is more:
    the mean of its proportions, weighted by themselves. Else intervals would miss the share of a
    rare topic that has whole documents, where the others have several topics each.

    Parameters
    ----------
    main : float
        Mean over all documents of the proportion of the main topic, in (0, 1].
    mean, square : ndarray of shape (n_components,)
        Means over all documents of the proportions, and of their squares.

    Returns
    -------
    size : ndarray of shape (n_components,)
        In (0, 1].
    """
    own = np.divide(square, mean, out=np.zeros_like(mean), where=mean > 0)
    return np.maximum(main, own)


def interval_of_mean(
    n: float | NDArray[np.floating],
    mean: Floats,
    square: Floats,
    size: Floats,
    confidence: float,
) -> tuple[Floats, Floats]:
    """Ends of intervals of the mean proportions of topics in groups of documents.

    The spread of the documents of a group alone makes intervals too narrow: a topic that few
    documents have is in none of a small group, or in too many. So the group gets one more
    document. With equal chance this has none of the topic, or as much as documents about it. The
    interval is that of the beta distribution with the mean and the variance that the Bayesian
    bootstrap [1]_ then has. Of documents with one topic each it is the interval of Jeffreys for a
    binomial proportion [2]_.

    Parameters
    ----------
    n : float or ndarray that broadcasts with `mean`
        Documents of the groups, > 0. Of unequal weights, documents of equal weight that tell as
        much.
    mean, square : ndarray
        Means of the proportions, in [0, 1], and of their squares.
    size : ndarray that broadcasts with `mean`
        What documents about the topics have of them, from `size_in_documents`.
    confidence : float
        Nominal coverage, in (0, 1).

    Returns
    -------
    low, high : ndarray of the shape of `mean`
        Their ends, in [0, 1], around the mean.

    References
    ----------
    .. [1] Rubin (1981). The Bayesian Bootstrap. Annals of Statistics 9.
    .. [2] Brown, Cai, DasGupta (2001). Interval Estimation for a Binomial Proportion. Statistical
       Science 16.
    """
    center = (n * mean + size / 2) / (n + 1)
    # Rounding may make the first term negative, but not the others.
    within = n * np.maximum(square - mean**2, 0.0) + size**2 / 4
    variance = (within + n / (n + 1) * (mean - size / 2) ** 2) / (n + 1) / (n + 2)
    sum_ = np.minimum(center * (1 - center) / variance - 1, _MOST)
    a, b = center * sum_, (1 - center) * sum_
    low = np.minimum(betaincinv(a, b, (1 - confidence) / 2), mean)
    high = np.maximum(betaincinv(a, b, (1 + confidence) / 2), mean)
    return low, high


def interval_of_difference(
    first: tuple[Floats, Floats, Floats], second: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """Ends of intervals of the second mean less the first, of independent groups [1]_.

    Parameters
    ----------
    first, second : tuples of ndarray
        Means, and the lower and the upper ends of their intervals.

    Returns
    -------
    low, high : ndarray
        Ends of the intervals, of the confidence of the intervals that are given.

    References
    ----------
    .. [1] Newcombe (1998). Interval Estimation for the Difference between Independent Proportions.
       Statistics in Medicine 17, method 10.
    """
    (mean, low, high), (other, other_low, other_high) = first, second
    difference = other - mean
    below = np.hypot(other - other_low, high - mean)
    above = np.hypot(other_high - other, mean - low)
    return difference - below, difference + above
