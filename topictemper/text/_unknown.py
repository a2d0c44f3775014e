"""Words of new texts that are not in the vocabulary: which they are, and whether they are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._utils._log import counted
from ._parts import Part
from ._vocabulary import MOST_WORDS

# The share of unknown words has risen if it is higher than in `fit` by more, also without the text
# that raises it most: one odd text is no new subject. In 50 new texts on the same subjects it is up
# to 0.08 higher, and in texts on a new one 0.05 to 0.22, by the medians of `python -m
# benchmarks.lda.later`.
_TOLERATED_RISE = 0.1


class UnknownWords:
    """Counts unknown words; of very many, those that are rare so far are forgotten.

    Words that are frequent from the start on are counted exactly. One that was forgotten is counted
    anew when it comes back.
    """

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def add(self, counts: Mapping[Any, int]) -> None:
        """Count words, as often as is said."""
        self._counts.update(counts)
        if len(self._counts) > MOST_WORDS:
            self._counts = Counter(self.most_common(MOST_WORDS // 2))

    def most_common(self, n: int) -> dict[str, int]:
        """Return the n most frequent words with their counts, the most frequent first."""
        return dict(self._counts.most_common(n))


class UnknownShare:
    """The share of unknown words in new texts, all of which are counted.

    Parameters
    ----------
    in_fit : float
        The share in the texts of `fit`; NaN if it is not known.
    """

    def __init__(self, in_fit: float) -> None:
        self._in_fit = in_fit
        self._n_texts = self._n_words = self._n_unknown = 0
        # How much the text that raises the share most does so; its unknown words, and all of them.
        self._oddest = 0.0, 0, 0

    def add(self, part: Part) -> None:
        """Count the words of some texts."""
        n_unknown = part.n_unknown()
        self._n_texts += len(part.lengths)
        self._n_words += int(part.n_words.sum())
        self._n_unknown += int(n_unknown.sum())
        rises = n_unknown - self._in_fit * part.n_words
        i = int(rises.argmax())
        self._oddest = max(self._oddest, (float(rises[i]), int(n_unknown[i]), int(part.n_words[i])))

    @property
    def value(self) -> float:
        """The share, in [0, 1]."""
        return self._n_unknown / max(self._n_words, 1)

    @property
    def has_risen(self) -> bool:
        """Whether it is clearly higher than in `fit`, with and without the oddest text."""
        _, unknown_there, words_there = self._oddest
        of_others = (self._n_unknown - unknown_there) / max(self._n_words - words_there, 1)
        return min(self.value, of_others) > self._in_fit + _TOLERATED_RISE

    def __str__(self) -> str:
        in_fit = "" if np.isnan(self._in_fit) else f"; {self._in_fit:.1%} in fit"
        return (
            f"{self._n_unknown:,} of {counted(self._n_words, 'word')} of "
            f"{counted(self._n_texts, 'document')} are not in the vocabulary "
            f"({self.value:.1%}{in_fit})"
        )
