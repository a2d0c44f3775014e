"""Rows of an array that come some at a time, or that are written into one that is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._memory import usable_memory

# So many bytes are there where Python is; to look takes as long as to transform a document.
_SURELY_THERE = 1 << 24


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

    def room(self, n_rows: int) -> None:
        """There is no place for the next rows yet: a new array may be added."""

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


def check_memory(n_rows: int, n_columns: int, dtype: np.dtype[Any]) -> None:
    """Refuse proportions of topics in documents that take more bytes than there are."""
    n_bytes = n_rows * n_columns * dtype.itemsize
    if n_bytes <= _SURELY_THERE:
        return
    memory, owner = usable_memory()
    if n_bytes > memory:
        raise ValueError(
            f"the proportions of {n_columns:,} topics in the {n_rows:,} rows of X need "
            f"{n_bytes / 2**30:,.1f} GiB, and {owner} has {memory / 2**30:,.1f} GiB; give an array "
            "of numpy.lib.format.open_memmap as out, or some rows at a time"
        )


class GivenRows:
    """An array of the caller that is filled row by row, in the way of `Rows`.

    Parameters
    ----------
    out : ndarray of shape (n_samples, n_columns)
        The array.
    n_columns : int
        Columns that it has to have.
    dtype : dtype
        Type that it has to have: rows are computed in place.
    n_rows : int, optional
        Rows that it has to have, if they are known before.

    Raises
    ------
    TypeError
        If `out` is not an array.
    ValueError
        If it does not fit, or cannot be written to.
    """

    def __init__(
        self, out: Any, n_columns: int, dtype: np.dtype[Any], n_rows: int | None = None
    ) -> None:
        # A mask would hide what is written.
        if not isinstance(out, np.ndarray) or np.ma.isMaskedArray(out):
            raise TypeError(
                "out must be a NumPy array, such as one of numpy.lib.format.open_memmap, got "
                f"{type(out).__name__}"
            )
        n = "n_samples" if n_rows is None else n_rows
        if out.ndim != 2 or out.shape[1] != n_columns or n_rows not in (None, len(out)):
            raise ValueError(f"out must have the shape ({n}, {n_columns}), not {out.shape}")
        if out.dtype != dtype:
            raise ValueError(f"out must have the dtype {dtype}, that of the model, not {out.dtype}")
        if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
            raise ValueError("out must be a C-contiguous array that can be written to")
        self._out, self._n = out, 0

    def __len__(self) -> int:
        return self._n

    def room(self, n_rows: int) -> NDArray[Any]:
        """Return the place of the next rows."""
        if n_rows > len(self._out) - self._n:
            raise ValueError(
                f"out has {len(self._out):,} rows, and X has more: at least {self._n + n_rows:,}"
            )
        return np.asarray(self._out)[self._n : self._n + n_rows]

    def add(self, part: NDArray[Any]) -> None:
        """Count rows that have been written into their place."""
        self._n += len(part)

    def array(self) -> NDArray[Any]:
        """Return the array, which must be full."""
        if self._n < len(self._out):
            raise ValueError(
                f"out has {len(self._out):,} rows, and X has {self._n:,}; these are written"
            )
        return self._out
