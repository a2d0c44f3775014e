"""Dates of documents in periods: days, weeks, months, quarters, years."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import _dates

_MOST_PERIODS = 60


class Periods(NamedTuple):
    """Periods of equal length that cover all dates, and the one of each document."""

    unit: str
    names: list[str]
    codes: NDArray[np.intp]  # -1 for a document without a date


def periods_of(days: NDArray[np.datetime64]) -> Periods | None:
    """Divide the time between the first and the last day into at most 60 periods.

    Dates that are all the first of a month or of a year stand for months or years. None if all
    documents are of one day, or of none.
    """
    known = ~np.isnat(days)
    if not known.any():
        return None
    units = list(_dates.PERIODS)
    for unit in units[units.index(_dates.unit_of(days)) :]:
        numbers = _dates.period_numbers(days, unit)
        first, last = int(numbers[known].min()), int(numbers[known].max())
        if last - first < _MOST_PERIODS:
            break
    if first == last:
        return None
    names = [_name(number, unit) for number in range(first, last + 1)]
    return Periods(unit, names, np.where(known, numbers - first, -1).astype(np.intp))


def _name(number: int, unit: str) -> str:
    """Return what people call a period: 2024-05-31, 2024-05, 2024 Q2, 2024, 2020s, 1900-1999."""
    first = _dates.first_days(number, unit)
    year = 1970 + int(first.astype("datetime64[Y]").astype(np.int64))
    match unit:
        case "quarter":
            return f"{year} Q{number % 4 + 1}"
        case "year":
            return str(year)
        case "decade":
            return f"{year}s"
        case "century":
            return f"{year}-{year + 99}"
        case _:
            return str(first)
