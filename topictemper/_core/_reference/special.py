"""Special functions and random numbers of the kernels once more, in plain NumPy and SciPy."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..._utils._typing import Floats

# log Gamma(y) ~ (y - 1/2) log y - y + log(2 pi) / 2 + sum_n STIRLING_SERIES[n] / y^n
# (Abramowitz and Stegun 6.1.40): from y = 10 on, the terms left out are under 1e-16.
STIRLING_FROM = 10.0
STIRLING_SERIES = {
    1: 1 / 12,
    3: -1 / 360,
    5: 1 / 1260,
    7: -1 / 1680,
    9: 1 / 1188,
    11: -691 / 360360,
    13: 1 / 156,
}

#: The step of SplitMix64.
GOLDEN = 0x9E3779B97F4A7C15


def floats(x: ArrayLike) -> Floats:
    """Return an array of float64."""
    return np.asarray(x, dtype=np.float64)


def psi(x: ArrayLike) -> Floats:
    """Digamma function of every element."""
    return np.asarray(special.psi(floats(x)), dtype=np.float64)


def gamma_ratio(x: ArrayLike, s: float) -> Floats:
    """``Gamma(x + s) / Gamma(x)`` of every element, for s in [0, 1].

    Two values of log-gamma must not be subtracted where they are large: at x = 1e10 all digits
    of the difference would be lost, and SciPy's gamma has lost one or two by x = 30. From x = 10
    on the two Stirling series are therefore subtracted term by term, exact to rounding there.
    """
    x = floats(x)
    y = np.maximum(x, STIRLING_FROM)
    log_ratio = (y - 0.5) * np.log1p(s / y) + s * np.log(y + s) - s
    for n, coefficient in STIRLING_SERIES.items():
        log_ratio += coefficient * ((y + s) ** -n - y**-n)
    small = np.minimum(x, STIRLING_FROM)
    return np.where(
        x < STIRLING_FROM, special.gamma(small + s) / special.gamma(small), np.exp(log_ratio)
    )


def mix64(x: int) -> int:
    """The finalizer of SplitMix64: 64 random bits of the steps of a counter."""
    x %= 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)
