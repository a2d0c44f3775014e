"""All states of a few binary units."""

import itertools

import numpy as np

from topictemper._utils._typing import Floats


def all_states(n_units: int) -> Floats:
    """(2^n_units, n_units)."""
    return np.array(list(itertools.product((0.0, 1.0), repeat=n_units)))
