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
    for n in range(_WORDS + 1, MOST_WORDS + 1):
        for topic in _twins(words, numbers):
            numbers[topic] = n
    for topic in _twins(words, numbers):
        numbers[topic] = _WORDS
    return numbers


def names_of_topics(words: Sequence[Sequence[str]]) -> list[str]:
    """Names of topics whose `MOST_WORDS` most probable words are given."""
    return _names(words, numbers_of_words(words))


def joined(words: Sequence[str]) -> str:
    """Words in one string; if one of them has a blank, such as a title, semicolons divide them."""
    return ("; " if any(" " in word for word in words) else " ").join(words)


def _names(words: Sequence[Sequence[str]], numbers: Sequence[int]) -> list[str]:
    return [joined(of_topic[:n]) for of_topic, n in zip(words, numbers, strict=True)]


def _twins(words: Sequence[Sequence[str]], numbers: Sequence[int]) -> list[int]:
    """Topics that have the name of another one, if named by so many words each."""
    names = _names(words, numbers)
    counts = Counter(names)
    return [topic for topic, name in enumerate(names) if counts[name] > 1]
