"""Changes of objects in memory that an error or an interrupt undoes or leaves complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ._state import Stateful

# Of an action that goes on failing. Interrupts that strike it in a row are rarer by far.
_ATTEMPTS = 100


def snapshot(objects: Iterable[Any]) -> Callable[[], None]:
    """Remember the attributes of some objects; returns what puts them back.

    Arrays and lists are not copied: whoever changes them puts new ones in their place.
    """
    before = [(part, vars(part).copy()) for part in objects]

    def restore() -> None:
        for part, attributes in before:
            part.__dict__ = attributes.copy()

    return restore


def complete(action: Callable[[], None]) -> None:
    """Run an action to its end. It may be run several times, and begins anew each time."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return action()
        except BaseException:  # the one that led here is the one to be raised
            continue
    action()


def parts(stateful: Stateful) -> Iterator[Stateful]:
    """An object with state, and all such objects within it."""
    yield stateful
    for name in stateful.STATE:
        value = getattr(stateful, name)
        if isinstance(value, Stateful):
            yield from parts(value)


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Put every attribute of an estimator back if the block fails."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise
