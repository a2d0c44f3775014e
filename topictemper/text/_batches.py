"""Words of some documents at a time, which any process can count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import length_hint
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from ._composed import as_it_is, composer
from ._long_texts import LONG, words_in_pieces
from ._parts import Part, joined

# Documents, and characters of texts or tokens of lists, that are counted at a time.
_MOST_DOCUMENTS, _MOST_CHARACTERS, _MOST_TOKENS = 8192, 1 << 22, 1 << 20

#: Some documents in a row, with their numbers.
Batch = Iterable[tuple[int, Any]]


class WordCounts(NamedTuple):
    """Counts of a batch."""

    #: Its distinct words, as they come.
    words: list[Any]
    #: Its columns are positions in `words`.
    part: Part


def batches_of(documents: Iterable[Any]) -> Iterator[Batch]:
    """Yield batches, which read the documents: each one before the next is taken."""
    numbered = enumerate(documents)
    for first in numbered:
        yield _one_batch(chain([first], numbered))


def _one_batch(numbered: Iterable[tuple[int, Any]]) -> Batch:
    room = 1.0
    for n, (number, document) in enumerate(numbered, 1):
        yield number, document
        most = _MOST_CHARACTERS if isinstance(document, str | bytes) else _MOST_TOKENS
        room -= length_hint(document) / most
        if n == _MOST_DOCUMENTS or room <= 0:
            return


def in_memory(batch: Batch) -> Batch:
    """Return a batch for another process: its texts are plain strings, with nothing else to them.

    Strings of Beautiful Soup, for one, would take their whole page along.
    """
    return [
        (number, str.__str__(document) if isinstance(document, str) else document)
        for number, document in batch
    ]


def analyzer_of(vectorizer: CountVectorizer) -> Callable[[Any], list[Any]]:
    """Return what makes words of a document: the analyzer of a vectorizer, for composed texts."""
    analyze, compose = vectorizer.build_analyzer(), composer(vectorizer)
    if compose is as_it_is:
        return analyze
    return lambda document: analyze(compose(vectorizer.decode(document)))


def count_words(batch: Batch, vectorizer: CountVectorizer) -> WordCounts:
    """Count the words of a batch, with no regard to the vocabulary of the vectorizer.

    Raises
    ------
    ValueError
        If the bytes of a document are not in the encoding of the vectorizer.
    """
    analyze = analyzer_of(vectorizer)
    in_pieces = words_in_pieces(vectorizer)
    column: defaultdict[Any, int] = defaultdict()
    column.default_factory = column.__len__
    counted: list[Part] = []
    found: list[int] = []
    ends: list[int] = []
    for number, document in batch:
        try:
            if in_pieces is not None and len(document) > LONG:
                counted.append(_counted(found, ends, len(column)))
                pieces = (map(column.__getitem__, words) for words in in_pieces(document))
                counted.append(_counted_in_pieces(pieces))
                found, ends = [], []
            else:
                found += map(column.__getitem__, analyze(document))
                ends.append(len(found))
        except UnicodeDecodeError as error:
            raise ValueError(f"document {number} is not {error.encoding}: {error}") from error
    counted.append(_counted(found, ends, len(column)))
    column.default_factory = None  # a cycle, whose memory would be freed late
    return WordCounts(list(column), joined(counted))


def _counted_in_pieces(pieces: Iterable[Iterable[int]]) -> Part:
    """Count the columns of one document, which come some at a time."""
    counts: Counter[int] = Counter()
    for piece in pieces:
        counts.update(piece)
    columns, many = np.array(sorted(counts.items()), dtype=np.int32).reshape(-1, 2).T
    return Part(np.array([len(columns)]), columns, many, np.array([many.sum(dtype=np.int64)]))


def _counted(found: list[int], ends: list[int], n_columns: int) -> Part:
    n_words = np.diff([0, *ends])
    # Sorted by document, then by column.
    keys = np.repeat(np.arange(len(ends)) * n_columns, n_words) + np.array(found, dtype=np.int64)
    keys, counts = np.unique(keys, return_counts=True)
    rows, columns = np.divmod(keys, max(n_columns, 1))
    lengths = np.bincount(rows, minlength=len(ends))
    return Part(lengths, columns.astype(np.int32), counts.astype(np.int32), n_words)
