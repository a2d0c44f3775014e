from topictemper._utils import _log
from topictemper._utils._log import Progress, counted


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
