import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from topictemper.tempering import (
    InverseTemperatureNodes,
    inverse_temperature_grid,
    temperature_grid,
)

FINE = np.linspace(0.01, 1.0, 2001)


def largest_error(nodes, x, s):
    def function(s):
        return gammaln(x + s) - gammaln(x)

    return np.abs(nodes.at(s) @ function(nodes.nodes) - function(s)).max()


# The largest errors measured are 2.6e-7 and 1.03e-9: offset 0.01, x = 0.15.
@pytest.mark.parametrize(("n_nodes", "tolerance"), [(12, 3e-7), (16, 1.2e-9)])
@pytest.mark.parametrize("offset", [0.01, 0.02, 0.05])
def test_log_gamma_ratios(offset, n_nodes, tolerance):
    nodes = InverseTemperatureNodes(inverse_temperature_grid(100), n_nodes, offset=offset)
    for x in np.geomspace(0.01, 100, 81):
        if x >= offset:
            assert largest_error(nodes, x, FINE) < tolerance


@pytest.mark.parametrize("offset", [1e-3, 0.05, 1e5])
@pytest.mark.parametrize("width", [1e-16, 1e-15, 1e-14, 1e-10, 1e-3])
def test_grids_that_are_hardly_wider_than_rounding(width, offset):
    grid = np.linspace(1.0 - width, 1.0, 7)
    nodes = InverseTemperatureNodes(grid, 16, offset=offset)
    np.testing.assert_allclose(nodes.matrix.sum(axis=1), 1.0)
    np.testing.assert_allclose(nodes.matrix @ nodes.nodes, grid, rtol=1e-9)


def test_offset_above_x_costs_accuracy():
    # The documented figures; also a guard that the tests above would see a poor interpolant.
    grid = inverse_temperature_grid(100)
    assert 1e-6 < largest_error(InverseTemperatureNodes(grid, 12, offset=0.05), 0.01, FINE) < 1e-4
    assert 1e-7 < largest_error(InverseTemperatureNodes(grid, 16, offset=0.05), 0.01, FINE) < 1e-5


@pytest.mark.parametrize(
    ("lowest", "n_nodes", "multiple", "tolerance"),
    [
        (0.01, 12, 1, 1e-3),
        (0.01, 16, 1, 6e-5),
        (0.01, 16, 2, 3e-5),
        (0.01, 16, 4, 1.2e-5),
        (0.25, 12, 1, 6e-6),
    ],
)
@pytest.mark.parametrize("eta", [0.01, 0.05])
def test_log_of_sums_over_a_topic(eta, lowest, n_nodes, multiple, tolerance):
    # The quantity a topic model interpolates, for topics from broad to extremely peaked.
    grid = np.linspace(lowest, 1.0, 500)
    nodes = InverseTemperatureNodes(grid, n_nodes, offset=multiple * eta)
    rng = np.random.default_rng(0)
    for shape, scale in ((0.3, 50), (0.05, 200), (0.01, 1e4), (0.002, 1e3)):
        lam = eta + rng.gamma(shape, scale, size=2000)

        def function(s, lam=lam):
            s = s[:, np.newaxis]
            ratios = gammaln(lam + s) - gammaln(lam)
            total = gammaln(lam.sum() + s) - gammaln(lam.sum())
            return np.log(np.exp(ratios - total).sum(axis=1))

        error = np.abs(nodes.matrix @ function(nodes.nodes) - function(grid)).max()
        assert error < tolerance


def test_nodes():
    nodes = InverseTemperatureNodes(1 / temperature_grid(50, 10.0), 12, offset=0.05)
    assert nodes.nodes.shape == (12,)
    assert nodes.nodes[0] == 1 / temperature_grid(50, 10.0)[-1]
    assert nodes.nodes[-1] == 1.0
    assert (np.diff(nodes.nodes) > 0).all()
    u = np.log(nodes.nodes + 0.05)
    unit = 2 * (u - u[0]) / (u[-1] - u[0]) - 1
    np.testing.assert_allclose(unit, -np.cos(np.pi * np.arange(12) / 11), atol=1e-14)
    assert nodes.matrix.shape == (50, 12)
    np.testing.assert_array_equal(nodes.matrix, nodes.at(1 / temperature_grid(50, 10.0)))


def test_exact_at_nodes():
    nodes = InverseTemperatureNodes(inverse_temperature_grid(100), 12, offset=0.03)
    np.testing.assert_array_equal(nodes.at(nodes.nodes), np.eye(12))
    np.testing.assert_array_equal(nodes.matrix[-1], np.eye(12)[-1])


@settings(derandomize=True, deadline=None)
@given(
    lowest=st.floats(1e-3, 0.99),
    n_nodes=st.integers(2, 20),
    offset=st.floats(1e-3, 1.0),
    position=st.floats(0, 1),
)
def test_reproduces_polynomials_in_u(lowest, n_nodes, offset, position):
    nodes = InverseTemperatureNodes([lowest, 1.0], n_nodes, offset=offset)
    s = lowest + (1 - lowest) * position
    weights = nodes.at(min(s, 1.0))
    assert weights.shape == (n_nodes,)
    assert weights.sum() == pytest.approx(1.0)
    u = np.log(nodes.nodes + offset)
    assert weights @ u == pytest.approx(np.log(s + offset), abs=1e-9)


def test_right_next_to_a_node():
    nodes = InverseTemperatureNodes(inverse_temperature_grid(100), 12, offset=0.03)
    for ulps in (1, 2, 5):
        for node in nodes.nodes[1:]:
            s = node
            for _ in range(ulps):
                s = np.nextafter(s, 0)
            np.testing.assert_allclose(
                nodes.at(s) @ np.log(nodes.nodes), np.log(s), atol=1e-12, rtol=0
            )


def test_shapes_and_single_precision_ends():
    nodes = InverseTemperatureNodes([0.1, 0.7, 1.0], 5, offset=0.05)
    assert nodes.at(0.5).shape == (5,)
    assert nodes.at([0.5]).shape == (1, 5)
    assert nodes.at(np.full((2, 3), 0.5)).shape == (2, 3, 5)
    for value in (0.1, 0.7, 1.0):
        nodes.at(np.float32(value))
    lower = np.nextafter(np.float32(0.1), np.float32(0))
    np.testing.assert_allclose(nodes.at(lower), np.eye(5)[0], atol=1e-6)


def test_grid_of_one_alone():
    nodes = InverseTemperatureNodes([1.0], offset=0.1)
    assert nodes.nodes.tolist() == [1.0]
    assert nodes.matrix.tolist() == [[1.0]]
    assert nodes.at(1.0).tolist() == [1.0]


def test_bad_arguments():
    for grid in ([0.0, 1.0], [1.0, 2.0], [np.nan]):
        with pytest.raises(ValueError, match=r"^grid must lie"):
            InverseTemperatureNodes(grid, offset=0.1)
    with pytest.raises(ValueError, match=r"^n_nodes == .*must be >= 2"):
        InverseTemperatureNodes([0.5, 1.0], 1, offset=0.1)
    with pytest.raises(TypeError, match=r"^n_nodes must be an instance of int"):
        InverseTemperatureNodes([0.5, 1.0], 12.0, offset=0.1)
    for offset in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match=r"^offset .*must be"):
            InverseTemperatureNodes([0.5, 1.0], offset=offset)
    nodes = InverseTemperatureNodes([0.5, 1.0], offset=0.1)
    for s in (0.49, 1.0001, np.nan, [0.6, 2.0]):
        with pytest.raises(ValueError, match=r"^s must lie between 0.5 and 1"):
            nodes.at(s)
