"""gensim corpora: iterables of documents, which are lists of (word, count)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..._utils import _counts
from ..._utils import _validation as check
from ..._utils._sparse_checks import row_of
from ..._utils._typing import Flags, Floats
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
    TypeError
        If `corpus` is no iterable.
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
    if not check.has_entries(corpus):
        raise TypeError(f"corpus must be an iterable of documents, got {corpus!r:.60}")
    words, counts, ends = _entries(corpus)
    _check(
        (words >= 0) & (words < LARGEST_SIZE) & (words % 1 == 0),
        ends,
        f"words that are not integers from 0 to {LARGEST_SIZE - 1}",
    )
    if n_features is not None:
        _check(
            words < n_features,
            ends,
            f"words above {n_features - 1}, the last column; make it by doc2bow of the dictionary "
            "of these columns, which must not have grown since",
        )
    _check(
        (counts >= 0) & (counts <= LARGEST_COUNT),
        ends,
        f"counts that are not from 0 to {LARGEST_COUNT}",
    )
    indices, data = words.astype(np.int32), summable(narrow(counts))
    columns = n_features or int(indices.max(initial=0)) + 1
    X = csr_array((data, indices, ends), shape=(len(ends) - 1, columns))
    X.sum_duplicates()
    return X.astype(count_type(X.data), copy=False)


def _entries(corpus: Iterable[Any]) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return the words and the counts of all documents, and where each begins and ends."""
    # One array for all: those of NumPy, one for each document, would take most of the time.
    numbers, ends = array("d"), [0]
    for number, document in enumerate(corpus):
        try:
            pairs = list(document)
            if set(map(len, pairs)) - {2}:
                raise ValueError("not pairs")
            numbers.extend(chain.from_iterable(pairs))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"document {number} of corpus must be pairs of numbers (word, count); give a "
                "single document as [document]"
            ) from error
        ends.append(len(numbers) // 2)
    words, counts = np.frombuffer(numbers).reshape(-1, 2).T
    return words, counts, np.array(ends)


def _check(valid: Flags, ends: NDArray[np.int64], what: str) -> None:
    """Refuse entries that are not valid, and name the first document that has one."""
    if not valid.all():
        number = row_of(ends, int(np.argmin(valid)))
        raise ValueError(f"document {number} of corpus has {what}")


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
