"""Kernels in several threads at once."""

import os
import weakref
from _thread import start_new_thread
from collections.abc import Callable, Iterable
from functools import partial
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from . import _team

# Most pauses between two kernels of a step are shorter; a thread that sleeps wakes up in about 50.
_LINGER = 1000  # microseconds
# A helper that is waited for so long (nanoseconds), and longer than the work took, has lost its
# processor to another program. It gets no work for a multiple of that time, so that waiting costs
# little. Systems let nobody wait for longer than the second number: then it had more work to do.
_LATE, _LONG, _REST = 200_000, 20_000_000, 50

Team = NDArray[np.int64]
Job = Callable[[], None]
Jobs = SimpleQueue[Job | None]
_Task = TypeVar("_Task")


class Workers:
    """Run a kernel in ``n_jobs`` threads at once; a context manager.

    A kernel hands out its own work in blocks fixed by the data (see `_lda`), so results have
    the same bits for any number of threads. No library's pool is used: the helpers have to be
    at the next kernel within a microsecond, so they spin for a while before they sleep.

    The helpers end with the block, or with the object, if an interrupt keeps the block from
    ending. A process forked within the block has no helpers, and works alone.

    Parameters
    ----------
    n_jobs : int or None
        None is 1, -1 is all processors. If the system refuses to start so many threads, there are
        fewer.
    most : int, optional
        The most threads that have something to do.

    Attributes
    ----------
    team : ndarray of int64
        What kernels take: how many blocks of the last run have been handed out, the number of
        that run, and where helpers are called.
    """

    def __init__(self, n_jobs: int | None = None, most: int | None = None) -> None:
        self.n_jobs = check.threads(n_jobs)
        if most is not None:
            self.n_jobs = max(1, min(self.n_jobs, most))
        self.team: Team = np.zeros(2, dtype=np.int64)
        self._be_alone()

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(*arguments, team)``.

        No thread is at work any longer when this returns, even if it raises.
        """
        self.resume(self.next_run, kernel, *arguments)

    @property
    def next_run(self) -> int:
        """The number of the next run, for `resume`."""
        return int(self.team[1]) + 1

    def resume(self, run: int, kernel: Callable[..., None], *arguments: Any) -> None:
        """Do what is left of a run: all of it, or nothing if another has begun since."""
        if self._is_forked():
            self._be_alone()
        if self._sleeping:
            self._wake()
        if self.team[1] < run:
            _team.begin(self.team)
        if self.team[1] == run:
            kernel(*arguments, self.team)

    def spread(self, function: Callable[[_Task], None], tasks: Iterable[_Task]) -> None:
        """Call ``function(task)`` for every task, in any thread, as `run` does with a kernel."""
        left = list(tasks)[::-1]

        def take() -> None:
            while left:
                try:
                    task = left.pop()
                except IndexError:  # another thread was faster
                    return
                function(task)

        if len(left) > 1:
            self.run(_team.call, take)
        else:
            take()

    def start(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """Let a helper call a function beside what follows; returns how to get the result.

        Where that is asked for before a helper has come, the call is made then and there.
        """
        if not self._jobs or self._is_forked() or _team.is_resting(self.team, 0):
            return lambda: function(*arguments)
        # Not a Future, whose lock an interrupt leaves in a state of its own.
        answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        tokens = [None]  # who takes it makes the call

        def call() -> None:
            if not _taken(tokens):
                return
            try:
                answers.put((function(*arguments), None))
            except BaseException as error:
                answers.put((None, error))

        def result() -> Any:
            if self._is_forked() or _taken(tokens):
                return function(*arguments)
            value, error = answers.get()
            if error is not None:
                raise error
            return value

        self._jobs[0].put(call)
        _team.want(self.team, 0)
        return result

    def _wake(self) -> None:
        for helper in list(self._sleeping):
            if not _team.is_resting(self.team, helper):
                self._jobs[helper].put(_look)

    def _is_forked(self) -> bool:
        """Whether this process has left the helpers behind."""
        return os.getpid() != self._process

    def _be_alone(self) -> None:
        self._process = os.getpid()
        self.team = self.team[:2].copy()
        self._jobs: list[Jobs] = []
        self._sleeping: set[int] = set()

    def __enter__(self) -> Self:
        self._be_alone()
        n_helpers = self.n_jobs - 1
        if not n_helpers:
            return self
        self.team = _team.new_team(n_helpers, _LATE, _LONG, _REST)
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._alive: list[weakref.ref[Any]] = []
        # Ends helpers where an interrupt keeps `__exit__` from it.
        self._finalizer = weakref.finalize(self, _end, self._jobs, self.team)
        self._finalizer.atexit = False
        for helper in range(n_helpers):
            self._jobs.append(SimpleQueue())
            try:
                self._start(helper)
            except RuntimeError:  # the system has no more; results are the same with fewer
                del self._jobs[helper:]
                break
        return self

    def _start(self, helper: int) -> None:
        serve = partial(_serve, helper, self._jobs[helper], self.team, self._sleeping)
        # Not a Thread: an interrupt in its start() can leave it waiting for a lock for ever.
        start_new_thread(serve, ())
        # The thread alone holds it, to its end: without memory that comes before `_serve` begins.
        self._alive.append(weakref.ref(serve, self._ended.put))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._jobs or self._is_forked():
            return
        jobs, team = self._jobs, self.team
        self._be_alone()
        _end(jobs, team)
        self._finalizer.detach()
        for _ in jobs:
            self._ended.get()


def _end(all_jobs: list[Jobs], team: Team) -> None:
    """Tell helpers to end."""
    for helper, jobs in enumerate(all_jobs):
        jobs.put(None)
        _team.want(team, helper)


def _taken(tokens: list[None]) -> bool:
    try:
        tokens.pop()
    except IndexError:
        return False
    return True


def _look() -> None:
    """What wakes a helper: it looks whether it is called."""


def _serve(helper: int, jobs: Jobs, team: Team, sleeping: set[int]) -> None:
    """What a helper does until it is told to end: job after job, and kernels between them.

    It does not hold on to its `Workers`, nor to a job that is done.
    """
    while True:
        try:
            job = jobs.get_nowait()
        except Empty:
            if _team.serve(team, helper, _LINGER):
                continue
            sleeping.add(helper)
            # It may have waited for the interpreter, until the thread left that for a kernel.
            job = _look if _team.is_called(team, helper) else jobs.get()
            sleeping.discard(helper)
        if job is None:
            return
        job()
        del job
