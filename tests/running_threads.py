"""How many threads there are, and whether they end."""

import gc
import sys
import time


def n_threads():
    """All of Python, also those that `threading` does not know."""
    return len(sys._current_frames())


def assert_threads_end(before):
    """So many are left soon."""
    deadline = time.monotonic() + 30
    while n_threads() > before and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert n_threads() == before
