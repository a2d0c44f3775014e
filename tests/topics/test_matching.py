import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper.topics._matching import distances_between, same_topics

from ..small_lda import corpus, small_lda

WORDS = np.array([f"w{v}" for v in range(60)], dtype=object)
NAMES = "these", "those"


def fitted(columns):
    """A model of some words of the corpus, in some order."""
    return small_lda().fit(corpus()[:, columns], feature_names=WORDS[columns])


def test_distances_are_those_of_the_words_whatever_their_columns():
    order = np.random.default_rng(0).permutation(60)
    first, other = fitted(np.arange(60)), fitted(order)
    expected = distances_between(first.components_, other.components_[:, np.argsort(order)])
    assert_allclose(distances_between(first, other), expected, atol=1e-12)


def test_a_word_of_one_model_has_no_probability_in_the_other():
    first, other = fitted(np.arange(50)), fitted(np.arange(10, 60))
    wide = np.zeros((2, 4, 60))
    wide[0, :, :50], wide[1, :, 10:] = first.components_, other.components_
    assert_allclose(distances_between(first, other), distances_between(*wide), atol=1e-7)


def test_models_without_a_common_word_are_refused():
    with pytest.raises(ValueError, match="these and those must have a word in common"):
        distances_between(fitted(np.arange(30)), fitted(np.arange(30, 60)), NAMES)


def test_columns_that_may_be_other_words_are_refused():
    message = "these and those must have the same words, but have 60 and 50; two estimators"
    with pytest.raises(ValueError, match=message):
        distances_between(fitted(np.arange(60)), fitted(np.arange(50)).components_, NAMES)


def test_topics_without_a_like_are_left_out():
    topics = np.eye(5, 40) + 0.01
    other = topics[[3, 0, 2]]
    other[2] = np.eye(1, 40, 30) + 0.01  # at distance 0.87 of all
    assert same_topics(topics, other, NAMES) == {0: 1, 3: 0}
    assert same_topics(other, topics, NAMES) == {0: 3, 1: 0}


def test_of_two_topics_that_became_one_the_nearer_is_the_same():
    first, second = np.eye(2, 40) + 0.01
    both = np.array([3 * first + second])
    assert same_topics(np.array([second, first]), both, NAMES) == {1: 0}
    assert_array_equal(distances_between([first], both) < 0.55, [[True]])
