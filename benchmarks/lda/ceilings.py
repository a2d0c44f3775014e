"""What one core reaches at most, through numpy's BLAS: multiply-adds, and loads from its caches.

A BLAS reaches nearly all multiply-adds of the hardware, but not all loads: a share of those can
come out above one.
"""

from __future__ import annotations

from collections.abc import Callable
from timeit import repeat

import numpy as np

LINE = 16  # float32 numbers in a cache line
REPEATS = 20


def fastest(function: Callable[[], object]) -> float:
    """Shortest wall time of a call, in seconds."""
    return min(repeat(function, number=1, repeat=REPEATS))


def multiply_adds() -> float:
    """GFLOP/s of a float32 matrix product."""
    n = 1024
    a, b = np.random.default_rng(0).random((2, n, n), dtype=np.float32)
    out = np.empty_like(a)
    return 2e-9 * n**3 / fastest(lambda: np.matmul(a, b, out=out))


def loads(kilobytes: int) -> float:
    """GB/s of float32 dot products that read the same two arrays, together of that size."""
    n = kilobytes * 1024 // 8
    times = 2**22 // n
    memory = np.ones(2 * n + LINE, dtype=np.float32)
    start = -memory.ctypes.data // memory.itemsize % LINE
    x, y = memory[start : start + 2 * n].reshape(2, n)
    # One call for many products: a call from Python costs as much as reading a whole L1 cache.
    many_x, many_y = (np.broadcast_to(a, (times, n)) for a in (x, y))
    out = np.empty(times, dtype=np.float32)
    return 8e-9 * n * times / fastest(lambda: np.vecdot(many_x, many_y, out=out))
