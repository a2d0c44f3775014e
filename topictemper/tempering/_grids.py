"""Grids of temperatures for the discrete temperature variables."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._utils._numbers import number_in, whole_number


def temperature_grid(
    n: int, t_max: float, kind: Literal["exponential", "linear"] = "exponential"
) -> NDArray[np.float64]:
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
    n = whole_number("n", n, 1)
    if kind not in ("exponential", "linear"):
        raise ValueError(f"kind must be 'exponential' or 'linear', got {kind!r}")
    if n == 1:
        return np.ones(1)
    t_max = number_in("t_max", t_max, 1.0, open_low=True)
    grid = np.geomspace(1.0, t_max, n) if kind == "exponential" else np.linspace(1.0, t_max, n)
    if not (np.diff(grid) > 0).all():
        raise ValueError(f"t_max must leave room for {n} distinct temperatures, got {t_max!r}")
    return grid


def inverse_temperature_grid(n: int) -> NDArray[np.float64]:
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
    n = whole_number("n", n, 1)
    return np.arange(1, n + 1) / n
