"""Interrupts of `partial_fit` at random moments, as Ctrl-C makes them."""

from __future__ import annotations

import contextlib
import random
import signal
import time
from collections import Counter

from ..lda.test_interrupts import NEW, SETTINGS, digest, states, stream
from ..running_threads import assert_threads_end, running_threads


def interrupted(n_jobs: int, n_trials: int, seed: int) -> Counter[str]:
    """How many interrupts found the model before any step, after some, or otherwise."""
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    threads, counts = running_threads(), Counter[str]()
    try:
        for i, name in enumerate(SETTINGS):
            allowed = states(name, n_jobs)
            stream(name, n_jobs).partial_fit(NEW)
            lda, start = stream(name, n_jobs), time.monotonic()
            lda.partial_fit(NEW)
            length = time.monotonic() - start
            for trial in range(i, n_trials, len(SETTINGS)):
                moment = random.Random(f"{seed} {trial}").uniform(1e-4, 1.1 * length)
                found = _interrupted_once(stream(name, n_jobs), moment)
                steps = allowed.index(found) if found in allowed else -1
                row = "wrong" if steps < 0 else "old" if steps == 0 else "new"
                counts[row] += 1
                if row == "wrong":
                    print(f"WRONG interrupt of {name}, n_jobs={n_jobs}, trial {trial}", flush=True)
    finally:
        signal.signal(signal.SIGALRM, handler)
    try:
        assert_threads_end(threads)
    except AssertionError:
        counts["wrong"] += 1
        print(f"WRONG threads left behind: {len(running_threads() - threads)}", flush=True)
    return counts


def _interrupted_once(lda: object, moment: float) -> str:
    with contextlib.suppress(KeyboardInterrupt):  # it may come in the last line
        try:
            signal.setitimer(signal.ITIMER_REAL, moment)
            lda.partial_fit(NEW)  # type: ignore[attr-defined]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    return digest(lda)
