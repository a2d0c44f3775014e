"""What one core can do at most, measured through numpy: multiply-adds and loads."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np


def fastest(function: Callable[[], object], repeats: int) -> float:
    """Shortest wall time of a call, in seconds."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def multiply_adds() -> float:
    """GFLOP/s of a float32 matrix product in BLAS, which nearly reaches the hardware's."""
    n = 1024
    a, b = np.random.default_rng(0).random((2, n, n), dtype=np.float32)
    out = np.empty_like(a)
    return 2e-9 * n**3 / fastest(lambda: np.matmul(a, b, out=out), 20)


def loads(kilobytes: int) -> float:
    """GB/s at which a float32 dot product reads two arrays of together that size.

    From the difference to a quarter of that size, because a call from Python costs as much as
    reading a first-level cache.
    """
    n = kilobytes * 1024 // 8
    x, y = np.random.default_rng(0).random((2, n), dtype=np.float32)
    small_x, small_y = x[: n // 4], y[: n // 4]
    seconds = fastest(lambda: np.dot(x, y), 20_000)
    seconds -= fastest(lambda: np.dot(small_x, small_y), 20_000)
    return 8e-9 * (n - n // 4) / seconds
