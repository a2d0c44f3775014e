"""The defaults that follow from the number of documents, as the docstring of `TemperedLDA` says."""

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from topictemper import TemperedLDA
from topictemper.lda import _assembly
from topictemper.lda import _defaults as d
from topictemper.lda._config import Config
from topictemper.lda._monitor import held_out
from topictemper.lda._plan import Plan, planned_passes, usual_passes
from topictemper.tempering import (
    Annealing,
    ConstantSchedule,
    GlobalTempering,
    LocalTempering,
    PosteriorAnnealing,
)

from ..small_lda import corpus, plan_of, small_lda


@pytest.mark.parametrize(
    ("n_documents", "passes", "batch_size", "joined", "offset"),
    [
        (50, 120, 64, 64, 23.4),
        (100, 120, 5, 5, 600),
        (1000, 79, 50, 50, 395),
        (8000, 20, 64, 128, 625),
        (12_000, 15, 64, 192, 703),
        (50_000, 15, 167, 501, 1024),
        (100_000, 10, 500, 500, 500),
        (300_000, 4, 2048, 2048, 146.5),
        (10_000_000, 4, 2048, 2048, 1024),
    ],
)
def test_where_documents_are_sampled(n_documents, passes, batch_size, joined, offset):
    plan = plan_of(n_documents)
    assert (plan.planned_passes, plan.batch_size, plan.largest_batch) == (
        passes,
        batch_size,
        joined,
    )
    assert plan.learning_offset == pytest.approx(offset, rel=2e-3)


@pytest.mark.parametrize(
    ("n_documents", "batch_size"), [(20, 64), (1000, 64), (50_000, 167), (1_000_000, 2048)]
)
def test_where_they_are_not(n_documents, batch_size):
    plan = plan_of(n_documents, inference="point")
    assert plan.planned_passes == plan_of(n_documents).planned_passes
    assert (plan.batch_size, plan.largest_batch) == (batch_size, batch_size)


def test_few_steps_have_the_least_offset():
    assert plan_of(5).learning_offset == 10


def test_a_stream_of_unknown_length_counts_as_20_000():
    config = Config.of(TemperedLDA().get_params(deep=False), 1000)
    unknown, known = Plan.of(config, None, 1), Plan.of(config, 20_000, 1)
    assert unknown.batch_size == known.batch_size == 67
    assert unknown.largest_batch == known.largest_batch == 335
    assert unknown.learning_offset == known.learning_offset


@pytest.mark.parametrize(
    ("n_documents", "length", "passes"),
    [
        (4000, 1000, 40),
        (4000, 20, 30),
        (4000, 1, 20),
        (1000, 20, 69),
        (1000, 1, 57),
        (9000, 20, 15),
        (50_000, 1, 15),
        (100_000, 1, 10),
    ],
)
def test_few_long_documents_are_seen_up_to_twice_as_often_as_short_ones(
    n_documents, length, passes
):
    assert round(usual_passes(n_documents, length)) == passes


@pytest.mark.parametrize(
    ("n_documents", "length", "passes"),
    [
        (20_000, 60, 15),
        (20_000, 20, 30),
        (20_000, 1, 45),
        (10_000_000, 5, 12),
        (3000, 5, 85),
        (1000, 5, 120),
        (100, 5, 120),
        (100, 500, 120),
    ],
)
def test_short_documents_are_seen_up_to_three_times_as_often(n_documents, length, passes):
    assert plan_of(n_documents, length=length).planned_passes == passes


@pytest.mark.parametrize(("inference", "passes"), [("gibbs", 45), ("vb", 45), ("point", 15)])
def test_short_documents_get_no_more_passes_by_points(inference, passes):
    plan = plan_of(20_000, length=1, inference=inference)
    assert plan.planned_passes == passes
    assert plan.is_long == (passes > 15)


@pytest.fixture
def planned(monkeypatch):
    """From how many documents, and how many tokens in each, the passes of fits follow."""
    planned = []

    def spy(config, n_documents, length):
        planned.append((n_documents, length))
        return planned_passes(config, n_documents, length)

    monkeypatch.setattr(_assembly, "planned_passes", spy)
    return planned


def test_passes_follow_from_the_documents_that_are_learned_from(planned):
    X = corpus().toarray()
    small_lda(shuffle=False).fit([corpus()[:100], corpus()[100:]])
    assert planned.pop() == (len(X), pytest.approx(X.sum() / len(X)))
    weights = 1 + (np.argsort(np.argsort(X.sum(axis=1))) >= len(X) // 2)  # 2 of longer ones
    small_lda().fit(X, sample_weight=weights)
    small_lda().fit(np.repeat(X, weights, axis=0))
    assert planned[0] == pytest.approx(planned[1])
    lda = small_lda(early_stopping=True, validation_fraction=0.4).fit(X)
    rows, _ = held_out(Config.of(lda.get_params(deep=False), X.shape[1]), corpus(), None, None)
    assert planned.pop() == (len(rows), pytest.approx(X[rows].sum() / len(rows)))


@pytest.mark.parametrize("length", [5, 500])
@pytest.mark.parametrize("n_documents", [500, 8000, 10_000_000])
def test_a_fit_of_clearly_more_passes_than_the_usual_is_long(n_documents, length):
    plan = plan_of(n_documents, length=length)
    most = math.floor(1.2 * usual_passes(n_documents, length))
    assert not replace(plan, planned_passes=most).is_long
    assert replace(plan, planned_passes=most + 1).is_long


@pytest.mark.parametrize(
    ("given", "passes", "length", "probe_length"),
    [
        ({}, 3, 1.2, 0.75),
        ({}, 4, 1.2, 0.8),
        ({"inference": "point"}, 100, 30.0, 20.0),
        ({"inference": "point", "learning_method": "batch"}, 100, 30.0, 8.0),
        ({"inference": "vb", "learning_method": "batch"}, 100, 30.0, 20.0),
        ({"tempering": LocalTempering(length=7.0)}, 100, 7.0, 20.0),
    ],
)
def test_annealing_and_the_probe_have_shares_of_the_passes(given, passes, length, probe_length):
    config = Config.of(TemperedLDA(**given).get_params(deep=False), 1000)
    course = Plan.of(config, 1000, passes).course(config, given_topics=False)
    assert (course._length, course._probe_length) == pytest.approx((length, probe_length))


@pytest.mark.parametrize(("inference", "least"), [("auto", 10), ("point", 12)])
def test_a_fit_of_too_few_steps_does_not_anneal(inference, least):
    config = Config.of(TemperedLDA(inference=inference, batch_size=100).get_params(deep=False), 50)
    for n_steps, starts in [(least - 1, 1.0), (least, None)]:
        # In one pass, and one in a pass.
        for plan in (Plan.of(config, 100 * n_steps, 1), Plan.of(config, 50, n_steps)):
            assert plan.course(config, given_topics=False).max_temperature == starts


def test_a_batch_fit_takes_a_step_in_a_pass():
    assert [plan_of(n, learning_method="batch").planned_passes for n in (100, 10**7)] == [15, 15]
    for passes, starts in [(11, 1.0), (12, None)]:
        lda = TemperedLDA(learning_method="batch", max_iter=passes)
        config = Config.of(lda.get_params(deep=False), 50)
        course = Plan.of(config, 1000, passes).course(config, given_topics=False)
        assert course.max_temperature == starts


@pytest.mark.parametrize(
    "given", [{"schedule": "exponential"}, {"length": 0.5}, {"max_temperature": 3.0}], ids=str
)
def test_a_fit_of_few_steps_anneals_if_it_is_told_how(given):
    lda = TemperedLDA(tempering=LocalTempering(**given), batch_size=100)
    config = Config.of(lda.get_params(deep=False), 50)
    course = Plan.of(config, 300, 1).course(config, given_topics=False)
    assert course.max_temperature == given.get("max_temperature")


@pytest.mark.parametrize(
    ("given", "length", "passes"),
    [
        ({}, None, 100),
        ({}, 1, 18.1),
        ({}, 20, 42.4),
        ({}, 200, 98.3),
        ({"inference": "point"}, 1, 100),
        ({"learning_method": "batch"}, 1, 100),
    ],
)
def test_long_fits_of_short_documents_are_not_hot_for_longer(given, length, passes):
    config = Config.of(TemperedLDA(**given).get_params(deep=False), 1000)
    plan = Plan.of(config, 20_000, 100, length=length)  # default fits make 15 passes
    course = plan.course(config, given_topics=False)
    assert (course._length, course._probe_length) == pytest.approx(
        (0.3 * passes, 8.0 if "learning_method" in given else 0.2 * passes), rel=2e-3
    )
    for n in (15, 18):
        course = Plan.of(config, 20_000, n, length=length).course(config, given_topics=False)
        assert course._length == pytest.approx(0.3 * n)


@pytest.mark.parametrize("given_topics", [False, True])
@pytest.mark.parametrize(
    ("tempering", "start", "of_given"),
    [
        (None, 1.0, 1.0),
        (Annealing(), None, 1.0),
        (Annealing(max_temperature=3.0), 3.0, 3.0),
        (PosteriorAnnealing(), 1.5, 1.0),
        (PosteriorAnnealing(max_temperature=3.0), 3.0, 3.0),
        (Annealing(schedule=ConstantSchedule(2.0)), 2.0, 2.0),
    ],
    ids=str,
)
def test_where_annealing_starts(tempering, start, of_given, given_topics):
    config = Config.of(TemperedLDA(tempering=tempering).get_params(deep=False), 50)
    course = Plan.of(config, 1000, 20).course(config, given_topics=given_topics)
    assert course.max_temperature == (of_given if given_topics else start)


@pytest.mark.parametrize(
    ("tempering", "inertia"),
    [
        (None, 0.0),
        (Annealing(), 0.0),
        (GlobalTempering(), 1.0),
        (LocalTempering(), 3.0),
        (LocalTempering(inertia=7.0), 7.0),
        (GlobalTempering(inertia=0.0), 0.0),
    ],
    ids=str,
)
def test_inertia_is_a_share_of_the_passes(tempering, inertia):
    config = Config.of(TemperedLDA(tempering=tempering).get_params(deep=False), 50)
    assert Plan.of(config, 1000, 20).inertia(config.tempering) == pytest.approx(inertia)


def test_a_stream_is_never_long():
    config = Config.of(TemperedLDA().get_params(deep=False), 1000)
    assert not Plan.of(config, None, 1).is_long
    assert not Plan.of(config, None, 100, length=5.0).is_long


def test_the_docstring_tells_the_defaults():
    told = " ".join((inspect.getdoc(TemperedLDA) or "").split())
    many, (least, usual) = d.MANY_PASSES, d.PASSES_RANGE
    sayings = [
        f"``min({d.ALPHA_SUM:g} / n_components, {d.ALPHA_MOST})``",
        f'None is {d.ETA_POINT}; with "vb" {d.ETA_DIRICHLET}.',
        f"None is {usual:g}. For",
        f"({d.SEEN_OF_FEW:,.0f} in all passes; for n > {many:g} passes ``sqrt({many:g} * n)``, at "
        f"most {d.MOST_PASSES:g})",
        f"for short ones (twice for {d.SHORT:g} tokens; at most {d.MOST_PASSES:g})",
        f"at least {least:g})",
        f"at least {d.BATCH_RANGE[0]:g}; with",
        f"up to {d.BATCH_RANGE[1]:,.0f}.",
        f"stream of unknown length counts as {d.STREAM_SAMPLES:,.0f} documents",
        f"None is {d.KAPPA}, and",
        f"None is {d.BATCH_TOL:.0e}.".replace("e-0", "e-"),
        f"None: {d.VALIDATION_FRACTION}. Not",
        f"least {d.LEAST_PATIENCE}.",
        {0.1: "None is a tenth of the planned passes"}[d.PATIENCE_SHARE],
        f"linearly to 1 within {d.ANNEALING_SHARE} of the planned passes.",
        f"differ above T = {d.LOWEST_OF_SAMPLED}.",
        f"T = {d.LOWEST} and {d.LEAST_STEPS} steps",
        f'"dasvi" starts at T = {d.DASVI_START} in all fits',
        f"a grid of {d.N_TEMPERATURES} evenly spaced",
        'over {lvt} ("vt": {vt}) of the planned passes'.format(**d.INERTIA_SHARE),
        f'"vt" {d.UPDATES} times in a pass',
    ]
    assert [saying for saying in sayings if saying not in told] == []
