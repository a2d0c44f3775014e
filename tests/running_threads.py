"""Which threads there are, and whether they end."""

import gc
import sys
import time


def running_threads():
    """All of Python, also those that `threading` does not know."""
    return set(sys._current_frames())


def assert_threads_end(before):
    """No others are left soon. Those of earlier tests may end meanwhile."""
    deadline = time.monotonic() + 30
    while running_threads() - before and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert not running_threads() - before
