"""Changes that are made whole or not at all, wherever an error or an interrupt strikes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ._state import Stateful

# Of an action that goes on failing. Interrupts that strike it in a row are rarer by far.
_ATTEMPTS = 100


def snapshot(stateful: Stateful) -> Callable[[], None]:
    """Remember the attributes of an object and of its parts; returns what puts them back.

    Arrays and lists are not copied: whoever changes them puts new ones in their place.
    """
    before = [(part, vars(part).copy()) for part in _parts(stateful)]

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


def _parts(stateful: Stateful) -> Iterator[Stateful]:
    yield stateful
    for name in stateful.STATE:
        value = getattr(stateful, name)
        if isinstance(value, Stateful):
            yield from _parts(value)
