"""Differences between the shares of topics in two groups or periods, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._intervals import interval_of_difference
from .._utils._missing import column as column_of
from .._utils._missing import is_missing
from .._utils._tables import table
from ._checks import kind_of_shares

_NUMBERS = ("share", "low", "high")
_NEEDED = {"topic", "label", *_NUMBERS}


def share_differences(shares: Any, first: Any, second: Any) -> Any:
    """How much larger the shares of topics are in a second group, or period, than in a first.

    The interval of a difference follows from the intervals of both shares [1]_. It is narrower than
    they suggest: two intervals may overlap although that of their difference excludes zero. Between
    random groups of documents, where there is no difference, 95% intervals exclude zero for one
    topic in twenty or fewer, also if a group is small.

    Parameters
    ----------
    shares : DataFrame or Table
        From ``TemperedLDA.topics_by_group``, ``topics_over_time`` or the functions of
        `topictemper.topics`, with any `confidence`. The intervals of the differences have the same.
    first, second : str, number or date
        Two different values of the column ``group`` or ``period``. Days may be text like
        "2024-05-01".

    Returns
    -------
    pandas.DataFrame or Table
        A row for each topic. Columns: ``topic``, its number; ``label``; ``difference``, the share
        of the second less that of the first; ``low`` and ``high``, the ends of its interval.
        Without pandas it is a small table with the same columns.

    Raises
    ------
    ValueError
        If the table is not one of shares, has no such group or period, or has missing shares for
        it.

    Notes
    -----
    All documents have to be independent of each other, within a group and between the two: copies,
    or several parts of one text, make intervals too narrow. Of very many intervals one in twenty
    excludes zero by chance. For a chance of one in twenty that any of K topics does, take the
    shares with ``confidence=1 - 0.05 / K``.

    References
    ----------
    .. [1] Newcombe (1998). Interval Estimation for the Difference between Independent Proportions.
       Statistics in Medicine 17, method 10.

    Examples
    --------
    >>> from topictemper.topics import share_differences, shares_by_group
    >>> proportions = [[0.9, 0.1]] * 30 + [[0.2, 0.8]] * 30
    >>> shares = shares_by_group(proportions, ["old"] * 30 + ["new"] * 30)
    >>> differences = share_differences(shares, "old", "new")
    >>> differences["difference"].round(2).tolist()
    [-0.7, 0.7]
    >>> (differences["low"] > 0).tolist()
    [False, True]
    """
    by = kind_of_shares(shares, _NEEDED)
    keys = column_of(by, shares[by])
    column = {name: np.asarray(shares[name]) for name in _NEEDED}
    for name in _NUMBERS:
        column[name] = check.numbers(f"the column {name} of shares", shares[name])
    one, other = (
        _rows(keys, value, by, column["topic"], name)
        for name, value in (("first", first), ("second", second))
    )
    if len(one) != len(other) or (column["topic"][one] != column["topic"][other]).any():
        raise ValueError(f"{by} {first!r} and {by} {second!r} must have the same topics")
    if (one == other).all():
        raise ValueError(f"first and second must be two different values, got {first!r} twice")
    before, after = (
        (column["share"][rows], column["low"][rows], column["high"][rows]) for rows in (one, other)
    )
    if np.isnan([before, after]).any():
        raise ValueError(
            f"shares has missing values for {by} {first!r} or {by} {second!r}; give the table as "
            "topics_over_time or topics_by_group has made it"
        )
    low, high = interval_of_difference(before, after)
    return table(
        {
            "topic": column["topic"][one],
            "label": column["label"][one].tolist(),
            "difference": after[0] - before[0],
            "low": low,
            "high": high,
        }
    )


def _rows(
    keys: NDArray[Any], value: Any, by: str, topics: NDArray[Any], name: str
) -> NDArray[np.intp]:
    """Rows of a group or period, by topic."""
    # An array equals one key after another.
    wanted = None if getattr(value, "ndim", 0) or is_missing(value) else value
    if keys.dtype.kind == "M" and wanted is not None:
        try:
            wanted = np.datetime64(value)
        except (TypeError, ValueError):
            wanted = None
    # A number of numpy equals a list one entry after another, too, but one of Python does not.
    plain = keys if keys.dtype.kind == "M" else keys.tolist()
    found = [] if wanted is None else [key == wanted for key in plain]
    rows = np.flatnonzero(found)
    rows = rows[np.argsort(topics[rows], kind="stable")]
    if not len(rows):
        days = keys.astype("datetime64[D]").astype(str) if keys.dtype.kind == "M" else keys
        some = [key for key in dict.fromkeys(days.tolist()) if not is_missing(key)]
        known = ", ".join(map(repr, some[:10])) + (" ..." if len(some) > 10 else "")
        raise ValueError(f"{name} must be a {by} of the table, {known}; got {value!r}")
    if (np.diff(topics[rows]) == 0).any():
        raise ValueError(f"shares has a topic twice for {by} {value!r}; take those of one model")
    return rows
