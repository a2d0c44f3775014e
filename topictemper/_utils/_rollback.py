"""Changes of objects in memory that an error or an interrupt undoes or leaves complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

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


def estimator_snapshot(estimator: Any, parts: Iterable[Any] = ()) -> Callable[[], None]:
    """Return a function that restores an estimator, its `random_state`, and some of its parts."""
    restore = snapshot([estimator, *parts])
    random_state = vars(estimator).get("random_state")
    if not isinstance(random_state, np.random.RandomState):
        return restore
    state = random_state.get_state(legacy=False)

    def restore_all() -> None:
        restore()
        random_state.set_state(state)

    return restore_all


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Restore an estimator and its `random_state` if the block fails."""
    restore = estimator_snapshot(estimator)
    try:
        yield
    except BaseException:
        complete(restore)
        raise
