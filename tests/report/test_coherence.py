"""Coherence of topics beside that of random words, in short texts and in long ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from topictemper.metrics import coherence
from topictemper.report._coherence import coherence_of
from topictemper.report._doubts import doubts_about

N_TOPICS, N_WORDS = 20, 60
# Documents, and tokens of each.
TEXTS = pytest.mark.parametrize(
    ("n_documents", "length"), [(2000, 5), (2000, 8), (2000, 20), (1000, 150)]
)


def planted(n_documents, length):
    """Topics without a word in common, and documents of some of them."""
    rng = np.random.default_rng(0)
    topics = np.kron(np.identity(N_TOPICS), 1 / np.arange(2, N_WORDS + 2))
    topics /= topics.sum(axis=1, keepdims=True)
    theta = rng.dirichlet(np.full(N_TOPICS, 0.1), n_documents)
    return topics, sp.csr_matrix(rng.multinomial(length, theta @ topics).astype(np.float32))


def dealt_out(topics):
    """As many topics of the same words, each of which has a random topic now."""
    by_subject = topics.reshape(N_TOPICS, N_TOPICS, N_WORDS)
    return np.random.default_rng(0).permuted(by_subject, axis=0).reshape(topics.shape)


def of_three_subjects(topics):
    """Topics with the top words of three of them."""
    mixed = np.zeros_like(topics)
    for k in range(N_TOPICS):
        for subject, n in ((k, 4), (k - 1, 3), (k - 2, 3)):
            top = np.argsort(-topics[subject])[:n]
            mixed[k, top] = topics[subject, top]
    return mixed


def incoherent(topics, X):
    n = len(topics)
    even, apart, far = np.full(n, 1 / n), 1.0 - np.identity(n), np.full(n, 0.8)
    doubts = doubts_about(even, coherence_of(topics, X), apart, far, None)
    return [doubt.topic for doubt in doubts if doubt.kind == "incoherent"]


@TEXTS
def test_topics_of_random_words_are_incoherent_and_good_ones_are_not(n_documents, length):
    topics, X = planted(n_documents, length)
    assert incoherent(topics, X) == []
    topics[[3, 8, 15]] = dealt_out(topics)[[3, 8, 15]]
    assert incoherent(topics, X) == [3, 8, 15]


def test_in_short_texts_good_topics_are_near_zero_and_random_words_far_below():
    topics, X = planted(2000, 5)
    found = coherence_of(topics, X)
    assert np.median(found.of_topics) < 0.1
    assert found.by_chance.max() < -0.4


@pytest.mark.parametrize("length", [20, 150])
def test_topics_of_three_subjects_are_incoherent(length):
    topics, X = planted(1000, length)
    topics[[3, 8, 15]] = of_three_subjects(topics)[[3, 8, 15]]
    assert incoherent(topics, X) == [3, 8, 15]


@TEXTS
def test_most_topics_are_incoherent_if_all_are_of_random_words(n_documents, length):
    topics, X = planted(n_documents, length)
    random = dealt_out(topics)
    # 19 of 20 are expected, and half of them if only those below the mean were.
    assert len(incoherent(random, X)) >= 16
    found = coherence_of(random, X)
    assert abs(np.mean(found.of_topics - found.by_chance)) < 0.05


def test_random_words_are_in_as_many_documents():
    # Rare words meet less often than frequent ones by chance.
    topics, X = planted(2000, 20)
    frequent = coherence_of(topics, X)
    rare = coherence_of(topics * (topics < np.sort(topics, axis=1)[:, [-20]]), X)
    assert rare.by_chance.max() < frequent.by_chance.min() - 0.1


def test_the_numbers_are_those_of_metrics_and_the_same_each_time():
    topics, X = planted(500, 20)
    found = coherence_of(topics, X)
    assert_array_equal(found.of_topics, coherence(topics, X, per_topic=True))
    assert_array_equal(found, coherence_of(topics, X))


@pytest.mark.parametrize(("n_words", "n_known"), [(1, 0), (2, 1), (10, 1), (11, 3), (30, 3)])
def test_there_are_no_random_words_in_a_vocabulary_of_ten(n_words, n_known):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.5, (40, n_words)))
    topics = rng.dirichlet(np.ones(n_words), 3)
    known = [not np.isnan(values).any() for values in coherence_of(topics, X)]
    assert sum(known) == n_known
    if n_known < 3:
        assert incoherent(topics, X) == []
