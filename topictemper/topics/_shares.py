"""Shares of topics over time and by group, with intervals from the bootstrap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import check_array

from .._utils import _validation as check
from .._utils._missing import check_order, column, objects, ordered_codes
from .._utils._tables import table
from .._utils._typing import Column, Flags, Floats, Strings
from ._checks import labels_of
from ._periods import Period, periods_of

# Numbers that are drawn at once, which fit into the cache, and those that are multiplied at once.
_MOST_DRAWN, _MOST_MULTIPLIED = 2**16, 2**24
# Documents, or blocks of documents, that are drawn from: more would not change an interval.
_MOST_BLOCKS = 2**14
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
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int | np.random.RandomState | None = 0,
) -> Any:
    """Shares of topics in groups of documents.

    A share is the mean of the proportions of the documents of a group. Its interval is that of the
    bootstrap, by percentiles: documents of the group are drawn again and again, with replacement.
    It is too narrow for a group of fewer than about 50 documents, most of all for topics that few
    of them have, and has no width for one of a single document. It takes proportions as given; but
    those of short documents are closer to the average of the corpus than they should be.
    A group of more than 16,384 documents is cut into so many random blocks, which are drawn in
    place of documents.

    Parameters
    ----------
    proportions : array-like of shape (n_samples, n_components)
        Proportions of topics in documents, such as from `transform`. Rows are divided by their
        sums. Documents without a topic, whose rows are all zeros, are left out.
    groups : array-like of shape (n_samples,)
        The group of each document. Documents where it is None, NaN or "" are left out. Groups are
        sorted, but an ordered categorical of pandas keeps its order.
    weights : array-like of shape (n_samples,), optional
        How much each document counts, >= 0, such as its length. None: all count alike. Documents
        that count 0 are left out.
    labels : sequence of str of length n_components, optional
        Labels of the topics. None is "topic 0", "topic 1" ...
    n_bootstrap : int, default=1000
        How often documents are drawn.
    confidence : float, default=0.95
        Share of the draws that are within an interval, in (0, 1).
    random_state : int, RandomState or None, default=0
        Seed of the draws.

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

    Examples
    --------
    >>> from topictemper.topics import shares_by_group
    >>> shares = shares_by_group([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]], ["a", "a", "b"])
    >>> shares["share"].round(2).tolist()
    [0.8, 0.2, 0.2, 0.8]
    """
    check_order("proportions", proportions, groups=groups, weights=weights)
    theta = _proportions(proportions)
    order, groups = ordered_codes(groups), column("groups", groups)
    if groups.shape != (len(theta),):
        raise ValueError(
            f"groups must have one group for each of the {len(theta)} documents, got shape "
            f"{groups.shape}"
        )
    if groups.dtype.kind == "O":
        known = np.array([group is not None and group != "" for group in groups], bool)
        groups = _comparable(groups, known)
    else:
        known = groups == groups  # not NaN nor NaT
        if groups.dtype.kind in "US":
            known = groups != groups.dtype.type()
    settings = n_bootstrap, confidence, random_state
    return _shares("group", theta, groups, known, weights, labels, *settings, order=order)


def shares_over_time(
    proportions: Any,
    dates: Column,
    *,
    period: Period = "auto",
    weights: Any = None,
    labels: Strings | None = None,
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int | np.random.RandomState | None = 0,
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
    weights, labels, n_bootstrap, confidence, random_state
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
    theta = _proportions(proportions)
    periods, unit = periods_of(dates, len(theta), period)
    known = ~(np.isnat(periods) if periods.dtype.kind == "M" else np.isnan(periods))
    settings = n_bootstrap, confidence, random_state
    return _shares("period", theta, periods, known, weights, labels, *settings, unit=unit)


def _shares(
    name: str,
    theta: NDArray[Any],
    groups: NDArray[Any],
    known: Flags,
    weights: Any,
    labels: Strings | None,
    n_bootstrap: int,
    confidence: float,
    random_state: Any,
    *,
    order: NDArray[Any] | None = None,
    unit: str | None = None,
) -> Any:
    n_bootstrap = check.integer("n_bootstrap", n_bootstrap, 1)
    confidence = check.number("confidence", confidence, 0.0, 1.0, boundaries="neither")
    rng = check.random_state(random_state)
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
    # Rows are copied, and made double, for one group at a time: all may be most of the memory.
    by_group = np.flatnonzero(known)[np.argsort(group_of, kind="stable")]
    ends_of = np.cumsum(np.bincount(group_of))
    tails = [50.0 * (1.0 - confidence), 50.0 * (1.0 + confidence)]
    shares, low, high, documents = [], [], [], []
    for rows in np.split(by_group, ends_of[:-1]):
        values, w = theta[rows].astype(np.float64, copy=False), weight[rows]
        values /= np.maximum(values.sum(axis=1, keepdims=True), _LEAST)
        draws = _resampled(*_blocks(values, w, rng), n_bootstrap, rng)
        shares.append(w @ values / w.sum())
        ends = np.percentile(draws, tails, axis=0)
        low.append(ends[0])
        high.append(ends[1])
        documents.append(len(rows))
    return table(
        {
            name: np.repeat(names, n_components),
            **({} if unit is None else {"unit": [unit] * (len(names) * n_components)}),
            "topic": np.tile(np.arange(n_components), len(names)),
            "label": labels * len(names),
            "share": np.concatenate(shares),
            "low": np.concatenate(low),
            "high": np.concatenate(high),
            "documents": np.repeat(documents, n_components),
        }
    )


def _blocks(values: Floats, weight: Floats, rng: np.random.RandomState) -> tuple[Floats, Floats]:
    """Means and weights of random blocks of documents, or the documents if these are few enough."""
    n = len(values)
    if n <= _MOST_BLOCKS:
        return values, weight
    order = rng.permutation(n)
    ends = np.arange(_MOST_BLOCKS + 1) * n // _MOST_BLOCKS
    # A sparse product, which needs no copy of the values.
    member = csr_array((weight[order], order, ends), shape=(_MOST_BLOCKS, n))
    of_blocks = member.sum(axis=1)
    means: Floats = member @ values
    means /= of_blocks[:, None]
    return means, of_blocks


def _resampled(
    values: Floats,
    weight: Floats,
    n_bootstrap: int,
    rng: np.random.RandomState,
) -> Floats:
    """Weighted means of documents drawn with replacement, (n_bootstrap, n_components)."""
    n = len(values)
    result = []
    # The same room for all draws: new memory would take longer than the draws.
    times = np.empty((min(n_bootstrap, max(1, _MOST_MULTIPLIED // n)), n))
    size = max(1, _MOST_DRAWN // n)
    for start in range(0, n_bootstrap, len(times)):
        draws = times[: n_bootstrap - start]
        for first in range(0, len(draws), size):
            some = draws[first : first + size]
            drawn = rng.randint(n, size=some.shape)
            drawn += n * np.arange(len(some))[:, None]
            counts = np.bincount(drawn.ravel(), minlength=some.size).reshape(some.shape)
            np.multiply(counts, weight, out=some)
        result.append(draws @ values / draws.sum(axis=1, keepdims=True))
    return np.concatenate(result)


def _proportions(proportions: Any) -> NDArray[Any]:
    check.unmasked("proportions", proportions)
    with check.readable("proportions", proportions):
        theta: NDArray[Any] = check_array(
            proportions, dtype=[np.float64, np.float32], input_name="proportions"
        )
    if theta.min() < 0:
        raise ValueError("proportions must be >= 0")
    return theta


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
