"""The words of texts that a vocabulary does not have, in bounded memory."""

from __future__ import annotations

from collections import Counter

from . import _vocabulary


class UnknownWords:
    """Counts unknown words; of very many, those that are rare so far are forgotten.

    Words that are frequent from the start on are counted exactly. One that was forgotten is counted
    anew when it comes back.

    Attributes
    ----------
    total : int
        How often any unknown word occurred, exactly.
    """

    def __init__(self) -> None:
        self.total = 0
        self._counts = Counter[str]()

    def add(self, words: list[str]) -> None:
        """Count words, as often as they are there."""
        self.total += len(words)
        self._counts.update(words)
        if len(self._counts) > _vocabulary.MOST_WORDS:
            self._counts = Counter(self.most_common(_vocabulary.MOST_WORDS // 2))

    def most_common(self, n: int) -> dict[str, int]:
        """Return the n most frequent words with their counts, the most frequent first."""
        return dict(self._counts.most_common(n))
