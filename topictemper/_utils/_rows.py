"""Rows of an array that come some at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rows:
    """An array that grows by rows; `np.concatenate` would need memory for all of them twice.

    A bytearray grows in place: a large one is moved by the system, or not at all.
    """

    def __init__(self) -> None:
        self._first: NDArray[Any] = np.empty(0)
        self._bytes = bytearray()
        self._n = self._n_parts = 0

    def __len__(self) -> int:
        return self._n

    def add(self, part: NDArray[Any]) -> None:
        """Append rows. The first ones are not copied before there are others."""
        if not self._n_parts:
            self._first = part
        else:
            if self._n_parts == 1:
                self._bytes += np.ascontiguousarray(self._first).data
                self._first = self._first[:0].copy()
            self._bytes += np.ascontiguousarray(part, dtype=self._first.dtype).data
        self._n, self._n_parts = self._n + len(part), self._n_parts + 1

    def array(self) -> NDArray[Any]:
        """Return all rows. None can be added after that."""
        if self._n_parts < 2:
            return self._first
        shape = self._n, *self._first.shape[1:]
        return np.ndarray(shape, dtype=self._first.dtype, buffer=self._bytes)
