"""Documents that have the same words as an earlier one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._hashing import Hashes, hash_sparse_rows
from .._utils._warnings import warn

# Distinct words. Short answers are often the same without being copies.
_LEAST_DISTINCT = 10
# Posts, abstracts, reviews and articles have less than 1% of copies. With 9% the score of other
# mails is 0.02 lower (docs/guide/measured/documents.rst).
_LEAST_SHARE = 0.05
# Fewer are those of an example, which often repeats a few texts.
_LEAST_DOCUMENTS = 100


class Copies:
    """Counts documents whose words, in any order, are those of an earlier one.

    Words that are not in the vocabulary make no difference. So two mails of one template, with
    rare names or numbers in it, are the same.
    """

    def __init__(self) -> None:
        self._n_documents = 0
        #: Numbers and hashes of the documents with many words.
        self._numbers: list[NDArray[np.intp]] = []
        self._hashes: list[Hashes] = []

    def add(self, counts: Any) -> None:
        """Look at some documents, a CSR matrix."""
        hashes = hash_sparse_rows(counts.indptr, counts.indices, counts.data)
        long = np.flatnonzero(np.diff(counts.indptr) >= _LEAST_DISTINCT)
        self._numbers.append(self._n_documents + long)
        self._hashes.append(hashes[long])
        self._n_documents += counts.shape[0]

    def warn(self) -> None:
        """Warn if many of the documents are copies."""
        numbers, hashes = np.concatenate(self._numbers), np.concatenate(self._hashes)
        _, group, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
        n_copies = len(hashes) - len(sizes)
        if self._n_documents < _LEAST_DOCUMENTS or n_copies < _LEAST_SHARE * self._n_documents:
            return
        same = numbers[group == group[sizes[group].argmax()]]
        warn(
            f"{n_copies:,} of {self._n_documents:,} documents repeat the words of another one "
            f"({len(same):,} have the same, such as documents {same[0]} and {same[1]}). Copies "
            "make topics predict other texts worse: leave them out, such as by drop_duplicates of "
            "pandas"
        )
