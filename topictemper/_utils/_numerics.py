"""Settings of numerical libraries that models compute with, whatever the caller has set."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

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
        with _controller().limit(limits=1, user_api="blas"), np.errstate(under="ignore"):
            return function(*args, **kwargs)

    return limited


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # which looks for the libraries, for milliseconds
