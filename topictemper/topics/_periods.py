"""Dates of documents, put together in periods."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._dates import (
    date_column,
    days_of_column,
    finest_period,
    first_days,
    has_compact_days,
    period_numbers,
)

Period = Literal["auto", "day", "week", "month", "quarter", "year"]
PERIODS: tuple[Period, ...] = get_args(Period)
# "auto" takes the finest period that makes no more than so many.
_MOST_AUTOMATIC = 40
_MOST_NUMBERS = 1000


def periods_of(dates: Any, n_samples: int, period: str) -> tuple[NDArray[Any], str]:
    """Return the start of the period of every document, and what the periods are.

    Parameters
    ----------
    dates : array-like of shape (n_samples,)
        Dates, as `days_of` takes them; or numbers such as years, which are periods of their own
        unless some are days such as 20240531.
    n_samples : int
        Number of documents.
    period : {"auto", "day", "week", "month", "quarter", "year"}
        For dates only.

    Returns
    -------
    starts : ndarray of shape (n_samples,)
        datetime64[s], NaT where there is no date; or numbers, NaN where there is none.
    unit : {"day", "week", "month", "quarter", "year", "number"}
        The period that was asked for or found; "number" of numbers.

    Raises
    ------
    TypeError, ValueError
        If `dates` are neither dates nor numbers, or not one for each document.
    """
    check.choice("period", period, PERIODS)
    array = date_column(dates, n_samples)
    numbers = _numbers(array)
    if numbers is not None and not has_compact_days(numbers):
        return _checked(numbers, period), "number"
    days = days_of_column(array)
    known = ~np.isnat(days)
    if not known.any():
        raise ValueError("dates has no date: all are missing")
    if period == "auto":
        period, codes = finest_period(days, PERIODS[1:], _MOST_AUTOMATIC)
    else:
        codes = period_numbers(days, period)
    starts = first_days(np.where(known, codes, 0), period).astype("datetime64[s]")
    starts[~known] = np.datetime64("NaT", "s")
    return starts, period


def _numbers(array: NDArray[Any]) -> NDArray[Any] | None:
    """Return a column of numbers, in which None is NaN; or None if it has others."""
    if array.dtype.kind == "O":
        known = [value for value in array if value is not None]
        if known and all(check.is_real(value) for value in known):
            return array.astype(np.float64)
    return array if array.dtype.kind in "iuf" else None


def _checked(array: NDArray[Any], period: str) -> NDArray[Any]:
    """Return numbers that are periods of their own."""
    if period != "auto":
        raise ValueError(f"period={period!r} is for dates, but dates has numbers")
    if np.isinf(array).any():
        raise ValueError("dates must not have infinite numbers")
    n_distinct = len(np.unique(array[~np.isnan(array)]))
    if n_distinct == 0:
        raise ValueError("dates has no date: all are missing")
    if n_distinct > _MOST_NUMBERS:
        raise ValueError(
            f"dates has {n_distinct} different numbers, and each is a period of its own; round "
            "them, or give dates"
        )
    return array
