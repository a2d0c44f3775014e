"""Dates of documents, put together in periods."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._dates import iso_date
from .._utils._missing import column

PERIODS = ("auto", "day", "week", "month", "quarter", "year")
# "auto" takes the finest period that makes no more than so many.
_MOST_AUTOMATIC = 40
_MOST_NUMBERS = 1000


def periods_of(dates: Any, n_samples: int, period: str) -> NDArray[Any]:
    """Return the start of the period of every document.

    Parameters
    ----------
    dates : array-like of shape (n_samples,)
        Dates, ISO strings, or numbers such as years, which are periods of their own.
    n_samples : int
        Number of documents.
    period : {"auto", "day", "week", "month", "quarter", "year"}
        For dates only.

    Returns
    -------
    ndarray of shape (n_samples,)
        datetime64[s], NaT where there is no date; or numbers, NaN where there is none.

    Raises
    ------
    TypeError, ValueError
        If `dates` are neither dates nor numbers, or not one for each document.
    """
    check.choice("period", period, PERIODS)
    array = column(dates)
    if array.shape != (n_samples,):
        raise ValueError(
            f"dates must have one date for each of the {n_samples} documents, got shape "
            f"{array.shape}"
        )
    if array.dtype.kind == "O":
        known = [value for value in array if value is not None]
        if known and all(_is_number(value) for value in known):
            array = array.astype(np.float64)  # None is NaN
    if array.dtype.kind in "iuf":
        return _numbers(array, period)
    if array.dtype.kind != "M":
        array = _parsed(array)
    days = array.astype("datetime64[D]")
    if np.isnat(days).all():
        raise ValueError("dates has no date")
    if period != "auto":
        return _starts(days, period)
    for period in PERIODS[1:]:
        starts = _starts(days, period)
        known = starts[~np.isnat(starts)]
        unit, length = _LENGTHS[period]
        first, last = (int(each.astype(unit).astype(int)) for each in (known.min(), known.max()))
        if (last - first) // length < _MOST_AUTOMATIC:
            break
    return starts


_LENGTHS = {
    "day": ("datetime64[D]", 1),
    "week": ("datetime64[D]", 7),
    "month": ("datetime64[M]", 1),
    "quarter": ("datetime64[M]", 3),
    "year": ("datetime64[Y]", 1),
}


def _starts(days: NDArray[Any], period: str) -> NDArray[Any]:
    """Return the first days of periods; weeks begin on Monday."""
    if period == "week":
        # The first day of the epoch was a Thursday.
        days = days - (days - np.datetime64("1970-01-05")).astype(np.int64) % 7
    elif period == "quarter":
        months = days.astype("datetime64[M]")
        days = months - (months - np.datetime64("1970-01")).astype(np.int64) % 3
    elif period != "day":
        days = days.astype("datetime64[M]" if period == "month" else "datetime64[Y]")
    return days.astype("datetime64[s]")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _numbers(array: NDArray[Any], period: str) -> NDArray[Any]:
    if period != "auto":
        raise ValueError(f"period={period!r} is for dates, but dates has numbers")
    if np.isinf(array).any():
        raise ValueError("dates must not have infinite numbers")
    n_distinct = len(np.unique(array[~np.isnan(array)]))
    if n_distinct == 0:
        raise ValueError("dates has no date")
    if n_distinct > _MOST_NUMBERS:
        raise ValueError(
            f"dates has {n_distinct} different numbers, and each is a period of its own; round "
            "them, or give dates"
        )
    return array


def _parsed(array: NDArray[Any]) -> NDArray[Any]:
    """Return the dates of objects, or of strings."""
    dates = np.full(len(array), "NaT", dtype="datetime64[s]")
    for i, value in enumerate(array):
        if value is None or (isinstance(value, str) and value in ("", "NaT")):
            continue
        try:
            dates[i] = np.datetime64(_without_zone(value))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"dates must be dates, ISO strings such as 2024-05-31, or numbers, but entry {i} "
                f"is {str(value)[:40]!r}"
            ) from error
    return dates


def _without_zone(value: Any) -> Any:
    """Return a date as its clock shows it: NumPy has no time zones."""
    moment = value
    if isinstance(value, str):
        value = iso_date(value)
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:  # such as a month alone, which NumPy reads
            return value
    if getattr(moment, "tzinfo", None) is None:
        return value
    return moment.replace(tzinfo=None)
