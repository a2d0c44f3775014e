"""Dates of documents in periods, from days to centuries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._utils import _dates
from ._survey import Classes

_MOST_PERIODS = 60


def periods_of(days: NDArray[np.datetime64]) -> Classes | None:
    """Divide the time from the first to the last day into at most 60 periods of equal length.

    Dates that are all the first of a month or of a year stand for months or years. None if all
    documents are of one day, or of none.
    """
    known = ~np.isnat(days)
    if not known.any():
        return None
    unit, numbers = _dates.finest_period(days, _dates.PERIODS, _MOST_PERIODS)
    first, last = int(numbers[known].min()), int(numbers[known].max())
    if first == last:
        return None
    names = [_dates.name_of_period(number, unit) for number in range(first, last + 1)]
    return Classes(names, np.where(known, numbers - first, -1).astype(np.intp), unit)
