"""Kernels in several threads at once."""

import os
import weakref
from _thread import start_new_thread
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from . import _spin

# The pause between two kernels of a step is shorter; a thread that sleeps wakes up in about 50.
_LINGER = 200  # microseconds
# A helper that is waited for so long (nanoseconds), and longer than the work took, has lost its
# processor to another program. It gets no work for a multiple of that time, so that waiting costs
# little. Systems let nobody wait for longer than the second number: then it had more work to do.
_LATE, _LONG, _REST = 200_000, 20_000_000, 50

Ticket = NDArray[np.int64]
Job = Callable[[int], None]
Jobs = SimpleQueue[Job | None]
_Task = TypeVar("_Task")


class _Board:
    """What the caller and its helpers both look at."""

    def __init__(self, n_helpers: int) -> None:
        #: The ticket of the next run.
        self.ticket: Ticket = np.zeros(1, dtype=np.int64)
        self.busy = np.zeros(n_helpers, dtype=np.int64)
        #: How long each was waited for.
        self.waited = np.zeros(n_helpers, dtype=np.int64)


class Workers:
    """Run a kernel in ``n_jobs`` threads at once; a context manager.

    A kernel hands out its own work in blocks fixed by the data (see `_lda`), so results have
    the same bits for any number of threads. No library's pool is used: the helpers have to be
    at the next kernel within a microsecond or two, so they spin for a while before they sleep.

    The helpers end with the block, or with the object, if an interrupt keeps the block from
    ending. A process forked within the block has no helpers, and works alone.

    Parameters
    ----------
    n_jobs : int or None
        None is 1, -1 is all processors. If the system refuses to start so many threads, there are
        fewer.
    most : int, optional
        The most threads that have something to do.
    """

    def __init__(self, n_jobs: int | None = None, most: int | None = None) -> None:
        self.n_jobs = check.threads(n_jobs)
        if most is not None:
            self.n_jobs = max(1, min(self.n_jobs, most))
        n_helpers = self.n_jobs - 1
        self._jobs: list[Jobs] = [SimpleQueue() for _ in range(n_helpers)]
        self._board = _Board(n_helpers)
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._n_started = 0
        self._rests_until = [0] * n_helpers
        self._process = os.getpid()

    @property
    def next_ticket(self) -> Ticket:
        """The ticket of the next `run`: how many blocks of its kernel have been handed out."""
        return self._board.ticket

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(*arguments, ticket)`` from every thread.

        No thread is at work any longer when this returns. After an error a helper that has not
        begun may still do so; only the end of the block waits for it.
        """
        board = self._board
        ticket, board.ticket = board.ticket, np.zeros(1, dtype=np.int64)
        started = perf_counter_ns()
        awake = self._awake()
        if not awake:
            kernel(*arguments, ticket)
            return

        errors: list[BaseException] = []

        def help_out(helper: int) -> None:
            board.busy[helper] = 1
            try:
                kernel(*arguments, ticket)
            except BaseException as error:
                errors.append(error)
            finally:
                board.busy[helper] = 0

        try:
            for helper in awake:
                self._jobs[helper].put(help_out)
            kernel(*arguments, ticket)
            worked = perf_counter_ns() - started
        finally:
            # A helper that has a block is busy. One that comes late finds none left, unless the
            # kernel has failed here.
            self.wait()
        if errors:
            raise errors[0]
        for helper, waited in enumerate(board.waited.tolist()):
            if max(_LATE, worked) < waited < _LONG:
                self._rests_until[helper] = perf_counter_ns() + _REST * waited

    def spread(self, function: Callable[[_Task], None], tasks: Iterable[_Task]) -> None:
        """Call ``function(task)`` for every task, in any thread, as `run` does with a kernel."""
        left = list(tasks)[::-1]

        def take(ticket: Ticket) -> None:
            ticket[0] += 1  # which is what helpers wait for
            while left:
                try:
                    task = left.pop()
                except IndexError:  # another thread was faster
                    return
                function(task)

        if len(left) > 1:
            self.run(take)
        else:
            take(np.zeros(1, dtype=np.int64))

    def wait(self) -> None:
        """Return when no helper works on a block."""
        if not self._is_alone():
            _spin.wait_for_zeros(self._board.busy, self._board.waited)

    def start(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """Begin a call beside what follows, if there are threads; returns how to get its result."""
        if 0 not in self._awake():
            return lambda: function(*arguments)
        # Not a Future, whose lock an interrupt leaves in a state of its own.
        answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def call(_: int) -> None:
            try:
                answers.put((function(*arguments), None))
            except BaseException as error:
                answers.put((None, error))

        def result() -> Any:
            value, error = answers.get()
            if error is not None:
                raise error
            return value

        self._jobs[0].put(call)
        return result

    def _awake(self) -> list[int]:
        """Helpers that there are and that do not rest."""
        if self._is_alone():
            return []
        now = perf_counter_ns()
        return [helper for helper, until in enumerate(self._rests_until) if until <= now]

    def _is_alone(self) -> bool:
        """Whether there are no helpers; a forked process has left them behind."""
        return not self._n_started or os.getpid() != self._process

    def __enter__(self) -> Self:
        if not self._jobs:
            return self
        # Ends helpers where an interrupt keeps `__exit__` from it.
        self._finalizer = weakref.finalize(self, _end, self._jobs)
        self._finalizer.atexit = False
        for helper, jobs in enumerate(self._jobs):
            # Not a Thread: an interrupt in its start() can leave it waiting for a lock for ever.
            try:
                start_new_thread(_serve, (helper, jobs, self._board, self._ended))
            except RuntimeError:  # the system has no more; results are the same with fewer
                del self._jobs[helper:], self._rests_until[helper:]
                break
        self._n_started = len(self._jobs)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_alone():
            return
        n_started, self._n_started = self._n_started, 0
        _end(self._jobs)
        self._finalizer.detach()
        for _ in range(n_started):
            self._ended.get()


def _end(all_jobs: list[Jobs]) -> None:
    """Tell helpers to end."""
    for jobs in all_jobs:
        jobs.put(None)


def _serve(helper: int, jobs: Jobs, board: _Board, ended: SimpleQueue[None]) -> None:
    """What a helper does until it is told to end: job after job, spinning between them.

    It does not hold on to its `Workers`, nor to a job that is done.
    """
    while True:
        # A helper that came while the caller of `run` holds the interpreter would sleep until
        # it is free: it comes when the caller has taken the first block, and so left it.
        ticket = board.ticket
        try:
            job = jobs.get_nowait()
        except Empty:
            if _spin.changes(ticket, 0, _LINGER):
                continue
            job = jobs.get()
        if job is None:
            ended.put(None)
            return
        job(helper)
        del job
