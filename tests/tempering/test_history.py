"""The bound that the factorial models and the mixture record, and what they log of it."""

import logging
import re
from datetime import timedelta

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper._utils import _log
from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture
from topictemper.tempering import Annealing
from topictemper.tempering._history import ElboHistory

ANNEALING = Annealing(schedule="linear", max_temperature=3, length=4)
KINDS = [BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork, DPGaussianMixture]


def data():
    return make_bars(60, 3, kind="sigmoid", random_state=0).data


def test_converges_between_two_passes_at_temperature_one():
    history = ElboHistory()
    for temperature, elbo, converged in (
        (2.0, 5.0, False),
        (1.0, 5.0, False),
        (1.0, 4.0, False),
        (1.0, 4.05, True),
        (1.0, 3.0, False),
    ):
        history.append(temperature, elbo)
        assert history.has_converged(0.1) == converged
    assert history.last == 3.0
    assert_array_equal(history.elbos["pass"], np.arange(5))
    assert_array_equal(history.temperatures["temperature"], [2, 1, 1, 1, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_data_have_the_same_bound(kind):
    """As it is per datum; terms of parameters, in the bound of two models, add less."""
    X = np.concatenate([data()] * 5)
    once, twice = (
        kind(3, tempering=None, max_iter=30, random_state=0).fit(rows)
        for rows in (X, np.tile(X, (2, 1)))
    )
    bounds = [model.elbo_history_["elbo"][-1] for model in (once, twice)]
    assert bounds[1] == pytest.approx(bounds[0], rel=0.15)
    if hasattr(once, "elbo_"):
        assert once.elbo_ == bounds[0]


@pytest.mark.parametrize("kind", KINDS)
def test_verbose_says_how_far_a_fit_is(kind, caplog, monkeypatch):
    monkeypatch.setattr(_log, "_SECONDS_BETWEEN_LINES", -1.0)
    settings = {"tempering": ANNEALING, "max_iter": 6, "random_state": 0}
    if kind is DPGaussianMixture:
        settings["tol"] = 1e3  # converged after the second iteration at T = 1
    with caplog.at_level(logging.INFO, logger="topictemper"):
        model = kind(3, verbose=1, **settings).fit(data())
    bounds = model.elbo_history_["elbo"]
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 7
    assert lines[0].startswith(f"iteration 1 of 6: T = 3, ELBO {bounds[0]:,.4f}")
    assert lines[2].startswith(f"iteration 3 of 6: T = 2, ELBO {bounds[2]:,.4f}")
    assert lines[-1] == f"6 iterations: T = 1, ELBO {bounds[-1]:,.4f}"
    silent = kind(3, **settings).fit(data())
    assert_array_equal(silent.elbo_history_, model.elbo_history_)


@pytest.mark.parametrize("kind", KINDS)
def test_silent_without_verbose(kind, caplog, capfd, monkeypatch):
    monkeypatch.setattr(_log, "_SECONDS_BETWEEN_LINES", -1.0)
    with caplog.at_level(logging.INFO, logger="topictemper"):
        kind(3, tempering=ANNEALING, max_iter=8, random_state=0).fit(data())
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [-1, 1.5, "yes", None])
def test_bad_verbose(kind, value):
    with pytest.raises((TypeError, ValueError), match="verbose"):
        kind(3, verbose=value).fit(data())


def test_time_that_is_left(caplog, monkeypatch):
    clock = iter([0.0, 4.0, 10.0, 10.0, 24.0, 24.0])
    monkeypatch.setattr(_log, "perf_counter", lambda: next(clock))
    log = _log.Iterations(3, 3, may_end_early=True)
    with caplog.at_level(logging.INFO, logger="topictemper"):
        start = log.new_start()
        log.add(start, 1, "T = 2")  # too soon
        log.add(start, 2, "T = 1")
        log.add(start, 3, "T = 1")
    assert [record.getMessage() for record in caplog.records] == [
        "iteration 2 of 3: T = 1, at most about 0:00:05 left",
        "iteration 3 of 3: T = 1",
    ]


@pytest.mark.parametrize(
    ("model", "starts", "numbers", "left"),
    [
        # The best of three starts goes on after two iterations of ten.
        (
            SigmoidBeliefNetwork(3, max_iter=10, n_init=3, random_state=0),
            [1, 1, 2, 2, 3, 3],  # and the best of them
            [1, 2] * 3 + list(range(3, 11)),
            list(range(13, -1, -1)),
        ),
        (
            FactorialMixture(3, max_iter=3, n_init=2, random_state=0),
            [1] * 3 + [2] * 3,
            [1, 2, 3] * 2,
            range(5, -1, -1),
        ),
        # Each start ends after two of six. How many it leaves out is not known before.
        (
            DPGaussianMixture(3, max_iter=6, n_init=2, tol=1e3, random_state=0),
            [1, 1, 2, 2],
            [1, 2] * 2,
            [11, 10, 5, 4],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_time_that_is_left_is_of_all_starts(model, starts, numbers, left, caplog, monkeypatch):
    now, add = 0.0, _log.Iterations.add

    def add_after_ten_seconds(self, *args):
        nonlocal now
        now += 10.0
        add(self, *args)

    monkeypatch.setattr(_log, "perf_counter", lambda: now)
    monkeypatch.setattr(_log.Iterations, "add", add_after_ten_seconds)
    with caplog.at_level(logging.INFO, logger="topictemper"):
        model.set_params(verbose=1).fit(data())
    lines = [record.getMessage() for record in caplog.records]
    lines = [line for line in lines if "iteration " in line]
    told = [re.match(rf"start (\d) of {model.n_init}, iteration (\d+) of", line) for line in lines]
    of_lines = [int(each[1]) for each in told]
    assert of_lines[: len(starts)] == starts
    assert len(set(of_lines[len(starts) :])) <= 1
    assert [int(each[2]) for each in told] == numbers
    for line, n in zip(lines, left, strict=True):
        assert line.partition(" about ")[2] == (f"{timedelta(seconds=10 * n)} left" if n else "")
