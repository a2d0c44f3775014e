"""What a fit by rounds knows of its documents: how many there are, and which shard has which."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from dask.base import tokenize
from numpy.typing import NDArray

from .._utils._chunks import is_matrix
from .._utils._fractions import warn_of_fractions
from .._utils._hashing import hash_sparse_rows, splitmix64
from .._utils._warnings import warn
from ..lda._estimator import TemperedLDA
from ._blocks import column_names, naming_block, plain

# Weights of rows in the fingerprint are powers of an odd number, modulo 2^64.
_BASE = 0x9E3779B97F4A7C15
_MODULUS = 2**64


class BlockFacts(NamedTuple):
    """What the first look at a block finds."""

    n_rows: int
    n_columns: int
    n_tokens: float
    n_bytes: int
    fingerprint: int
    warnings: list[str]
    #: A hash of the names of its columns, of which there may be very many; None: it has none.
    names: str | None


class Piece(NamedTuple):
    """Some rows of a block."""

    block: int
    start: int
    stop: int


class Corpus(NamedTuple):
    """The documents as rows from 0 to D, wherever blocks end."""

    n_columns: int
    #: Rows before each block, and D.
    offsets: NDArray[np.int64]
    #: Depends on all words and counts, and on the order of documents, but not on blocks.
    fingerprint: int
    #: Bytes and tokens of a document, on average.
    bytes_per_row: float
    length: float

    @classmethod
    def of(cls, facts: list[BlockFacts], declared: int) -> Corpus:
        """Put together what has been found in the blocks of a collection with so many columns.

        Raises
        ------
        ValueError
            If blocks differ in their columns, or if there are no words.
        """
        n_columns = facts[0].n_columns
        for place, block in enumerate(facts):
            if block.n_columns != n_columns:
                raise ValueError(
                    f"block {place} of X has {block.n_columns} columns, but block 0 has "
                    f"{n_columns}; all blocks must have the same words in the same columns"
                )
        if n_columns != declared:
            raise ValueError(
                f"X is said to have {declared} columns, but its blocks have {n_columns}; give its "
                "true shape"
            )
        named = [place for place, block in enumerate(facts) if block.names is not None]
        for place in named:
            if facts[place].names != facts[named[0]].names:
                raise ValueError(
                    f"block {place} of X has other names of columns than block {named[0]}, or in "
                    "another order; all blocks must have the same words in the same columns"
                )
        for message in sorted({message for block in facts for message in block.warnings}):
            warn(message)
        offsets = np.concatenate([[0], np.cumsum([block.n_rows for block in facts])])
        n_tokens = sum(block.n_tokens for block in facts)
        if not n_tokens:
            raise ValueError(f"X has no words: all {offsets[-1]} rows are empty")
        fingerprint = sum(
            block.fingerprint * pow(_BASE, int(offset), _MODULUS)
            for block, offset in zip(facts, offsets[:-1], strict=True)
        )
        n_bytes = sum(block.n_bytes for block in facts)
        return cls(
            n_columns,
            offsets.astype(np.int64),
            fingerprint % _MODULUS,
            bytes_per_row=float(n_bytes / offsets[-1]),
            length=float(n_tokens / offsets[-1]),
        )

    @property
    def n_rows(self) -> int:
        """D."""
        return int(self.offsets[-1])

    def pieces(self, start: int, stop: int) -> list[Piece]:
        """Return the parts of blocks that make up some rows."""
        first = int(np.searchsorted(self.offsets, start, "right")) - 1
        last = int(np.searchsorted(self.offsets, stop, "left"))
        return [
            Piece(
                block,
                max(start - int(self.offsets[block]), 0),
                min(stop, int(self.offsets[block + 1])) - int(self.offsets[block]),
            )
            for block in range(first, last)
            if self.has_rows(block)
        ]

    def has_rows(self, block: int) -> bool:
        """Whether a block has documents: it may turn out empty, as that of a filtered frame."""
        return bool(self.offsets[block] < self.offsets[block + 1])


class ShardMap(NamedTuple):
    """Which rows a shard learns from in which round of a pass: it depends on nothing else."""

    n_rows: int
    n_shards: int
    rounds_per_pass: int

    def rows(self, shard: int, round_in_pass: int) -> tuple[int, int]:
        """Return the first row of a part of a shard, and the row after its last."""
        start, stop = _share(0, self.n_rows, shard, self.n_shards)
        return _share(start, stop, round_in_pass, self.rounds_per_pass)


def _share(start: int, stop: int, i: int, n: int) -> tuple[int, int]:
    """The i-th of n consecutive parts of about the same size."""
    size = stop - start
    return start + size * i // n, start + size * (i + 1) // n


@naming_block
def rows_of(block: Any, start: int, stop: int, n_rows: int) -> Any:
    """Return some rows of a block as CSR counts."""
    X = plain(block)
    # Many parts may share a block: each checks its own rows.
    is_csr = sp.issparse(X) and X.format == "csr"
    cut_first = is_csr or isinstance(X, np.ndarray)
    if not cut_first:
        X = _counts(X)
    if X.shape[0] != n_rows:
        raise ValueError(
            f"it had {n_rows} rows when it was first read, and has {X.shape[0]} now; blocks must "
            "be the same every time"
        )
    rows = _cut(X, start, stop) if is_csr else X[start:stop]
    return _counts(rows) if cut_first else rows


def _cut(X: Any, start: int, stop: int) -> Any:
    """Return a copy of some rows of an unchecked CSR matrix, which SciPy would trust."""
    indptr = X.indptr[start : stop + 1]
    entries = slice(indptr[0], indptr[-1])
    arrays = X.data[entries].copy(), X.indices[entries].copy(), indptr - indptr[0]
    return type(X)(arrays, shape=(stop - start, X.shape[1]))


@naming_block
def facts_of(block: Any) -> BlockFacts:
    """Check a block, and describe it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if is_matrix(block) and not block.shape[0]:
            return BlockFacts(0, block.shape[1], 0.0, 0, 0, [], None)
        X = _counts(block)
        warn_of_fractions(X)
        names = column_names(block, numbers=True)
    rows = splitmix64(hash_sparse_rows(X.indptr, X.indices, X.data))
    powers = np.full(len(rows), np.uint64(_BASE))
    powers[0] = 1
    fingerprint = int((rows * np.cumprod(powers)).sum(dtype=np.uint64))
    return BlockFacts(
        X.shape[0],
        X.shape[1],
        float(X.data.sum(dtype=np.float64)),
        X.data.nbytes + X.indices.nbytes + X.indptr.nbytes,
        fingerprint,
        [str(each.message) for each in caught if each.category is UserWarning],
        None if names is None else tokenize(names.tolist()),
    )


def _counts(block: Any) -> Any:
    return TemperedLDA()._checked_counts(plain(block), reset=True)


@naming_block
def drawn(block: Any, offset: int, seed: int, share: float) -> Any:
    """Return a random share of the rows of a block that begins at a row of the corpus."""
    X = _counts(block)
    if share >= 1.0:
        return X
    rows = np.arange(offset, offset + X.shape[0], dtype=np.uint64)
    keys = splitmix64(rows + splitmix64(np.array([seed], dtype=np.uint64)))
    return X[np.flatnonzero(keys < np.uint64(share * 2.0**64))]


def seed_of(*numbers: int) -> int:
    """Return a seed from 0 to 2^62 that is a hash of some numbers."""
    key = np.zeros(1, dtype=np.uint64)
    for number in numbers:
        key = splitmix64(key ^ np.uint64(number))
    return int(key[0]) >> 2
