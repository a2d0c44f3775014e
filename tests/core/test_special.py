"""The special functions of the kernels against SciPy, over the ranges that each precision has.

Relative tolerances: 8 units in the last place (9.5e-7 in float32, 1.8e-15 in float64), times the
size of the exponent where a function is an exponential, since rounding the exponent is then what
limits any implementation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from topictemper._core import _lda as _kernels
from topictemper._core._reference import special as _reference

from .minibatches import DTYPES, Real

INVERSE_TEMPERATURES = [1.0, 0.9, 0.4, 0.1, 0.01]

pytestmark = pytest.mark.usefixtures("isa")


def ulps(dtype: Real, n: float = 8) -> float:
    return n * float(np.finfo(dtype).eps)


def positive(dtype: Real) -> NDArray[Any]:
    """Positive numbers from tiny to huge, dense where recurrence and series meet."""
    smallest, largest = (1e-100, 1e300) if dtype is np.float64 else (1e-37, 1e30)
    return np.concatenate(
        [
            np.geomspace(smallest, largest, 4001),
            np.linspace(1e-3, 20.0, 2001),
        ]
    ).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_psi(dtype: Real) -> None:
    x = positive(dtype)
    result = _kernels.psi(x)
    assert result.dtype == dtype
    # psi passes through 0 at 1.46, as a difference of numbers near 2: absolute there.
    assert_allclose(result, _reference.psi(x), rtol=ulps(dtype), atol=ulps(dtype))


@pytest.mark.parametrize("s", [*INVERSE_TEMPERATURES, 0.0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gamma_ratio(dtype: Real, s: float) -> None:
    x = positive(dtype)
    result = _kernels.gamma_ratio(x, s)
    assert result.dtype == dtype
    expected = _reference.gamma_ratio(x, s)
    error = np.abs(result / expected - 1)
    # 16: the recurrence is a product of up to two dozen factors, each rounded
    assert np.all(error <= ulps(dtype, 16) * (1 + s * np.abs(np.log(np.maximum(x, 1.0)))))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 15, 16, 17, 33])
def test_lengths_that_no_vector_divides(dtype: Real, length: int) -> None:
    x: NDArray[Any] = np.linspace(0.5, 5.0, 40).astype(dtype)
    functions: list[Callable[[NDArray[Any]], NDArray[Any]]] = [
        _kernels.psi,
        lambda x: _kernels.gamma_ratio(x, 0.4),
    ]
    for function in functions:
        np.testing.assert_array_equal(function(x[:length].copy()), function(x)[:length])


def test_reference_gamma_ratio() -> None:
    edge = _reference.STIRLING_FROM
    x = np.array([edge * (1 - 1e-9), edge])
    for s in (0.0, 0.1, 0.5, 1.0):
        below, above = _reference.gamma_ratio(x, s)
        assert above / below == pytest.approx((x[1] / x[0]) ** s, rel=1e-10)
    x = np.array([1e-3, 1.0, 50.0, 1e3, 1e10])
    assert_allclose(_reference.gamma_ratio(x, 1.0), x, rtol=1e-13)
