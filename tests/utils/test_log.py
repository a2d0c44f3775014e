import logging
import sys

import pytest

from topictemper._utils import _log
from topictemper._utils._log import Progress, counted, say, time_left


def test_numbers_with_their_nouns():
    counts = [counted(n, "topic") for n in (0, 1, 2000)]
    assert counts == ["0 topics", "1 topic", "2,000 topics"]


def test_progress_says_how_many_a_second(monkeypatch):
    times, lines = iter([100.0, 103.0, 120.0, 120.0, 140.0]), []
    monkeypatch.setattr(_log, "perf_counter", lambda: next(times))
    monkeypatch.setattr(_log, "say", lines.append)
    progress = Progress("counted", True)
    progress.add(1500)  # too soon
    progress.add(500)
    progress.end()
    assert lines == [
        "counted: 2,000 documents, 100 a second",
        "counted: 2,000 documents, 50 a second",
    ]


def test_progress_says_how_long_the_rest_takes(monkeypatch):
    times, lines = iter([100.0, 110.0, 110.0, 120.0, 120.0, 130.0, 130.0]), []
    monkeypatch.setattr(_log, "perf_counter", lambda: next(times))
    monkeypatch.setattr(_log, "say", lines.append)
    monkeypatch.setattr(_log, "_SECONDS_BETWEEN_LINES", -1.0)
    progress = Progress("counted", True, 80_000, may_end_early=True)
    progress.add(1000)
    progress.add(59_000)
    progress.add(20_000)
    assert [line.partition(" a second")[2] for line in lines] == [
        ", at most about 0:13:10 left",
        ", at most about 0:00:07 left",
        "",
    ]


def test_nothing_is_said_of_no_time():
    assert time_left(3661) == ", about 1:01:01 left"
    assert time_left(0.4) == ""


def test_nothing_is_said_of_millions_of_years():
    for seconds in (1e15, float(sys.maxsize), float("inf")):
        assert time_left(seconds, may_end_early=True) == ""


@pytest.mark.parametrize(
    ("level", "prints"), [(logging.NOTSET, True), (logging.INFO, False), (logging.WARNING, False)]
)
def test_a_level_of_its_own_is_kept(level, prints, caplog, capsys):
    # Without a level of its own, the logger has that of the root, which leaves out INFO.
    with caplog.at_level(logging.WARNING), caplog.at_level(level, logger="topictemper"):
        say("pass 1/2")
    assert bool(caplog.messages) == (level == logging.INFO)
    assert (capsys.readouterr().err == "pass 1/2\n") == prints
