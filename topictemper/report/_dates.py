"""Dates of documents in periods: days, weeks, months, quarters, years."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils._dates import iso_date
from .._utils._missing import column, is_missing

# Units and how many days or months they have, from the finest to the coarsest. The first that
# gives few enough periods is taken.
_UNITS = {
    "day": ("D", 1),
    "week": ("D", 7),
    "month": ("M", 1),
    "quarter": ("M", 3),
    "year": ("M", 12),
    "decade": ("M", 120),
    "century": ("M", 1200),
}
_MOST_PERIODS = 60
# Days from a Monday to 1 January 1970, and months from a new century.
_BEFORE_1970 = {"week": 3, "century": 840}


class Periods(NamedTuple):
    """Periods of equal length that cover all dates, and the one of each document."""

    unit: str
    names: list[str]
    codes: NDArray[np.intp]  # -1 for a document without a date


def days_of(dates: Any, n_documents: int) -> NDArray[np.datetime64]:
    """Return checked dates as days; missing ones are NaT.

    Raises
    ------
    ValueError
        If they are not dates, or not as many as the documents.
    """
    values = column(dates)
    if values.shape != (n_documents,):
        raise ValueError(
            f"dates must have one date for each of the {n_documents} documents, got shape "
            f"{values.shape}"
        )
    if values.dtype.kind == "M":
        return values.astype("datetime64[D]")
    return np.array(
        [_day(value, row) for row, value in enumerate(values.tolist())], "datetime64[D]"
    )


def periods_of(days: NDArray[np.datetime64]) -> Periods | None:
    """Divide the time between the first and the last day into at most 60 periods.

    Dates that are all the first of a month or of a year stand for months or years. None if all
    documents are of one day, or of none.
    """
    known = ~np.isnat(days)
    if not known.any():
        return None
    given = _precision(days[known])
    for unit, (code, length) in list(_UNITS.items())[list(_UNITS).index(given) :]:
        numbers = days.astype(f"datetime64[{code}]").astype(np.int64)
        numbers = (numbers + _BEFORE_1970.get(unit, 0)) // length
        first, last = int(numbers[known].min()), int(numbers[known].max())
        if last - first < _MOST_PERIODS:
            break
    if first == last:
        return None
    names = [_name(number, unit) for number in range(first, last + 1)]
    return Periods(unit, names, np.where(known, numbers - first, -1).astype(np.intp))


def _day(value: Any, row: int) -> np.datetime64:
    """Return the day of a date, an ISO string or the number of a year."""
    if is_missing(value):
        return np.datetime64("NaT", "D")
    if isinstance(value, date):  # a datetime and a pandas Timestamp are dates
        return np.datetime64(value.isoformat()[:10])
    if isinstance(value, float) and value.is_integer():  # a year in a column with missing ones
        value = int(value)
    text = str(value).strip()
    if text in ("", "NaT"):
        return np.datetime64("NaT", "D")
    try:
        return np.datetime64(iso_date(text.replace("/", "-"))[:10], "D")
    except ValueError:
        raise ValueError(
            f"dates must be dates, years or text like '2024-05-31', but document {row} has "
            f"{value!r}; pandas.to_datetime(dates) reads other forms"
        ) from None


def _precision(days: NDArray[np.datetime64]) -> str:
    """Return the unit in which dates were given."""
    if (days == days.astype("datetime64[Y]")).all():
        return "year"
    return "month" if (days == days.astype("datetime64[M]")).all() else "day"


def _name(number: int, unit: str) -> str:
    """Return what people call a period: 2024-05-31, 2024-05, 2024 Q2, 2024, 2020s, 1900-1999."""
    code, length = _UNITS[unit]
    first = np.array(number * length - _BEFORE_1970.get(unit, 0)).astype(f"datetime64[{code}]")
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
