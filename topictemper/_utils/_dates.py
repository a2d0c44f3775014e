"""Dates of documents, and the periods that they are in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._missing import column, is_missing

#: Periods from the shortest to the longest: the unit of NumPy, how many of it a period has, and how
#: many lie between 1 January 1970 and the beginning of the period that this day is in.
PERIODS = {
    "day": ("D", 1, 0),
    "week": ("D", 7, 3),  # from Monday
    "month": ("M", 1, 0),
    "quarter": ("M", 3, 0),
    "year": ("M", 12, 0),
    "decade": ("M", 120, 0),
    "century": ("M", 1200, 840),
}
# A day, whatever follows it; or a year, or a month.
_DAY = re.compile(r"([+-]?\d{4}-\d\d-\d\d)([TZ +-].*)?|(\d{8})([T ].*)?", re.ASCII | re.DOTALL)
# With a sign it has four digits: "-1" and "-9" stand for a missing year.
_YEAR_OR_MONTH = re.compile(r"([+-]\d{4}|\d{1,4})(-\d\d)?", re.ASCII)
# A year or a day that a column with gaps has made a float.
_WHOLE = re.compile(r"(\d{1,4}|\d{8})\.0+", re.ASCII)
_FIRST_COMPACT, _LAST_COMPACT = 1000_01_01, 9999_12_31
#: Texts of a missing date. R writes "NA" into tables.
MISSING = ("", "NaT", "NA")
_LIKE_MISSING = ("none", "null", "n/a", "<na>", "-", "?")
# Texts whose days are remembered: those of a century, but not all times of day.
_MOST_TEXTS = 1 << 16


def days_of(dates: Any, n_documents: int) -> NDArray[np.datetime64]:
    """Return checked dates as days; missing ones are NaT.

    Parameters
    ----------
    dates : array-like of shape (n_documents,)
        datetime64; dates and datetimes, of which the day is that of their clock; periods of pandas,
        of which it is the first; text such as "2024-05-31", "2024/05/31", "20240531", "2024-05" or
        "2024", with or without a time, which is not read; or numbers such as 2024 and 20240531. A
        month or a year is its first day. None, NaN, NaT, "" and "NA" are missing.
    n_documents : int
        How many there must be.

    Raises
    ------
    ValueError
        If they are not dates, or not as many as the documents.
    """
    return days_of_column(date_column(dates, n_documents))


def date_column(dates: Any, n_documents: int) -> NDArray[Any]:
    """Return dates as an array, or raise ValueError if they are not as many as the documents."""
    values = column("dates", starts_of_periods(dates))
    if values.shape != (n_documents,):
        raise ValueError(
            f"dates must have one date for each of the {n_documents} documents, got shape "
            f"{values.shape}"
        )
    return values


def days_of_column(values: NDArray[Any]) -> NDArray[np.datetime64]:
    """Return the days of an array of `date_column`; see `days_of`."""
    if values.dtype.kind == "M":
        return values.astype("datetime64[D]")
    # Many documents have the same text, which is read once. Not so datetimes: those of two time
    # zones may be equal, but their days are not.
    of_text: dict[str, np.datetime64] = {}
    days = []
    for row, value in enumerate(values.tolist()):
        day = of_text.get(value) if type(value) is str else None
        if day is None:
            day = _day(value, row)
            if type(value) is str and len(of_text) < _MOST_TEXTS:
                of_text[value] = day
        days.append(day)
    return np.array(days, "datetime64[D]")


def starts_of_periods(dates: Any) -> Any:
    """Return the starts of a column of periods of pandas, at once; other dates as they are."""
    if "pandas.period" in str(getattr(dates, "type", "")):  # Arrow holds them as numbers
        dates = dates.to_pandas()
    if not str(getattr(dates, "dtype", "")).startswith("period["):
        return dates
    periods = getattr(dates, "array", dates)
    if periods.ndim != 1:  # pandas converts columns alone, and arrays of dates are refused later
        return np.asarray(periods)
    return np.asarray(periods.to_timestamp())


def has_compact_days(numbers: NDArray[Any]) -> bool:
    """Whether some of the numbers are days, such as 20240531."""
    some = numbers[(numbers >= _FIRST_COMPACT) & (numbers <= _LAST_COMPACT)]
    return any(_is_compact_day(number) for number in np.unique(some).tolist())


def finest_period(
    days: NDArray[np.datetime64], periods: Iterable[str], n_most: int
) -> tuple[str, NDArray[np.int64]]:
    """Return the finest period that makes at most so many, or else the last, and their numbers.

    Months are not cut into weeks: the first of a month is in a week of the month before.
    """
    periods = list(periods)
    for period in periods[periods.index(unit_of(days)) :]:
        numbers = period_numbers(days, period)
        if np.ptp(numbers[~np.isnat(days)]) < n_most:
            break
    return period, numbers


def unit_of(days: NDArray[np.datetime64]) -> str:
    """Return the unit in which dates were given, "year", "month" or "day"."""
    days = days[~np.isnat(days)]
    if (days == days.astype("datetime64[Y]")).all():
        return "year"
    return "month" if (days == days.astype("datetime64[M]")).all() else "day"


def period_numbers(days: NDArray[np.datetime64], period: str) -> NDArray[np.int64]:
    """Number the periods of days; 0 is that of 1 January 1970. NaT has any number."""
    unit, length, before = PERIODS[period]
    units: NDArray[np.int64] = days.astype(f"datetime64[{unit}]").astype(np.int64)
    return (units + before) // length


def first_days(numbers: Any, period: str) -> Any:
    """Return the first day, or month, of periods: datetime64, an array of numbers in one."""
    unit, length, before = PERIODS[period]
    return (np.asarray(numbers) * length - before).astype(f"datetime64[{unit}]")


def name_of_period(number: int, period: str) -> str:
    """Return what people call a period: 2024-05-31, 2024-05, 2024 Q2, 2024, 2020s, 1900-1999."""
    first = first_days(number, period)
    year = 1970 + int(first.astype("datetime64[Y]").astype(np.int64))
    match period:
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


def _day(value: Any, row: int) -> np.datetime64:
    """Return the day of a date, a text or a number."""
    if is_missing(value):
        return np.datetime64("NaT", "D")
    value = getattr(value, "start_time", value)  # of a pandas.Period
    if isinstance(value, date):  # a datetime and a pandas Timestamp are dates
        return np.datetime64(value.isoformat()[:10], "D")
    if isinstance(value, np.datetime64):  # whose text has three digits before Christ
        return value.astype("datetime64[D]")
    try:
        if isinstance(value, Real) and value < 1:
            raise ValueError("no year")
        text = (value.decode() if isinstance(value, bytes) else str(value)).strip()
        whole = _WHOLE.fullmatch(text)
        text = whole[1] if whole else text
        if text in MISSING:
            return np.datetime64("NaT", "D")
        if not text.strip("+-0"):  # which stands for a missing year, like the number
            raise ValueError("no year")
        return np.datetime64(_iso(text.replace("/", "-")), "D")
    except ValueError:
        raise ValueError(
            "dates must be dates, years or text like '2024-05-31', but document "
            f"{row} has {repr(value)[:42]}; {_remedy(value)}"
        ) from None


def _remedy(value: Any) -> str:
    """Say what to do about a value that is no day."""
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    try:
        number = float(text)
    except ValueError:
        number = None
    if text.strip().lower() in _LIKE_MISSING or (number is not None and not number >= 1):
        return "if it stands for a missing date, give None or an empty text"
    if number is not None:
        return (
            "numbers must be years or days, such as 2024 or 20240531. Convert others first: "
            "seconds, such as 1717113600, with pandas.to_datetime(pandas.to_numeric(dates), "
            "unit='s'), and months, such as 202405, to days, with pandas.to_numeric(dates) * 100 "
            "+ 1"
        )
    return (
        "convert other forms first, such as with pandas.to_datetime(dates, format=...), or take "
        "names of periods, such as waves, as groups"
    )


def _iso(text: str) -> str:
    """Return the year, month or day of a text in ISO form, or raise ValueError.

    NumPy takes any run of digits for a year, such as 20240531 or the seconds of a Unix time, and
    words such as "today" for dates.
    """
    match = _DAY.fullmatch(text)
    if match is not None:
        return match[1] or date.fromisoformat(match[3]).isoformat()
    if _YEAR_OR_MONTH.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not an ISO date")
    return text


def _is_compact_day(number: float) -> bool:
    try:
        return bool(number == int(number) and date.fromisoformat(str(int(number))))
    except ValueError:
        return False
