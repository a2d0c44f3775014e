"""What topics without a label are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

#: Words from which a name is made.
MOST_WORDS = 10
_WORDS = 3


def numbers_of_words(words: Sequence[Sequence[str]]) -> list[int]:
    """How many of its most probable words name each topic.

    They are three, or more where another topic begins with the same: tables are grouped by name. If
    all `MOST_WORDS` are the same, as those of topics that have learned nothing, they remain three.
    """
    numbers = [_WORDS] * len(words)
    same = _with_twins(words, _WORDS, range(len(words)))
    for n in range(_WORDS + 1, MOST_WORDS + 1):
        left = _with_twins(words, n, same)
        for topic in set(same).difference(left):
            numbers[topic] = n
        same = left
    return numbers


def names_of(words: Sequence[Sequence[str]]) -> list[str]:
    """Names of topics whose `MOST_WORDS` most probable words are given."""
    numbers = numbers_of_words(words)
    return [" ".join(of_topic[:n]) for of_topic, n in zip(words, numbers, strict=True)]


def _with_twins(words: Sequence[Sequence[str]], n: int, topics: Sequence[int]) -> list[int]:
    """Those of some topics that begin with the same n words as another of them."""
    beginnings = [" ".join(words[topic][:n]) for topic in topics]
    counts = Counter(beginnings)
    return [topic for topic, text in zip(topics, beginnings, strict=True) if counts[text] > 1]
