"""Checks of what a user gives: parameters and counts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_scalar


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
    if X.data.size and X.data.min() < 0:
        first = int(np.flatnonzero(X.data < 0)[0])
        row = int(np.searchsorted(X.indptr, first, side="right")) - 1
        raise ValueError(
            f"Negative values in data passed to {name}: row {row} has {X.data[first]} in column "
            f"{X.indices[first]}; counts must be >= 0"
        )
    return X


def check_words(X: Any, name: str) -> None:
    """Refuse counts without a single word."""
    if not X.data.any():
        raise ValueError(f"{name} has no words: all {X.shape[0]} rows are empty")


def feature_names(names: Any, n_features: int) -> NDArray[Any]:
    """Names of the columns, as strings."""
    array = np.asarray(names, dtype=object).ravel()
    if len(array) != n_features:
        raise ValueError(
            f"feature_names must have {n_features} names, one for each column, got {len(array)}"
        )
    return array
