"""The control of the temperature in LDA: when T is learned, its memory, and its bound."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from topictemper.lda._clock import CorpusSize
from topictemper.lda._normalizers import PosteriorNormalizer, corpus_evidence
from topictemper.tempering import GlobalTemperature, LocalTemperature
from topictemper.tempering._control import AnnealingCourse, Clock, TemperatureControl

from ..small_lda import ONE_THREAD, corpus, minibatch, random_counts, random_topics, small_lda
from .test_temperatures import (
    GRID,
    document_inverse_temperatures,
    e_step,
    posterior_normalizer,
    prior_normalizer,
)

SIZE = CorpusSize(200.0, 6000.0)


def local_control(course, inertia=0.5):
    return TemperatureControl(course, LocalTemperature(GRID), updates=20, inertia=inertia)


def step_of_documents(control, clock, s):
    """The weights of documents after a step, and what they are computed from."""
    topics, batch = random_topics(), minibatch(random_counts())
    local, normalizer = e_step(topics, batch, s), posterior_normalizer(random_topics())
    evidence = normalizer.of_documents(topics, batch, local, ONE_THREAD, clock.passes)
    own = document_inverse_temperatures(GRID, normalizer, topics, batch, local, s)
    return control.update(clock, evidence), own


def test_local_weights_are_the_documents_own_but_never_hotter_than_the_bound():
    for T in (1.0, 1.25, 4.0):
        course = AnnealingCourse(None, lambda passes, T=T: T, 1.0)
        weights, own = step_of_documents(local_control(course), Clock(0.0, 0.1), 1 / T)
        assert_allclose(weights, np.maximum(own, 1 / T), rtol=1e-12)


@pytest.mark.parametrize("inertia", [0.0, 0.2, 1.0])
def test_learned_average_has_its_memory_in_passes(inertia):
    control = local_control(AnnealingCourse(4.0, "linear", 100.0), inertia)
    assert control.learned == 0.25
    _, own = step_of_documents(control, Clock(0.0, 0.1), 0.25)
    share = 1 - np.exp(-0.1 / inertia) if inertia else 1.0
    assert control.learned == pytest.approx(0.25 + share * (own.mean() - 0.25), rel=1e-9)


def test_without_a_course_nothing_bounds_what_is_learned():
    control = TemperatureControl(None, LocalTemperature(GRID))
    assert control.inverse_temperature(0.0) == pytest.approx(GRID.mean())
    weights, own = step_of_documents(control, Clock(0.0, 1.0), GRID.mean())
    assert_allclose(weights, own, rtol=1e-12)
    assert control.inverse_temperature(1.0) == pytest.approx(own.mean())


@pytest.mark.parametrize("prior", [False, True])
def test_global_update_is_damped_and_only_at_its_moments(prior):
    topics, batch = random_topics(), minibatch(random_counts())
    normalizer = prior_normalizer(n_features=30) if prior else posterior_normalizer(topics)
    control = TemperatureControl(
        AnnealingCourse(4.0, "linear", 100.0),
        GlobalTemperature(1 / GRID[::-1], None),
        updates=4,
        inertia=0.5,
    )
    assert not control.learns(Clock(0.05, 0.1))
    assert control.update(Clock(0.05, 0.1)) is None
    assert control.learned == 0.25

    clock = Clock(0.2, 0.1)  # a quarter of a pass falls into this minibatch
    assert control.learns(clock)
    local = e_step(topics, batch, 0.25)
    energy, log_c = normalizer.corpus(topics, batch, local, SIZE, ONE_THREAD)
    evidence = corpus_evidence(normalizer.nodes, energy, log_c)
    assert control.update(clock, evidence) is None  # it is for the next minibatch
    log_r = GRID * energy - normalizer.nodes.matrix @ log_c
    target = np.exp(log_r - logsumexp(log_r)) @ GRID
    expected = 0.25 + (1 - np.exp(-0.25 / 0.5)) * (target - 0.25)
    assert control.learned == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("updates", [1, 3, 20])
@pytest.mark.parametrize("n_batches", [4, 7, 50])
def test_moments_of_a_pass(updates, n_batches):
    # As many as asked for, or one a minibatch; whatever the clock's rounding.
    control = TemperatureControl(
        AnnealingCourse(1.0, "linear", 0.0),
        GlobalTemperature(1 / GRID[::-1], None),
        updates=updates,
        inertia=0.5,
    )
    passes = 30
    due = [control.learns(Clock(b / n_batches, 1 / n_batches)) for b in range(passes * n_batches)]
    assert sum(due) == passes * min(updates, n_batches)
    assert due[0]


@pytest.mark.parametrize(("max_iter", "length"), [(1, 0.4), (3, 1.2), (4, 1.2), (10, 3.0)])
def test_annealing_takes_a_share_of_the_passes(max_iter, length):
    lda = small_lda(tempering="avi", max_temperature=2.0, max_iter=max_iter).fit(corpus())
    history = lda.temperature_history_
    expected = np.maximum(2.0 - history["pass"] / length, 1.0)
    assert_allclose(history["temperature"], expected, atol=1e-6)


def test_a_schedule_that_is_longer_than_the_fit_warns():
    lda = small_lda(tempering="avi", max_temperature=3.0, length=9.0, max_iter=3)
    message = "after 3 of 3 passes, .*: make more passes, or give tempering a shorter schedule or"
    with pytest.warns(ConvergenceWarning, match=message):
        lda.fit(corpus())
    assert lda.set_params(tempering__length=2.0).fit(corpus()).temperature_ == 1.0


def test_a_fit_of_too_few_steps_for_the_probe_warns():
    lda = small_lda(tempering="avi", length=0.0, max_iter=1, batch_size=200)
    with pytest.warns(ConvergenceWarning, match=", or give tempering .* its max_temperature"):
        lda.fit(corpus())
    assert lda.set_params(tempering__max_temperature=3.0).fit(corpus()).temperature_ == 1.0


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("updates", [2, 5])
def test_moments_are_worked_out_so_often_in_a_pass(updates, monkeypatch):
    refresh, made = PosteriorNormalizer.refresh, []
    monkeypatch.setattr(
        PosteriorNormalizer, "refresh", lambda *given: made.append(0) or refresh(*given)
    )
    small_lda(updates=updates, max_temperature=3.0, length=9.0, max_iter=3).fit(corpus())
    assert len(made) == 3 * updates
