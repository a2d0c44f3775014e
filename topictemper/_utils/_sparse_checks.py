"""Checks of the structure of sparse matrices, which SciPy and the kernels trust."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ENTRIES_AT_ONCE = 1 << 20
_SMALL = np.iinfo(np.int32).max


def check_structure(X: Any, name: str) -> Any:
    """Refuse a sparse matrix whose arrays do not fit together, and cut off unused entries.

    SciPy reads and writes out of bounds if these arrays are wrong. They are read in parts, since a
    mapped matrix may be larger than the memory. The arrays of a valid matrix are not copied.

    Parameters
    ----------
    X : sparse matrix or array
        In any format of SciPy.
    name : str
        Its name in error messages.

    Returns
    -------
    sparse matrix or array
        X itself, or a matrix of its type that shares its arrays, without unused entries and with
        index arrays of one type. Coordinates that may be given twice have values of a type that
        holds their sums.

    Raises
    ------
    ValueError
        If the matrix is invalid.
    """
    if len(X.shape) != 2:
        raise ValueError(
            f"{name} must be a 2D array of counts, documents by words; got a sparse array of "
            f"shape {X.shape}. Of a sparse array {name}[[0]] is a row of two dimensions"
        )
    check = _CHECKS.get(X.format)
    if check is None:
        raise ValueError(
            f"{name} is a sparse matrix of format {X.format!r}; convert it to CSR with tocsr()"
        )
    return check(X, name)


def row_of(indptr: NDArray[Any], entry: int) -> int:
    """Return the row of a CSR matrix that holds an entry."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def spans(length: int) -> Iterator[slice]:
    """Slices that go over so many entries, some at a time."""
    for start in range(0, length, _ENTRIES_AT_ONCE):
        yield slice(start, min(start + _ENTRIES_AT_ONCE, length))


def _compressed(X: Any, name: str) -> Any:
    """Of CSR, CSC and BSR."""
    major, minor = X.shape if X.format != "csc" else X.shape[::-1]
    data = _array(X, name, "data", 3 if X.format == "bsr" else 1)
    if X.format == "bsr":
        height, width = data.shape[1:]
        if not height or not width or major % height or minor % width:
            raise _invalid(X, name, f"blocks of {height} x {width} do not fill {X.shape}")
        major, minor = major // height, minor // width
    indptr, indices = _array(X, name, "indptr"), _array(X, name, "indices")
    if len(indptr) != major + 1:
        raise _invalid(X, name, f"indptr must have {major + 1} entries, got {len(indptr)}")
    used = int(indptr[-1])
    falls = any((indptr[s.start + 1 : s.stop + 1] < indptr[s]).any() for s in spans(major))
    if indptr[0] != 0 or falls:
        raise _invalid(X, name, f"indptr must rise from 0 to {used}")
    if used > min(len(indices), len(data)):
        raise _invalid(
            X,
            name,
            f"indptr ends at {used}, but there are {len(indices)} indices and {len(data)} values",
        )
    outside = _outside(indices, minor, used)
    if outside is not None:
        lines, places = ("column", "row") if X.format == "csc" else ("row", "column")
        if X.format == "bsr":
            lines, places = f"block {lines}", f"block {places}"
        raise _invalid(
            X,
            name,
            f"{lines} {row_of(indptr, outside)} has an entry in {places} {indices[outside]} "
            f"of {minor}",
        )
    indptr, indices = _of_one_type(indptr, indices, max(used, minor))
    if used < max(len(indices), len(data)):
        indices, data = indices[:used], data[:used]
    return _with(X, indptr=indptr, indices=indices, data=data)


def _coordinates(X: Any, name: str) -> Any:
    """Of COO."""
    if len(X.coords) != 2:
        raise _invalid(X, name, f"coords must be two arrays, got {len(X.coords)}")
    data, row, col = _array(X, name, "data"), _array(X, name, "row"), _array(X, name, "col")
    if not len(data) == len(row) == len(col):
        raise _invalid(
            X, name, f"{len(data)} values, {len(row)} rows and {len(col)} columns do not match"
        )
    for what, places, size in (("row", row, X.shape[0]), ("column", col, X.shape[1])):
        outside = _outside(places, size, len(places))
        if outside is not None:
            raise _invalid(X, name, f"entry {outside} is in {what} {places[outside]} of {size}")
    row, col = _of_one_type(row, col, max(X.shape))
    if data.dtype.kind in "biu" and data.itemsize < 8 and not X.has_canonical_format:
        data = data.astype(np.int64)  # SciPy adds up in the type of the values
    if row is X.row and col is X.col and data is X.data:
        return X
    return _with(X, coords=(row, col), data=data)


def _diagonals(X: Any, name: str) -> Any:
    """Of DIA."""
    data, offsets = _array(X, name, "data", 2), _array(X, name, "offsets")
    if len(offsets) != len(data) or len(np.unique(offsets)) != len(offsets):
        raise _invalid(X, name, f"{len(data)} diagonals need as many different offsets")
    n_rows, n_columns = X.shape
    outside = offsets[(offsets <= -n_rows) | (offsets >= n_columns)]
    if len(outside):
        raise _invalid(
            X, name, f"offsets must be from {1 - n_rows} to {n_columns - 1}, got {outside[0]}"
        )
    return _with(X, data=data, offsets=offsets)


def _lists(X: Any, name: str) -> Any:
    """Of LIL."""
    for part in (X.rows, X.data):
        if not (isinstance(part, np.ndarray) and part.shape == X.shape[:1]) or not all(
            isinstance(row, list) for row in part
        ):
            raise _invalid(X, name, f"rows and data must have a list for each of {X.shape[0]} rows")
    for row, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(columns) != len(values):
            raise _invalid(
                X, name, f"row {row} has {len(columns)} columns and {len(values)} values"
            )
    columns = np.array(list(chain.from_iterable(X.rows)))
    if len(columns) and (
        columns.dtype.kind not in "iu" or columns.min() < 0 or columns.max() >= X.shape[1]
    ):
        raise _invalid(X, name, f"columns must be whole numbers from 0 to {X.shape[1] - 1}")
    return X


def _keys(X: Any, name: str) -> Any:
    """Of DOK, whose entries SciPy checks when it makes coordinates of them."""
    try:
        return _coordinates(X.tocoo(), name)
    except (IndexError, OverflowError, TypeError, ValueError) as error:
        raise _invalid(X, name, str(error)) from error


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}


def _array(X: Any, name: str, part: str, n_dimensions: int = 1) -> NDArray[Any]:
    """One of the arrays of X, in the machine's order of bytes and without gaps."""
    array = getattr(X, part)
    kinds, numbers = ("biufc", "numbers") if part == "data" else ("iu", "whole numbers")
    if (
        not isinstance(array, np.ndarray)
        or array.ndim != n_dimensions
        or array.dtype.kind not in kinds
    ):
        what = f"shape {array.shape}, {array.dtype}" if hasattr(array, "dtype") else repr(array)
        raise _invalid(
            X,
            name,
            f"{part} must be an array of {numbers} of {n_dimensions} dimensions, got {what}",
        )
    if array.flags.c_contiguous and array.dtype.isnative:
        return array
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def _outside(places: NDArray[Any], size: int, used: int) -> int | None:
    """The first of the places in use that is not from 0 to size - 1."""
    for span in spans(used):
        part = places[span]
        if part.min() < 0 or part.max() >= size:
            return span.start + int(np.flatnonzero((part < 0) | (part >= size))[0])
    return None


def _of_one_type(
    first: NDArray[Any], second: NDArray[Any], largest: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Index arrays as SciPy keeps them: both of int32, or both of int64."""
    if first.dtype == second.dtype and first.dtype in (np.int32, np.int64):
        return first, second
    wanted = np.int32 if largest <= _SMALL else np.int64
    return first.astype(wanted, copy=False), second.astype(wanted, copy=False)


def _with(X: Any, **arrays: Any) -> Any:
    """X, or another matrix with these arrays if they are not those of X."""
    if all(getattr(X, part) is array for part, array in arrays.items()):
        return X
    other = copy(X)
    for part, array in arrays.items():
        setattr(other, part, array)
    return other


def _invalid(X: Any, name: str, what: str) -> ValueError:
    return ValueError(f"{name} is no valid {X.format.upper()} matrix: {what}")
