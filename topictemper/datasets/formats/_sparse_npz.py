"""Files of `scipy.sparse.save_npz`, checked before SciPy uses them."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._utils._npz import read_npz as read_members
from ..._utils._sparse_checks import check_structure
from ._lines import LARGEST_SIZE, check_size, summable
from ._packed import InputError

_Arrays = dict[str, NDArray[Any]]
_FORMATS = ("csr", "csc", "bsr", "coo", "dia")


def read_npz(file: IO[bytes], path: Path, n_features: int | None) -> sp.csr_array:
    """Read a sparse matrix in any format that SciPy saves."""
    try:
        arrays = read_members(file, of_counts=True)
        kind = _text(arrays, "format")
        if kind not in _FORMATS:
            raise ValueError(f"member 'format': {kind!r} is not one of {', '.join(_FORMATS)}")
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
        return _csr(_matrix(kind, arrays, summable(data), (n_rows, n_columns)))
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


def _matrix(kind: str, arrays: _Arrays, data: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Return the matrix as SciPy has it, whose arrays need not fit together."""
    make = getattr(sp, f"{kind}_array")
    if kind in ("csr", "csc", "bsr"):
        indices, indptr = _whole(arrays, "indices"), _whole(arrays, "indptr")
        try:
            return make((data, indices, indptr), shape=shape)
        except (IndexError, OverflowError, TypeError, ZeroDivisionError) as error:
            raise ValueError(error) from error
    # SciPy's constructors would keep 32 bits of an offset, and number no entry in an error.
    X = make(shape)
    X.data = data
    if kind == "dia":
        X.offsets = _whole(arrays, "offsets")
    elif "coords" in arrays:
        X.coords = tuple(np.atleast_1d(_whole(arrays, "coords")))
    else:
        X.coords = _whole(arrays, "row"), _whole(arrays, "col")
    return X


def _csr(X: Any) -> sp.csr_array:
    """Return a matrix in CSR, once its structure is checked."""
    X = check_structure(X, "its matrix").tocsr()
    if X.nnz <= LARGEST_SIZE:  # indices of 64 bits would take twice the memory
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    # Counts at the same place are added up.
    X.sum_duplicates()
    return X
