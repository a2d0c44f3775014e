"""Rows of an array that come some at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# An array without room for more rows grows by this part of it, at least.
_GROWTH = 1 / 8


class Rows:
    """An array that grows by rows; `np.concatenate` would need memory for all of them twice."""

    def __init__(self) -> None:
        self._rows = np.empty(0)
        self._n = self._n_parts = 0

    def __len__(self) -> int:
        return self._n

    def add(self, part: NDArray[Any]) -> None:
        """Append rows. The first ones are not copied before there are others."""
        stop = self._n + len(part)
        if not self._n_parts:
            self._rows = part
        else:
            if self._n_parts == 1:
                self._rows = self._rows.copy()  # those of the caller stay as they are
            if stop > len(self._rows):
                self._resize(max(stop, int(len(self._rows) * (1 + _GROWTH))))
            self._rows[self._n : stop] = part
        self._n, self._n_parts = stop, self._n_parts + 1

    def array(self) -> NDArray[Any]:
        """Return all rows. None can be added after that."""
        if len(self._rows) > self._n:
            self._resize(self._n)
        return self._rows

    def _resize(self, n: int) -> None:
        # In place: a large array is moved by the system, or not at all. Nobody else has this one.
        self._rows.resize((n, *self._rows.shape[1:]), refcheck=False)


def joined_rows(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return one array of the rows of several; those of one are not copied."""
    rows = Rows()
    for part in parts:
        rows.add(part)
    return rows.array()
