"""The training loop: same bits, the clock, annealing, posterior tempering."""

from functools import cached_property

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import psi
from sklearn.datasets import load_digits

from topictemper import TemperedLDA
from topictemper.lda._e_step import infer
from topictemper.lda._minibatch import Minibatch
from topictemper.tempering._control import AnnealingCourse

from ..small_lda import (
    LEARNED,
    MODES,
    ONE_THREAD,
    corpus,
    learned_state,
    minibatch,
    small_lda,
    with_tempering,
)

STARTS = ["auto", 3.0]


def streamed(lda, X, n_passes):
    """Learn what `fit(shuffle=False)` learns, one minibatch a call."""
    lda.set_params(total_samples=X.shape[0])
    for _ in range(n_passes):
        for start in range(0, X.shape[0], lda.batch_size):
            lda.partial_fit(X[start : start + lda.batch_size])
    return lda


# Same bits


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("mode", MODES)
def test_same_seed_same_bits(mode, start):
    first = small_lda(tempering=mode, max_temperature=start).fit(corpus())
    again = small_lda(tempering=mode, max_temperature=start).fit(corpus())
    assert learned_state(again) == learned_state(first)
    other = small_lda(tempering=mode, max_temperature=start, random_state=1).fit(corpus())
    assert learned_state(other) != learned_state(first)


@pytest.mark.parametrize("normalizer", ["posterior", "prior", "prior_lower", "prior_upper"])
def test_same_seed_same_bits_with_every_normalizer(normalizer):
    parameters = {"tempering": "vt", "max_temperature": 3.0, "normalizer": normalizer}
    first = learned_state(small_lda(**parameters).fit(corpus()))
    assert learned_state(small_lda(**parameters).fit(corpus())) == first


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", MODES)
def test_same_bits_for_any_number_of_threads(mode, dtype):
    # Batches and a vocabulary of many blocks, so that the threads do share the work.
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.02, size=(600, 3000)))
    results = []
    for n_jobs in (1, 3):
        lda = TemperedLDA(
            20,
            **with_tempering({"tempering": mode, "max_temperature": 3.0}),
            batch_size=150,
            max_iter=2,
            dtype=dtype,
            n_jobs=n_jobs,
            random_state=0,
        ).fit(X)
        results.append(
            (
                learned_state(lda),
                lda.transform(X).tobytes(),
                lda.score(X),
                lda.elbo(X),
                lda.document_temperatures(X).tobytes(),
            )
        )
    assert results[0] == results[1]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n_samples", [200, 190])  # of the second the last minibatch is half a one
def test_fit_is_the_same_batches_by_partial_fit(mode, start, n_samples):
    X = corpus(n_samples)
    parameters = {"tempering": mode, "max_temperature": start, "length": 0.4}
    lda = small_lda(shuffle=False, max_iter=1, **parameters).fit(X)
    # Whatever max_iter: a stream is planned to be seen once.
    other = streamed(small_lda(max_iter=6, **parameters), X, 1)
    assert learned_state(other) == learned_state(lda)
    assert_array_equal(other.transform(X), lda.transform(X))


@pytest.mark.parametrize("mode", MODES)
def test_several_passes_by_partial_fit(mode):
    parameters = {
        "tempering": mode,
        "max_temperature": 3.0,
        "max_iter": 6,
        "length": 2.4,
        "inertia": 0.9,
        "inference": "point",
    }
    lda = small_lda(shuffle=False, **parameters).fit(corpus())
    assert learned_state(streamed(small_lda(**parameters), corpus(), 6)) == learned_state(lda)


def test_one_call_of_partial_fit_is_a_pass():
    parameters = {"max_temperature": 3.0, "length": 0.8, "inertia": 0.3}
    parameters["inference"] = "point"
    lda = small_lda(shuffle=False, max_iter=2, **parameters).fit(corpus())
    other = small_lda(total_samples=200, **parameters)
    other.partial_fit(corpus()).partial_fit(corpus())
    assert learned_state(other) == learned_state(lda)


def test_shuffling_is_another_order_in_each_pass():
    shuffled = small_lda(max_temperature=3.0).fit(corpus())
    fixed = small_lda(max_temperature=3.0, shuffle=False).fit(corpus())
    assert learned_state(shuffled) != learned_state(fixed)
    # The same seed starts both alike: a single minibatch of all documents forgets their order.
    one = {"batch_size": 200, "max_iter": 1, "max_temperature": 3.0}
    shuffled, fixed = (small_lda(shuffle=on, **one).fit(corpus()) for on in (True, False))
    assert_allclose(shuffled.components_, fixed.components_, rtol=1e-4)


# The default start: a probe of the critical temperature


@pytest.mark.parametrize("mode", ["avi", "vt", "lvt"])
@pytest.mark.parametrize(("batch_size", "seed"), [(7, 0), (10, 1), (30, 2), (100, 3)])
def test_probe_at_any_batch_size(mode, batch_size, seed):
    # The probe may stop at any minibatch, the last and smaller one of a pass included. With 10
    # passes T is 1 at the end whatever it finds: of two minibatches a pass, where a step at most
    # halves T - 1, it takes 5.8 passes from 5 down to 1.02, and annealing 4.
    lda = small_lda(tempering=mode, batch_size=batch_size, max_iter=10, random_state=seed)
    lda.fit(corpus(130, seed))
    history = lda.temperature_history_["temperature"]
    assert history[0] == 5.0
    assert (history >= 1).all()
    assert lda.temperature_ == 1.0


def test_no_annealing_where_topics_part_just_above_one():
    # Gray values of small images, as counts.
    X = load_digits().data[:500]
    lda = TemperedLDA(10, max_iter=60, random_state=0).fit(X)
    assert lda.temperature_history_["temperature"][0] == 5.0
    assert lda.max_temperature_ == 1.0
    # Mean field would leave the topics alike at T = 1.
    lda = TemperedLDA(30, max_iter=60, random_state=0, inference="point").fit(X)
    assert 1.0 < lda.max_temperature_ < 1.07


@pytest.mark.parametrize("mode", ["avi", "vt", "lvt"])
@pytest.mark.parametrize(("method", "least"), [("online", 10), ("batch", 12)])
def test_no_annealing_in_very_few_steps(mode, method, least):
    # The search would take most of them, or not come to its end.
    whole = {"batch_size": 200, "learning_method": method, "tempering": mode, "tol": None}
    few, enough = (small_lda(max_iter=n, **whole).fit(corpus()) for n in (least - 1, least))
    assert few.max_temperature_ == 1.0
    assert (few.temperature_history_["temperature"] == 1.0).all()
    assert enough.temperature_history_["temperature"][0] == 5.0
    assert enough.temperature_ == 1.0
    # What is asked for is done.
    for course, start in (({"max_temperature": 3.0}, 3.0), ({"length": 2.0}, 5.0)):
        asked = small_lda(max_iter=least - 1, **course, **whole).fit(corpus())
        assert asked.temperature_history_["temperature"][0] == start


@pytest.mark.filterwarnings("ignore:sample_weight has the sum")
@pytest.mark.parametrize("weight", [0.02, 1 / 200])
def test_small_weights_make_no_corpus_of_one_minibatch(weight):
    settings = {"max_iter": 10, "batch_size": 20}
    lda = small_lda(**settings).fit(corpus(200), sample_weight=np.full(200, weight))
    assert lda.temperature_history_["temperature"][0] == 5.0
    assert lda.doc_topic_prior_[0] != lda._trainer.first_alpha[0]
    whole = np.where(np.arange(200) < 20, 1.0, 0.0)
    lda = small_lda(**settings).fit(corpus(200), sample_weight=whole)
    assert lda.doc_topic_prior_[0] == lda._trainer.first_alpha[0]


def test_course_never_asks_for_a_time_before_its_begin():
    # Found in the field: the begin, a pass and a batch, was rounded up, the clock was not.
    X = corpus(60)
    for batch_size in range(5, 25):
        lda = small_lda(n_components=3, max_iter=2, batch_size=batch_size)
        assert np.isfinite(lda.fit(X).components_).all()


# The clock


@pytest.mark.parametrize("mode", LEARNED)
@pytest.mark.parametrize("updates", [1, 2, 5])
def test_history_has_so_many_entries_a_pass(mode, updates):
    lda = small_lda(tempering=mode, updates=updates, max_iter=4).fit(corpus())
    history = lda.temperature_history_
    assert_allclose(history["pass"], np.arange(4 * updates) / updates, atol=1e-9)


def test_history_has_an_entry_a_minibatch_at_most():
    lda = small_lda(updates=1000, max_iter=4).fit(corpus())
    assert_allclose(lda.temperature_history_["pass"], np.arange(40) / 10)


@pytest.mark.parametrize("mode", LEARNED)
def test_smaller_last_minibatch_is_no_moment_more(mode):
    # 11 minibatches a pass, the last of half the size: three moments a pass, as asked for.
    lda = small_lda(tempering=mode, updates=3, max_iter=4, max_temperature=3.0)
    lda.fit(corpus(210))
    assert len(lda.temperature_history_) == 12


@pytest.mark.parametrize("mode", LEARNED)
def test_stream_in_small_pieces_has_the_same_moments(mode):
    # A call of partial_fit with less than a minibatch moves the clock by what it brings.
    lda = small_lda(
        tempering=mode,
        updates=5,
        batch_size=20,
        max_iter=1,
        total_samples=200,
        max_temperature=3.0,
    )
    for d in range(200):
        lda.partial_fit(corpus()[d])
    assert lda.n_iter_ == 1
    assert lda.n_batch_iter_ == 200
    assert len(lda.temperature_history_) == 5


def test_stream_counts_documents_over_total_samples():
    lda = small_lda(tempering="avi", total_samples=1000, max_temperature=3.0, length=0.5)
    for n_calls, temperature in [(1, 2.2), (2, 1.4), (3, 1.0), (4, 1.0), (5, 1.0)]:
        lda.partial_fit(corpus())
        assert lda.temperature_ == pytest.approx(temperature, rel=1e-12)
        assert lda.n_iter_ == 1
        assert lda.n_batch_iter_ == 10 * n_calls
    assert lda.temperature_ == 1.0
    assert lda.partial_fit(corpus()).n_iter_ == 2


# Annealing


SCHEDULES = {
    "linear": lambda p: 1 + 2 * max(0.0, 1 - p / 1.5),
    "exponential": lambda p: 3 ** max(0.0, 1 - p / 1.5),
}


@pytest.mark.parametrize("mode", ["avi", "dasvi"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_annealing_follows_its_schedule(mode, schedule):
    parameters = {"tempering": mode, "max_temperature": 3.0, "length": 1.5}
    lda = small_lda(schedule=schedule, **parameters).fit(corpus())
    history = lda.temperature_history_
    expected = [SCHEDULES[schedule](p) for p in history["pass"]]
    assert_allclose(history["temperature"], expected, rtol=1e-12)
    assert (history["temperature"][history["pass"] > 1.5 - 1e-9] == 1.0).all()

    del parameters["max_temperature"], parameters["length"]
    other = small_lda(schedule=SCHEDULES[schedule], **parameters).fit(corpus())
    assert_allclose(other.temperature_history_["temperature"], expected, rtol=1e-12)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("mode", ["avi", "vt", "lvt", "dasvi"])
def test_partial_fit_anneals_to_exactly_one(mode, start):
    X = corpus()
    lda = small_lda(tempering=mode, max_temperature=start, total_samples=200, max_iter=6)
    temperatures = []
    for _ in range(6):
        for first in range(0, 200, 20):
            lda.partial_fit(X[first : first + 20])
            temperatures.append(lda.temperature_)
    assert lda.temperature_history_["temperature"][0] > 1.2
    assert temperatures[-1] == 1.0
    # A probe heats once more, where it stops. A learned temperature goes where the data want it,
    # below a bound that falls.
    rises = (np.diff(temperatures) > 1e-12).sum()
    if mode not in LEARNED:
        assert rises <= (start == "auto" and mode == "avi")


@pytest.mark.parametrize("mode", LEARNED)
def test_learned_temperature_is_never_above_the_bound(mode):
    lda = small_lda(tempering=mode, max_temperature=3.0, length=2.0, max_iter=4)
    history = lda.fit(corpus()).temperature_history_
    bound = 1 + 2 * np.maximum(0.0, 1 - history["pass"] / 2)
    assert (history["temperature"] <= bound + 1e-12).all()


def test_no_tempering_is_a_temperature_of_one_throughout():
    lda = small_lda(tempering="svi").fit(corpus())
    assert (lda.temperature_history_["temperature"] == 1.0).all()
    assert lda.temperature_ == 1.0


@pytest.mark.parametrize("mode", ["avi", "vt", "lvt", "dasvi"])
def test_tempering_that_starts_at_one_is_no_tempering(mode):
    # VT and LVT learn, but 1 is as cold as it gets; LVT weighs documents by max(s_d, bound) = 1.
    lda = small_lda(tempering=mode, max_temperature=1.0).fit(corpus())
    svi = small_lda(tempering="svi").fit(corpus())
    assert lda.components_.tobytes() == svi.components_.tobytes()


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_hot_training_leaves_the_topics_alike():
    # At T = 50 the words count for next to nothing; the noise of the start is forgotten.
    hot = small_lda(tempering="avi", schedule=lambda passes: 50.0).fit(corpus())
    cold = small_lda(tempering="svi").fit(corpus())

    def spread(lda):
        topics = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
        return np.abs(topics - topics.mean(axis=0)).sum()

    assert spread(hot) < 0.3 * spread(cold)


@pytest.mark.parametrize("seed", range(3))
def test_probe_stops_between_its_start_and_one(seed):
    lda = small_lda(tempering="avi", max_iter=20, random_state=seed).fit(corpus(200, seed))
    # Over seeds 0 to 19: 1.20 to 1.24.
    assert 1.1 < lda.max_temperature_ < 2.0


def test_probe_ends_at_one_where_there_is_nothing_to_learn():
    X = np.tile(np.arange(60) % 3, (200, 1))  # all documents alike
    lda = small_lda(tempering="avi", max_iter=20).fit(X)
    assert lda.max_temperature_ == 1.0
    assert lda.temperature_ == 1.0


def test_course_from_a_number_needs_no_probe():
    course = AnnealingCourse(3.0, "linear", 2.0)
    assert not course.probing
    assert course.max_temperature == 3.0
    assert [course.temperature(p) for p in (0.0, 1.0, 2.0, 7.0)] == [3.0, 2.0, 1.0, 1.0]
    assert AnnealingCourse(None, lambda passes: 2.0, 2.0).max_temperature == 2.0
    assert AnnealingCourse(None, "linear", 2.0, 1.0).probing


# Posterior tempering


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_posterior_tempering_of_one_topic_has_its_known_fixed_point():
    # One topic: phi = 1, so that n is the counts: lambda = (eta + n + T - 1) / T.
    X, T, eta = corpus(), 2.5, 0.3
    lda = small_lda(
        n_components=1,
        tempering="dasvi",
        schedule=lambda passes: T,
        topic_word_prior=eta,
        batch_size=200,
        learning_decay=0.6,
        learning_offset=1.0,
        max_iter=300,
        dtype="float64",
    ).fit(X)
    n = np.asarray(X.sum(axis=0), dtype=float).ravel()
    # What is left of the start: the product of 1 - T rho over 300 steps, under exp(-2.5 * 20).
    assert_allclose(lda.components_[0], (eta + n + T - 1) / T, rtol=1e-10)


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("T", [1.3, 4.0])
def test_posterior_tempering_fixed_point(T):
    X, eta, alpha = corpus(40), 0.3, 0.2
    lda = small_lda(
        n_components=3,
        tempering="dasvi",
        schedule=lambda passes: T,
        topic_word_prior=eta,
        doc_topic_prior=alpha,
        batch_size=40,
        learning_decay=0.51,
        learning_offset=1.0,
        max_iter=2000,
        dtype="float64",
        mean_change_tol=1e-10,
        max_doc_update_iter=1000,
        shuffle=False,
    ).fit(X)
    trainer, s = lda._trainer, 1 / T
    batch = minibatch(X)
    local = infer(
        trainer.topics,
        batch,
        np.full(3, alpha / T + 1 - s),
        s,
        tol=1e-10,
        max_iter=1000,
        workers=ONE_THREAD,
    )
    # gamma = (alpha + sum n phi + T - 1) / T, of which the sums over topics are known.
    tokens = np.asarray(X.sum(axis=1)).ravel()
    assert_allclose(local.gamma.sum(axis=1), (3 * alpha + tokens + 3 * (T - 1)) / T, rtol=1e-9)
    # n_vk at the fixed point, from phi itself.
    log_beta = np.log(local.B[:, :3]) / s
    statistics = np.zeros((60, 3))
    for d in range(40):
        span = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        scores = s * (psi(local.gamma[d]) + log_beta[batch.word_of[span]])
        phi = np.exp(scores - scores.max(axis=1, keepdims=True))
        phi /= phi.sum(axis=1, keepdims=True)
        words = batch.words[batch.word_of[span]]
        np.add.at(statistics, words, batch.counts[span, None] * phi)
    expected = (eta + statistics + T - 1) / T
    # Measured: 2e-9 at T = 1.3, less at the others.
    assert_allclose(lda.components_, expected.T, rtol=1e-6)


@pytest.mark.parametrize("T", [1.0, 3.0, 50.0, 1e4])
def test_posterior_tempering_never_makes_lambda_negative(T):
    lda = small_lda(
        tempering="dasvi",
        schedule=lambda passes: T,
        learning_offset=1.0,
        learning_decay=0.6,
        total_samples=200,
    )
    for first in range(0, 200, 10):
        lda.partial_fit(corpus()[first : first + 10])
        lambda_ = lda._trainer.topics.components()
        assert (lambda_ > 0).all()
        assert np.isfinite(lambda_).all()
        assert lda._trainer.topics.base > 0


# Minibatches


@pytest.mark.parametrize("weight", [None, np.arange(200.0)])
def test_tokens_of_a_minibatch_are_summed_once_a_step(weight, monkeypatch):
    batches, add = [], Minibatch.total_tokens.func

    def summed(batch):
        batches.append(batch)  # kept, so that no two have one id
        return add(batch)

    once = cached_property(summed)
    once.__set_name__(Minibatch, "total_tokens")
    monkeypatch.setattr(Minibatch, "total_tokens", once)
    small_lda(tempering="vt").fit(corpus(), None, weight)
    assert len(batches) > 3
    assert len(set(map(id, batches))) == len(batches)


def in_chunks(X):
    return [X[start : start + 1000] for start in range(0, X.shape[0], 1000)]


@pytest.mark.parametrize("of", [lambda X: X, in_chunks])
def test_minibatches_are_joined_where_documents_are_sampled(of):
    X = sp.random(6400, 20, 0.1, format="csr", random_state=0)
    X.data = np.ceil(5 * X.data)

    def steps(**parameters):
        lda = TemperedLDA(2, tempering="svi", max_iter=3, random_state=0, **parameters)
        return lda.fit(of(X)).n_batch_iter_

    # Two passes of minibatches of 64, then a pass of such of 128, a fiftieth of the documents.
    assert steps() == 2 * 100 + 50
    assert steps(inference="point") == 3 * 100
    assert steps(batch_size=64) == 3 * 100


def test_minibatches_of_a_stream_are_joined_where_documents_are_sampled():
    X = sp.random(1002, 20, 0.1, format="csr", random_state=0)
    X.data = np.ceil(5 * X.data)
    lda = TemperedLDA(2, tempering="svi", random_state=0).partial_fit(X)
    assert lda.n_batch_iter_ == 15  # of 67, as of 20,000 documents
    lda = TemperedLDA(2, tempering="svi", total_samples=50_000, max_iter=1, random_state=0)
    for _ in range(34):
        lda.partial_fit(X)
    seen = lda.n_batch_iter_
    lda.partial_fit(X)
    assert lda.n_batch_iter_ == seen + 2
