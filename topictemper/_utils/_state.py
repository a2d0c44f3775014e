"""The state of objects as a tree of plain values and arrays, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

#: Nested dictionaries; leaves are None, numbers, strings and arrays.
Tree = dict[str, Any]


class Stateful:
    """An object that is made from its parameters, and whose state is then taken from another one.

    ``STATE`` names the attributes that change while it works. All others follow from the
    arguments of the constructor.
    """

    STATE: ClassVar[tuple[str, ...]] = ()

    def get_state(self) -> Tree:
        """Return all that has changed since the object was made; arrays are not copied."""
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
        """Take the state that `get_state` of an object made with the same parameters returned.

        Raises
        ------
        ValueError
            If that cannot be, because a value is missing or of another kind or shape.
        """
        if not isinstance(tree, dict) or {name.lstrip("_") for name in self.STATE} != tree.keys():
            raise ValueError(f"this is not the state of a {type(self).__name__}")
        for name in self.STATE:
            key = name.lstrip("_")
            with within(key):
                setattr(self, name, _taken(getattr(self, name), tree[key]))


class StateError(ValueError):
    """What is wrong with the state of an object, and where in its tree."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")
        self.place, self.what = place, what


@contextmanager
def within(name: str) -> Iterator[None]:
    """Name the branch of a tree in every error that its values lead to."""
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
    """Make a source of random numbers from its state.

    Not by changing one that is there, which may be the one that all of NumPy shares.
    """
    name = tree["bit_generator"]
    if name not in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        raise ValueError(f"{name!r} is no source of random numbers")
    result = np.random.RandomState(getattr(np.random, name)())
    expected = result.get_state(legacy=False)
    if not _same_kind(expected, tree):
        raise ValueError(f"this is not the state of a {name}")
    state = tree["state"]
    if not (
        # NumPy goes where these point.
        0 <= state.get("pos", 0) <= 624
        and 0 <= tree.get("buffer_pos", 0) <= 4
        and 0 <= tree["has_gauss"] <= 1
        and 0 <= tree.get("has_uint32", 0) <= 1
        and abs(tree["gauss"]) < 100
        # From others they draw zeros for ever, or the same numbers too soon.
        and (name != "MT19937" or state["key"].any())
        and state.get("inc", 1) % 2 == 1
    ):
        raise ValueError(f"no {name} comes into this state")
    result.set_state(tree)
    return result


def _same_kind(expected: Any, found: Any) -> bool:
    """Whether two states of a source of random numbers have the same shape."""
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
    """The value that takes the place of another one, of the same kind."""
    if isinstance(old, Stateful):
        old.set_state(new)
        return old
    if isinstance(old, np.random.RandomState):
        return random_state(new)
    if isinstance(old, np.ndarray):
        fits = _fits(old, new) and _finite(old, new)
    elif old is None:
        # Nothing yet, where there may be a number or an array later.
        of_numbers = _is_number(new) or isinstance(new, np.ndarray)
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
    """Whether numbers are finite, or as they are before there are any: infinite, or not numbers."""
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


def table(rows: list[tuple[float, ...]], width: int) -> NDArray[np.float64]:
    """Rows of numbers as an array, also if there are none."""
    return np.array(rows, dtype=np.float64).reshape(-1, width)
