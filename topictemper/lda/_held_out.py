"""Document completion: tokens that are held out, half of every document, always the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils._hashing import Hashes, hash_sparse_rows, splitmix64
from .._utils._typing import Floats

# Tokens that are sorted at a time: they fit into a cache.
_AT_ONCE = 2**15
# Of a document, at most. One with more is halved word by word.
_INDEX_BITS = 20
_MOST_TOKENS = 2**_INDEX_BITS
# numpy draws from hypergeometric distributions of fewer tokens only.
_MOST_DRAWN = 10**9


def split_tokens(X: Any, workers: Workers | None = None) -> tuple[Any, Any]:
    """Split each document's tokens at random into two halves: observed and held out.

    The random numbers are hashes of the document: it is halved in the same way wherever it stands,
    for every model. The split is of tokens, not of distinct words. Of an odd number the observed
    half has one more. A fraction of a token, as in weighted counts, goes with either half as a
    whole.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_features)
        Counts, not negative.
    workers : Workers, optional
        Threads that share the work.

    Returns
    -------
    observed, held_out : CSR matrices of the shape of X
        Their sum is X.
    """
    data = np.asarray(X.data, dtype=np.float64)
    observed = np.zeros_like(data)

    def split(rows: slice) -> None:
        ptr = X.indptr[rows.start : rows.stop + 1]
        entries = slice(ptr[0], ptr[-1])
        observed[entries] = _observed(ptr - ptr[0], X.indices[entries], data[entries])

    (workers or Workers()).spread(split, _blocks(X.indptr, data))
    return (
        sp.csr_matrix((observed, X.indices, X.indptr), shape=X.shape),
        sp.csr_matrix((data - observed, X.indices, X.indptr), shape=X.shape),
    )


def _blocks(indptr: NDArray[Any], data: Floats) -> Iterator[slice]:
    """Rows to split at a time; a document with more tokens than fit is a block by itself."""
    tokens_before = np.concatenate([[0.0], np.cumsum(np.floor(data))])[indptr]
    start, n_rows = 0, len(indptr) - 1
    while start < n_rows:
        most = tokens_before[start] + _AT_ONCE
        stop = max(start + 1, int(np.searchsorted(tokens_before, most, "right")) - 1)
        stop = min(stop, start + _AT_ONCE)
        yield slice(start, stop)
        start = stop


def _observed(ptr: NDArray[Any], columns: NDArray[Any], data: Floats) -> Floats:
    """Observed counts of some documents."""
    whole = np.floor(data)
    documents = hash_sparse_rows(ptr, columns, data)
    words = splitmix64(columns.astype(np.uint64))
    words += np.repeat(documents, np.diff(ptr))
    hashes = splitmix64(words)
    counts, parts = whole.astype(np.int64), (data - whole) * (hashes >> np.uint64(63))
    if whole.sum() > _MOST_TOKENS:
        return parts + _half_of_words(counts, documents[0])
    return parts + _half(counts, ptr, hashes)


def _half(counts: NDArray[np.int64], ptr: NDArray[Any], hashes: Hashes) -> NDArray[np.int64]:
    """Observed counts of some documents: those tokens whose hashes are the lower half."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    words = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    tokens = np.arange(len(words), dtype=np.uint64)
    sizes = np.diff(ends[ptr])
    # A token is hashed by its word and by how many of the word come before it.
    keys = splitmix64(hashes[words] + (tokens - ends[words].astype(np.uint64)))
    # Sorted by document, then by hash; the lowest bits say which token it is.
    bits = np.uint64(_INDEX_BITS)
    keys >>= bits + bits
    keys <<= bits
    keys |= np.repeat(np.arange(len(sizes), dtype=np.uint64) << np.uint64(64 - _INDEX_BITS), sizes)
    keys |= tokens
    keys.sort()
    keys &= np.uint64(_MOST_TOKENS - 1)
    shuffled = keys.view(np.int64)
    halves = np.column_stack([(sizes + 1) // 2, sizes // 2]).ravel()
    seen = shuffled[np.repeat(np.tile([True, False], len(sizes)), halves)]
    return np.bincount(words[seen], minlength=len(counts))


def _half_of_words(counts: NDArray[np.int64], seed: np.uint64) -> NDArray[np.int64]:
    """Observed counts of a document with very many tokens."""
    rng, half = np.random.default_rng(int(seed)), np.zeros_like(counts)
    n = counts.sum(dtype=np.float64)  # which int64 may not hold
    words = counts > 0
    counts = counts[words]  # stored zeros take no draws
    if n < _MOST_DRAWN:
        half[words] = rng.multivariate_hypergeometric(counts, (int(n) + 1) // 2, method="marginals")
    else:  # every word is halved to within one token of its own
        half[words] = counts // 2 + counts % 2 * rng.integers(0, 2, len(counts))
    return half
