"""Files of `scipy.sparse.save_npz`, checked before SciPy uses them."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._utils._npz import OF_COUNTS
from ..._utils._npz import read_npz as read_members
from ._lines import LARGEST_SIZE, Path, check_size, summable
from ._packed import InputError

_Arrays = dict[str, NDArray[Any]]


def read_npz(file: IO[bytes], path: Path, n_features: int | None) -> sp.csr_array:
    """Read a sparse matrix in any format that SciPy saves."""
    try:
        arrays = read_members(file, OF_COUNTS)
        kind = _text(arrays, "format")
        if kind not in _BUILDERS:
            raise ValueError(f"member 'format': {kind!r} is not one of {', '.join(_BUILDERS)}")
        shape = _whole(arrays, "shape")
        if shape.shape != (2,) or shape.min() < 0 or shape.max() > LARGEST_SIZE:
            raise ValueError(
                f"member 'shape': {shape.tolist()} are not two numbers up to {LARGEST_SIZE}"
            )
        data = _member(arrays, "data")
        if data.dtype.kind not in "biuf":
            raise ValueError(f"member 'data': {data.dtype}, not counts")
        n_rows, n_columns = shape.tolist()
        check_size(path, n_rows, n_columns, data.size)
        return _BUILDERS[kind](arrays, data, (n_rows, n_columns))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"{path}: not a sparse matrix as scipy.sparse.save_npz writes it, or damaged: {error}."
        ) from error


def _member(arrays: _Arrays, name: str) -> NDArray[Any]:
    if name not in arrays:
        raise ValueError(f"no member {name!r}")
    return arrays[name]


def _text(arrays: _Arrays, name: str) -> str:
    array = _member(arrays, name)
    if array.shape != () or array.dtype.kind not in "SU":
        raise ValueError(f"member {name!r}: not a word")
    return bytes(array.item().encode() if array.dtype.kind == "U" else array.item()).decode()


def _whole(arrays: _Arrays, name: str) -> NDArray[np.int64]:
    """Return a member of integers of up to 64 bits."""
    array = _member(arrays, name)
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and array.max(initial=0) >> 63):
        raise ValueError(f"member {name!r}: not whole numbers")
    return array.astype(np.int64, copy=False)


def _indices(arrays: _Arrays, name: str, shape: tuple[int, ...], n: int) -> NDArray[Any]:
    """Return a member of row or column numbers, from 0 to n - 1."""
    array = _whole(arrays, name)
    if array.shape != shape:
        raise ValueError(f"member {name!r}: of shape {array.shape} instead of {shape}")
    if array.size and not 0 <= array.min() <= array.max() < n:
        wrong = array[(array < 0) | (array >= n)][0]
        raise ValueError(f"member {name!r}: {wrong} is not from 0 to {n - 1}")
    return array.astype(np.int32)


def _compressed(kind: str) -> Any:
    """Return a function that builds CSR, CSC or BSR matrices."""

    def build(arrays: _Arrays, data: NDArray[Any], shape: tuple[int, int]) -> sp.csr_array:
        blocks = data.shape[1:]
        if data.ndim != (3 if kind == "bsr" else 1):
            raise ValueError(f"member 'data': of {data.ndim} dimensions")
        if kind == "bsr" and (min(blocks) == 0 or shape[0] % blocks[0] or shape[1] % blocks[1]):
            raise ValueError(f"member 'data': blocks of {blocks} in a matrix of {shape}")
        n_major, n_minor = (
            size // block for size, block in zip(shape, blocks or (1, 1), strict=True)
        )
        if kind == "csc":
            n_major, n_minor = n_minor, n_major
        indptr = _whole(arrays, "indptr")
        if indptr.shape != (n_major + 1,) or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
            raise ValueError(f"member 'indptr': not {n_major + 1} numbers that rise from 0")
        n_entries = int(indptr[-1])
        indices = _indices(arrays, "indices", _whole(arrays, "indices").shape, n_minor)
        if indices.ndim != 1 or len(indices) < n_entries or len(data) < n_entries:
            raise ValueError(
                f"members 'indices' and 'data': of {indices.shape} and {len(data)} entries, for "
                f"an 'indptr' that ends in {n_entries}"
            )
        make = getattr(sp, f"{kind}_array")
        # The arrays may be longer than the entries.
        X = sp.csr_array(make((data[:n_entries], indices[:n_entries], indptr), shape=shape))
        # Counts at the same place are added up.
        X.data = summable(X.data)
        X.sum_duplicates()
        return X

    return build


def _coordinates(arrays: _Arrays, data: NDArray[Any], shape: tuple[int, int]) -> sp.csr_array:
    if data.ndim != 1:
        raise ValueError(f"member 'data': of {data.ndim} dimensions")
    if "coords" in arrays:
        coords = _whole(arrays, "coords")
        if coords.shape != (2, len(data)):
            raise ValueError(f"member 'coords': of shape {coords.shape}")
        arrays = {"row": coords[0], "col": coords[1]}
    rows = _indices(arrays, "row", data.shape, shape[0])
    columns = _indices(arrays, "col", data.shape, shape[1])
    # Counts at the same place are added up.
    return sp.csr_array((summable(data), (rows, columns)), shape=shape)


def _diagonals(arrays: _Arrays, data: NDArray[Any], shape: tuple[int, int]) -> sp.csr_array:
    offsets = _whole(arrays, "offsets")
    if data.ndim != 2 or offsets.shape != data.shape[:1]:
        raise ValueError(
            f"members 'data' and 'offsets': of shapes {data.shape} and {offsets.shape}"
        )
    if len(np.unique(offsets)) < len(offsets):
        raise ValueError("member 'offsets': a diagonal occurs twice")
    if ((offsets < -shape[0]) | (offsets > shape[1])).any():
        raise ValueError("member 'offsets': a diagonal outside of the matrix")
    return sp.csr_array(sp.dia_array((data, offsets), shape=shape))


_BUILDERS = {
    "csr": _compressed("csr"),
    "csc": _compressed("csc"),
    "bsr": _compressed("bsr"),
    "coo": _coordinates,
    "dia": _diagonals,
}
