"""Parameters that a model was trained with, which the user may change later."""

from __future__ import annotations

from copy import deepcopy
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
