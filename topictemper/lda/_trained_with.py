"""Parameters that a model was trained with, which the user may change later."""

from __future__ import annotations

from copy import deepcopy
from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.base import clone

from ..tempering._modes import Annealing
from ._config import Prior, has_entries


def kept(value: Any) -> Any:
    """A parameter that later changes of the estimator do not reach."""
    if isinstance(value, Annealing):
        # A copied callable is another one.
        return clone(value).set_params(schedule=value.schedule)
    return deepcopy(value) if has_entries(value) else value


def same(value: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same setting."""
    if isinstance(value, Annealing):
        return type(value) is type(other) and value.get_params() == other.get_params()
    if isinstance(value, Prior):
        return np.array_equal(value.value, other.value) and value.learned == other.learned
    if isinstance(value, str) != isinstance(other, str):
        return False  # `array_equal` of NumPy 2.0 fails there
    return np.array_equal(value, other)


def refusal(name: str, value: Any, began: Any, learner: str) -> ValueError:
    """Return the error of a parameter that has changed since training began.

    Parameters
    ----------
    name : str
        The parameter, as the user calls it.
    value, began : object
        What it is, and what it was.
    learner : str
        The method that would learn on.
    """
    shown = _shown(value), _shown(began)
    if shown[0] == shown[1]:  # arrays of one shape, or one that was changed in place
        shown = shown[0], "other values"
    return ValueError(
        f"{name} is {shown[0]}, but training began with {shown[1]}, and {learner} continues with "
        f"that: set {name} back, or fit again"
    )


def _shown(value: Any) -> str:
    # A type of numpy has a shape of its own kind.
    shape = () if isinstance(value, tuple | type) else np.shape(value)
    return f"an array of shape {shape}" if shape else shorten(repr(value), 200)
