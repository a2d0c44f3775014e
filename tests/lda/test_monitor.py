"""The log of a fit, and a scikit-learn that has no callbacks."""

import importlib.util
import logging
import re
import sys

import pytest

import topictemper.lda._callbacks
import topictemper.lda._estimator
from topictemper import TemperedLDA
from topictemper.lda import _monitor
from topictemper.persistence import _models

from ..small_lda import corpus, learned_state, small_lda


def loaded_again(module, monkeypatch):
    """The module once more, from its file, in the place of the first."""
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    other = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, other)
    spec.loader.exec_module(other)
    return other


@pytest.fixture
def every_pass(monkeypatch):
    """Logs a line for every pass, however soon it comes after another one."""
    monkeypatch.setattr(_monitor, "_SECONDS_BETWEEN_LINES", 0.0)


@pytest.fixture
def older_lda(monkeypatch):
    """TemperedLDA as it is with scikit-learn before 1.9."""
    # Put back afterwards, for `load`.
    monkeypatch.setitem(_models._ESTIMATORS, "TemperedLDA", topictemper.TemperedLDA)
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    monkeypatch.delattr("sklearn.callback", raising=False)
    loaded_again(topictemper.lda._callbacks, monkeypatch)
    return loaded_again(topictemper.lda._estimator, monkeypatch).TemperedLDA


def test_older_scikit_learn_learns_the_same(older_lda):
    parameters = small_lda().get_params()
    older = older_lda(**parameters).fit(corpus(), validation_X=corpus(50, 1))
    assert not hasattr(older, "set_callbacks")
    assert learned_state(older) == learned_state(small_lda().fit(corpus()))


def test_older_scikit_learn_stops_early(older_lda):
    lda = small_lda(early_stopping=True, n_components=20, max_iter=30, inference="point")
    parameters = lda.get_params()
    older = older_lda(**parameters).fit(corpus(300)[:200], validation_X=corpus(300)[200:])
    assert len(older.score_history_) < 30


@pytest.mark.usefixtures("every_pass")
def test_older_scikit_learn_logs(older_lda, caplog):
    with caplog.at_level(logging.INFO, logger="topictemper"):
        older_lda(**small_lda(verbose=1).get_params()).fit(corpus(), validation_X=corpus(50, 1))
    assert_logged(caplog.messages)


def assert_logged(messages):
    pattern = (
        r"pass (\d)/3: temperature \d\.\d{3}, [\d,]+ documents a second, "
        r"validation score -\d\.\d{4} nats per token"
    )
    matches = [re.fullmatch(pattern, message) for message in messages]
    assert all(matches), messages
    assert [match[1] for match in matches] == ["1", "2", "3"]


@pytest.mark.usefixtures("every_pass")
def test_log_has_pass_temperature_speed_and_score(caplog):
    with caplog.at_level(logging.INFO, logger="topictemper"):
        lda = small_lda(verbose=1).fit(corpus(), validation_X=corpus(50, 1))
    assert_logged(caplog.messages)
    assert f"{lda.score_history_['score'][-1]:.4f}" in caplog.messages[-1]
    assert f"temperature {lda.temperature_:.3f}" in caplog.messages[-1]


@pytest.mark.usefixtures("every_pass")
def test_speed_is_of_learning_alone(caplog, monkeypatch):
    # A clock that a call moves by a tenth of a second: one call before learning and one after it,
    # whatever scoring takes.
    tenths = iter(range(1000))
    monkeypatch.setattr("topictemper.lda._monitor.perf_counter", lambda: next(tenths) / 10)
    with caplog.at_level(logging.INFO, logger="topictemper"):
        small_lda(verbose=1).fit(corpus(), validation_X=corpus(50, 1))
    assert len(caplog.messages) == 3
    assert all(" 2,000 documents a second" in message for message in caplog.messages)


@pytest.mark.parametrize(
    ("seconds", "logged"),
    [(1 / 32, [1, 12]), (1 / 4, [1, 5, 9, 12]), (3 / 8, [1, 4, 7, 10, 12]), (1, range(1, 13))],
)
@pytest.mark.parametrize("settings", [{}, {"learning_method": "batch", "tol": 0.0}], ids=str)
def test_quick_passes_are_logged_once_a_second(caplog, monkeypatch, seconds, logged, settings):
    # The clock moves by half a pass, before it and after it.
    calls = iter(range(1000))
    monkeypatch.setattr(_monitor, "perf_counter", lambda: next(calls) * seconds / 2)
    lda = TemperedLDA(3, max_iter=12, verbose=1, random_state=0, **settings)
    with caplog.at_level(logging.INFO, logger="topictemper"):
        lda.fit(corpus())
    passes = [int(re.match(r"pass (\d+)/12: ", line)[1]) for line in caplog.messages]
    assert passes == list(logged)


@pytest.mark.parametrize("settings", [{"early_stopping": True}, {"learning_method": "batch"}])
def test_the_last_pass_is_logged_wherever_a_fit_ends(caplog, monkeypatch, settings):
    monkeypatch.setattr(_monitor, "perf_counter", lambda: 7.0)
    lda = TemperedLDA(3, max_iter=400, verbose=1, random_state=0, **settings)
    with caplog.at_level(logging.INFO, logger="topictemper"):
        lda.fit(corpus(60))
    passes = [int(re.match(r"pass (\d+)/400: ", line)[1]) for line in caplog.messages]
    assert passes == [1, len(lda.score_history_ if lda.early_stopping else lda.elbo_history_)]
    assert 1 < passes[1] < 400


@pytest.mark.parametrize(
    ("settings", "at_most"),
    [
        ({}, ""),
        ({"early_stopping": True}, "at most "),
        ({"learning_method": "batch", "batch_size": None, "learning_offset": None}, "at most "),
    ],
)
def test_log_says_how_long_the_rest_takes(caplog, monkeypatch, settings, at_most):
    seconds = iter(range(0, 10_000, 10))
    monkeypatch.setattr("topictemper.lda._monitor.perf_counter", lambda: float(next(seconds)))
    with caplog.at_level(logging.INFO, logger="topictemper"):
        small_lda(verbose=1, **settings).fit(corpus())
    ends = [message.partition(f", {at_most}about ")[2] for message in caplog.messages]
    assert ends == ["0:00:20 left", "0:00:10 left", ""]


def test_log_of_a_long_pass_counts_the_passes_that_follow(caplog, monkeypatch):
    # A document a second.
    seconds = iter(range(10_000))
    monkeypatch.setattr("topictemper._utils._log._SECONDS_BETWEEN_LINES", -1.0)
    monkeypatch.setattr("topictemper._utils._log.perf_counter", lambda: 10.0 * next(seconds))
    with caplog.at_level(logging.INFO, logger="topictemper"):
        small_lda(verbose=1, inference="point").fit(corpus(), None, [2] * 100 + [0] * 100)
    lines = [message for message in caplog.messages if "20 documents, " in message]
    # Three passes over 100 rows, 20 of them in 20 seconds; then two passes, and the last one.
    assert [line.rpartition("about ")[2] for line in lines if ": 20 " in line] == [
        "0:04:40 left",
        "0:03:00 left",
        "0:01:20 left",
    ]
