"""BLAS with one thread, whatever the machine has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController  # which scikit-learn brings


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context, or a decorator, in which BLAS has one thread.

    How many threads BLAS has changes the last bits of its products, and for matrices with few
    columns threads wait for each other longer than they compute.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # which looks for the libraries, for milliseconds
