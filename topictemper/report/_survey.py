"""One pass over the proportions: what the page says of all documents, however many they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._utils._intervals import interval_of_difference, interval_of_mean, size_in_documents
from .._utils._ranking import Largest
from .._utils._typing import Flags, Floats, Reals

# Values of the proportions that are in memory at once.
_VALUES_AT_ONCE = 1 << 20
# Documents whose proportions are smaller hold no topic.
_NOTHING = 1e-9
_CONFIDENCE = 0.95


class Classes(NamedTuple):
    """A way to divide the documents, such as by year or by group."""

    names: list[str]
    codes: NDArray[np.intp]  # the class of each document, -1 for none
    unit: str | None = None  # of periods


class Change(NamedTuple):
    """Mean proportions in the later documents less those in the earlier ones."""

    later: int  # the first of the later periods
    mean: Floats  # (n_components,)
    low: Floats  # ends of 95% intervals
    high: Floats


class Shares(NamedTuple):
    """Mean proportions in each class of documents."""

    n_documents: NDArray[np.intp]  # (n_classes,)
    mean: Floats  # (n_classes, n_components)
    low: Floats  # ends of 95% intervals; NaN without documents, as the mean
    high: Floats
    change: Change | None  # of periods, of which several have documents


class Survey(NamedTuple):
    """What holds of all documents."""

    share: Floats  # mean proportion of each topic
    token_share: Floats  # the same, where long documents count for more
    n_led: NDArray[np.intp]  # documents in which the topic has the largest proportion
    examples: list[NDArray[np.intp]]  # for each topic, the rows with its largest proportions
    with_words: Flags  # (n_samples,)
    classes: dict[str, Shares]


class Proportions:
    """Rows of proportions, dense or sparse, in memory or made when they are asked for.

    Parameters
    ----------
    rows : object
        Has `shape`, and gives rows for a slice and for an array of row numbers.
    lengths : ndarray of shape (n_samples,), optional
        Words of the documents. Rows with none have no proportions.
    """

    def __init__(self, rows: Any, lengths: NDArray[Any] | None) -> None:
        self._rows, self.lengths = rows, lengths
        self.n_documents, self.n_topics = rows.shape

    def take(self, rows: slice | NDArray[np.intp]) -> Reals:
        """Return rows that sum to one, or to zero where a document has no words."""
        block = self._rows[rows]
        block = block.toarray() if sp.issparse(block) else np.asarray(block)
        block = block.astype(np.float64 if block.dtype == np.float64 else np.float32, copy=True)
        valid = np.isfinite(block) & (block >= 0)
        if not valid.all():
            i, k = np.argwhere(~valid)[0]
            row = i + (rows.start or 0) if isinstance(rows, slice) else rows[i]
            raise ValueError(
                "proportions must be finite and at least 0, but document "
                f"{row} has {block[i, k]} of topic {k}"
            )
        total = block.sum(axis=1)
        if self.lengths is not None:
            total = np.where(self.lengths[rows] > 0, total, 0.0)
        nothing = total <= _NOTHING
        block /= np.where(nothing, 1.0, total)[:, None]
        block[nothing] = 0.0
        return block

    def blocks(self) -> Iterator[tuple[slice, Reals]]:
        """Yield slices of the documents with their rows."""
        step = max(1, _VALUES_AT_ONCE // self.n_topics)
        for start in range(0, self.n_documents, step):
            rows = slice(start, min(start + step, self.n_documents))
            yield rows, self.take(rows)


def survey(proportions: Proportions, classes: Mapping[str, Classes], n_examples: int) -> Survey:
    """Go once over all proportions.

    Parameters
    ----------
    proportions : Proportions
        Of all documents.
    classes : mapping of str to Classes
        The ways to divide the documents.
    n_examples : int
        Rows to keep for each topic.

    Raises
    ------
    ValueError
        If proportions are negative or not finite, or if no document has any.
    """
    n_topics = proportions.n_topics
    total, squares, tokens = np.zeros((3, n_topics))
    main = 0.0
    n_led = np.zeros(n_topics, dtype=np.intp)
    with_words = np.zeros(proportions.n_documents, dtype=bool)
    sums = {name: _Sums(len(each.names), n_topics) for name, each in classes.items()}
    best = Largest(n_topics, n_examples, above=0.0)
    for rows, block in proportions.blocks():
        known = block.any(axis=1)
        with_words[rows] = known
        total += block.sum(axis=0, dtype=np.float64)
        squared = np.square(block, dtype=np.float64)
        squares += squared.sum(axis=0)
        main += block.max(axis=1).sum(dtype=np.float64)
        if proportions.lengths is not None:
            tokens += proportions.lengths[rows] @ block
        n_led += np.bincount(block.argmax(axis=1)[known], minlength=n_topics)
        best.add(rows.start, block)
        for name, each in classes.items():
            sums[name].add(np.where(known, each.codes[rows], -1), block, squared)
    n = int(with_words.sum())
    if not n:
        raise ValueError("proportions have no document with a topic: all rows are zero")
    share = total / n
    token_share = share if proportions.lengths is None else tokens / tokens.sum()
    size = size_in_documents(main / n, share, squares / n)
    shares = {
        name: sums[name].shares(size, over_time=each.unit is not None)
        for name, each in classes.items()
    }
    return Survey(share, token_share, n_led, best.rows(), with_words, shares)


class _Sums:
    """Sums of proportions and of their squares in classes of documents."""

    def __init__(self, n_classes: int, n_topics: int) -> None:
        self._n = np.zeros(n_classes, dtype=np.intp)
        self._sum, self._squares = np.zeros((2, n_classes, n_topics))

    def add(self, codes: NDArray[np.intp], block: Reals, squared: Floats) -> None:
        rows = np.flatnonzero(codes >= 0)
        member = sp.csr_array(
            (np.ones(len(rows)), (codes[rows], rows)), shape=(len(self._n), len(block))
        )
        self._n += np.bincount(codes[rows], minlength=len(self._n))
        self._sum += member @ block
        self._squares += member @ squared

    def shares(self, size: Floats, *, over_time: bool) -> Shares:
        """Means with intervals; `size` is from `size_in_documents`."""
        change = self._change(size) if over_time else None
        return Shares(self._n, *_means(self._n, self._sum, self._squares, size), change)

    def _change(self, size: Floats) -> Change | None:
        """The change between two parts, of about half of the documents each."""
        before = np.cumsum(self._n)
        away = np.abs(before[-1] / 2 - before[:-1])
        # The last of equal ones, so that no empty period is named.
        later = len(away) - int(away[::-1].argmin())
        n, sum_, squares = (
            np.add.reduceat(each, [0, later]) for each in (self._n, self._sum, self._squares)
        )
        if not n.all():
            return None
        early, late = zip(*_means(n, sum_, squares, size), strict=True)
        return Change(later, late[0] - early[0], *interval_of_difference(early, late))


def _means(
    n_documents: NDArray[np.intp], sum_: Floats, squares: Floats, size: Floats
) -> tuple[Floats, Floats, Floats]:
    """Means of classes, and the ends of their intervals; NaN without documents."""
    n = np.where(n_documents > 0, n_documents, np.nan)[:, None]
    mean = sum_ / n
    return mean, *interval_of_mean(n, mean, squares / n, size, _CONFIDENCE)
