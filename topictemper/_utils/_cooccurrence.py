"""How often words are in the same documents, and their normalized pointwise mutual information."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._chunks import parts
from ._typing import Floats

# Keeps the logarithm finite for pairs that never occur together; as in Röder et al. and gensim.
EPSILON = 1e-12
_ROWS_AT_ONCE = 1 << 12


def shares_together(matrices: Iterable[Any], top: NDArray[np.intp]) -> Iterator[Floats]:
    """Yield, for each row of columns, the shares of documents with both of two of its words.

    Parameters
    ----------
    matrices : iterable of CSR matrices of shape (n_samples, n_features)
        Counts, in as many parts as there are. A word is in a document if its count is > 0.
    top : ndarray of shape (n_components, n)
        Columns.

    Yields
    ------
    ndarray of shape (n, n)
        The diagonal has the shares of documents with one word.
    """
    n_rows, together = counts_together(matrices, top)
    for counts in together:
        yield counts / n_rows


def counts_together(matrices: Iterable[Any], top: NDArray[np.intp]) -> tuple[int, Floats]:
    """Count the documents, and those with both of two words, which can be added to other counts.

    Returns
    -------
    n_rows : int
        Documents.
    together : ndarray of shape (n_components, n, n)
        For each row of `top`.
    """
    words, place = np.unique(top, return_inverse=True)
    place = place.reshape(top.shape)
    n_rows, together = 0, np.zeros((*top.shape, top.shape[1]))
    for part in chain.from_iterable(map(parts, matrices)):
        n_rows += part.shape[0]
        present = part[:, words]
        for start in range(0, present.shape[0], _ROWS_AT_ONCE):
            bits = _bits(present[start : start + _ROWS_AT_ONCE])
            for i in range(top.shape[1]):
                both = bits[place[:, i, None]] & bits[place[:, : i + 1]]
                together[:, i, : i + 1] += np.bitwise_count(both).sum(axis=2)
    return n_rows, together + np.tril(together, -1).transpose(0, 2, 1)


def _bits(X: Any) -> NDArray[np.uint64]:
    """For each column of a CSR matrix a bit for each row: whether it has a count there."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    filled = X.data > 0
    present = np.zeros((X.shape[1], -(-X.shape[0] // 64) * 64), dtype=bool)
    present[X.indices[filled], rows[filled]] = True
    return np.packbits(present, axis=1).view(np.uint64)


def npmi_matrix(p: Floats) -> Floats:
    """NPMI of all pairs, from the shares that `shares_together` yields."""
    apart = np.outer(p.diagonal(), p.diagonal())
    both = np.minimum(p + EPSILON, 1.0)
    # If both words are in every document NPMI is 0 / 0; its limit, for words that always occur
    # together, is 1.
    npmi = np.where(both == 1.0, 1.0, 0.0)
    np.divide(
        np.log(both, out=np.zeros_like(p), where=apart > 0)
        - np.log(apart, out=np.zeros_like(p), where=apart > 0),
        -np.log(both),
        out=npmi,
        where=(apart > 0) & (both < 1.0),
    )
    # EPSILON takes words that always occur together a little above 1.
    return np.minimum(npmi, 1.0)


def mean_npmi(p: Floats) -> float:
    """Mean NPMI of the pairs of distinct words, NaN if there is one word only."""
    pairs = npmi_matrix(p)[np.tril_indices(len(p), -1)]
    return float(pairs.mean()) if len(pairs) else np.nan
