"""gensim corpora: iterables of documents, which are lists of (word, count)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ..._utils import _counts
from ..._utils import _validation as check
from ._lines import LARGEST_COUNT, LARGEST_SIZE, count_type, narrow, summable


def from_gensim(
    corpus: Iterable[Any], n_features: int | Mapping[int, str] | None = None
) -> csr_array:
    """Convert a gensim corpus to counts.

    Parameters
    ----------
    corpus : iterable
        Documents; each is an iterable of pairs of a word number, from 0, and its count.
    n_features : int or gensim Dictionary, default=None
        Number of columns, or the dictionary, with one column for each word. None takes the last
        word in use as the last column.

    Returns
    -------
    csr_array of shape (n_samples, n_features)
        int32, or int64 for large counts, if all counts are integers; else float64.

    Raises
    ------
    ValueError
        If a document does not consist of such pairs; the error names it.

    Examples
    --------
    >>> from topictemper.datasets import from_gensim
    >>> from_gensim([[(0, 3), (2, 1)], [], [(1, 2)]]).toarray()
    array([[3, 0, 1],
           [0, 0, 0],
           [0, 2, 0]], dtype=int32)
    """
    if isinstance(n_features, Mapping):
        n_features = len(n_features)
    if n_features is not None:
        n_features = check.integer("n_features", n_features, 1)
        if n_features > LARGEST_SIZE:
            raise ValueError(f"n_features must be at most {LARGEST_SIZE}, got {n_features}")
    limit = n_features or LARGEST_SIZE
    words, counts, lengths = [np.empty(0, np.int32)], [np.empty(0)], [0]
    for number, document in enumerate(corpus):
        try:
            pairs = np.array(list(document), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"document {number} of corpus must be pairs of numbers") from error
        if pairs.size == 0:
            pairs = pairs.reshape(0, 2)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"document {number} of corpus must be pairs (word, count)")
        ids, values = pairs.T
        if not ((ids >= 0) & (ids < limit) & (ids % 1 == 0)).all():
            raise ValueError(
                f"document {number} of corpus has words that are not integers from 0 to {limit - 1}"
            )
        if not ((values >= 0) & (values <= LARGEST_COUNT)).all():
            raise ValueError(
                f"document {number} of corpus has counts that are not from 0 to {LARGEST_COUNT}"
            )
        words.append(ids.astype(np.int32))
        counts.append(values)
        lengths.append(len(pairs))
    indices, data = np.concatenate(words), summable(narrow(np.concatenate(counts)))
    columns = n_features or int(indices.max(initial=0)) + 1
    X = csr_array((data, indices, np.cumsum(lengths)), shape=(len(lengths) - 1, columns))
    X.sum_duplicates()
    return X.astype(count_type(X.data), copy=False)


def to_gensim(X: Any) -> GensimCorpus:
    """Convert counts to a gensim corpus.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts. Memory-mapped counts are read document by document.

    Returns
    -------
    corpus : iterable, with a length
        For each document a list of pairs of a word number and its count, as Python numbers. It can
        be iterated any number of times.

    Examples
    --------
    >>> from topictemper.datasets import to_gensim
    >>> list(to_gensim([[3, 0, 1], [0, 0, 0], [0, 2, 0]]))
    [[(0, 3), (2, 1)], [], [(1, 2)]]
    """
    return GensimCorpus(_counts.count_matrix(X, "X"))


class GensimCorpus:
    """What `to_gensim` returns."""

    def __init__(self, X: Any) -> None:
        self._X = X

    def __len__(self) -> int:
        return int(self._X.shape[0])

    def __iter__(self) -> Iterator[list[tuple[int, Any]]]:
        X = self._X
        for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            words, counts = X.indices[start:stop].tolist(), X.data[start:stop].tolist()
            yield [(word, count) for word, count in zip(words, counts, strict=True) if count]
