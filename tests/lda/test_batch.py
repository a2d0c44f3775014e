"""Batch learning: the bound, its course, convergence."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import psi
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from topictemper import TemperedLDA
from topictemper._core._reference import elbo as _elbo
from topictemper._core._reference import lda as _reference
from topictemper.lda._assembly import new_trainer
from topictemper.lda._config import Config
from topictemper.lda._plan import Plan
from topictemper.lda._training import Trainer

from ..small_lda import ESTIMATES, MODES, ONE_THREAD, corpus, learned_state, minibatch, small_lda


def batch_lda(**parameters):
    defaults = {"learning_method": "batch", "max_iter": 30, "max_temperature": 3.0}
    return small_lda(**(defaults | parameters))


def precise_lda(**parameters):
    """Float64, and documents at their fixed points, so that the bound shows every wrong step."""
    defaults = {"dtype": "float64", "mean_change_tol": 1e-12, "max_doc_update_iter": 2000}
    return batch_lda(**(defaults | parameters))


# The bound


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("temperature", [1.0, 2.0])
@pytest.mark.parametrize("prior", [0.1, "vector", "matrix"])
@pytest.mark.parametrize("mode", ["avi", "dasvi"])
def test_bound_is_the_direct_sum(mode, prior, temperature, estimate):
    X, rng = corpus(10), np.random.default_rng(0)
    eta = {"vector": rng.uniform(0.05, 2, 60), "matrix": rng.uniform(0.05, 2, (4, 60))}.get(
        prior, prior
    )
    alpha = rng.uniform(0.05, 1.0, 4)
    s, point = 1 / temperature, estimate == "auto"
    lda = precise_lda(
        tempering=mode,
        inference=estimate,
        schedule=lambda passes: temperature,
        max_temperature="auto",
        doc_topic_prior=alpha,
        topic_word_prior=eta,
    )
    config = Config.of(lda.get_params(deep=False), 60)
    trainer, batch = new_trainer(config, Plan.of(config, 10.0, lda.max_iter)), minibatch(X)
    for _ in range(3):
        topics = trainer.topics.components()
        found_s, bound = trainer.step_in_full(batch, ONE_THREAD)
        assert found_s == pytest.approx(s)
    # Posterior tempering is likelihood tempering with these priors.
    tempered = (lambda prior: s * prior + 1 - s) if mode == "dasvi" else (lambda prior: prior)
    eta = tempered(np.broadcast_to(eta, (4, 60)).T)
    gamma, phi = fixed_point(topics, X, tempered(alpha), s, point)
    expected = _elbo.annealed_elbo(X, tempered(alpha), eta, gamma, phi, topics.T, s, point)
    assert bound == pytest.approx(expected, rel=1e-9)


def fixed_point(components, X, alpha, s, point):
    """Gamma and phi of all documents by the twins of the kernels."""
    batch = minibatch(X)
    lambda_ = components.T
    log_of = np.log if point else psi
    log_total = log_of(lambda_.sum(axis=0))
    rows, shift = _reference.topic_rows(lambda_, 1.0, 0.0, log_total, point, batch.words, s, False)
    temperatures = np.full(X.shape[0], s)
    local = _reference.estep(
        batch.doc_ptr, batch.word_of, batch.counts, alpha, temperatures, False, rows, shift,
        1e-13, 3000,
    )  # fmt: skip
    log_beta = log_of(lambda_) - log_total
    phi = []
    for d in range(X.shape[0]):
        words = X.indices[X.indptr[d] : X.indptr[d + 1]]
        scores = s * (psi(local.gamma[d]) + log_beta[words])
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        phi.append(p / p.sum(axis=1, keepdims=True))
    return local.gamma, phi


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_bound_with_a_temperature_for_each_document(estimate):
    X, point = corpus(10), estimate == "auto"
    lda = precise_lda(
        tempering="lvt",
        inference=estimate,
        topic_word_prior=0.1,
        max_temperature=2.0,
        length=40.0,
        max_iter=40,
    )
    config = Config.of(lda.get_params(deep=False), 60)
    trainer = new_trainer(config, Plan.of(config, 10.0, lda.max_iter))
    batch, weights, original = minibatch(X), [], trainer.control.update

    def update(*arguments):
        found = original(*arguments)
        weights.append(found)
        return found

    trainer.control.update = update
    apart = 0.0
    for done in range(30):
        topics = trainer.topics.components()
        s, bound = trainer.step_in_full(batch, ONE_THREAD)
        assert s < 1
        apart = max(apart, weights[-1].max() - s)
        if done % 10 == 9:
            gamma, phi = fixed_point(topics, X, np.full(4, 0.1), s, point)
            expected = _elbo.annealed_elbo(X, 0.1, 0.1, gamma, phi, topics.T, weights[-1], point)
            assert bound == pytest.approx(expected, rel=1e-9)
    assert apart > 0.05  # some have had a temperature of their own


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize(
    ("mode", "temperature"),
    [
        *product(["avi", "dasvi"], [1.0, 1.3, 2.0]),
        # A learned temperature moves. Here it stands at 1, where "vt" and "svi" are alike.
        ("lvt", None),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_bound_never_falls_at_one_temperature(mode, temperature, estimate, seed):
    if temperature is None:
        start = {"max_temperature": 1.0}
    else:
        start = {"max_temperature": "auto", "schedule": lambda passes: temperature}
    # Documents start afresh in every pass. With the default alpha some have several fixed points
    # and reach another one, a fall of up to 1e-3; from 0.3 on there is none (seeds 0 to 7).
    start |= {"doc_topic_prior": 0.5, "random_state": seed, "inference": estimate}
    lda = precise_lda(tempering=mode, tol=0.0, **start).fit(corpus())
    history = lda.elbo_history_
    assert_array_equal(history["pass"], np.arange(30))
    assert len(set(history["temperature"])) == 1
    # What has converged does not stay so by itself.
    assert (np.diff(history["elbo"]) > -1e-12).all()
    assert history["elbo"][-1] > history["elbo"][0] + 0.3  # over these seeds 0.45 to 2


@pytest.mark.parametrize("mode", MODES)
def test_history_ends_in_the_bound_of_the_model(mode):
    # Each entry is of the topics that its pass began with.
    parameters = {"tempering": mode, "tol": 0.0, "length": 4.0}
    # What `bound` is for any estimate, the history is for this one.
    parameters |= {"inertia": 0.5, "inference": "vb"}
    longer = batch_lda(max_iter=13, **parameters).fit(corpus())
    shorter = batch_lda(max_iter=12, **parameters).fit(corpus())
    assert longer.elbo_history_["temperature"][-1] == 1.0
    assert longer.elbo_history_["elbo"][-1] == pytest.approx(shorter.elbo(corpus()), rel=1e-6)
    assert longer.elbo_history_.dtype.names == ("pass", "temperature", "elbo")


# Its course


@pytest.mark.parametrize("mode", MODES)
def test_cools_and_converges(mode):
    lda = batch_lda(tempering=mode, max_iter=200, length=10.0).fit(corpus())
    history = lda.elbo_history_
    assert lda.temperature_ == 1.0
    assert lda.n_iter_ == len(history) == lda.n_batch_iter_ < 200
    gains = np.diff(history["elbo"])
    assert abs(gains[-1]) < 1e-4
    cold = history["temperature"] == 1.0
    assert (np.abs(gains[:-1])[cold[:-2]] >= 1e-4).all()


def test_probe_finds_its_start():
    lda = batch_lda(max_temperature="auto", max_iter=60, random_state=1).fit(corpus())
    assert 1.0 < lda.max_temperature_ < 5.0
    assert lda.temperature_ == 1.0


def test_does_not_stop_while_topics_are_alike():
    # Of images: topics part below T = 1.02 only, and slowly at T = 1, where the ELBO stands still.
    X = load_digits().data[:500]
    lda = TemperedLDA(5, learning_method="batch", max_iter=100, random_state=0).fit(X)
    assert lda.max_temperature_ == 1.0
    gains = np.diff(lda.elbo_history_["elbo"])[lda.elbo_history_["temperature"][:-1] == 1.0]
    assert gains[0] < 1e-4
    share = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    assert np.abs(share - share.mean(axis=0)).sum(axis=1).min() > 0.3
    plain = TemperedLDA(5, learning_method="batch", tempering=None, max_iter=100, random_state=0)
    assert lda.score(X) > plain.fit(X).score(X) - 0.03


def test_one_topic_stops():
    assert batch_lda(n_components=1, max_iter=100, tempering="svi").fit(corpus()).n_iter_ < 5


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_does_not_stop_while_it_is_hot():
    lda = batch_lda(
        tempering="avi", max_temperature="auto", schedule=lambda p: 1.2, max_iter=100, tol=1e-2
    )
    assert lda.fit(corpus()).n_iter_ == 100


@pytest.mark.parametrize(("estimate", "eta"), [("auto", 0.05), ("vb", 0.1)])
def test_statistics_are_those_of_all_tokens(estimate, eta):
    lda = precise_lda(max_iter=1, tempering="svi", inference=estimate).fit(corpus())
    assert lda.topic_word_prior_ == eta
    total = lda.components_.sum(axis=0) - 4 * eta
    assert_allclose(total, np.asarray(corpus().sum(axis=0)).ravel(), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("T", [1.0, 2.5])
def test_posterior_tempering_of_one_topic_is_done_at_once(T):
    X, eta = corpus(), np.random.default_rng(0).uniform(0.1, 2.0, 60)
    for prior in (0.3, eta):
        lda = precise_lda(
            n_components=1,
            tempering="dasvi",
            max_temperature="auto",
            schedule=lambda passes: T,
            topic_word_prior=prior,
            max_iter=1,
        ).fit(X)
        n = np.asarray(X.sum(axis=0), dtype=float).ravel()
        assert_allclose(lda.components_[0], (prior + n + T - 1) / T, rtol=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_weights_are_repeated_rows(mode):
    # Exactly, but for rounding: there are no minibatches here.
    weight = np.random.default_rng(3).integers(0, 4, 200)
    parameters = {"tempering": mode, "max_iter": 12, "length": 5.0, "tol": 0.0}
    weighted = precise_lda(**parameters).fit(corpus(), sample_weight=weight)
    other = precise_lda(**parameters).fit(corpus()[np.repeat(np.arange(200), weight)])
    assert_allclose(weighted.components_, other.components_, rtol=1e-8)
    for field in ("pass", "temperature", "elbo"):
        assert_allclose(weighted.elbo_history_[field], other.elbo_history_[field], rtol=1e-10)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("mode", MODES)
def test_same_bits_for_any_number_of_threads(mode, estimate):
    parameters = {"tempering": mode, "inference": estimate, "max_iter": 6}
    one, two = (batch_lda(n_jobs=n, **parameters).fit(corpus()) for n in (1, 2))
    assert learned_state(one) == learned_state(two)
    assert_array_equal(one.elbo_history_, two.elbo_history_)


def test_goes_on_online():
    lda = batch_lda(total_samples=200, max_iter=5).fit(corpus())
    before = lda.n_batch_iter_
    lda.partial_fit(corpus())
    assert lda.n_batch_iter_ == before + 10
    assert not hasattr(small_lda(max_iter=1).fit(corpus()), "elbo_history_")
    lda.set_params(learning_method="online").fit(corpus())
    assert not hasattr(lda, "elbo_history_")


def test_validation_and_verbose_follow_the_passes(caplog, monkeypatch):
    monkeypatch.setattr("topictemper.lda._monitor._SECONDS_BETWEEN_LINES", 0.0)
    with caplog.at_level("INFO", logger="topictemper"):
        lda = batch_lda(max_iter=4, tol=0.0, verbose=1).fit(corpus(), validation_X=corpus(50))
    assert_array_equal(lda.score_history_["pass"], [1, 2, 3, 4])
    assert len(caplog.records) == 4


# Warnings and errors


@pytest.fixture
def elbos(monkeypatch):
    """Fits of which the bounds, in nats per token, are given."""

    def fit(bounds, **parameters):
        step, given = Trainer.step_in_full, iter(bounds)

        def scripted(trainer, batch, workers):
            return step(trainer, batch, workers)[0], next(given) * batch.total_tokens

        with monkeypatch.context() as patch:
            patch.setattr(Trainer, "step_in_full", scripted)
            lda = batch_lda(tol=1e-3, max_iter=len(bounds), **parameters).fit(corpus())
        return lda.elbo_history_["elbo"]

    return fit


def test_warns_once_where_the_bound_falls(elbos):
    bounds = [-5.0, -4.0, -4.006, -4.0, -4.2, -4.0]
    with pytest.warns(
        ConvergenceWarning, match=r"fell by 0\.006 nats per token in pass 3"
    ) as record:
        assert_allclose(elbos(bounds, tempering="svi"), bounds)
    assert [warning.filename for warning in record] == [__file__]


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_does_not_warn_of_other_temperatures_or_of_small_falls(elbos):
    assert len(elbos([-5.0, -6.0, -7.0], tempering="avi", length=10.0)) == 3
    assert len(elbos([-5.0, -4.0, -4.0005, -3.0], tempering="svi")) == 3
    assert len(elbos([-5.0, -4.0, -4.004, -3.0], tempering="svi")) == 4  # too little to warn of


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"learning_method": "both"}, "learning_method"),
        ({"learning_method": None}, "learning_method"),
        ({"tol": "small"}, "^tol must be"),
        ({"tol": np.nan}, "^tol == nan|^tol must be"),
    ],
)
def test_bad_parameters(parameters, match):
    with pytest.raises((TypeError, ValueError), match=match):
        batch_lda(**parameters).fit(corpus())
