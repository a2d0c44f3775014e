"""The state of objects as a tree of plain values and arrays, and back."""

from __future__ import annotations

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
            old, new = getattr(self, name), tree[name.lstrip("_")]
            if isinstance(old, Stateful):
                old.set_state(new)
            elif isinstance(old, np.random.RandomState):
                setattr(self, name, random_state(new))
            elif _alike(old, new):
                setattr(self, name, new)
            else:
                raise ValueError(
                    f"{name.lstrip('_')} of a {type(self).__name__} cannot be {_described(new)}; "
                    f"expected was {_described(old)}"
                )


def random_state(tree: Tree) -> np.random.RandomState:
    """Make a source of random numbers from its state.

    Not by changing one that is there, which may be the one that all of NumPy shares.
    """
    name = tree["bit_generator"]
    if name not in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        raise ValueError(f"{name!r} is no source of random numbers")
    result = np.random.RandomState(getattr(np.random, name)())
    result.set_state(tree)
    return result


def _alike(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray):
        return isinstance(new, np.ndarray) and (new.dtype, new.shape) == (old.dtype, old.shape)
    if isinstance(old, str):
        return isinstance(new, str)
    # Nothing yet, where there may be a number or an array later.
    return old is None or new is None or isinstance(new, int | float)


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return repr(value)


def table(rows: list[tuple[float, ...]], width: int) -> NDArray[np.float64]:
    """Rows of numbers as an array, also if there are none."""
    return np.array(rows, dtype=np.float64).reshape(-1, width)
