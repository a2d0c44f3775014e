"""Fitted attributes in files: what they may be, and `save` for estimators that have no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._state import Tree, within
from ._models import SaveMixin

#: Bounds of what is more than 0, and of what is less than 1.
ABOVE_ZERO, BELOW_ONE = float(np.finfo(float).tiny), float(np.nextafter(1.0, 0.0))


class Numbers(NamedTuple):
    """A finite number or array of such, in a range.

    `axes` has a letter for each axis of an array; axes of one letter have one length.
    """

    axes: str = ""
    low: float = -np.inf
    high: float = np.inf
    optional: bool = False
    may_be_empty: bool = False

    def checked(self, name: str, value: Any, sizes: dict[str, int]) -> Any:
        """Return a value of a file; the lengths of axes are added to `sizes`."""
        if value is None and self.optional:
            return None
        if not self.axes:
            return check.number(name, value, self.low, self.high)
        array = isinstance(value, np.ndarray) and value.dtype == np.float64
        if not array or value.ndim != len(self.axes) or not (value.size or self.may_be_empty):
            raise ValueError(f"must be an array of float64 with the axes {self.axes}")
        for axis, length in zip(self.axes, value.shape, strict=True):
            sizes.setdefault(axis, length)
        shape = tuple(sizes[axis] for axis in self.axes)
        return np.ascontiguousarray(check.table(name, value, [shape], self.low, self.high))


class History(NamedTuple):
    """A structured array with a row for each pass; `more` may be missing, or NaN."""

    fields: tuple[str, ...]
    more: tuple[str, ...] = ()

    def checked(self, name: str, rows: Any, sizes: dict[str, int]) -> NDArray[Any]:
        """Return the history of a file."""
        tables = (self.fields, self.fields + self.more)
        dtypes = [np.dtype([(field, float) for field in fields]) for fields in tables]
        table = isinstance(rows, np.ndarray) and rows.ndim == 1 and len(rows) > 0
        if not table or rows.dtype not in dtypes:
            raise ValueError(f"no table of {' and '.join(self.fields)}")
        if not all(np.isfinite(rows[field]).all() for field in self.fields):
            raise ValueError("not finite")
        return rows


def checked(tree: Tree, kinds: Mapping[str, Numbers | History], **sizes: int) -> dict[str, Any]:
    """Return the values of a file, of some kinds; axes may have known lengths.

    Raises
    ------
    ValueError
        If one is missing or invalid; the error names it.
    """
    found = {}
    for name, kind in kinds.items():
        with within(name):
            found[name] = kind.checked(name, tree[name], sizes)
    return found


class SaveFittedMixin(SaveMixin):
    """Adds `save` to an estimator that learns from scratch only.

    What is saved are its fitted attributes.
    """

    #: What the fitted attributes may be, by name without the last underscore. The axis D is of
    #: `n_features_in_`.
    _FITTED: ClassVar[dict[str, Numbers | History]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    elbo_history_: NDArray[Any]
    temperature_history_: NDArray[Any]
    n_iter_: int

    def _moment(self) -> int:
        """Nothing is learned between fits, whose end replaces the attributes."""
        return 0

    def _get_state(self) -> Tree:
        """What `save` writes."""
        state = {name: getattr(self, f"{name}_", None) for name in self._FITTED}
        return checked(state, self._FITTED, D=self.n_features_in_)

    def _set_state(self, tree: Tree) -> None:
        """Become what `_get_state` returned, with `n_features_in_` set."""
        for name, value in checked(tree, self._FITTED, D=self.n_features_in_).items():
            if value is not None:
                setattr(self, f"{name}_", value)
        self.n_iter_ = len(self.elbo_history_)
