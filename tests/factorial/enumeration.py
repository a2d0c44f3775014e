"""All states of a few binary units."""

import itertools

import numpy as np
from numpy.typing import NDArray


def all_states(n_units: int) -> NDArray[np.float64]:
    """(2^n_units, n_units)."""
    return np.array(list(itertools.product((0.0, 1.0), repeat=n_units)))
