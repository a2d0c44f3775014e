import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import jensenshannon
from sklearn.decomposition import LatentDirichletAllocation

from topictemper.metrics import match_topics
from topictemper.topics import TopicHierarchy, topic_distances, topic_hierarchy

TOPICS = np.random.default_rng(1).gamma(0.3, 5.0, size=(7, 40)) + 0.01


def test_rounding_of_equal_topics():
    topics = np.random.default_rng(0).random((40, 30))
    distances = topic_distances(np.concatenate([topics, 3 * topics]), "jensenshannon")
    assert np.isfinite(distances).all()
    assert distances[np.arange(40), np.arange(40, 80)].max() < 1e-6


def test_jensen_shannon_is_that_of_scipy():
    # More topics and words than are summed at once; words that topics do not have; near twins.
    rng = np.random.default_rng(0)
    topics = rng.gamma(0.1, size=(70, 2500)) * (rng.random((70, 2500)) < 0.8)
    topics[1] = topics[0]
    topics[2] = topics[0] * (1 + 1e-5 * rng.random(2500))
    distances = topic_distances(topics, "jensenshannon")
    expected = [[jensenshannon(first, second, 2) for second in topics] for first in topics[:3]]
    assert_allclose(distances[:3], np.nan_to_num(expected), atol=1e-7)
    assert_allclose(distances[:, :3], distances[:3].T, rtol=0)
    assert distances[0, 1] == 0 < distances[0, 2]


@pytest.mark.parametrize("metric", ["hellinger", "jensenshannon"])
def test_distances_are_distances(metric):
    distances = topic_distances(TOPICS, metric)
    assert_allclose(distances, distances.T)
    assert_allclose(distances.diagonal(), 0, atol=1e-7)
    assert 0 < distances[0, 1] < 1
    assert_allclose(topic_distances(np.eye(3), metric), 1 - np.eye(3))


def test_hellinger_distances_of_near_topics():
    """One minus the sum of products would have lost their digits."""
    rng = np.random.default_rng(0)
    topics = rng.gamma(0.3, size=(30, 500)) + 0.01
    for i, change in enumerate([0.0, 1e-9, 1e-6, 1e-3, 1e-1]):
        topics[10 + 2 * i] = 2 * topics[10 + 2 * i + 1] * (1 + change * rng.random(500))
    distances = topic_distances(topics)
    roots = np.sqrt(topics / topics.sum(axis=1, keepdims=True))
    expected = np.linalg.norm(roots[:, None] - roots, axis=2) / np.sqrt(2)
    assert_allclose(distances, expected, rtol=1e-9, atol=1e-16)
    assert_allclose(distances, distances.T, rtol=0)
    assert distances[10, 11] == 0 < distances[12, 13]


def test_hellinger_is_that_of_match_topics():
    match = match_topics(TOPICS[:1], TOPICS[1:2])
    assert_allclose(topic_distances(TOPICS)[0, 1], match.distance[0])


def test_groups_are_nested_and_nearest_first():
    tree = topic_hierarchy(TOPICS)
    distances = tree.distances_ + np.eye(7)
    assert [len(tree.groups(n)) for n in range(1, 8)] == list(range(1, 8))
    nearest = sorted(map(int, np.unravel_index(distances.argmin(), distances.shape)))
    assert nearest in tree.groups(6)
    for n in range(1, 7):
        for group in tree.groups(n + 1):
            assert any(set(group) <= set(larger) for larger in tree.groups(n))


def test_distances_that_are_changed_later_leave_the_tree_alone():
    distances = topic_distances(TOPICS)
    tree = TopicHierarchy(distances)
    distances[:] = 0.0
    assert_allclose(tree.distances_, topic_distances(TOPICS))


def test_equal_distances_give_as_many_groups_as_asked():
    tree = TopicHierarchy(1 - np.eye(5))
    assert [len(tree.groups(n)) for n in range(1, 6)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("distances", "match"),
    [
        (np.zeros((1, 1)), "two topics"),
        (np.zeros((2, 3)), "two topics"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), "finite"),
        (np.array([[0.0, 0.3], [0.3, 1.0]]), "0 on the diagonal"),
        (np.array([[0.0, -0.3], [-0.3, 0.0]]), "distances must be >= 0"),
        ("abc", "distances must hold numbers"),
    ],
)
def test_refuses(distances, match):
    with pytest.raises(ValueError, match=match):
        TopicHierarchy(distances)


def test_refuses_parameters():
    with pytest.raises(ValueError, match="metric"):
        topic_distances(TOPICS, "cosine")
    with pytest.raises(ValueError, match="method"):
        topic_hierarchy(TOPICS, method="best")
    with pytest.raises(ValueError, match="n_groups"):
        topic_hierarchy(TOPICS).groups(8)
    with pytest.raises(ValueError, match="labels"):
        TopicHierarchy(1 - np.eye(3), labels=["a"])


def test_one_topic_has_no_tree():
    with pytest.raises(ValueError, match="components must have at least two topics"):
        topic_hierarchy(np.ones((1, 5)))


@pytest.mark.parametrize("labels", [None, ["of", "rows"]])
def test_labels_that_are_not_those_of_topics_are_left_out(labels):
    other = LatentDirichletAllocation(7, max_iter=1).fit(TOPICS)
    other.labels_ = labels
    assert topic_hierarchy(other).labels_ == [f"topic {k}" for k in range(7)]


def test_it_says_what_it_is():
    tree = topic_hierarchy(TOPICS)
    assert repr(tree).startswith("<TopicHierarchy of 7 topics: groups(n) cuts it into n groups")
