"""BLAS with one thread, whatever the machine has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController  # which scikit-learn brings

_P = ParamSpec("_P")
_T = TypeVar("_T")


# Not a `contextmanager` as a decorator: warnings would name a line of contextlib.
def one_blas_thread(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let BLAS have one thread while a function runs.

    How many threads BLAS has changes the last bits of its products, and for matrices with few
    columns threads wait for each other longer than they compute.
    """

    @wraps(function)
    def limited(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # which looks for the libraries, for milliseconds
