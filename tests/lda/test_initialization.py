"""The random start, which the first minibatch has a part in."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from topictemper import load
from topictemper.lda import _initialization, _training
from topictemper.lda._initialization import add_documents
from topictemper.lda._topics import Topics
from topictemper.tempering._modes import MODES

from ..small_lda import corpus, fitted, minibatch, noise, small_lda
from ..traced_memory import TracedMemory

SHARE = 0.05  # of V tokens, which each topic is raised by


def topics_of_noise(n_features=60, n_components=4, dtype=np.float64, seed=0):
    rng = np.random.RandomState(seed)
    return Topics.random(n_features, n_components, 0.1, dtype, rng)


def dealt(X, weight=None, **parameters):
    """What `add_documents` adds to M, (n_features, n_components), and the topics."""
    topics = topics_of_noise(X.shape[1], **parameters)
    before = topics.M.copy()
    add_documents(topics, minibatch(X, topics.M.dtype)._replace(weight=weight), seed=7)
    assert_allclose(topics.column_sums, topics.M.sum(axis=0, dtype=float), rtol=1e-12)
    return topics.M - before, topics


def one_word_each(n_documents, n_features):
    """Document d has word d, d % 5 + 1 times: what becomes of each shows in a row of M."""
    return sp.csr_matrix(
        (np.arange(n_documents) % 5 + 1.0, (np.arange(n_documents), np.arange(n_documents))),
        shape=(n_documents, n_features),
    )


# What is added


def test_documents_are_added_to_a_topic_each_in_proportion_to_their_counts():
    X, weight = one_word_each(100, 120), np.random.default_rng(0).uniform(0.5, 3.0, 100)
    added, _ = dealt(X, weight, n_components=5)
    assert_array_equal((added > 0).sum(axis=1), np.repeat([1, 0], [100, 20]))
    topic = added[:100].argmax(axis=1)
    tokens = X.diagonal() * weight
    expected = SHARE * 120 * tokens / np.bincount(topic, tokens)[topic]
    assert_allclose(added[np.arange(100), topic], expected, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_have_the_bits_of_the_whole(monkeypatch, dtype):
    X, weight = corpus(50), np.random.default_rng(0).uniform(0.5, 3.0, 50)
    _, whole = dealt(X, weight, n_components=40, dtype=dtype)
    for at_once in (1, 100, 1000):
        monkeypatch.setattr(_initialization, "_ENTRIES_AT_ONCE", at_once)
        _, topics = dealt(X, weight, n_components=40, dtype=dtype)
        assert topics.M.tobytes() == whole.M.tobytes()
        assert topics.column_sums.tobytes() == whole.column_sums.tobytes()


def test_long_documents_take_little_memory_for_many_topics():
    """Five hundred MB, if all 2 million values are added at a time; 18 if some are."""
    topics = topics_of_noise(4000, 250, np.float32)
    batch = minibatch(np.ones((20, 2000)), np.float32)
    with TracedMemory() as memory:
        add_documents(topics, batch, seed=7)
    assert memory.peak < 40 * 2**20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_topics_are_raised_alike_and_only_where_the_documents_have_words(dtype):
    X = corpus(30).toarray()
    X[:, ::3] = 0
    added, _ = dealt(sp.csr_matrix(X), dtype=dtype)
    assert_allclose(added.sum(axis=0), SHARE * 60, rtol=1e-4 if dtype == np.float32 else 1e-12)
    seen = X.sum(axis=0) > 0
    assert_array_equal((added > 0).any(axis=1), seen)
    assert not added[~seen].any()


@pytest.mark.parametrize("n_components", [4, 30])  # of the second every document goes to several
def test_weight_of_two_is_to_be_there_twice(n_components):
    X, rng = corpus(50), np.random.default_rng(0)
    weight = rng.integers(1, 4, 50)
    rows = rng.permutation(np.repeat(np.arange(50), weight))
    parameters = {"n_components": n_components, "dtype": np.float32}
    _, weighted = dealt(X, weight.astype(float), **parameters)
    _, repeated = dealt(X[rows], **parameters)
    assert weighted.M.tobytes() == repeated.M.tobytes()
    assert weighted.column_sums.tobytes() == repeated.column_sums.tobytes()


# Batches out of the ordinary


@pytest.mark.parametrize("seed", range(5))
def test_few_documents_are_given_to_several_topics(seed):
    added, topics = dealt(one_word_each(3, 60), n_components=10, seed=seed)
    assert ((added > 0).sum(axis=1)[:3] > 1).all()
    raised = added.sum(axis=0) > 0
    assert_allclose(added.sum(axis=0)[raised], SHARE * 60, rtol=1e-12)
    assert np.isfinite(topics.M).all()


def test_topics_of_few_documents_get_four_each():
    added, _ = dealt(one_word_each(20, 60), n_components=10)
    assert ((added > 0).sum(axis=1)[:20] == 2).all()


def test_a_document_that_is_given_to_several_topics_is_given_to_different_ones():
    # In the mean to 8.4 of ten: to all, but to two if its hash ends with 2 or 7.
    n_topics = [
        (dealt(one_word_each(3, 60), n_components=10, seed=seed)[0] > 0).sum(axis=1)[:3]
        for seed in range(20)
    ]
    assert np.mean(n_topics) > 7


def test_no_word_changes_nothing():
    added, _ = dealt(sp.csr_matrix((3, 60)))
    assert not added.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_huge_counts_are_a_matter_of_proportion(dtype):
    # Warnings are errors.
    added, topics = dealt(corpus(50) * 1e30, dtype=dtype)
    raised = added.sum(axis=0)
    assert_allclose(raised[raised > 0], SHARE * 60, rtol=1e-4 if dtype == np.float32 else 1e-9)
    assert raised.any()
    assert np.isfinite(topics.M).all()


# When


@pytest.fixture
def batches(monkeypatch):
    """The minibatches that topics start from, as they come."""
    seen = []

    def watched(topics, batch, seed):
        seen.append(batch)
        add_documents(topics, batch, seed)

    monkeypatch.setattr(_training, "add_documents", watched)
    return seen


def test_the_first_minibatch_alone_has_a_part(batches, tmp_path):
    lda = small_lda(shuffle=False, warm_start=True).fit(corpus())
    assert len(batches) == 1
    assert_array_equal(batches[0].counts, minibatch(corpus()[:20]).counts)
    lda.partial_fit(corpus())
    lda.save(tmp_path / "model.npz")
    load(tmp_path / "model.npz").partial_fit(corpus())
    lda.fit(corpus())  # a warm start
    assert len(batches) == 1
    lda.set_params(warm_start=False).fit(corpus())
    assert len(batches) == 2


def test_given_topics_are_left_as_they_are(batches):
    small_lda(init=noise()).fit(corpus())
    assert batches == []


# The temperature of given topics


@pytest.mark.parametrize(
    ("mode", "setting"),
    [
        (mode, setting)
        for mode in MODES
        for setting in ({"length": 2.0}, {"schedule": "exponential"}, {"inertia": 1.0})
        if setting.keys() <= MODES[mode]().get_params().keys()
    ],
)
def test_settings_of_a_course_that_given_topics_do_not_take(mode, setting):
    name = next(iter(setting))
    start = fitted().components_
    lda = small_lda(tempering=mode, init=start, **setting)
    for method in (lda.fit, lda.partial_fit):
        with pytest.raises(ValueError, match=f"{name}=.*no effect with init.* max_temperature too"):
            method(corpus())
    lda = small_lda(tempering=mode, init=start, max_temperature=2.0, **setting).fit(corpus())
    assert lda.temperature_history_["temperature"][0] == 2.0


def test_a_function_of_time_is_the_course_of_given_topics():
    def falls(passes):
        return max(1.0, 2.0 - passes)

    lda = small_lda(init=fitted().components_, schedule=falls).fit(corpus())
    assert lda.max_temperature_ == 2.0


def test_the_length_of_a_warm_start_is_for_the_first_fit():
    lda = small_lda(warm_start=True, length=1.0, max_iter=6)
    assert lda.fit(corpus()).max_temperature_ > 1
    assert lda.fit(corpus()).max_temperature_ == 1
