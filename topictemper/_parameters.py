"""Checks of what a user gives: parameters and counts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state, check_scalar

# Sums of this many counts still fit whole numbers and single precision.
_LARGEST_COUNT = 1e15


def integer(name: str, value: Any, low: int) -> int:
    """A whole number of at least ``low``."""
    return int(check_scalar(value, name, Integral, min_val=low))


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


def check_counts(X: Any, name: str) -> Any:
    """CSR counts, without negative values; everything else has been checked by scikit-learn."""
    if not sp.issparse(X):
        X = sp.csr_matrix(X)
    if not X.data.size or (X.data.min() >= 0 and X.data.max() <= _LARGEST_COUNT):
        return X
    for wrong, what in (
        (X.data < 0, ">= 0"),
        (X.data > _LARGEST_COUNT, f"at most {_LARGEST_COUNT:g}"),
    ):
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            row = int(np.searchsorted(X.indptr, first, side="right")) - 1
            kind = "Negative" if X.data[first] < 0 else "Huge"
            raise ValueError(
                f"{kind} values in data passed to {name}: row {row} has {X.data[first]} in column "
                f"{X.indices[first]}; counts must be {what}"
            )
    return X


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
