"""The largest of some values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Places of the n largest values, the largest first, and the first of equal ones first."""
    n = min(n, len(values))
    places = np.flatnonzero(values >= np.partition(values, len(values) - n)[len(values) - n])
    return places[np.argsort(-values[places], kind="stable")[:n]]


def top_columns(topics: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Columns of the n most probable words of each topic, in descending order."""
    return np.stack([largest(topic, n) for topic in topics])
