"""Counts of some documents, and where they wait until the vocabulary is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer


class Part(NamedTuple):
    """Counts of some documents."""

    #: Distinct words of each document.
    lengths: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]
    #: Words of each document, those without a column included.
    n_words: NDArray[np.int64]

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Where the columns of each document begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @property
    def rows(self) -> NDArray[np.int64]:
        """The document of each count."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def n_unknown(self) -> NDArray[np.int64]:
        """Return how many words of each document have no column."""
        known = np.bincount(self.rows, self.counts, len(self.lengths))
        return self.n_words - known.astype(np.int64)

    def matrix(self, vectorizer: CountVectorizer) -> Any:
        """Return the counts in CSR, with the columns of a fitted vectorizer."""
        counts = np.ones_like(self.counts) if vectorizer.binary else self.counts
        shape = len(self.lengths), len(vectorizer.vocabulary_)
        return sp.csr_matrix((counts, self.columns, self.indptr), shape=shape)

    def with_columns(self, new: NDArray[np.int64]) -> Part:
        """Return the part with other numbers of its columns, in no order."""
        return self._replace(columns=new[self.columns].astype(np.int32))

    def renumbered(self, new: NDArray[np.int64]) -> Part:
        """Return the part with other columns, one for each count; those with -1 are left out."""
        kept = np.flatnonzero(new >= 0)
        lengths = np.bincount(self.rows[kept], minlength=len(self.lengths))
        part = Part(lengths, new[kept].astype(np.int32), self.counts[kept], self.n_words)
        arrays = part.counts, part.columns, part.indptr
        matrix = sp.csr_array(arrays, shape=(len(lengths), int(new.max(initial=0)) + 1))
        matrix.sort_indices()  # several times faster than a sort of all at once
        columns = matrix.indices.astype(np.int32, copy=False)
        return part._replace(columns=columns, counts=matrix.data)


def joined(parts: list[Part]) -> Part:
    """Return one part with the documents of several."""
    return parts[0] if len(parts) == 1 else Part(*map(np.concatenate, zip(*parts, strict=True)))


def spool(folder: Path | None) -> AbstractContextManager[_Queue | _File]:
    """Where parts wait until the vocabulary is known. They are taken from there once."""
    return nullcontext(_Queue()) if folder is None else _File(folder.parent)


class _Queue(deque[Part]):
    """Parts in memory. Those that have been taken take no memory."""

    def __iter__(self) -> Iterator[Part]:
        while self:
            yield self.popleft()


class _File:
    """Parts in a temporary file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115
        self._n_parts = 0

    def append(self, part: Part) -> None:
        """Write a part."""
        try:
            for array in part:
                np.save(self._file, array)
        except OSError as error:
            error.filename = str(self._folder)  # the file has no name that could be shown
            raise
        self._n_parts += 1

    def __iter__(self) -> Iterator[Part]:
        self._file.seek(0)
        for _ in range(self._n_parts):
            yield Part(*(np.load(self._file) for _ in Part._fields))

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
