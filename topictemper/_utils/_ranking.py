"""The largest of some values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of a hundred values: to search for each is faster than to sort them all.
_MOST_SEARCHED = 10


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Places of the n largest values, the largest first, and the first of equal ones first."""
    n = min(n, len(values))
    # In reverse: many values that are the smallest, as in topics, would be partitioned slowly.
    # Integers have no negatives if they are unsigned or the least.
    reverse = -values if values.dtype.kind == "f" else ~values
    last = np.partition(reverse, n - 1)[n - 1]
    places = np.flatnonzero(reverse <= last)
    return places[np.argsort(reverse[places], kind="stable")[:n]]


def largest_in_rows(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Places of the n largest values of each row, as `largest` ranks them."""
    n = min(n, values.shape[1])
    if n > _MOST_SEARCHED:
        return np.argsort(-values, axis=1, kind="stable")[:, :n]
    places = np.empty((len(values), n), dtype=np.intp)
    left, rows = values.copy(), np.arange(len(values))
    for i in range(n):
        places[:, i] = left.argmax(axis=1)
        left[rows, places[:, i]] = -np.inf
    return places


def top_columns(topics: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Columns of the n most probable words of each topic, in descending order."""
    return np.stack([largest(topic, n) for topic in topics])


class Largest:
    """Rows with the largest values of each column of a matrix whose rows come in blocks.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    n : int
        Rows to keep of each.
    above : float, default=-inf
        Smaller values, and this one, are left out.
    """

    def __init__(self, n_columns: int, n: int, above: float = -np.inf) -> None:
        self._n = n
        self._values = [np.empty(0)] * n_columns
        self._rows = [np.empty(0, dtype=np.intp)] * n_columns
        self._least = np.full(n_columns, above)

    def add(self, start: int, block: NDArray[Any]) -> None:
        """Add a block, of which `start` is the first row."""
        beats = block > self._least
        for k in np.flatnonzero(beats.any(axis=0)):
            rows = np.flatnonzero(beats[:, k])
            values = np.concatenate([self._values[k], block[rows, k]])
            rows = np.concatenate([self._rows[k], rows + start])
            first = np.argsort(-values, kind="stable")[: self._n]
            self._values[k], self._rows[k] = values[first], rows[first]
            if len(first) == self._n:
                self._least[k] = values[first[-1]]

    def rows(self) -> list[NDArray[np.intp]]:
        """For each column the rows, as `largest` ranks them."""
        return self._rows
