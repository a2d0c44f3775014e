"""Kernels in several threads at once."""

from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Self

import numpy as np

from . import _parameters as check
from ._core import _kernels

# The pause between two kernels of a step is shorter; a thread that sleeps wakes up in about 50.
_LINGER = 200  # microseconds

Job = Callable[[int], None]


class Workers:
    """Run a kernel in ``n_jobs`` threads at once; a context manager.

    A kernel hands out its own work in blocks fixed by the data (see `_kernels`), so results have
    the same bits for any number of threads. No library's pool is used: the helpers have to be
    at the next kernel within a microsecond or two, so they spin for a while before they sleep.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1, -1 is all processors.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = check.threads(n_jobs)
        n_helpers = self.n_jobs - 1
        self._jobs = [SimpleQueue[Job | None]() for _ in range(n_helpers)]
        self._next_ticket = np.zeros(1, dtype=np.int64)
        self._busy = np.zeros(n_helpers, dtype=np.int64)
        self._threads = [
            Thread(target=self._serve, args=(i,), daemon=True) for i in range(n_helpers)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(*arguments, ticket)`` from every thread; all is done on return."""
        ticket, self._next_ticket = self._next_ticket, np.zeros(1, dtype=np.int64)
        if not self._jobs:
            kernel(*arguments, ticket)
            return

        errors: list[BaseException] = []

        def help_out(helper: int) -> None:
            self._busy[helper] = 1
            try:
                kernel(*arguments, ticket)
            except BaseException as error:
                errors.append(error)
            finally:
                self._busy[helper] = 0

        for helper in range(len(self._jobs)):
            self._jobs[helper].put(help_out)
        try:
            kernel(*arguments, ticket)
        finally:
            # No block is left, or none will be used. A helper that has one is busy; one that
            # comes late finds nothing to do.
            _kernels.wait_for_zeros(self._busy)
        if errors:
            raise errors[0]

    def start(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """Begin a call beside what follows, if there are threads; returns how to get its result."""
        if not self._jobs:
            return lambda: function(*arguments)
        future: Future[Any] = Future()

        def call(_: int) -> None:
            try:
                future.set_result(function(*arguments))
            except BaseException as error:
                future.set_exception(error)

        self._jobs[0].put(call)
        return future.result

    def _serve(self, helper: int) -> None:
        """What a helper does until it is told to end: job after job, spinning between them."""
        jobs = self._jobs[helper]
        while True:
            # A helper that came while the caller of `run` holds the interpreter would sleep until
            # it is free: it comes when the caller has taken the first block, and so left it.
            ticket = self._next_ticket
            try:
                job = jobs.get_nowait()
            except Empty:
                if _kernels.changes(ticket, 0, _LINGER):
                    continue
                job = jobs.get()
            if job is None:
                return
            job(helper)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for helper in range(len(self._jobs)):
            self._jobs[helper].put(None)
        for thread in self._threads:
            thread.join()
