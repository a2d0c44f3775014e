"""Shares of topics over time and by group, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._intervals import interval_of_mean, size_in_documents
from .._utils._missing import check_order, column, objects, ordered_codes
from .._utils._tables import table
from .._utils._typing import Column, Flags, Floats, Strings
from ._checks import labels_of, proportions_of
from ._periods import Period, periods_of

# A smaller sum of proportions is that of a document without topics.
_LEAST = 1e-300
# Floats below are whole numbers exactly.
_MOST_EXACT = np.float64(2.0**53)


def shares_by_group(
    proportions: Any,
    groups: Column,
    *,
    weights: Any = None,
    labels: Strings | None = None,
    confidence: float = 0.95,
) -> Any:
    """Shares of topics in groups of documents.

    A share is the mean of the proportions of the documents of a group. Its interval says where the
    share is likely to be in very many such documents. Each group gets one more document for it,
    which with equal chance has none of the topic, or as much as documents about it: on average
    their main topic, or more if the topic has more in its own. The interval is that of the beta
    distribution with the mean and the variance of the Bayesian bootstrap [1]_; of documents with
    one topic each it is that of Jeffreys [2]_.

    Groups may be of any size: where this was measured, 95% intervals contained 92% to 98% of the
    shares. But documents have to be independent: with copies, or several parts of one text,
    intervals are too narrow. Of very many intervals one in twenty misses. Proportions are taken as
    given; but those of short documents are closer to the average of the corpus than they should be.

    Documents of unequal weights w tell as much as ``sum(w)**2 / sum(w**2)`` of equal ones [3]_. If
    those that differ most from the share of a topic are heavy, they tell less: as many as have the
    same standard error by linearization. The interval takes the smaller number.

    Parameters
    ----------
    proportions : array-like of shape (n_samples, n_components)
        Proportions of topics in documents, such as from `transform`. Rows are divided by their
        sums. Documents without a topic, whose rows are all zeros, are left out.
    groups : array-like of shape (n_samples,)
        The group of each document. Documents where it is None, NaN or "" are left out. Groups are
        sorted, but an ordered categorical of pandas keeps its order.
    weights : array-like of shape (n_samples,), optional
        How much each document counts, >= 0, such as its length or the weight of a survey. None:
        all count alike. Documents that count 0 are left out.
    labels : sequence of str of length n_components, optional
        Labels of the topics. None is "topic 0", "topic 1" ...
    confidence : float, default=0.95
        How often intervals are to contain the share, in (0, 1).

    Returns
    -------
    pandas.DataFrame or Table
        A row for each group and topic. Columns: ``group``; ``topic``, its number; ``label``;
        ``share``; ``low`` and ``high``, the ends of the interval; ``documents``, how many the group
        has. Without pandas it is a small table with the same columns.

    Raises
    ------
    ValueError
        If the lengths differ, if the index of pandas has another order, or if no document is left.

    See Also
    --------
    share_differences : How much more of each topic one group has than another.

    References
    ----------
    .. [1] Rubin (1981). The Bayesian Bootstrap. Annals of Statistics 9.
    .. [2] Brown, Cai, DasGupta (2001). Interval Estimation for a Binomial Proportion. Statistical
       Science 16.
    .. [3] Kish (1965). Survey Sampling.

    Examples
    --------
    >>> from topictemper.topics import shares_by_group
    >>> shares = shares_by_group([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]], ["a", "a", "b"])
    >>> shares["share"].round(2).tolist()
    [0.8, 0.2, 0.2, 0.8]
    """
    check_order("proportions", proportions, groups=groups, weights=weights)
    theta = proportions_of(proportions)
    order, groups = ordered_codes(groups), column("groups", groups)
    if groups.shape != (len(theta),):
        got = f"got shape {groups.shape}" if groups.ndim else f"got {groups.item()!r}"
        how = "; give one column, such as frame['party'], or frame.a + ', ' + frame.b for two"
        raise ValueError(
            f"groups must have one group for each of the {len(theta)} documents, {got}"
            f"{how if groups.ndim != 1 else ''}"
        )
    if groups.dtype.kind == "O":
        known = np.array([group is not None and group != "" for group in groups], bool)
        groups = _comparable(groups, known)
    else:
        known = groups == groups  # not NaN nor NaT
        if groups.dtype.kind in "US":
            known = groups != groups.dtype.type()
    return _shares("group", theta, groups, known, weights, labels, confidence, order=order)


def shares_over_time(
    proportions: Any,
    dates: Column,
    *,
    period: Period = "auto",
    weights: Any = None,
    labels: Strings | None = None,
    confidence: float = 0.95,
) -> Any:
    """Shares of topics over time.

    Shares and their intervals are those of `shares_by_group`, where a group is the documents of a
    period.

    Parameters
    ----------
    proportions : array-like of shape (n_samples, n_components)
        As for `shares_by_group`.
    dates : array-like of shape (n_samples,)
        The date of each document: datetime64, datetime, text like "2024-05-31"; or numbers such as
        years, each of which is a period, if none is a day such as 20240531. Documents without a
        date (None, NaT, NaN) are left out.
    period : {"auto", "day", "week", "month", "quarter", "year"}, default="auto"
        How dates are grouped. Weeks begin on Monday. "auto" is the finest period that makes at most
        40 groups. Dates that are all the first of a month or of a year stand for months or years,
        which are not divided.
    weights, labels, confidence
        As for `shares_by_group`.

    Returns
    -------
    pandas.DataFrame or Table
        As from `shares_by_group`, with two columns in place of ``group``: ``period``, its first day
        or its number, and ``unit``, what the periods are, such as "quarter", or "number". Periods
        without a document have no rows.

    Raises
    ------
    ValueError
        If the lengths differ, if the index of pandas has another order, if a date cannot be read,
        or if no document is left.

    Examples
    --------
    >>> from topictemper.topics import shares_over_time
    >>> dates = ["2023-11-02", "2023-12-24", "2024-01-05"]
    >>> shares = shares_over_time([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]], dates, period="quarter")
    >>> [str(day)[:10] for day in shares["period"][::2]]
    ['2023-10-01', '2024-01-01']
    >>> shares["documents"].tolist()
    [2, 2, 1, 1]
    """
    check_order("proportions", proportions, dates=dates, weights=weights)
    theta = proportions_of(proportions)
    periods, unit = periods_of(dates, len(theta), period)
    known = ~(np.isnat(periods) if periods.dtype.kind == "M" else np.isnan(periods))
    return _shares("period", theta, periods, known, weights, labels, confidence, unit=unit)


def _shares(
    name: str,
    theta: NDArray[Any],
    groups: NDArray[Any],
    known: Flags,
    weights: Any,
    labels: Strings | None,
    confidence: float,
    *,
    order: NDArray[Any] | None = None,
    unit: str | None = None,
) -> Any:
    confidence = check.number("confidence", confidence, 0.0, 1.0, boundaries="neither")
    n_components = theta.shape[1]
    labels = labels_of(labels, n_components)
    weight = _weights(weights, len(theta))
    known = known & (weight > 0) & theta.any(axis=1)
    if not known.any():
        raise ValueError(f"no document with a {name}, a weight and a topic is left")
    keys = groups if order is None else order
    _, first, group_of = np.unique(keys[known], return_index=True, return_inverse=True)
    names = groups[known][first]
    if names.dtype.kind == "f" and (np.abs(names) < _MOST_EXACT).all() and not (names % 1).any():
        names = names.astype(np.int64)  # years or ratings, which missing ones have made floats
    by_group = np.flatnonzero(known)[np.argsort(group_of, kind="stable")]
    rows_of = np.split(by_group, np.cumsum(np.bincount(group_of))[:-1])
    n_equal, share, square, size = _moments(theta, weight, rows_of)
    low, high = interval_of_mean(n_equal, share, square, size, confidence)
    return table(
        {
            name: np.repeat(names, n_components),
            **({} if unit is None else {"unit": [unit] * (len(names) * n_components)}),
            "topic": np.tile(np.arange(n_components), len(names)),
            "label": labels * len(names),
            "share": share.ravel(),
            "low": low.ravel(),
            "high": high.ravel(),
            "documents": np.repeat([len(rows) for rows in rows_of], n_components),
        }
    )


def _moments(
    theta: NDArray[Any], weight: Floats, rows_of: list[NDArray[np.intp]]
) -> tuple[Floats, Floats, Floats, Floats]:
    """What `interval_of_mean` takes of groups of documents: n, mean, square and size.

    Rows are copied, and made double, for one group at a time: all may be most of the memory.
    """
    heaviest = max(weight[rows].max() for rows in rows_of)
    n_equal, total, main, shares, squares = [], [], [], [], []
    for rows in rows_of:
        values, w = theta[rows].astype(np.float64, copy=False), weight[rows]
        values /= np.maximum(values.sum(axis=1, keepdims=True), _LEAST)
        most = w.max()
        w /= most  # so that squares are in range
        sum_ = w.sum()
        total.append(sum_ * (most / heaviest))
        main.append(w @ values.max(axis=1) / sum_)
        shares.append(np.minimum(w @ values / sum_, 1.0))  # sums are rounded
        values *= values
        squares.append(w @ values / sum_)
        np.sqrt(values, out=values)  # the proportions again, without a second copy
        values -= shares[-1]
        values *= values
        spread = w @ values
        w *= w
        heavy = w @ values
        of_topic = np.divide(spread, heavy, out=np.full_like(heavy, np.inf), where=heavy > 0)
        n_equal.append(np.minimum(sum_**2 / w.sum(), sum_ * of_topic))
    share, square = np.array(shares), np.array(squares)
    size = size_in_documents(
        np.average(main, weights=total),
        np.average(share, axis=0, weights=total),
        np.average(square, axis=0, weights=total),
    )
    return np.array(n_equal), share, square, size


def _weights(weights: Any, n_samples: int) -> Floats:
    if weights is None:
        return np.ones(n_samples)
    result = check.numbers("weights", weights)
    if result.shape != (n_samples,) or not (np.isfinite(result) & (result >= 0)).all():
        raise ValueError(f"weights must be {n_samples} finite numbers >= 0, one for each document")
    return result


def _comparable(groups: NDArray[Any], known: Flags) -> NDArray[Any]:
    """Groups of one type, which can be sorted: of mixed ones their texts."""
    kinds = {type(group) for group in groups[known]}
    filler = groups[known][0] if known.any() else ""
    filled = [group if is_known else filler for group, is_known in zip(groups, known, strict=True)]
    if kinds <= {int, float, np.float64}:
        return np.array(filled)
    if len(kinds) > 1:
        filled = [str(group) for group in filled]
    return objects(filled)
