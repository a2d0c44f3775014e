"""The state of objects as a tree of plain values and arrays, which a file can hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

#: Nested dictionaries; leaves are None, numbers, strings and arrays.
Tree = dict[str, Any]


class Stateful:
    """An object whose state can be read, and restored into an object with the same parameters.

    ``STATE`` names the attributes that change in use. All others follow from the arguments of the
    constructor. ``PARTS`` are those of them that some objects do not have: there None is not a
    value that is still unknown.
    """

    STATE: ClassVar[tuple[str, ...]] = ()
    PARTS: ClassVar[tuple[str, ...]] = ()

    def get_state(self) -> Tree:
        """Return the attributes of ``STATE``; arrays are not copied."""
        tree = {}
        for name in self.STATE:
            value = getattr(self, name)
            if isinstance(value, Stateful):
                value = value.get_state()
            elif isinstance(value, np.random.RandomState):
                value = value.get_state(legacy=False)
            elif isinstance(value, np.generic):
                value = value.item()
            tree[name.lstrip("_")] = value
        return tree

    def set_state(self, tree: Tree) -> None:
        """Restore the state that `get_state` of an object with the same parameters returned.

        Raises
        ------
        ValueError
            If a value is missing, or has another type or shape.
        """
        if not isinstance(tree, dict) or {name.lstrip("_") for name in self.STATE} != tree.keys():
            raise ValueError(f"this is not the state of a {type(self).__name__}")
        for name in self.STATE:
            key = name.lstrip("_")
            with within(key):
                old, new = getattr(self, name), tree[key]
                if old is None and new is not None and name in self.PARTS:
                    raise ValueError(f"must be None, got {_described(new)}")
                setattr(self, name, _taken(old, new))


class StateError(ValueError):
    """An invalid state: the place in its tree, and the reason."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")
        self.place, self.what = place, what


@contextmanager
def within(name: str) -> Iterator[None]:
    """Add the name of a branch to every error in the block."""
    try:
        yield
    except StateError as error:
        raise StateError(f"{name}/{error.place}", error.what) from error
    except MemoryError:
        raise
    except KeyError as error:
        raise StateError(name, f"{error} is missing") from error
    except Exception as error:
        raise StateError(name, str(error)) from error


def random_state(tree: Tree) -> np.random.RandomState:
    """Return a new `RandomState` with a given state.

    An existing one is not changed: it may be the one that all of NumPy shares.
    """
    name = tree["bit_generator"]
    if name not in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        raise ValueError(f"{name!r} is not a random number generator")
    result = np.random.RandomState(getattr(np.random, name)())
    expected = result.get_state(legacy=False)
    if not _same_kind(expected, tree):
        raise ValueError(f"this is not the state of a {name}")
    state = tree["state"]
    if not (
        # NumPy uses these as indices.
        0 <= state.get("pos", 0) <= 624
        and 0 <= tree.get("buffer_pos", 0) <= 4
        and 0 <= tree["has_gauss"] <= 1
        and 0 <= tree.get("has_uint32", 0) <= 1
        and abs(tree["gauss"]) < 100
        # Other states draw only zeros, or repeat too soon.
        and (name != "MT19937" or state["key"].any())
        and state.get("inc", 1) % 2 == 1
    ):
        raise ValueError(f"a {name} cannot be in this state")
    result.set_state(tree)
    return result


def _same_kind(expected: Any, found: Any) -> bool:
    """Whether two states of a random number generator have the same structure."""
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and expected.keys() == found.keys()
            and all(_same_kind(expected[name], found[name]) for name in expected)
        )
    if isinstance(expected, np.ndarray):
        return _fits(expected, found)
    if isinstance(expected, float):
        return isinstance(found, int | float)
    return type(found) is type(expected)


def _taken(old: Any, new: Any) -> Any:
    """Return the value that replaces another one of the same kind."""
    if isinstance(old, Stateful):
        old.set_state(new)
        return old
    if isinstance(old, np.random.RandomState):
        return random_state(new)
    if isinstance(old, np.ndarray):
        fits = _fits(old, new) and _finite(old, new)
    elif old is None:
        # None stands for a number or an array that is not known yet.
        of_numbers = _is_number(new) or getattr(new, "dtype", None) == np.float64
        fits = new is None or (of_numbers and _finite(0.0, new))
    elif isinstance(old, int | str):
        fits = type(new) is type(old)
    else:
        fits = _is_number(new) and _finite(old, new)
    if not fits:
        raise ValueError(f"must be {_expected(old)}, got {_described(new)}")
    return float(new) if isinstance(old, float) else new


def _fits(old: NDArray[Any], new: Any) -> bool:
    return isinstance(new, np.ndarray) and (new.dtype, new.shape) == (old.dtype, old.shape)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finite(old: Any, new: Any) -> bool:
    """Whether numbers are finite, or equal to the initial infinite or NaN values."""
    unset = (new == old) | (np.isnan(new) & np.isnan(old))
    return bool(np.all(np.isfinite(new) | unset))


def _expected(old: Any) -> str:
    if isinstance(old, np.ndarray):
        return f"a finite array of {old.dtype} of shape {old.shape}"
    if old is None:
        return "None, or finite numbers"
    if isinstance(old, str):
        return "a string"
    return "a whole number" if isinstance(old, int) else "a finite number"


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        finite = value.dtype.kind != "f" or np.isfinite(value).all()
        kind = "an" if finite else "a not finite"
        return f"{kind} array of {value.dtype} of shape {value.shape}"
    return repr(value)[:60]
