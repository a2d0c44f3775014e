"""Changes of objects in memory that an error or an interrupt undoes or leaves complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ._state import Stateful

# Attempts of an action that keeps failing; so many interrupts in a row do not occur.
_ATTEMPTS = 100


def snapshot(objects: Iterable[Any]) -> Callable[[], None]:
    """Return a function that restores the present attributes of some objects.

    Arrays and lists are not copied: code that changes them must replace them.
    """
    before = [(part, vars(part).copy()) for part in objects]

    def restore() -> None:
        for part, attributes in before:
            part.__dict__ = attributes.copy()

    return restore


def complete(action: Callable[[], None]) -> None:
    """Run an action to its end, again after each interrupt. It must be idempotent."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return action()
        except BaseException:  # the caller raises the error that led here
            continue
    action()


def stateful_parts(stateful: Stateful) -> Iterator[Stateful]:
    """Yield an object with state, and all such objects within it."""
    yield stateful
    for name in stateful.STATE:
        value = getattr(stateful, name)
        if isinstance(value, Stateful):
            yield from stateful_parts(value)


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Restore all attributes of an estimator if the block fails."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise
