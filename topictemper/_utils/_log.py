"""Lines about progress."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from datetime import timedelta
from time import perf_counter

logger = logging.getLogger("topictemper")

_SECONDS_BETWEEN_LINES = 5.0


def say(line: str) -> None:
    """Log a line, or print it to stderr where logging is not set up.

    Who gives this logger a higher level than INFO wants to see no such lines.
    """
    if logger.hasHandlers() and logger.isEnabledFor(logging.INFO):
        logger.info(line)
    elif logger.level <= logging.INFO:
        print(line, file=sys.stderr)


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: "1 topic", "2,000 topics"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def time_left(seconds: float, *, may_end_early: bool = False) -> str:
    """Return the end of a line that says how long the rest will take.

    There is nothing to say of less than half a second, or of millions of years.
    """
    try:
        left = timedelta(seconds=round(seconds))
    except OverflowError:  # as of max_iter=sys.maxsize
        return ""
    return f", {'at most ' if may_end_early else ''}about {left} left" if left else ""


class Iterations:
    """Says every few seconds how far the iterations of a fit are, and how they ended.

    Parameters
    ----------
    total : int
        How many the start has that is finished.
    of_all_starts : int
        How many all starts have together.
    n_starts : int
        How many starts there are.
    may_end_early : bool
        Whether there may be fewer iterations.
    """

    def __init__(
        self, total: int, of_all_starts: int, n_starts: int = 1, *, may_end_early: bool
    ) -> None:
        self._total, self._of_all_starts = total, of_all_starts
        self._n_starts, self._may_end_early = n_starts, may_end_early
        self._n_started = self._n_added = 0
        self._start = self._last = perf_counter()

    def new_start(self) -> str:
        """Return what its lines begin with, which is nothing of the only start."""
        self._n_started += 1
        if self._n_starts == 1:
            return ""
        return f"start {self._n_started:,} of {self._n_starts:,}, "

    def add(self, start: str, n_done: int, state: str) -> None:
        """One more iteration of a start is done, `n_done` in all, and the fit is in this state."""
        self._n_added += 1
        if perf_counter() - self._last > _SECONDS_BETWEEN_LINES:
            self._last = perf_counter()
            left_over = self._of_all_starts - self._n_added
            seconds = left_over * (self._last - self._start) / self._n_added
            left = time_left(seconds, may_end_early=self._may_end_early)
            say(f"{start}iteration {n_done:,} of {self._total:,}: {state}{left}")

    def end(self, start: str, n_done: int, state: str) -> None:
        """The last one of a start is done."""
        self._of_all_starts -= self._total - n_done  # those that it did not need
        say(f"{start}{counted(n_done, 'iteration')}: {state}")


class Progress:
    """Says every few seconds how many documents have been worked on.

    Parameters
    ----------
    what : str
        What is done with them.
    verbose : bool
        Whether to say it.
    total : float, optional
        How many documents there are to work on, if that is known. The time that is left follows.
    may_end_early : bool, default=False
        Whether they may turn out to be fewer.
    n_left : callable, optional
        What returns about how many are left when so many are done, where `total` is not known; 0
        says that it does not know.
    """

    def __init__(
        self,
        what: str,
        verbose: bool,
        total: float | None = None,
        *,
        may_end_early: bool = False,
        n_left: Callable[[int], float] | None = None,
    ) -> None:
        self._what, self._verbose = what, verbose
        self._may_end_early = may_end_early
        self._n_left = n_left or (lambda done: (total or 0.0) - done)
        self._done, self._start = 0, perf_counter()
        self._last = self._start

    def add(self, n_documents: int) -> None:
        """Some more are done."""
        self._done += n_documents
        if self._verbose and perf_counter() - self._last > _SECONDS_BETWEEN_LINES:
            self._say()

    def end(self) -> None:
        """All are done."""
        if self._verbose:
            self._say()

    def _say(self) -> None:
        self._last = perf_counter()
        rate = self._done / max(self._last - self._start, 1e-9)
        left = ""
        if rate > 0:
            # Fewer may have been announced than there are.
            seconds = max(self._n_left(self._done), 0.0) / rate
            left = time_left(seconds, may_end_early=self._may_end_early)
        say(f"{self._what}: {self._done:,} documents, {rate:,.0f} a second{left}")
