"""What topics without a label are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

#: Words from which a name is made.
MOST_WORDS = 10
_WORDS = 3


def numbers_of_words(words: Sequence[Sequence[str]], labels: Mapping[int, str]) -> list[int]:
    """How many of its most probable words name each topic, beside labels of some topics.

    They are three, or more where another topic begins with the same or is labeled so: tables are
    grouped by name. If all `MOST_WORDS` are the same, as those of topics that have learned nothing,
    they remain three.
    """
    owners = {label: topic for topic, label in labels.items()}
    numbers = [_WORDS] * len(words)
    for n in range(_WORDS + 1, MOST_WORDS + 1):
        for topic in _twins(words, numbers, owners):
            numbers[topic] = n
    for topic in _twins(words, numbers, owners):
        numbers[topic] = _WORDS
    return numbers


def names_of_topics(words: Sequence[Sequence[str]], labels: Mapping[int, str]) -> list[str]:
    """Names of topics, of their `MOST_WORDS` most probable words, beside labels of some topics."""
    return _names(words, numbers_of_words(words, labels))


def joined(words: Sequence[str]) -> str:
    """Words in one string; if one of them has a blank, such as a title, semicolons divide them."""
    return ("; " if any(" " in word for word in words) else " ").join(words)


def _names(words: Sequence[Sequence[str]], numbers: Sequence[int]) -> list[str]:
    return [joined(of_topic[:n]) for of_topic, n in zip(words, numbers, strict=True)]


def _twins(
    words: Sequence[Sequence[str]], numbers: Sequence[int], owners: Mapping[str, int]
) -> list[int]:
    """Topics that have the name or the label of another one, if named by so many words each."""
    names = _names(words, numbers)
    counts = Counter(names)
    return [
        topic
        for topic, name in enumerate(names)
        if counts[name] > 1 or owners.get(name, topic) != topic
    ]
