"""Kernels on a thread pool: the same work, shared by several callers."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

import numpy as np

from . import _parameters as check


class Workers:
    """Run a kernel in ``n_jobs`` threads at once; a context manager.

    A kernel hands out its own work in blocks fixed by the data (see `_kernels`), so results have
    the same bits for any number of threads.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1, -1 is all processors.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = check.threads(n_jobs)
        self._pool = ThreadPoolExecutor(self.n_jobs - 1) if self.n_jobs > 1 else None

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(*arguments, ticket)`` from every thread and wait for all of them."""
        ticket = np.zeros(1, dtype=np.int64)
        helpers = []
        if self._pool is not None:
            helpers = [
                self._pool.submit(kernel, *arguments, ticket) for _ in range(self.n_jobs - 1)
            ]
        kernel(*arguments, ticket)
        for helper in helpers:
            if not helper.cancel():  # one that has not begun has nothing left to do
                helper.result()

    def start(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """Begin a call beside what follows, if there are threads; returns how to get its result."""
        if self._pool is None:
            return lambda: function(*arguments)
        return self._pool.submit(function, *arguments).result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()
