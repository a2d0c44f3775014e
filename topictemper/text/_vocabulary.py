"""The vocabulary of a stream of texts, which grows as they are read."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._warnings import warn
from ._parts import Part

#: Different words of a stream that are remembered, some 400 MB.
MOST_WORDS = 2_000_000


def document_limit(limit: float, n_documents: int) -> float:
    """Return `min_df` or `max_df` as a number of documents."""
    return float(limit if isinstance(limit, Integral) else limit * n_documents)


class Limited(NamedTuple):
    """The words within the limits of a vectorizer, and the way to their columns."""

    #: Sorted; the final column of a word is its place.
    words: list[str]
    #: How often they occur.
    n_kept: int
    #: The final column of each column, or -1, and the first part of which that is true.
    columns: NDArray[np.int64]
    since: NDArray[np.int64]

    def part(self, number: int, part: Part) -> Part:
        """Return a part, of those that were added, with the final columns."""
        new = self.columns[part.columns]
        new[self.since[part.columns] > number] = -1
        return part.renumbered(new)


class _Counts(NamedTuple):
    """What is known of each column."""

    #: Documents with its word, and how often it occurs.
    documents: NDArray[np.int64]
    occurrences: NDArray[np.int64]
    #: Documents with the word that may not have been counted.
    missed: NDArray[np.int64]
    #: The first part in which the column is that of its word.
    since: NDArray[np.int64]


class _Columns(dict[Any, int]):
    """The column of each word: new words get one that is free, or else one more."""

    # A defaultdict with a method of its owner would be a cycle, whose memory is freed late.
    def __init__(self) -> None:
        super().__init__()
        self.n = 0
        #: Columns of forgotten words.
        self.free: list[int] = []

    def __missing__(self, word: Any) -> int:
        if self.free:
            column = self.free.pop()
        else:
            column, self.n = self.n, self.n + 1
        self[word] = column
        return column


class GrowingVocabulary:
    """Words, their columns, and in how many documents they are.

    Parameters
    ----------
    bounded : bool
        Whether to forget rare words when there are more than `MOST_WORDS`, by lossy counting. Below
        that all counts are exact. Above it a warning says by how much document frequencies may be
        too low.

    References
    ----------
    Manku, Motwani (2002). Approximate frequency counts over data streams. VLDB.
    """

    def __init__(self, *, bounded: bool) -> None:
        self._bounded = bounded
        self._column = _Columns()
        self._counts = _Counts(*np.zeros((4, 0), dtype=np.int64))
        self.n_documents = self.n_words = 0
        self._n_parts = self._missed = 0

    def columns_of(self, words: list[Any]) -> NDArray[np.int64]:
        """Return the columns of words, new ones too."""
        return np.fromiter(map(self._column.__getitem__, words), np.int64, len(words))

    def add(self, part: Part) -> None:
        """Count a part, whose columns are those of `columns_of`."""
        self.n_documents += len(part.lengths)
        self.n_words += int(part.n_words.sum())
        self._widen()
        documents, occurrences, missed, since = self._counts
        fresh = part.columns[documents[part.columns] == 0]
        missed[fresh], since[fresh] = self._missed, self._n_parts
        np.add.at(documents, part.columns, 1)
        np.add.at(occurrences, part.columns, part.counts)
        self._n_parts += 1
        if self._bounded and len(self._column) > MOST_WORDS:
            self._forget()

    def merge(self, other: GrowingVocabulary) -> None:
        """Add the words and the numbers of other documents; both are not `bounded`."""
        self.n_documents += other.n_documents
        self.n_words += other.n_words
        columns = self.columns_of(list(other._column))
        self._widen()
        for mine, theirs in (
            (self._counts.documents, other._counts.documents),
            (self._counts.occurrences, other._counts.occurrences),
        ):
            mine[columns] += theirs[: len(columns)]

    def as_one_word(self) -> GrowingVocabulary:
        """Return the same numbers as those of one word, which stands for all of them."""
        one = GrowingVocabulary(bounded=False)
        one.n_documents, one.n_words = self.n_documents, self.n_words
        one.columns_of([""])
        one._widen()
        one._counts.occurrences[0] = self.n_occurrences
        return one

    @property
    def n_columns(self) -> int:
        """Columns that words have, or had before they were forgotten."""
        return self._column.n

    @property
    def n_occurrences(self) -> int:
        """How often the words occur that are not forgotten."""
        return int(self._counts.occurrences.sum())

    @property
    def strings(self) -> list[str]:
        """The words; an analyzer of the user's may make others, which `limited` refuses."""
        return [word for word in self._column if isinstance(word, str)]

    def share_of(self, words: Iterable[str]) -> tuple[float, str]:
        """Return the share that some words have of all, and the most frequent one of them."""
        there = self._column.keys() & words
        many = [(int(self._counts.occurrences[self._column[word]]), word) for word in there]
        _, example = max(many, default=(0, ""))
        return sum(n for n, _ in many) / max(self.n_occurrences, 1), example

    def n_documents_with(self, word: str) -> int:
        """Return in how many documents a word is."""
        column = self._column.get(word)
        return 0 if column is None else int(self._counts.documents[column])

    def n_documents_of(self, columns: NDArray[Any]) -> NDArray[np.int64]:
        """Return in how many documents the words of columns are."""
        return self._counts.documents[columns]

    def share_in_more_than(self, n_documents: float) -> tuple[float, Any]:
        """Return the share of the words that are in more documents, and the most frequent one."""
        documents, occurrences, _, _ = self._counts
        many = np.where(documents > n_documents, occurrences, 0)
        if not many.any():
            return 0.0, ""
        column = int(many.argmax())
        example = next(word for word, its in self._column.items() if its == column)
        return int(many.sum()) / self.n_occurrences, example

    def limited(self, vectorizer: CountVectorizer) -> Limited:
        """Return the words within the limits of a vectorizer.

        Raises
        ------
        TypeError, ValueError
            If words are no strings, or none is left.
        """
        for word in self._column:
            if not isinstance(word, str):
                raise TypeError(f"tokens must be strings, got {word!r}")
        if not self._column:
            raise ValueError(
                f"texts has no words: the vectorizer found none in {self.n_documents:,} documents"
            )
        if self._missed:
            warn(
                f"the texts have more than {MOST_WORDS:,} different words, so rare ones were "
                "forgotten while counting; document frequencies, to which min_df and max_df "
                f"apply, may be too low by up to {self._missed:,}",
            )
        low = document_limit(vectorizer.min_df, self.n_documents)
        high = document_limit(vectorizer.max_df, self.n_documents)
        documents, occurrences, _, since = self._counts
        kept = sorted(
            word for word, column in self._column.items() if low <= documents[column] <= high
        )
        columns = np.array([self._column[word] for word in kept], dtype=np.int64)
        if vectorizer.max_features is not None:
            counts = documents if vectorizer.binary else occurrences  # as in scikit-learn
            often = np.argsort(-counts[columns], kind="stable")[: vectorizer.max_features]
            often.sort()
            kept, columns = [kept[place] for place in often], columns[often]
        if not kept:
            which = f"those that are in {low:g} to {high:g} of {self.n_documents:,} documents"
            if low > high:
                which = f"none, as {low:g} is more than {high:g} of {self.n_documents:,} documents"
            raise ValueError(
                f"none of the {len(self._column):,} words is left: min_df={vectorizer.min_df} and "
                f"max_df={vectorizer.max_df} leave {which}; choose a smaller min_df or a larger "
                "max_df"
            )
        final = np.full(self.n_columns, -1)
        final[columns] = np.arange(len(kept))
        return Limited(kept, int(occurrences[columns].sum()), final, since)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state, without the room for more words."""
        counts = _Counts(*(each[: self.n_columns] for each in self._counts))
        return self.__dict__ | {"_counts": counts}

    def _widen(self) -> None:
        if self.n_columns > len(self._counts.documents):
            # Room for twice as many, so that a growing vocabulary is not copied with every part.
            more = 2 * self.n_columns - len(self._counts.documents)
            self._counts = _Counts(*(np.pad(each, (0, more)) for each in self._counts))

    def _forget(self) -> None:
        """Forget the words in the fewest documents, so that half of the room is free."""
        documents, occurrences, missed, _ = self._counts
        columns = np.fromiter(self._column.values(), np.int64, len(self._column))
        at_most = documents[columns] + missed[columns]
        # No forgotten word is in more documents than this.
        self._missed = int(np.partition(at_most, -MOST_WORDS // 2)[-MOST_WORDS // 2])
        words = [
            word
            for word, many in zip(self._column, at_most.tolist(), strict=True)
            if many <= self._missed
        ]
        freed = [self._column.pop(word) for word in words]
        documents[freed] = occurrences[freed] = 0
        self._column.free += freed
