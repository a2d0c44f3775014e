from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper import TemperedLDA, load
from topictemper._core._workers import Workers
from topictemper.lda import _defaults, _topics, _training
from topictemper.lda._average import TopicsAverage
from topictemper.lda._topics import Topics

from ..small_lda import ONE_THREAD, corpus, learned_state, minibatch, small_lda, streamed


def some_topics(rng, eta=0.1):
    topics = Topics(rng.gamma(1.0, size=(30, 4)), eta)
    topics.a = 0.5
    return topics


def follow(average, topics, seen, total, workers=ONE_THREAD):
    average.follow(topics, SimpleNamespace(documents_seen=seen, total_samples=total), workers)


@pytest.mark.parametrize("eta", [0.1, np.linspace(0.1, 0.4, 30)[:, None]], ids=["number", "words"])
def test_weights_are_polynomials(eta):
    rng, average, seen = np.random.default_rng(0), TopicsAverage(), []
    for n in range(20):
        topics = some_topics(rng, eta)
        seen.append(topics.components())
        follow(average, topics, 100.0 * n, 100.0)
    # (n + 1)(n + 2) / 2 times each: what weights of 3 / (n + 2) come to.
    weights = np.array([(n + 1) * (n + 2) for n in range(20)], dtype=float)
    expected = np.tensordot(weights / weights.sum(), seen, 1)
    assert_allclose(average.topics.components(), expected, rtol=1e-12)
    assert_allclose(average.topics.totals, expected.sum(axis=1), rtol=1e-12)


def test_an_average_is_taken_eight_times_a_pass():
    average, topics = TopicsAverage(), some_topics(np.random.default_rng(0))
    for seen in range(1001):
        follow(average, topics, seen, 400.0)
    assert average.n_added == 1 + 1000 // 50


def test_a_wide_vocabulary_is_averaged_less_often():
    topics = Topics(np.ones((5000, 2)), 0.1)
    average = TopicsAverage()
    for seen in range(0, 1001, 10):
        follow(average, topics, seen, 400.0)
    assert average.n_added == 1 + 1000 // 500


def test_threads_share_the_work(monkeypatch):
    monkeypatch.setattr(_topics, "_ENTRIES_AT_ONCE", 8)
    found = []
    for n_jobs in (1, 3):
        rng, average = np.random.default_rng(0), TopicsAverage()
        with Workers(n_jobs) as workers:
            for n in range(9):
                follow(average, some_topics(rng), 100.0 * n, 100.0, workers)
        found.append(average.topics.components())
    assert_array_equal(*found)


def test_topics_that_go_on_do_not_move_the_average():
    average, topics = TopicsAverage(), some_topics(np.random.default_rng(0))
    follow(average, topics, 0.0, 100.0)
    before = average.topics.components()
    topics.M += 1.0
    topics.rescale(3.0)
    assert_array_equal(average.topics.components(), before)


def test_fit_ends_with_the_averaged_topics_alone():
    lda = small_lda(max_iter=6).fit(corpus())
    trainer = lda._trainer
    assert trainer.average.topics is None
    assert trainer.average.n_added > 1
    assert_array_equal(lda.components_, trainer.topics.components())


def test_training_goes_on_from_the_average():
    lda = small_lda(max_iter=6, total_samples=200, topic_word_prior=0.05).fit(corpus())
    before, n_added = lda.components_, lda._trainer.average.n_added
    lda.partial_fit(corpus()[:20])  # too little for another average
    assert lda._trainer.average.n_added == n_added
    assert_allclose(lda.components_, before, rtol=1e-5)
    lda.partial_fit(corpus())
    assert lda._trainer.average.n_added > n_added
    assert np.abs(lda.components_ - before).max() > 1e-3


def test_only_documents_that_are_sampled_are_averaged_over():
    for inference in ("point", "vb"):
        assert small_lda(inference=inference).fit(corpus())._trainer.average.n_added == 0


def test_a_stream_goes_on_alike_from_a_file(tmp_path):
    lda = streamed(small_lda(total_samples=200), 400)
    assert lda._trainer.average.topics is not None
    lda.save(tmp_path / "model")
    other = load(tmp_path / "model")
    assert learned_state(other) == learned_state(lda)
    for model in (lda, other):
        model.partial_fit(corpus(1000)[400:600])
    assert learned_state(other) == learned_state(lda)
    assert_array_equal(other.components_, lda.components_)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("topics/M", -1.0, "average/topics/M: must be from 0"),
        ("topics/M", np.nan, "average/topics/M: must be a finite array"),
        ("topics/column_sums", 1e9, "average/topics/column_sums: does not belong"),
    ],
)
def test_a_damaged_average_is_refused(tmp_path, place, value, message):
    streamed(small_lda(total_samples=200), 400).save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays[f"state/trainer/average/{place}"].flat[0] = value
    np.savez(tmp_path / "damaged.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "damaged.npz")


def fail(*arguments, **more):
    raise KeyboardInterrupt


def test_a_step_that_fails_leaves_the_average(monkeypatch):
    lda = streamed(small_lda(total_samples=200), 400)
    before = learned_state(lda), lda.components_

    monkeypatch.setattr(_training, "sample", fail)
    for total in (200, 500):
        with pytest.raises(KeyboardInterrupt):
            lda.set_params(total_samples=total).partial_fit(corpus()[:20])
        assert learned_state(lda) == before[0]
        lda._components = None  # what was made of the average before
        assert_array_equal(lda.components_, before[1])


def test_a_step_that_fails_leaves_the_average_of_a_corpus_that_grows(monkeypatch):
    monkeypatch.setattr(_defaults, "STREAM_SAMPLES", 200.0)
    trainer = streamed(small_lda(), 400)._trainer
    before = trainer.average.topics.components()

    monkeypatch.setattr(_training, "sample", fail)
    with pytest.raises(KeyboardInterrupt):
        trainer.step(minibatch(corpus(), np.float32), ONE_THREAD)
    assert trainer.clock.total_samples == 400
    assert_array_equal(trainer.average.topics.components(), before)


def test_averaged_topics_predict_better():
    # The average gains 0.0004 to 0.0053 nats here, 0.0021 (standard error 0.0006) in the mean.
    X = corpus(1000)
    gains = []
    for seed in range(8):
        lda = TemperedLDA(10, batch_size=20, random_state=seed, total_samples=800)
        for _ in range(8):
            lda.partial_fit(X[:800])
        averaged = lda.score(X[800:])
        lda._trainer.average.topics = None
        gains.append(averaged - lda.score(X[800:]))
    assert np.mean(gains) > 0


def test_a_new_total_weighs_the_average_anew():
    lda = streamed(small_lda(total_samples=200, topic_word_prior=0.05, dtype="float64"), 400)
    average = lda._trainer.average
    before, n_added = average.topics.components() - 0.05, average.n_added
    lda.set_params(total_samples=500).partial_fit(corpus()[:1])  # too little for another average
    assert lda._trainer.average.n_added == n_added
    assert_allclose(lda.components_ - 0.05, 2.5 * before, atol=1e-9)
