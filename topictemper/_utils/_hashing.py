"""Hashes of numbers and of rows: the same content gives the same 64 bits, wherever it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._typing import Reals

Hashes = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def splitmix64(values: Hashes) -> Hashes:
    """Hash each number by a step of SplitMix64 (Steele, Lea and Flood, 2014); twin: splitmix.h."""
    z = values + _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def hash_sparse_rows(
    indptr: NDArray[Any], columns: NDArray[np.integer[Any]], counts: NDArray[Any]
) -> Hashes:
    """Hash each row of a CSR matrix, whatever the order of its entries and their stored zeros."""
    entries = splitmix64(columns.astype(np.uint64)) ^ counts.astype(np.float64).view(np.uint64)
    hashes = splitmix64(entries) * (counts != 0)
    sums = np.concatenate([[np.uint64(0)], np.cumsum(hashes)])
    return sums[indptr[1:]] - sums[indptr[:-1]]


def hash_dense_rows(X: Reals) -> Hashes:
    """Hash each row of an array; -0.0 is the same as 0.0."""
    words = np.add(X, 0.0, dtype=np.float64, order="C").view(np.uint64)
    powers = np.cumprod(np.full(words.shape[1], _GOLDEN))  # modulo 2^64
    # Products mix upwards only, and the upper bits of a float hold most of its information.
    words = words ^ (words >> np.uint64(32))
    return (words * powers).sum(axis=1, dtype=np.uint64)
