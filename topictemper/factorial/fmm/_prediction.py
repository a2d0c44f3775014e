"""Predictive density of unobserved pixels."""

from __future__ import annotations

import numpy as np
from sklearn.utils import gen_batches

from ..._utils._typing import Flags, Floats
from ._updates import Components

_PIXELS = 2**22  # pixels whose moments are computed at a time: bounds the memory


def density_of_pixels(
    X: Floats, targets: Flags, nu: Floats, components: Components, noise_var: float
) -> float:
    """Return the mean log density of the pixels `targets` of X, in nats; `nu` is (K, N)."""
    m, v = components
    squares, total = m**2, 0.0
    for rows in gen_batches(len(X), max(1, _PIXELS // X.shape[1])):
        bits, chosen = nu[:, rows].T, targets[rows]
        variance = (bits * (1 - bits)) @ squares + bits @ v + noise_var
        residual = (X[rows] - bits @ m)[chosen]
        variance = variance[chosen]
        total -= 0.5 * float((np.log(2 * np.pi * variance) + residual**2 / variance).sum())
    return total / int(targets.sum())
