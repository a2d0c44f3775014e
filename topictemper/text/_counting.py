"""Counts of words, in parts: the vocabulary grows as texts are read, and is cut afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from .._utils import _validation as check
from .._utils._log import Progress
from ..datasets import open_corpus
from ..datasets.formats._mapped import write_corpus_folder
from ..datasets.formats._text import write_vocabulary
from ._batches import WordCounts, batches_of, count_words, in_memory
from ._copies import Copies
from ._corpus_folder import plain_counting
from ._empty_documents import EmptyDocuments
from ._parts import Part, spool
from ._processes import in_processes, is_plain
from ._unknown import UnknownWords
from ._vocabulary import GrowingVocabulary
from ._warnings import warn_of_frequent_words, warn_of_words


class Counted(NamedTuple):
    """A corpus that has been counted."""

    #: CSR matrix, perhaps memory-mapped.
    counts: Any
    words: list[str]
    #: Share of the words that the limits of the vectorizer leave out.
    unknown_share: float
    copies: Copies


def count_by_vocabulary(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    unknown: UnknownWords | None = None,
    n_jobs: int | None = None,
) -> Iterator[Part]:
    """Count the words of a fitted vectorizer, and the unknown ones into `unknown`."""
    column_of = vectorizer.vocabulary_.get
    for words, part in _word_counts(documents, vectorizer, n_jobs):
        columns = np.fromiter(map(column_of, words, repeat(-1)), np.int64, len(words))
        if unknown is not None:
            many = np.bincount(part.columns, part.counts, len(words)).astype(np.int64)
            unknown.add({words[i]: int(many[i]) for i in np.flatnonzero(columns < 0)})
        yield part.renumbered(columns[part.columns])


def learn_vocabulary(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    folder: Path | None,
    *,
    n_jobs: int | None = None,
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
    n_jobs : int, optional
        Number of processes.
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
    parts, growing = first_counts(documents, vectorizer, n_jobs, bounded=folder is not None)
    with spool(folder) as waiting:
        progress = Progress("counting words", verbose, n_left=n_left)
        for part in parts:
            waiting.append(part)
            growing.add(part)
            progress.add(len(part.lengths))
        progress.end()
        words, unknown_share, final = choose_words(vectorizer, growing)
        copies, empty = Copies(), EmptyDocuments(growing, vectorizer)

        def finished() -> Iterator[Any]:
            for number, part in enumerate(waiting):
                chosen = final(number, part)
                empty.add(part, chosen)
                matrix = chosen.matrix(vectorizer)
                copies.add(matrix)
                yield matrix

        if folder is None:
            counts = sp.vstack(list(finished()), format="csr")
        else:
            written = _logged(finished(), Progress("writing counts", verbose, growing.n_documents))
            notes = plain_counting(vectorizer, unknown_share)
            write_corpus_folder(folder, written, _one_per_line(words), notes)
            counts = open_corpus(folder, verify=False).counts
    empty.warn()
    return Counted(counts, words, unknown_share, copies)


def _one_per_line(words: list[str]) -> list[str] | None:
    """Return the words, or None if a file cannot hold one per line."""
    try:
        write_vocabulary(BytesIO(), words)
    except (TypeError, ValueError):
        return None
    return words


def _logged(matrices: Iterable[Any], progress: Progress) -> Iterator[Any]:
    """Yield matrices, and log how many rows have been taken."""
    for matrix in matrices:
        yield matrix
        progress.add(matrix.shape[0])


def first_counts(
    documents: Iterable[Any],
    vectorizer: CountVectorizer,
    n_jobs: int | None = None,
    *,
    bounded: bool,
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
        parts: Iterator[Part] = (
            part.with_columns(growing.columns_of(words))
            for words, part in _word_counts(documents, vectorizer, n_jobs)
        )
    else:
        vectorizer.fit([])
        growing = GrowingVocabulary(bounded=False)
        growing.columns_of(vectorizer.get_feature_names_out().tolist())
        parts = count_by_vocabulary(documents, vectorizer, n_jobs=n_jobs)
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
        kept, final = growing.n_occurrences, lambda _, part: part
    if not kept:
        raise ValueError(f"no document has one of the {len(words)} words of the vocabulary")
    return words, 1.0 - kept / growing.n_words, final


def set_vocabulary(vectorizer: CountVectorizer, words: list[str]) -> None:
    """Make a vectorizer one that has been fitted."""
    vectorizer.vocabulary_ = {word: number for number, word in enumerate(words)}
    vectorizer.fixed_vocabulary_ = vectorizer.vocabulary is not None
    if len(vectorizer.vocabulary_) != len(words):
        raise ValueError("a word occurs twice")


def _word_counts(
    documents: Iterable[Any], vectorizer: CountVectorizer, n_jobs: int | None
) -> Iterator[WordCounts]:
    """Count all words of documents, some at a time."""
    n_processes = check.threads(n_jobs) if is_plain(vectorizer) else 1
    batches = batches_of(documents)
    if n_processes > 1:
        batches = map(in_memory, batches)
        # They need no vocabulary, which may be large.
        vectorizer = clone(vectorizer).set_params(vocabulary=None)
    return in_processes(partial(count_words, vectorizer=vectorizer), batches, n_processes)
