"""Grids of temperatures, and the vectors of numbers that belong to them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from .._utils import _validation as check
from .._utils._typing import Floats


def temperature_grid(
    n: int, t_max: float, kind: Literal["exponential", "linear"] = "exponential"
) -> Floats:
    """Return ascending temperatures from exactly 1 to exactly `t_max`.

    Parameters
    ----------
    n : int
        Number of temperatures, >= 1. A single one is 1.
    t_max : float
        Highest temperature, > 1 (ignored if `n` is 1).
    kind : {"exponential", "linear"}, default="exponential"
        Evenly spaced logarithms of the temperatures, or evenly spaced temperatures. See
        `inverse_temperature_grid` for evenly spaced inverse temperatures.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    References
    ----------
    Mandt et al. (2016), "Variational Tempering", section 4: 100 exponentially spaced
    temperatures between 1 and 10.

    Examples
    --------
    >>> temperature_grid(3, 4.0).tolist()
    [1.0, 2.0, 4.0]
    >>> round(temperature_grid(100, 10.0).mean(), 1)
    np.float64(3.9)
    """
    n = check.integer("n", n, 1)
    if kind not in ("exponential", "linear"):
        raise ValueError(f"kind must be 'exponential' or 'linear', got {kind!r}")
    if n == 1:
        return np.ones(1)
    t_max = check.number("t_max", t_max, 1.0, boundaries="neither")
    grid = np.geomspace(1.0, t_max, n) if kind == "exponential" else np.linspace(1.0, t_max, n)
    if not (np.diff(grid) > 0).all():
        raise ValueError(f"t_max must leave room for {n} distinct temperatures, got {t_max!r}")
    return grid


def inverse_temperature_grid(n: int) -> Floats:
    """Return the inverse temperatures ``1/n, 2/n, ..., 1``, evenly spaced in (0, 1].

    The grid of local variational tempering, ascending in ``s = 1 / T`` (so the hottest first).

    Parameters
    ----------
    n : int
        Number of inverse temperatures, >= 1.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    TypeError, ValueError
        If `n` is not an int >= 1.

    Examples
    --------
    >>> inverse_temperature_grid(4).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    n = check.integer("n", n, 1)
    return np.arange(1, n + 1) / n


def _float_vector(name: str, values: ArrayLike, size: int | None = None) -> Floats:
    """Return `values` as a new float64 vector, not empty, and of `size` if that is given."""
    vector = check.numbers(name, values).copy()
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} must be one-dimensional and not empty, got shape {vector.shape}")
    if size not in (None, vector.size):
        raise ValueError(f"{name} must have {size} values, one per temperature, got {vector.size}")
    return vector


def log_c_vector(log_c: ArrayLike, size: int) -> Floats:
    """Return log normalizers as a new float64 array of shape (size,) of finite values."""
    vector = _float_vector("log_c", log_c, size)
    if not np.isfinite(vector).all():
        raise ValueError(f"log_c must be finite, got {vector[~np.isfinite(vector)][0]}")
    return vector


def temperature_vector(temperatures: ArrayLike) -> Floats:
    """Return a read-only float64 array of temperatures, each finite and >= 1."""
    vector = _float_vector("temperatures", temperatures)
    bad = ~(np.isfinite(vector) & (vector >= 1.0))
    if bad.any():
        raise ValueError(f"temperatures must be finite and >= 1, got {vector[bad][0]}")
    vector.setflags(write=False)
    return vector


def inverse_temperature_vector(name: str, values: ArrayLike) -> Floats:
    """Return `values` as a read-only float64 array of inverse temperatures in (0, 1]."""
    vector = _float_vector(name, values)
    bad = ~((vector > 0.0) & (vector <= 1.0))
    if bad.any():
        raise ValueError(
            f"{name} must lie in (0, 1] (inverse temperatures 1 / T), got {vector[bad][0]}"
        )
    vector.setflags(write=False)
    return vector


def normalized_log_prior(log_prior: ArrayLike | None, size: int) -> Floats:
    """Return log pi, uniform for None, read-only and shifted so that pi sums to one."""
    if log_prior is None:
        vector = np.full(size, -math.log(size))
    else:
        vector = _float_vector("log_prior", log_prior, size)
        if np.isnan(vector).any() or (vector == np.inf).any() or (vector == -np.inf).all():
            raise ValueError(
                "log_prior must hold log probabilities: finite, or -inf (but not everywhere) "
                f"to exclude a temperature, got {vector}"
            )
        vector -= logsumexp(vector)
    vector.setflags(write=False)
    return vector
