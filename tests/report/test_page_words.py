"""Words on the page: how much of a word is in a topic, which are marked and which are found."""

import numpy as np
import pytest

from tests.report.small_report import WORDS, arguments, corpus
from topictemper import report


def of_the_word(shown, topic):
    """The second percentage of each word of a topic."""
    words = shown.go(f"topic/{topic}").locator(".word-list .word").all_text_contents()
    parts = [float(text.strip("<%")) / 100 for text in shown.texts(".word-list .value.of")]
    return dict(zip(words, parts, strict=True))


def test_the_part_of_a_word_that_is_in_a_topic_is_of_words_not_of_documents(opened, tmp_path):
    """Ten long documents have all of the first words, ninety short ones all of the others."""
    topics = np.repeat([[0.1, 0.0], [0.0, 0.1]], 10, axis=1)
    theta = np.repeat([[1.0, 0.0], [0.0, 1.0]], [10, 90], axis=0)
    counts = theta @ topics * np.where(theta[:, :1], 20_000, 100)
    words = [f"w{column}" for column in range(20)]
    shown = opened(report.write(topics, theta, words, counts=counts, path=tmp_path / "lengths.html"))
    parts = of_the_word(shown, 0)
    assert {word: parts[word] for word in words[:10]} == dict.fromkeys(words[:10], 1.0)


@pytest.mark.parametrize("counted", [True, False])
def test_the_part_of_a_word_is_that_of_its_occurrences(opened, tmp_path, counted):
    topics, theta = corpus().topics, corpus().proportions[:-2]
    lengths = np.linspace(5, 300, len(theta)).round() if counted else np.ones(len(theta))
    counts = theta @ topics * lengths[:, None] if counted else None
    file = report.write(topics, theta, WORDS, counts=counts, path=tmp_path / "words.html")
    of_topics = lengths @ theta
    expected = of_topics[:, None] * topics / (of_topics @ topics)
    shown = opened(file)
    for k in range(len(topics)):
        for word, part in of_the_word(shown, k).items():
            assert part == pytest.approx(expected[k, WORDS.index(word)], abs=0.0051)
