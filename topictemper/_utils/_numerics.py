"""Settings of numerical libraries that models compute with, whatever the caller has set."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from threading import Lock, local
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController  # which scikit-learn brings

# How often a number of threads is set that another thread prevents, which is rare.
_MOST_ATTEMPTS = 10

_P = ParamSpec("_P")
_T = TypeVar("_T")


# Neither of these is a `contextmanager`: warnings would name a line of contextlib or NumPy.


def ignoring_underflow(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let NumPy ignore underflow while a function runs, whatever `np.errstate` of the caller says.

    Probabilities underflow to 0 where they are as good as that.
    """

    @wraps(function)
    def ignoring(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with np.errstate(under="ignore"):
            return function(*args, **kwargs)

    return ignoring


def own_numerics(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let BLAS have one thread, and NumPy ignore underflow, while a function runs.

    How many threads BLAS has changes the last bits of its products, and for matrices with few
    columns threads wait for each other longer than they compute.
    """

    @wraps(function)
    def limited(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with _OneThread(), np.errstate(under="ignore"):
            return function(*args, **kwargs)

    return limited


class _Own(local):
    """How many calls each thread is in."""

    n_inside = 0


class _OneThread:
    """BLAS has one thread while any such call is inside.

    How many it has is mostly a number of the whole process, which the last call to leave restores.
    If each call restored what it has found, as the contexts of threadpoolctl do, then of two that
    overlap the first to leave would give threads to the other, and the last one would leave BLAS
    with one thread for good. With OpenMP it is a number of each thread.
    """

    _lock = Lock()
    _n_inside = 0
    _own = _Own()
    #: What the process has again when all have left; empty if nobody is inside.
    _of_process: ClassVar[list[int]] = []

    def __enter__(self) -> None:
        libraries, kind = _blas(), type(self)
        with kind._lock:
            self._found = [library.num_threads for library in libraries]
            if not kind._n_inside:
                kind._of_process = self._found
            kind._n_inside += 1
            kind._own.n_inside += 1
            for library in libraries:
                _set_threads(library, 1)

    def __exit__(self, *error: object) -> None:
        kind = type(self)
        with kind._lock:
            kind._n_inside -= 1
            kind._own.n_inside -= 1
            for library, own in zip(_blas(), self._found, strict=True):
                if _is_of_thread(library):
                    _set_threads(library, own)
            if not kind._n_inside:
                kind._restore_process()

    @classmethod
    def _restore_process(cls) -> None:
        for library, n in zip(_blas(), cls._of_process, strict=True):
            if not _is_of_thread(library):
                _set_threads(library, n)
        cls._of_process = []

    @classmethod
    def be_alone(cls) -> None:
        """Forget the other threads: a forked process has none of them.

        Nobody else leaves there, or frees the lock.
        """
        cls._lock, cls._n_inside = Lock(), cls._own.n_inside
        if cls._of_process and not cls._n_inside:
            cls._restore_process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_OneThread.be_alone)


def _is_of_thread(library: Any) -> bool:
    """Whether each thread has a number of its own."""
    return getattr(library, "threading_layer", None) == "openmp"


def _set_threads(library: Any, n: int) -> None:
    # As of version 3.8, threadpoolctl lets one living thread only set those of OpenBLAS. This
    # one has to, and others have to be able to afterwards, such as to restore what they found.
    free = getattr(library, "clear_controlling_thread", lambda force: None)
    for _ in range(_MOST_ATTEMPTS):
        free(force=True)
        library.set_num_threads(n)
        if library.num_threads == n:  # else another thread came between these lines
            break
    free(force=True)


@cache
def _blas() -> list[Any]:
    """Return the BLAS libraries; to look for them takes milliseconds."""
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
