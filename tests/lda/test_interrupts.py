"""Interrupts and errors never leave half a step, and no thread goes on."""

import contextlib
import hashlib
import os
import pickle
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import topictemper
from topictemper import TemperedLDA
from topictemper._core import _team, _workers
from topictemper._core._workers import Workers
from topictemper.lda import _topics
from topictemper.lda._average import TopicsAverage
from topictemper.lda._topics import Topics
from topictemper.tempering import Annealing

from ..running_threads import assert_threads_end, running_threads
from ..small_lda import corpus, small_lda, with_tempering

PACKAGE = str(Path(topictemper.__file__).parent)
BATCH = 70  # so many documents are shared between threads
NEW = corpus(3 * BATCH, 2)
SETTINGS = {
    "lvt": {"max_temperature": 3.0},
    "probing": {"total_samples": 1000},
    "sampled": {"tempering": "svi"},
    "vt": {"tempering": "vt", "updates": 200},
    "dasvi": {"tempering": "dasvi", "inference": "vb"},
    "learned priors": {
        "tempering": "svi",
        "inference": "vb",
        "doc_topic_prior": "auto",
        "topic_word_prior": "auto",
    },
    "growing": {"total_samples": None},
}

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def stream(name, n_jobs=1):
    """An estimator that has learned from some minibatches."""
    lda = small_lda(total_samples=300, batch_size=BATCH, n_jobs=n_jobs)
    lda.set_params(**with_tempering(SETTINGS[name]))
    if name == "sampled":
        lda.partial_fit(corpus(700, 5))  # past the passes without samples
    return lda.partial_fit(corpus(2 * BATCH, 1))


def digest(lda):
    """All that learning has made, as one number."""
    parts = hashlib.sha256()

    def add(tree):
        for name, value in sorted(tree.items()):
            if isinstance(value, dict):
                add(value)
            else:
                is_array = isinstance(value, np.ndarray)
                parts.update(
                    name.encode() + (value.tobytes() if is_array else repr(value).encode())
                )

    add(lda._trainer.get_state())
    return parts.hexdigest()


def states(name, n_jobs=1):
    """What a model may be: as before any step of the three, or as after each of them."""
    lda = stream(name, n_jobs)
    result = [digest(lda)]
    for start in range(0, NEW.shape[0], BATCH):
        result.append(digest(lda.partial_fit(NEW[start : start + BATCH])))
    return result


class Interrupter:
    """Raises KeyboardInterrupt at one of the lines of the package that a thread goes through."""

    def __init__(self, at=0):
        self.at, self.lines = at, 0

    def __call__(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise KeyboardInterrupt
        return self

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_at_any_line(name, n_jobs, monkeypatch):
    # To wake a helper takes lines more, to let it rest lines less: their number has to be the same.
    monkeypatch.setattr(_workers, "_LINGER", 10**9)
    monkeypatch.setattr(_workers, "_LATE", 2**62)
    allowed, before = states(name, n_jobs), running_threads()
    learned = pickle.dumps(stream(name, n_jobs))
    lda = pickle.loads(learned)
    with Interrupter() as counter:
        lda.partial_fit(NEW)
    assert digest(lda) == allowed[-1]
    found = set()
    for at in range(1, counter.lines, counter.lines // 45):
        lda = pickle.loads(learned)
        with pytest.raises(KeyboardInterrupt), Interrupter(at):
            lda.partial_fit(NEW)
        sums = lda._trainer.topics.M.sum(axis=0, dtype=float)
        np.testing.assert_allclose(lda._trainer.topics.column_sums, sums, rtol=1e-6)
        found.add(allowed.index(digest(lda)))
    assert found >= {0, 1, 2}
    assert_threads_end(before)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_after_topics_are_averaged(n_jobs, monkeypatch):
    """The step of the topics is complete then, and must not be taken a second time."""
    monkeypatch.setattr(_topics, "_ENTRIES_AT_ONCE", 20)  # so that threads share it
    lda, allowed, mixed = stream("sampled", n_jobs), states("sampled", n_jobs), Topics.mixed
    calls = []

    def interrupting(self, *arguments):
        result = mixed(self, *arguments)
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(Topics, "mixed", interrupting)
    with pytest.raises(KeyboardInterrupt):
        lda.partial_fit(NEW)
    assert digest(lda) == allowed[1]


def test_interrupt_while_a_new_total_is_taken(monkeypatch):
    lda = stream("sampled")
    before = digest(lda)
    monkeypatch.setattr(TopicsAverage, "rescale", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lda.set_params(total_samples=900).partial_fit(NEW)
    assert digest(lda) == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_of_a_first_call(n_jobs):
    lda = small_lda(batch_size=BATCH, n_jobs=n_jobs)
    allowed = [digest(lda.partial_fit(NEW[:BATCH])), digest(lda.partial_fit(NEW[BATCH:]))]
    with Interrupter() as counter:
        small_lda(batch_size=BATCH, n_jobs=n_jobs).partial_fit(NEW[:BATCH])
    unlearned = 0
    # Lines at the end are not reached where something has been cached.
    for at in range(1, counter.lines, counter.lines // 60):
        lda = small_lda(batch_size=BATCH, n_jobs=n_jobs)
        parameters = vars(lda).copy()
        with contextlib.suppress(KeyboardInterrupt), Interrupter(at):
            lda.partial_fit(NEW[:BATCH])
        if vars(lda) == parameters:
            unlearned += 1
        else:
            assert digest(lda) == allowed[0]
            assert lda.n_batch_iter_ == 1
    assert unlearned > 30


@pytest.mark.parametrize("n_jobs", [1, 2])
# Python takes no exception out of a callback of its garbage collector, where a signal may come too.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_signals_at_random_moments(n_jobs):
    """`python -m tests.faults` makes 1,000 of them."""
    allowed, before = states("lvt", n_jobs), running_threads()
    rng, handler = np.random.default_rng(n_jobs), signal.signal(signal.SIGALRM, interrupted)
    try:
        for _ in range(25):
            lda = stream("lvt", n_jobs)
            with contextlib.suppress(KeyboardInterrupt):
                try:
                    signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 2e-2))
                    lda.partial_fit(NEW)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0.0)
            assert digest(lda) in allowed
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert_threads_end(before)


# Errors


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kernel", ["topic_rows", "estep", "add_statistics", "fractional_moments"])
def test_error_before_or_after_a_kernel(kernel, after, monkeypatch):
    allowed, lda, run = states("lvt"), stream("lvt"), Workers.run

    def failing(self, function, *arguments):
        hit = function.__name__ == kernel
        if after or not hit:
            run(self, function, *arguments)
        if hit:
            raise MemoryError("no room")

    monkeypatch.setattr(Workers, "run", failing)
    with pytest.raises(MemoryError, match="no room"):
        lda.partial_fit(NEW)
    learned = allowed.index(digest(lda))
    if kernel != "fractional_moments":  # which is not called for every minibatch
        # Once rows of M have begun to change the step is finished.
        assert learned == (kernel == "add_statistics")
    monkeypatch.undo()
    assert digest(lda.partial_fit(NEW[BATCH * learned :])) == allowed[-1]


def test_error_in_an_iterator_of_chunks_leaves_the_fit_before():
    class Chunks:
        left = 4

        def __iter__(self):
            for start in range(0, 200, 50):
                self.left -= 1
                if self.left < -2:
                    raise OSError("the disk is gone")
                yield corpus()[start : start + 50]

    lda = small_lda().fit(corpus())
    before = digest(lda)
    with pytest.raises(OSError, match="the disk is gone"):
        lda.fit(Chunks())
    assert digest(lda) == before


# Forks


@needs_fork
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fork_amid_a_block_works_alone():
    with Workers(2) as workers:
        child = os.fork()
        if child == 0:
            out = []
            workers.run(_team.call, lambda: out.append(1))
            with workers:
                out.append(workers.start(lambda: 2)())
            os._exit(0 if out == [1, 2] else 1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


class Forking:
    """A callback that forks after the second pass; the child goes on with the fit."""

    max_propagation_depth = 0

    def setup(self, estimator, context):
        self.child, self.passes = None, 0

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, *arguments, **_):
        pass

    def on_fit_task_end(self, *arguments, **_):
        self.passes += 1
        if self.passes == 2:
            self.child = os.fork()


@needs_fork
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fork_in_a_callback(tmp_path):
    lda = small_lda(n_jobs=2, batch_size=BATCH, max_iter=4)
    if not hasattr(lda, "set_callbacks"):
        pytest.skip("needs scikit-learn 1.9")
    callback = Forking()
    lda.set_callbacks(callback).fit(NEW)
    if callback.child == 0:
        (tmp_path / "child").write_text(digest(lda))
        os._exit(0)
    deadline = time.monotonic() + 60
    while os.waitpid(callback.child, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(callback.child, signal.SIGKILL)
            os.waitpid(callback.child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    assert (tmp_path / "child").read_text() == digest(lda)


# What a stream keeps


def test_history_is_bounded(monkeypatch):
    monkeypatch.setattr("topictemper.tempering._control._LONGEST_HISTORY", 256)
    lda = TemperedLDA(2, batch_size=1, total_samples=20.0, max_doc_update_iter=1, random_state=0)
    lda.set_params(tempering=Annealing(max_temperature=1.0))
    X = corpus()[:1]
    for _ in range(6):
        lda.partial_fit(X[np.zeros(60, dtype=int)])
    history = lda.temperature_history_["pass"]
    assert 128 <= len(history) <= 256
    assert (np.diff(history) > 0).all()
    assert history[-1] > 17.0
