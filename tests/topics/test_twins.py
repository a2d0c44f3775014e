"""Topics that are nearly the same, and how many there are in effect."""

import numpy as np
import pytest

from topictemper import TemperedLDA
from topictemper.datasets import make_lda_corpus
from topictemper.topics import effective_topics, topic_distances, twin_topics

from ..traced_memory import TracedMemory


def test_twins_are_those_within_the_distance():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(50, 0.1), 12)
    topics[[3, 7]] = topics[1] + 1e-3
    topics[11] = 0.9 * topics[5] + 0.1 / 50
    near = topic_distances(topics) <= 0.3
    expected = {tuple(np.flatnonzero(row)) for row in near if row.sum() > 1}
    assert expected == {(1, 3, 7), (5, 11)}
    assert {tuple(group) for group in twin_topics(topics)} == expected
    assert twin_topics(topics, max_distance=1e-4) == [[3, 7]]
    assert len(twin_topics(np.tile(topics, (2, 1)), max_distance=1e-4)) == 11
    for scale in (1e-300, 1e300):  # neither of which fits into single precision
        assert twin_topics(scale * topics) == twin_topics(topics)


def test_more_topics_than_rows_of_distances_at_a_time():
    topics = np.eye(700) + 1e-6
    topics[650] = topics[3]
    assert twin_topics(topics) == [[3, 650]]


def test_topics_that_differ_only_in_neighboring_words_are_not_twins():
    topics = np.random.default_rng(0).dirichlet(np.full(1024, 0.02), 700)
    topics[650] = topics[3].reshape(512, 2)[:, ::-1].ravel()
    topics[[20, 699]] = topics[600] + 1e-6
    near = topic_distances(topics) <= 0.3
    assert np.argwhere(np.triu(near, 1)).tolist() == [[20, 600], [20, 699], [600, 699]]
    assert twin_topics(topics) == [[20, 600, 699]]


def test_twins_of_twins_are_one_group_whatever_their_order():
    rng = np.random.default_rng(0)
    angle = np.linspace(0.0, np.pi / 2, 60)  # each topic is near the next ones only
    chain = np.column_stack([np.cos(angle) ** 2, np.sin(angle) ** 2, np.zeros(60)])
    order = rng.permutation(700)
    topics = np.zeros((700, 643))
    topics[order[:60], :3] = chain
    topics[order[60:], 3:] = np.eye(640)
    assert topic_distances(topics[order[[0, 59]]]).max() > 0.9
    assert twin_topics(topics, max_distance=0.03) == [sorted(order[:60].tolist())]


def test_many_topics_that_are_all_the_same_need_little_memory():
    topics = np.ones((6000, 2))
    with TracedMemory() as memory:
        groups = twin_topics(topics)
    assert groups == [list(range(6000))]
    assert memory.peak < 100e6  # there are 36 million pairs


@pytest.mark.parametrize("distance", [0.0, 1.5, np.nan])
def test_distance_is_checked(distance):
    with pytest.raises(ValueError, match="max_distance"):
        twin_topics(np.eye(3), max_distance=distance)


def test_effective_topics():
    assert effective_topics([2.0, 2.0, 2.0]) == pytest.approx(3.0)
    assert effective_topics([1.0, 0.0]) == 1.0
    for sizes in ([], [0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0], [[1.0]], "ab"):
        with pytest.raises(ValueError, match="sizes"):
            effective_topics(sizes)


def test_effective_topics_of_a_series_with_a_topic_named_fit():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    sizes = pandas.Series([1.0, 1.0], index=["fit", "predict"])
    assert effective_topics(sizes) == pytest.approx(2.0)


def test_effective_topics_of_topics_without_sizes():
    class Model:
        def get_topics(self):
            return np.full((2, 3), 1 / 3)

    with pytest.raises(TypeError, match="got Model, whose topics have no sizes; give the sums"):
        effective_topics(Model())


def test_effective_topics_of_a_model():
    lda = TemperedLDA(3, max_iter=2, batch_size=20, random_state=0)
    lda.fit(make_lda_corpus(100, 40, 3, random_state=0).counts)
    assert effective_topics(lda) == pytest.approx(lda.n_effective_topics_, rel=1e-5)
    assert effective_topics(lda) == effective_topics(lda.components_.sum(axis=1, dtype=float))


def test_a_fit_with_far_too_many_topics_warns_of_twins():
    X = make_lda_corpus(300, 40, 3, random_state=0).counts
    lda = TemperedLDA(60, random_state=0, max_iter=4, topic_word_prior=0.5)
    with pytest.warns(
        UserWarning, match=r"of 60 topics are nearly the same .*merge_topics"
    ) as found:
        lda.fit(X)
    assert 1.0 <= lda.n_effective_topics_ <= 60.0
    merged = lda.merge_topics(twin_topics(lda))
    assert merged.n_components < 60
    assert str(found[0].message).startswith(f"{60 - merged.n_components} of 60 topics")
    assert merged.n_effective_topics_ <= merged.n_components
    assert found[0].filename == __file__
