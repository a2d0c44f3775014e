"""Signals that end a command: SIGINT, which Ctrl-C sends, and SIGTERM."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Terminated(KeyboardInterrupt):
    """Raised by SIGTERM."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, so that it removes its temporary files."""
    if not _gets_signals():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def remembered() -> Iterator[list[type[KeyboardInterrupt]]]:
    """Give a list of the interrupts of the block, which may handle them."""
    interrupts: list[type[KeyboardInterrupt]] = []

    def remembering(handler: Any) -> Any:
        def handle(*arguments: Any) -> None:
            try:
                handler(*arguments)
            except KeyboardInterrupt as interrupt:
                interrupts.append(type(interrupt))
                raise

        return handle

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM) if _gets_signals() else ():
        handler = signal.getsignal(number)
        if callable(handler):  # not where it is ignored, as SIGINT in a script's background jobs
            before[number] = signal.signal(number, remembering(handler))
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _gets_signals() -> bool:
    return threading.current_thread() is threading.main_thread()


def _terminate(*_: Any) -> None:
    raise Terminated
