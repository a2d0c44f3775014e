"""Counts of words, in parts: the vocabulary grows as texts are read, and is cut afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._log import Progress
from ..datasets import open_corpus
from ..datasets.formats._mapped import write_corpus_folder
from ..datasets.formats._text import write_vocabulary
from ._corpus_folder import plain_counting
from ._long_texts import LONG, words_in_pieces
from ._parts import Part, joined, spool
from ._vocabulary import GrowingVocabulary, UnknownWords
from ._warnings import warn_of_frequent_words, warn_of_words

# Documents and words that are counted at a time.
_MOST_DOCUMENTS, _MOST_WORDS = 8192, 1 << 20


class Counted(NamedTuple):
    """A corpus that has been counted."""

    #: CSR matrix, perhaps memory-mapped.
    counts: Any
    words: list[str]
    #: Share of the words that the limits of the vectorizer leave out.
    unknown_share: float


def count_by_vocabulary(
    documents: Iterable[Any], vectorizer: CountVectorizer, unknown: UnknownWords | None = None
) -> Iterator[Part]:
    """Count the words of a fitted vectorizer, and the unknown ones into `unknown`."""
    vocabulary = vectorizer.vocabulary_
    column_of = vocabulary.get

    def columns(words: list[str]) -> list[int]:
        found = list(map(column_of, words, repeat(-1)))
        if unknown is not None:
            unknown.add([word for word, column in zip(words, found, strict=True) if column < 0])
        return found

    return _parts(documents, vectorizer, columns, lambda: len(vocabulary))


def learn_vocabulary(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    folder: Path | None,
    *,
    verbose: bool = False,
    n_left: Callable[[int], float] | None = None,
) -> Counted:
    """Fit a vectorizer to documents, and count them; the documents are gone through once.

    Parameters
    ----------
    documents : iterable
        What the vectorizer takes.
    vectorizer : CountVectorizer
        Gets its `vocabulary_`.
    folder : Path or None
        A new folder for the counts, as of `save_corpus`, and for how texts were cut into words;
        None: they stay in memory.
    verbose : bool
        Whether to log the progress.
    n_left : callable, optional
        For the log; see `Progress`.

    Returns
    -------
    Counted
        With counts in memory, or in the folder. Of documents counted into a folder, rare words are
        forgotten if there are too many different ones; see `GrowingVocabulary`.

    Raises
    ------
    TypeError, ValueError
        If no words are left, or words are no strings.
    """
    # What is in memory may be counted there.
    parts, growing = first_counts(documents, vectorizer, bounded=folder is not None)
    with spool(folder) as waiting:
        progress = Progress("counting words", verbose, n_left=n_left)
        for part in parts:
            waiting.append(part)
            growing.add(part)
            progress.add(len(part.lengths))
        progress.end()
        words, unknown_share, final = choose_words(vectorizer, growing)
        matrices = (final(number, part).matrix(vectorizer) for number, part in enumerate(waiting))
        if folder is None:
            counts = sp.vstack(list(matrices), format="csr")
        else:
            told = _told(matrices, Progress("writing counts", verbose, growing.n_documents))
            notes = plain_counting(vectorizer, unknown_share)
            write_corpus_folder(folder, told, _one_per_line(words), notes)
            counts = open_corpus(folder, verify=False).counts
    return Counted(counts, words, unknown_share)


def _one_per_line(words: list[str]) -> list[str] | None:
    """Return the words, or None if a file cannot hold one per line."""
    try:
        write_vocabulary(BytesIO(), words)
    except (TypeError, ValueError):
        return None
    return words


def _told(matrices: Iterable[Any], progress: Progress) -> Iterator[Any]:
    """Yield matrices, and say how many rows there were."""
    for matrix in matrices:
        yield matrix
        progress.add(matrix.shape[0])


def first_counts(
    documents: Iterable[Any], vectorizer: CountVectorizer, *, bounded: bool
) -> tuple[Iterator[Part], GrowingVocabulary]:
    """Count the words of a vectorizer that is not fitted yet.

    Returns
    -------
    parts : iterator
        The counts.
    growing : GrowingVocabulary
        The words of their columns. Each part is to be added to it before the next one is taken.
        It may forget words if it is `bounded`, but not those of a given vocabulary.
    """
    if vectorizer.vocabulary is None:
        growing = GrowingVocabulary(bounded=bounded)
        parts = _parts(documents, vectorizer, growing.columns_of, lambda: growing.n_columns)
    else:
        vectorizer.fit([])
        growing = GrowingVocabulary(bounded=False)
        growing.columns_of(vectorizer.get_feature_names_out().tolist())
        parts = count_by_vocabulary(documents, vectorizer)
    return parts, growing


def choose_words(
    vectorizer: CountVectorizer, growing: GrowingVocabulary
) -> tuple[list[str], float, Callable[[int, Part], Part]]:
    """Fit a vectorizer to the words of `first_counts`.

    Returns
    -------
    words : list of str
        Those that are kept.
    unknown_share : float
        Share of the words of the documents that are left out.
    final : callable
        Makes the number of a part, and the part, a part with the final columns.

    Raises
    ------
    TypeError, ValueError
        If no words are left, or words are no strings.
    """
    final: Callable[[int, Part], Part]
    if vectorizer.vocabulary is None:
        warn_of_words(growing, vectorizer)
        limited = growing.limited(vectorizer)
        warn_of_frequent_words(growing, vectorizer)
        words, kept, final = limited.words, limited.n_kept, limited.part
        set_vocabulary(vectorizer, words)
    else:
        vectorizer.fit([])
        words = vectorizer.get_feature_names_out().tolist()
        kept, final = growing.n_occurrences, _same
    if not kept:
        raise ValueError(f"no document has one of the {len(words)} words of the vocabulary")
    return words, 1.0 - kept / growing.n_words, final


def _same(_: int, part: Part) -> Part:
    return part


def set_vocabulary(vectorizer: CountVectorizer, words: list[str]) -> None:
    """Make a vectorizer one that has been fitted."""
    vectorizer.vocabulary_ = {word: number for number, word in enumerate(words)}
    vectorizer.fixed_vocabulary_ = vectorizer.vocabulary is not None
    if len(vectorizer.vocabulary_) != len(words):
        raise ValueError("a word occurs twice")


def _parts(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    columns: Callable[[list[str]], list[int]],
    n_columns: Callable[[], int],
) -> Iterator[Part]:
    """Count some documents at a time; column -1 marks an unknown word."""
    analyze = vectorizer.build_analyzer()
    in_pieces = words_in_pieces(vectorizer)
    counted: list[Part] = []
    found: list[int] = []
    ends: list[int] = []
    n_documents = n_words = 0
    for number, document in enumerate(documents):
        try:
            if in_pieces is not None and len(document) > LONG:
                counted.append(_counted(found, ends, n_columns()))
                counted.append(_counted_in_pieces(map(columns, in_pieces(document))))
                n_words += int(counted[-1].n_words[0])
                found, ends = [], []
            else:
                begun = len(found)
                found += columns(analyze(document))
                n_words += len(found) - begun
                ends.append(len(found))
        except UnicodeDecodeError as error:
            raise ValueError(f"document {number} is not {error.encoding}: {error}") from error
        n_documents += 1
        if n_documents == _MOST_DOCUMENTS or n_words > _MOST_WORDS:
            counted.append(_counted(found, ends, n_columns()))
            yield joined(counted)
            counted, found, ends = [], [], []
            n_documents = n_words = 0
    if n_documents:
        counted.append(_counted(found, ends, n_columns()))
        yield joined(counted)


def _counted_in_pieces(pieces: Iterable[list[int]]) -> Part:
    """Count the columns of one document, which come some at a time."""
    counts: Counter[int] = Counter()
    n_words = 0
    for piece in pieces:
        counts.update(piece)
        n_words += len(piece)
    counts.pop(-1, None)
    columns = np.array(sorted(counts), dtype=np.int32)
    return Part(
        np.array([len(columns)]),
        columns,
        np.array([counts[column] for column in columns.tolist()], dtype=np.int32),
        np.array([n_words]),
    )


def _counted(found: list[int], ends: list[int], n_columns: int) -> Part:
    columns, n_words = np.array(found, dtype=np.int64), np.diff([0, *ends])
    # Sorted by document, then by column.
    keys = np.repeat(np.arange(len(ends)) * n_columns, n_words) + columns
    keys, counts = np.unique(keys[columns >= 0], return_counts=True)
    rows, columns = np.divmod(keys, max(n_columns, 1))
    lengths = np.bincount(rows, minlength=len(ends))
    return Part(lengths, columns.astype(np.int32), counts.astype(np.int32), n_words)
