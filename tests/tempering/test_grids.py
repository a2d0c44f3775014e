import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topictemper.tempering import inverse_temperature_grid, temperature_grid


@settings(derandomize=True, deadline=None)
@given(
    n=st.integers(2, 300),
    t_max=st.floats(1.01, 1e4),
    kind=st.sampled_from(["exponential", "linear"]),
)
def test_temperature_grid_ends_and_ascends(n, t_max, kind):
    grid = temperature_grid(n, t_max, kind)
    assert grid.shape == (n,)
    assert grid[0] == 1.0
    assert grid[-1] == t_max
    assert (np.diff(grid) > 0).all()


def test_temperature_grid_spacing():
    np.testing.assert_allclose(np.diff(np.log(temperature_grid(100, 10.0))), np.log(10) / 99)
    np.testing.assert_allclose(np.diff(temperature_grid(10, 10.0, "linear")), 1.0)


def test_single_temperature_is_one():
    assert temperature_grid(1, 10.0).tolist() == [1.0]
    assert temperature_grid(1, 1.0).tolist() == [1.0]
    assert inverse_temperature_grid(1).tolist() == [1.0]


def test_inverse_temperature_grid():
    grid = inverse_temperature_grid(100)
    assert grid[-1] == 1.0
    np.testing.assert_allclose(grid, np.linspace(0.01, 1.0, 100), rtol=1e-14)


@pytest.mark.parametrize("t_max", [1.0, 0.5, -2.0, np.nan, np.inf, 1 + 1e-15])
def test_bad_t_max(t_max):
    with pytest.raises(ValueError, match=r"^t_max .*must"):
        temperature_grid(100, t_max)


def test_bad_n_and_kind():
    for n in (0, -3):
        with pytest.raises(ValueError, match=r"^n == .*must be >= 1"):
            temperature_grid(n, 2.0)
        with pytest.raises(ValueError, match=r"^n == .*must be >= 1"):
            inverse_temperature_grid(n)
    for n in (2.0, "3", True):
        with pytest.raises(TypeError, match=r"^n must be an instance of int"):
            temperature_grid(n, 2.0)
        with pytest.raises(TypeError, match=r"^n must be an instance of int"):
            inverse_temperature_grid(n)
    with pytest.raises(ValueError, match=r"^kind must be .* got 'inverse'"):
        temperature_grid(3, 2.0, "inverse")
