"""Checks of what a user gives: parameters and counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state, check_scalar

# Sums of this many counts still fit whole numbers and single precision.
_LARGEST_COUNT = 1e15
_ENTRIES_AT_ONCE = 1 << 20


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A whole number in a range."""
    return int(check_scalar(value, name, Integral, min_val=low, max_val=high))


def number(
    name: str,
    value: Any,
    low: float,
    high: float | None = None,
    *,
    boundaries: str = "both",
) -> float:
    """A finite real number in a range."""
    result = float(
        check_scalar(value, name, Real, min_val=low, max_val=high, include_boundaries=boundaries)
    )
    if not np.isfinite(result):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return result


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def random_state(value: Any) -> np.random.RandomState:
    """What scikit-learn takes for a source of random numbers."""
    try:
        return check_random_state(value)
    except ValueError as error:
        raise ValueError(
            f"random_state must be None, an int or a RandomState, got {value!r}"
        ) from error


def threads(value: Any) -> int:
    """Number of threads that ``n_jobs`` stands for."""
    if value is not None and (not isinstance(value, Integral) or value == 0):
        raise ValueError(
            f"n_jobs must be None, a number of threads, or -1 for all processors; got {value!r}"
        )
    return int(effective_n_jobs(value))


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """One of some words."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {value!r}")
    return value


def precision(value: Any) -> np.dtype[Any]:
    """float32 or float64."""
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = np.dtype(object)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {value!r}")
    return dtype


def table(
    name: str, value: Any, shapes: Iterable[tuple[int, ...]], low: float, high: float
) -> NDArray[np.float64]:
    """An array of finite numbers in a range, of one of some shapes."""
    shapes = list(shapes)
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers, got {value!r}") from error
    if array.shape not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes)
        raise ValueError(f"{name} must be of shape {wanted}, got {array.shape}")
    wrong = ~(np.isfinite(array) & (array >= low) & (array <= high))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name} must hold finite numbers from {low:g} to {high:g}, got {array[place]} at "
            f"{place}"
        )
    return array


def check_size(n_components: int, n_features: int, itemsize: int) -> None:
    """Refuse a number of topics whose parameters this machine cannot hold."""
    needed = n_components * n_features * itemsize
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        memory = 2**40
    if needed > memory or n_components > np.iinfo(np.int32).max:
        raise ValueError(
            f"n_components={n_components} with {n_features} features needs "
            f"{needed / 2**30:,.0f} GiB for the topics and the machine has "
            f"{memory / 2**30:,.0f} GiB; choose fewer components"
        )


def counts(X: Any, name: str) -> Any:
    """CSR counts of any type of number, checked."""
    X = check_array(X, accept_sparse="csr", dtype=None, input_name=name)
    if X.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got {X.dtype}")
    return check_counts(X, name)


def check_counts(X: Any, name: str) -> Any:
    """CSR counts without negative values or misplaced entries; the rest scikit-learn has checked.

    Some at a time, because all may be more than fits into memory.
    """
    if not sp.issparse(X):
        X = sp.csr_matrix(X)
    indptr, n_features = X.indptr, X.shape[1]
    # The kernels go where these point.
    if indptr[0] != 0 or indptr[-1] > len(X.data) or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(f"{name} is no valid CSR matrix: indptr must rise from 0 to {X.nnz}")
    for start in range(0, int(indptr[-1]), _ENTRIES_AT_ONCE):
        span = slice(start, min(start + _ENTRIES_AT_ONCE, int(indptr[-1])))
        data, indices = X.data[span], X.indices[span]
        if data.min() < 0 or data.max() > _LARGEST_COUNT:
            entry = int(np.flatnonzero((data < 0) | (data > _LARGEST_COUNT))[0])
            kind, what = (
                ("Negative", ">= 0") if data[entry] < 0 else ("Huge", f"at most {_LARGEST_COUNT:g}")
            )
            raise ValueError(
                f"{kind} values in data passed to {name}: row {_row(indptr, start + entry)} has "
                f"{data[entry]} in column {indices[entry]}; counts must be {what}"
            )
        if indices.min() < 0 or indices.max() >= n_features:
            entry = int(np.flatnonzero((indices < 0) | (indices >= n_features))[0])
            raise ValueError(
                f"{name} is no valid CSR matrix: row {_row(indptr, start + entry)} has an entry "
                f"in column {indices[entry]} of {n_features}"
            )
    return X


def _row(indptr: NDArray[Any], entry: int) -> int:
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def check_width(X: Any, n_features: int, estimator: str) -> None:
    """Refuse counts with another number of columns than those learned from."""
    if X.shape[1] != n_features:
        raise ValueError(
            f"X has {X.shape[1]} features, but {estimator} is expecting {n_features} features "
            "as input."
        )


def sample_weights(value: Any, n_samples: int) -> NDArray[np.float64] | None:
    """How often each row counts, or None: once."""
    if value is None:
        return None
    weights = np.asarray(value)
    if weights.ndim:
        weights = check_array(
            weights, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
        )
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} rows, got an array "
            f"of shape {weights.shape}"
        )
    if weights.min() < 0:
        row = int(np.argmin(weights))
        raise ValueError(
            f"sample_weight must be >= 0, got {weights[row]} for row {row}; 0 leaves a row out"
        )
    if not weights.any():
        raise ValueError("sample_weight must be positive for a row at least, got zeros only")
    return weights


def check_words(X: Any, name: str, sample_weight: NDArray[np.float64] | None = None) -> None:
    """Refuse counts without a single word in a row that counts."""
    if not _has_words(X, sample_weight):
        raise ValueError(f"{name} has no words: all {X.shape[0]} rows are empty")


def check_held_out(X: Any, name: str, sample_weight: NDArray[np.float64] | None = None) -> None:
    """Refuse documents that leave nothing to predict once half of each is given."""
    if not _has_words(X, sample_weight):
        raise ValueError(f"{name} has no document with two tokens, so there is nothing to predict")


def _has_words(X: Any, sample_weight: NDArray[np.float64] | None) -> bool:
    return bool((X if sample_weight is None else X[sample_weight > 0]).data.any())


def feature_names(names: Any, n_features: int) -> NDArray[Any]:
    """Names of the columns, as strings."""
    array = np.asarray(names, dtype=object).ravel()
    if len(array) != n_features:
        raise ValueError(
            f"feature_names must have {n_features} names, one for each column, got {len(array)}"
        )
    return array


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Put every attribute of an estimator back if the block fails."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise
