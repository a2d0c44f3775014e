"""Settings of numerical libraries that models compute with, whatever the caller has set."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController  # which scikit-learn brings

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


class _OneThread:
    """BLAS has one thread while any such call is inside.

    How many it has is mostly a number of the whole process, which the last call to leave restores.
    If each call restored what it has found, as the contexts of threadpoolctl do, then of two that
    overlap the first to leave would give threads to the other, and the last one would leave BLAS
    with one thread for good. With OpenMP it is a number of each thread.
    """

    _lock = Lock()
    _n_inside = 0
    _of_process: ClassVar[list[int]] = []

    def __enter__(self) -> None:
        libraries, kind = _blas(), type(self)
        with kind._lock:
            self._found = [library.num_threads for library in libraries]
            if not kind._n_inside:
                kind._of_process = self._found
            kind._n_inside += 1
            for library in libraries:
                _set_threads(library, 1)

    def __exit__(self, *error: object) -> None:
        kind = type(self)
        with kind._lock:
            kind._n_inside -= 1
            for library, own, shared in zip(_blas(), self._found, kind._of_process, strict=True):
                if getattr(library, "threading_layer", None) == "openmp":
                    _set_threads(library, own)
                elif not kind._n_inside:
                    _set_threads(library, shared)

    @classmethod
    def free_lock(cls) -> None:
        """Forget who has the lock: in a forked process there is no such thread."""
        cls._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_OneThread.free_lock)


def _set_threads(library: Any, n: int) -> None:
    # As of version 3.8, threadpoolctl lets one living thread only set those of OpenBLAS. This
    # one has to, and others have to be able to afterwards, such as to restore what they found.
    free = getattr(library, "clear_controlling_thread", lambda force: None)
    free(force=True)
    library.set_num_threads(n)
    free(force=True)


@cache
def _blas() -> list[Any]:
    """Return the BLAS libraries; to look for them takes milliseconds."""
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
