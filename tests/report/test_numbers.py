"""Numbers of a report that its page rounds, sorts or hides."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from topictemper.report._coherence import Coherence
from topictemper.report._dates import periods_of
from topictemper.report._documents import perplexities
from topictemper.report._doubts import doubts_about
from topictemper.report._survey import Proportions
from topictemper.report._words import N_SHOWN, STOPS, candidates, corpus_frequencies

from .small_report import corpus


@pytest.mark.parametrize(
    ("others", "limit"),
    [
        # low - 1.5 (high - low) of the quartiles
        ([0.6, 0.7, 0.8, 0.9], 0.3),
        # 0.9 of the median
        ([0.8, 0.81, 0.82, 0.83], 0.729),
    ],
)
def test_topics_are_general_below_a_fence_and_a_part_of_the_median(others, limit):
    apart = 1.0 - np.identity(5)
    for distance, kinds in ((limit - 0.01, ["general"]), (limit + 0.01, [])):
        doubts = doubts_about(np.full(5, 0.2), None, apart, np.array([distance, *others]), None)
        assert [doubt.kind for doubt in doubts] == kinds


@pytest.mark.parametrize(
    ("others", "chance", "high", "limit"),
    [
        (0.4, 0.0, 0.1, 0.2),  # between chance and the median
        (0.1, -0.5, -0.4, -0.2),
        (0.1, 0.06, 0.09, 0.09),  # few random words are as coherent
        (-0.2, -0.1, 0.0, 0.0),  # the median is below chance
    ],
)
def test_topics_are_incoherent_if_nearer_to_chance_than_to_the_median(others, chance, high, limit):
    apart, far = 1.0 - np.identity(5), np.full(5, 0.8)
    for value, doubted in ((limit - 0.01, True), (limit + 0.001, False)):
        coherence = Coherence(
            np.array([value, *[others] * 4]), np.full(5, chance), np.array([high, -1, -1, -1, -1])
        )
        doubts = doubts_about(np.full(5, 0.2), coherence, apart, far, None)
        assert (0 in [doubt.topic for doubt in doubts]) == doubted
        assert {doubt.kind for doubt in doubts} <= {"incoherent"}


def test_topics_are_empty_duplicate_or_unstable_beyond_a_limit():
    even, far, apart = np.full(4, 0.25), np.full(4, 0.8), 1.0 - np.identity(4)
    for share, kinds in ((0.024, ["empty"]), (0.026, [])):
        doubts = doubts_about(np.array([share, 0.3, 0.3, 0.3]), None, apart, far, None)
        assert [doubt.kind for doubt in doubts] == kinds
    for least, pairs in ((0.39, [(1, 3), (3, 1)]), (0.41, [])):
        near = apart.copy()
        near[1, 3] = near[3, 1] = least
        doubts = doubts_about(even, None, near, far, None)
        assert [(doubt.topic, doubt.other) for doubt in doubts] == pairs
        assert {doubt.kind for doubt in doubts} <= {"duplicate"}
    for distance, kinds in ((0.66, ["unstable"]), (0.64, [])):
        doubts = doubts_about(even, None, apart, far, np.array([0.1, 0.1, distance, 0.1]))
        assert [doubt.kind for doubt in doubts] == kinds


def test_words_at_hand_are_the_most_probable_first():
    topic = np.random.default_rng(0).dirichlet(np.full(500, 0.1))
    words, log_probability = candidates(topic, np.full(500, 1 / 500))
    assert (np.diff(topic[words]) <= 0).all()
    assert words[0] == topic.argmax()
    assert_allclose(log_probability, np.log(np.maximum(topic[words], 1e-12)))


@pytest.mark.parametrize("n_words", [5, 40, 500])
def test_words_at_hand_are_the_first_at_every_stop(n_words):
    # Small whole numbers: many words are as relevant as others.
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 20, n_words) / n_words
    marginal = rng.integers(1, 20, n_words) / n_words
    log_p, log_marginal = np.log(np.maximum(topic, 1e-12)), np.log(marginal)
    shown = [np.argsort(-topic, kind="stable")[:100]]
    for stop in STOPS:
        relevance = log_p - (1 - stop) * log_marginal
        shown.append(np.argsort(-relevance, kind="stable")[:N_SHOWN])
    words = np.sort(candidates(topic, marginal).words)
    np.testing.assert_array_equal(words, np.unique(np.concatenate(shown)))


def test_frequencies_are_shares_of_the_tokens_and_of_half_a_token():
    totals = np.array([6.0, 0.0, 2.0])
    frequencies = corpus_frequencies(np.empty((0, 3)), np.empty(0), totals)
    assert_allclose(frequencies, [6 / 8, 0.5 / 8, 2 / 8])


def test_perplexities_are_those_of_all_blocks_of_documents():
    topics, theta, counts = corpus().topics, corpus().proportions, corpus().counts
    rows = np.resize(np.arange(58), 1100)  # the last two have no words
    log_p = np.log(theta @ topics)[rows]
    expected = np.exp(-(counts[rows] * log_p).sum(axis=1) / counts[rows].sum(axis=1))
    assert_allclose(perplexities(topics, Proportions(theta, None), counts, rows), expected)


def test_without_dates_there_are_no_periods():
    assert periods_of(np.full(3, "NaT", dtype="datetime64[D]")) is None
