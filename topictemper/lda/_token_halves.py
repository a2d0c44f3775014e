"""Document completion: the tokens of every document, halved at random, always in the same way."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

# Tokens that are shuffled at a time. A document with more is halved word by word.
_INDEX_BITS = 20
_MOST_TOKENS = 2**_INDEX_BITS
# numpy draws from hypergeometric distributions of fewer tokens only.
_MOST_DRAWN = 10**9


class Draws(NamedTuple):
    """The random numbers that halving some rows takes."""

    n_tokens: int
    n_fractions: int
    #: Counts of each document that is halved word by word.
    large: list[NDArray[np.int64]]


class TokenHalves:
    """Halves the rows of a corpus, which may come in chunks: it does not matter where they end.

    The split belongs to the score, not to the model: its seed is the same for every model.
    """

    def __init__(self) -> None:
        self._of_tokens, self._of_fractions = np.random.PCG64(0), np.random.PCG64(1)
        self._of_words = np.random.default_rng(2)

    def split(self, X: Any) -> tuple[Any, Any]:
        """Split each document's tokens at random into two halves: observed and held out.

        The split is of tokens, not of distinct words. Of an odd number the observed half has one
        more. A fraction of a token, as in weighted counts, goes with either half as a whole.

        Parameters
        ----------
        X : CSR matrix of shape (n_documents, n_features)
            Counts, not negative.

        Returns
        -------
        observed, held_out : CSR matrices of the shape of X
            Their sum is X.
        """
        data = np.asarray(X.data, dtype=np.float64)
        whole = np.floor(data)
        observed = data - whole
        fractions = np.flatnonzero(observed)
        observed[fractions] *= self._of_fractions.random_raw(len(fractions)) >> np.uint64(63)
        tokens_before = np.concatenate([[0.0], np.cumsum(whole)])[X.indptr]
        start = 0
        while start < X.shape[0]:
            most = tokens_before[start] + _MOST_TOKENS
            stop = max(start + 1, int(np.searchsorted(tokens_before, most, "right")) - 1)
            stop = min(stop, start + _MOST_TOKENS)
            ptr = X.indptr[start : stop + 1]
            counts = whole[ptr[0] : ptr[-1]].astype(np.int64)
            fits = tokens_before[stop] <= most
            half = self._half(counts, ptr - ptr[0]) if fits else self._half_of_words(counts)
            observed[ptr[0] : ptr[-1]] += half
            start = stop
        return (
            sp.csr_matrix((observed, X.indices, X.indptr), shape=X.shape),
            sp.csr_matrix((data - observed, X.indices, X.indptr), shape=X.shape),
        )

    def skip(self, draws: Draws) -> None:
        """Go on as after rows that somebody else halves."""
        self._of_tokens.advance(draws.n_tokens)
        self._of_fractions.advance(draws.n_fractions)
        for counts in draws.large:
            self._half_of_words(counts)

    def _half(self, counts: NDArray[np.int64], ptr: NDArray[Any]) -> NDArray[np.int64]:
        """Observed counts of some documents: the first half of their tokens, shuffled."""
        ends = np.concatenate([[0], np.cumsum(counts)])[ptr]
        sizes = np.diff(ends)
        # Sorted by document, then by random bits; the lowest bits say which token it is.
        bits = np.uint64(_INDEX_BITS)
        documents = np.arange(len(sizes), dtype=np.uint64) << np.uint64(64 - _INDEX_BITS)
        keys = self._of_tokens.random_raw(int(ends[-1]))
        keys >>= bits + bits
        keys <<= bits
        keys |= np.repeat(documents, sizes)
        keys |= np.arange(len(keys), dtype=np.uint64)
        keys.sort()
        keys &= np.uint64(_MOST_TOKENS - 1)
        shuffled = keys.view(np.int64)
        halves = np.column_stack([(sizes + 1) // 2, sizes // 2]).ravel()
        seen = shuffled[np.repeat(np.tile([True, False], len(sizes)), halves)]
        words = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        return np.bincount(words[seen], minlength=len(counts))

    def _half_of_words(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Observed counts of a document with very many tokens."""
        n = counts.sum()
        if n < _MOST_DRAWN:
            return self._of_words.multivariate_hypergeometric(
                counts, (n + 1) // 2, method="marginals"
            )
        # Every word is halved to within one token of its own.
        return counts // 2 + counts % 2 * self._of_words.integers(0, 2, len(counts))


def draws_for(X: Any) -> Draws:
    """Return what `TokenHalves.skip` has to know of the rows of a CSR matrix."""
    data = np.asarray(X.data, dtype=np.float64)
    whole = np.floor(data)
    tokens = np.diff(np.concatenate([[0.0], np.cumsum(whole)])[X.indptr])
    rows = np.flatnonzero(tokens > _MOST_TOKENS)
    large = [whole[X.indptr[row] : X.indptr[row + 1]].astype(np.int64) for row in rows]
    n_tokens = int(tokens[tokens <= _MOST_TOKENS].sum())
    return Draws(n_tokens, int(np.count_nonzero(data - whole)), large)


def split_tokens(X: Any) -> tuple[Any, Any]:
    """Halve the rows of one matrix; see `TokenHalves.split`."""
    return TokenHalves().split(X)
