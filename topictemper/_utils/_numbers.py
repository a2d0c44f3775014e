"""Checks of arguments, shared by the modules of this package."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp


def is_real(value: object) -> bool:
    """Whether `value` is a real number; a bool in its place is taken for a mistake."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def finite_number(name: str, value: Any) -> float:
    """Return `value` as a float, or raise an error that names the parameter."""
    if not is_real(value):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


def number_in(
    name: str,
    value: Any,
    low: float,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return `value` as a float if it lies between `low` and `high`."""
    number = finite_number(name, value)
    too_low = number <= low if open_low else number < low
    too_high = number >= high if open_high else number > high
    if too_low or too_high:
        allowed = f"{'>' if open_low else '>='} {low:g}"
        if high < math.inf:
            allowed += f" and {'<' if open_high else '<='} {high:g}"
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def whole_number(name: str, value: Any, low: int) -> int:
    """Return `value` as an int if it is a whole number of at least `low`."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, got {value!r}")
    if value < low:
        raise ValueError(f"{name} must be >= {low}, got {value!r}")
    return int(value)


def float_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as a new non-empty one-dimensional float64 array."""
    vector = np.array(values, dtype=np.float64)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} must be one-dimensional and not empty, got shape {vector.shape}")
    return vector


def finite_vector(name: str, values: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return `values` as a new float64 array of shape (size,) of finite values."""
    vector = float_vector(name, values)
    if vector.size != size:
        raise ValueError(f"{name} must have {size} values, one per temperature, got {vector.size}")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} must be finite, got {vector[~np.isfinite(vector)][0]}")
    return vector


def temperature_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as a read-only float64 array of temperatures, each finite and >= 1."""
    vector = float_vector(name, values)
    bad = ~(np.isfinite(vector) & (vector >= 1.0))
    if bad.any():
        raise ValueError(f"{name} must be finite and >= 1, got {vector[bad][0]}")
    vector.setflags(write=False)
    return vector


def inverse_temperature_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as a read-only float64 array of inverse temperatures in (0, 1]."""
    vector = float_vector(name, values)
    bad = ~((vector > 0.0) & (vector <= 1.0))
    if bad.any():
        raise ValueError(
            f"{name} must lie in (0, 1] (inverse temperatures 1 / T), got {vector[bad][0]}"
        )
    vector.setflags(write=False)
    return vector


def normalised_log_prior(log_prior: ArrayLike | None, size: int) -> NDArray[np.float64]:
    """Return log pi, uniform for None, read-only and shifted so that pi sums to one."""
    if log_prior is None:
        vector = np.full(size, -math.log(size))
    else:
        vector = float_vector("log_prior", log_prior)
        if vector.size != size:
            raise ValueError(
                f"log_prior must have {size} values, one per temperature, got {vector.size}"
            )
        if np.isnan(vector).any() or (vector == np.inf).any() or (vector == -np.inf).all():
            raise ValueError(
                "log_prior must hold log probabilities: finite, or -inf (but not everywhere) "
                f"to exclude a temperature, got {vector}"
            )
        vector -= logsumexp(vector)
    vector.setflags(write=False)
    return vector
