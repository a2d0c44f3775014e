import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError

from topictemper.metrics import match_topics, topic_diversity

from ..small_lda import corpus, fitted, small_lda
from ..traced_memory import TracedMemory


def topics(n=6, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(40, 0.1), n)


def test_diversity_is_the_share_of_distinct_words():
    found = topic_diversity(fitted(), n_top_words=7)
    top = np.argsort(-fitted().components_, axis=1)[:, :7]
    assert found == len(set(top.ravel())) / top.size
    assert topic_diversity(fitted()) == topic_diversity(fitted(), n_top_words=25)
    assert topic_diversity(np.eye(4), n_top_words=1) == 1.0
    same = np.tile(topics(1), (5, 1))
    assert topic_diversity(same, n_top_words=3) == pytest.approx(1 / 5)
    assert topic_diversity(same, n_top_words=1000) == pytest.approx(1 / 5)


def test_match_finds_a_permutation():
    order = np.random.default_rng(1).permutation(6)
    match = match_topics(topics(), 7.5 * topics()[order])
    assert_array_equal(order[match.second], match.first)
    assert_allclose(match.distance, 0, atol=1e-7)


def test_match_needs_one_more_array_of_each_model():
    topics = np.ones((20, 20_000))
    with TracedMemory() as memory:
        match_topics(topics, topics)
    assert memory.peak < 2.5 * topics.nbytes


def test_match_gives_hellinger_distances_of_the_best_pairs():
    p, q = topics(4, 1), topics(4, 2)
    match = match_topics(p, q)
    distance = np.sqrt(((np.sqrt(p)[:, None] - np.sqrt(q)[None]) ** 2).sum(axis=2) / 2)
    assert_allclose(match.distance, distance[match.first, match.second], rtol=1e-6)
    assert (np.diff(match.distance) >= 0).all()
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert distance[np.arange(4), rng.permutation(4)].sum() >= match.distance.sum() - 1e-9


def test_match_of_different_numbers_of_topics():
    match = match_topics(topics(3), topics(8)[::-1])
    assert sorted(match.first) == [0, 1, 2]
    assert len(set(match.second)) == len(match.distance) == 3
    back = match_topics(topics(8)[::-1], topics(3))
    assert_array_equal(np.sort(back.first), np.sort(match.second))


def test_pairs_that_are_equally_near_are_in_the_order_of_the_topics():
    first, second = np.eye(40, 80), np.eye(40, 80)
    second[1::2] += np.eye(40, 80, 40)[1::2]  # of each second topic a half
    match = match_topics(first, second)
    assert match.first.tolist() == [*range(0, 40, 2), *range(1, 40, 2)]


def test_topics_without_a_common_word_are_at_distance_one():
    assert match_topics([[1.0, 0.0]], [[0.0, 1.0]]).distance[0] == 1.0


def test_estimators_match_themselves_in_single_precision():
    match = match_topics(fitted(), fitted())
    assert_array_equal(match.first, match.second)
    assert_allclose(match.distance, 0, atol=1e-7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((2, 3)), np.ones((2, 4))), "same words, but have 3 and 4"),
        ((np.ones((2, 3)), -np.ones((2, 3))), "second must be >= 0"),
        ((np.full((2, 3), np.nan), np.ones((2, 3))), "first contains NaN"),
        ((np.ones(3), np.ones((2, 3))), "first must be of shape"),
    ],
)
def test_match_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        match_topics(*arguments)


@pytest.mark.parametrize("word", ["fit", "get_topics", "get_topic_word_dist"])
def test_topics_in_a_data_frame(word):
    # Its columns are attributes, and some words are also names of methods.
    pandas = pytest.importorskip("pandas")
    topics = np.array([[3.0, 1.0], [1.0, 3.0]])
    match = match_topics(pandas.DataFrame(topics, columns=["cat", word]), topics)
    assert_allclose(match.distance, 0, atol=1e-7)


def test_estimators_without_topics_are_refused():
    with pytest.raises(TypeError, match=r"or a fitted estimator with components_.* got KMeans"):
        topic_diversity(KMeans(2, n_init=1).fit(np.eye(4)))


def test_diversity_needs_a_word_of_each_topic():
    with pytest.raises(ValueError, match="n_top_words"):
        topic_diversity(np.eye(4), n_top_words=0)


def test_unfitted_estimators_are_refused():
    with pytest.raises(NotFittedError):
        topic_diversity(small_lda())


def test_models_are_matched_by_their_words():
    words = np.array([f"w{v}" for v in range(60)], dtype=object)
    first = small_lda().fit(corpus(), feature_names=words)
    order = np.r_[0:50][::-1]  # fewer words, in another order
    other = small_lda().fit(corpus()[:, order], feature_names=words[order])
    match = match_topics(first, other)
    wide = np.zeros((4, 60))
    wide[:, order] = other.components_
    expected = match_topics(first, wide)
    assert_array_equal(match.second, expected.second)
    assert_allclose(match.distance, expected.distance, atol=1e-7)


def test_models_that_do_not_know_their_words_are_matched_by_columns():
    words = [f"w{v}" for v in range(60)]
    first = small_lda().fit(corpus(), feature_names=words)
    for alike in (small_lda().fit(corpus()), first.components_):
        assert_allclose(match_topics(first, alike).distance, 0.0, atol=1e-6)
    with pytest.raises(ValueError, match="two estimators that know their words may have"):
        match_topics(first, small_lda().fit(corpus()[:, :50]))
