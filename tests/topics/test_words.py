import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper.topics import frex, lift, relevance
from topictemper.topics._words import word_scores

from ..traced_memory import TracedMemory

RNG = np.random.default_rng(0)
TOPICS = RNG.gamma(0.3, 5.0, size=(5, 40)) + 0.01
BETA = TOPICS / TOPICS.sum(axis=1, keepdims=True)
P = TOPICS.sum(axis=0) / TOPICS.sum()


def test_relevance_is_the_formula_of_the_paper():
    expected = 0.3 * np.log(BETA) + 0.7 * np.log(BETA / P)
    assert_allclose(relevance(TOPICS, 0.3), expected)
    assert_allclose(relevance(TOPICS, 0.0), np.log(lift(TOPICS)), atol=1e-12)
    assert_array_equal(relevance(TOPICS, 1.0).argsort(), BETA.argsort())


@pytest.mark.parametrize("measure", [relevance, frex])
@pytest.mark.parametrize("weight", [(), (0.3,)])
def test_words_are_ranked_by_a_measure_and_its_weight(measure, weight):
    scores = word_scores(TOPICS, measure.__name__, *(weight or (None,)))
    assert_array_equal(scores, measure(TOPICS, *weight))


def test_frex_needs_one_array_of_all_topics():
    topics = np.ones((400, 1000))
    with TracedMemory() as memory:
        frex(topics)
    assert memory.peak < 1.5 * topics.nbytes


def test_frex_is_the_formula_of_the_paper():
    exclusive = BETA / BETA.sum(axis=0)
    for k in range(5):
        frequency = np.array([(BETA[k] <= b).mean() for b in BETA[k]])
        exclusivity = np.array([(exclusive[k] <= e).mean() for e in exclusive[k]])
        assert_allclose(frex(TOPICS, 0.3)[k], 1 / (0.3 / frequency + 0.7 / exclusivity))


def test_words_that_no_topic_has():
    topics = np.array([[1.0, 2.0, 0.0], [3.0, 0.0, 0.0]])
    assert lift(topics)[:, 2].tolist() == [0, 0]
    assert (relevance(topics)[:, 2] == -np.inf).all()
    assert np.isfinite(frex(topics)).all()


def test_sizes_of_topics_count():
    """Of topics that sum to one each has the same share."""
    assert not np.allclose(lift(TOPICS), lift(BETA))
    assert_allclose(lift(BETA), BETA / BETA.mean(axis=0))


@pytest.mark.parametrize(
    ("by", "weight", "match"),
    [("tf", None, "by"), ("lift", 0.5, "weight is for"), ("frex", 1.5, "weight")],
)
def test_refuses(by, weight, match):
    with pytest.raises(ValueError, match=match):
        word_scores(TOPICS, by, weight)
