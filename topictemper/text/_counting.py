"""Counts of words, in parts: the vocabulary grows as texts are read, and is cut afterwards."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._log import Progress
from ..datasets import open_corpus, save_corpus

# Documents and words that are counted at a time.
_MOST_DOCUMENTS, _MOST_WORDS = 8192, 1 << 20

Analyzer = Callable[[Any], list[str]]


class Part(NamedTuple):
    """Counts of some documents."""

    #: Distinct words of each document.
    lengths: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]
    #: Words of each document, those without a column included.
    n_words: NDArray[np.int64]

    def matrix(self, vectorizer: CountVectorizer) -> Any:
        """Return the counts in CSR, with the columns of a fitted vectorizer."""
        counts = np.ones_like(self.counts) if vectorizer.binary else self.counts
        indptr = np.concatenate([[0], np.cumsum(self.lengths)])
        shape = len(self.lengths), len(vectorizer.vocabulary_)
        return sp.csr_matrix((counts, self.columns, indptr), shape=shape)

    def renumbered(self, columns: NDArray[np.int64]) -> Part:
        """Return the part with other columns; a word with column -1 is left out."""
        new = columns[self.columns]
        rows = np.repeat(np.arange(len(self.lengths)), self.lengths)
        kept = np.flatnonzero(new >= 0)
        kept = kept[np.lexsort((new[kept], rows[kept]))]
        lengths = np.bincount(rows[kept], minlength=len(self.lengths))
        return Part(lengths, new[kept].astype(np.int32), self.counts[kept], self.n_words)


class Counted(NamedTuple):
    """A corpus that has been counted."""

    #: CSR matrix, perhaps memory-mapped.
    counts: Any
    words: list[str]
    #: Share of the words that the limits of the vectorizer leave out.
    unknown_share: float


def count_by_vocabulary(
    documents: Iterable[Any], vectorizer: CountVectorizer, unknown: Counter[str] | None = None
) -> Iterator[Part]:
    """Count the words of a fitted vectorizer, and the unknown ones into `unknown`."""
    vocabulary = vectorizer.vocabulary_
    column_of = vocabulary.get

    def columns(words: list[str]) -> list[int]:
        found = [column_of(word, -1) for word in words]
        if unknown is not None:
            unknown.update(word for word, column in zip(words, found, strict=True) if column < 0)
        return found

    return _parts(documents, vectorizer, columns, lambda: len(vocabulary))


def learn_vocabulary(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    folder: Path | None,
    *,
    verbose: bool = False,
) -> Counted:
    """Fit a vectorizer to documents, and count them; the documents are gone through once.

    Parameters
    ----------
    documents : iterable
        What the vectorizer takes.
    vectorizer : CountVectorizer
        Gets its `vocabulary_`.
    folder : Path or None
        A new folder for the counts, as of `save_corpus`; None: they stay in memory.
    verbose : bool
        Whether to log the progress.

    Raises
    ------
    TypeError, ValueError
        If no words are left, or words are no strings.
    """
    with _spool(folder) as spool:
        totals = Totals()
        progress = Progress("counting words", verbose)
        parts, found = first_counts(documents, vectorizer)
        for part in parts:
            totals.add(part)
            spool.append(part)
            progress.add(len(part.lengths))
        progress.end()
        words, columns, unknown_share = choose_words(vectorizer, list(found), totals)
        matrices = (part.renumbered(columns).matrix(vectorizer) for part in spool)
        if folder is None:
            counts = sp.vstack(list(matrices), format="csr")
        else:
            save_corpus(folder, matrices)
            counts = open_corpus(folder, verify=False).counts
    return Counted(counts, words, unknown_share)


def first_counts(
    documents: Iterable[Any], vectorizer: CountVectorizer
) -> tuple[Iterator[Part], Collection[str]]:
    """Count the words of a vectorizer that is not fitted yet.

    Returns
    -------
    parts : iterator
        The counts.
    words : collection of str
        The words of their columns; complete after the last part.
    """
    if vectorizer.vocabulary is not None:
        vectorizer.fit([])
        return count_by_vocabulary(documents, vectorizer), vectorizer.get_feature_names_out()
    found: defaultdict[str, int] = defaultdict()
    found.default_factory = found.__len__

    def columns(words: list[str]) -> list[int]:
        return list(map(found.__getitem__, words))

    return _parts(documents, vectorizer, columns, found.__len__), found


def choose_words(
    vectorizer: CountVectorizer, words: list[str], totals: Totals
) -> tuple[list[str], NDArray[np.int64], float]:
    """Fit a vectorizer to the words of a corpus.

    Returns
    -------
    words : list of str
        Those that are kept, sorted.
    columns : ndarray
        The new column of each word, -1 if it is left out.
    unknown_share : float
        Share of the words of the documents that are left out.

    Raises
    ------
    TypeError, ValueError
        If no words are left, or words are no strings.
    """
    if vectorizer.vocabulary is None:
        words, columns = _limited(words, totals, vectorizer)
        set_vocabulary(vectorizer, words)
    else:
        vectorizer.fit([])
        columns = np.arange(len(words))
    kept = totals.kept(columns)
    if not kept:
        raise ValueError(f"no document has one of the {len(words)} words of the vocabulary")
    return words, columns, 1.0 - kept / totals.n_words


def set_vocabulary(vectorizer: CountVectorizer, words: list[str]) -> None:
    """Make a vectorizer one that has been fitted."""
    vectorizer.vocabulary_ = {word: number for number, word in enumerate(words)}
    vectorizer.fixed_vocabulary_ = vectorizer.vocabulary is not None
    if len(vectorizer.vocabulary_) != len(words):
        raise ValueError("a word is there twice")


def _parts(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    columns: Callable[[list[str]], list[int]],
    n_columns: Callable[[], int],
) -> Iterator[Part]:
    """Count some documents at a time; column -1 marks an unknown word."""
    analyze: Analyzer = vectorizer.build_analyzer()
    found: list[int] = []
    ends: list[int] = []
    for number, document in enumerate(documents):
        try:
            found += columns(analyze(document))
        except UnicodeDecodeError as error:
            raise ValueError(f"document {number} is not {error.encoding}: {error}") from error
        ends.append(len(found))
        if len(ends) == _MOST_DOCUMENTS or len(found) > _MOST_WORDS:
            yield _counted(found, ends, n_columns())
            found, ends = [], []
    if ends:
        yield _counted(found, ends, n_columns())


def _counted(found: list[int], ends: list[int], n_columns: int) -> Part:
    columns, n_words = np.array(found, dtype=np.int64), np.diff(ends, prepend=0)
    # Sorted by document, then by column.
    keys = np.repeat(np.arange(len(ends)) * n_columns, n_words) + columns
    keys, counts = np.unique(keys[columns >= 0], return_counts=True)
    rows, columns = np.divmod(keys, max(n_columns, 1))
    lengths = np.bincount(rows, minlength=len(ends))
    return Part(lengths, columns.astype(np.int32), counts.astype(np.int32), n_words)


class Totals:
    """Documents of each word, and how often it occurs."""

    def __init__(self) -> None:
        self.n_documents, self.n_words = 0, 0
        self.documents = np.zeros(0, dtype=np.int64)
        self.occurrences = np.zeros(0, dtype=np.int64)

    def add(self, part: Part) -> None:
        """Add a part, which may have new columns."""
        self.n_documents += len(part.lengths)
        self.n_words += int(part.n_words.sum())
        self._widen(int(part.columns.max(initial=-1)) + 1)
        np.add.at(self.documents, part.columns, 1)
        np.add.at(self.occurrences, part.columns, part.counts)

    def merge(self, columns: NDArray[np.int64], other: Totals) -> None:
        """Add the totals of other documents, whose words have these columns here."""
        self.n_documents += other.n_documents
        self.n_words += other.n_words
        self._widen(int(columns.max(initial=-1)) + 1)
        columns = columns[: len(other.documents)]  # there is none of the later ones
        self.documents[columns] += other.documents[: len(columns)]
        self.occurrences[columns] += other.occurrences[: len(columns)]

    def kept(self, columns: NDArray[np.int64]) -> int:
        """Return the number of words in columns that are kept."""
        return int(self.occurrences[: len(columns)][columns[: len(self.occurrences)] >= 0].sum())

    def _widen(self, width: int) -> None:
        if width > len(self.documents):
            # Room for twice as many, so that a growing vocabulary is not copied with every part.
            more = 2 * width - len(self.documents)
            self.documents = np.pad(self.documents, (0, more))
            self.occurrences = np.pad(self.occurrences, (0, more))


def _limited(
    words: list[str], totals: Totals, vectorizer: CountVectorizer
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the words within the limits of the vectorizer, sorted, and the new columns of all."""
    strange = next((word for word in words if not isinstance(word, str)), None)
    if strange is not None:
        raise TypeError(f"tokens must be strings, got {strange!r}")
    if not words:
        raise ValueError(
            f"texts has no words: the vectorizer found none in {totals.n_documents:,} documents"
        )
    documents = totals.documents[: len(words)]
    low, high = (
        float(limit if isinstance(limit, Integral) else limit * totals.n_documents)
        for limit in (vectorizer.min_df, vectorizer.max_df)
    )
    kept = np.flatnonzero((documents >= low) & (documents <= high))
    kept = np.array(sorted(kept, key=words.__getitem__), dtype=np.int64)
    if vectorizer.max_features is not None:
        often = np.argsort(-totals.occurrences[kept], kind="stable")[: vectorizer.max_features]
        kept = kept[np.sort(often)]
    if not len(kept):
        raise ValueError(
            f"none of the {len(words):,} words is left: min_df={vectorizer.min_df} and "
            f"max_df={vectorizer.max_df} leave those that are in {low:g} to {high:g} of "
            f"{totals.n_documents:,} documents; choose a smaller min_df or a larger max_df"
        )
    columns = np.full(len(words), -1)
    columns[kept] = np.arange(len(kept))
    return [words[number] for number in kept], columns


class _Parts(Protocol):
    def append(self, part: Part, /) -> None: ...

    def __iter__(self) -> Iterator[Part]: ...


def _spool(folder: Path | None) -> AbstractContextManager[_Parts]:
    """Where parts wait until the vocabulary is known."""
    return nullcontext([]) if folder is None else _File(folder.parent)


class _File:
    """Parts in a temporary file."""

    def __init__(self, folder: Path) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115
        self._n_parts = 0

    def append(self, part: Part) -> None:
        """Write a part."""
        for array in part:
            np.save(self._file, array)
        self._n_parts += 1

    def __iter__(self) -> Iterator[Part]:
        self._file.seek(0)
        for _ in range(self._n_parts):
            yield Part(*(np.load(self._file) for _ in Part._fields))

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
