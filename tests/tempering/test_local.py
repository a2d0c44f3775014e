import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from topictemper.tempering import (
    GlobalTemperature,
    LocalTemperature,
    inverse_temperature_grid,
    temperature_grid,
)


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    s = inverse_temperature_grid(100)
    tokens = rng.integers(1, 400, size=57)
    energies = -tokens * rng.uniform(4, 9, size=57)
    log_c = tokens[:, None] * np.log(5000.0) * (1 - s) * rng.uniform(0.8, 1.2, size=(57, 1))
    return s, energies, log_c


@pytest.mark.parametrize("log_prior", [None, "given"])
def test_each_datum_is_a_global_temperature(problem, log_prior):
    s, energies, log_c = problem
    if log_prior is not None:
        log_prior = np.random.default_rng(4).normal(size=s.size)
    local = LocalTemperature(s, log_prior=log_prior)
    means = local.update(energies, log_c)
    r = local.responsibilities(energies, log_c)
    values = local.elbo_terms(energies, log_c)
    np.testing.assert_allclose(local.elbo_terms(energies, log_c, r), values, rtol=1e-12)
    for n, energy in enumerate(energies):
        one = GlobalTemperature(1 / s, log_c[n], log_prior=log_prior)
        assert means[n] == pytest.approx(one.update(energy), rel=1e-12)
        np.testing.assert_allclose(r[n], one.responsibilities, rtol=1e-9, atol=1e-300)
        assert values[n] == pytest.approx(one.elbo_terms(energy), rel=1e-12)


def test_shared_normalizers(problem):
    s, energies, log_c = problem
    local = LocalTemperature(s)
    tiled = np.tile(log_c[0], (energies.size, 1))
    np.testing.assert_array_equal(local.update(energies, log_c[0]), local.update(energies, tiled))
    np.testing.assert_array_equal(
        local.responsibilities(energies, log_c[0]), local.responsibilities(energies, tiled)
    )
    np.testing.assert_array_equal(
        local.elbo_terms(energies, log_c[0]), local.elbo_terms(energies, tiled)
    )


def test_data_do_not_depend_on_their_neighbors(problem):
    s, energies, log_c = problem
    local = LocalTemperature(s)
    together = local.update(energies, log_c)
    alone = [local.update(energies[n : n + 1], log_c[n : n + 1])[0] for n in range(57)]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together[5:40:3], local.update(energies[5:40:3], log_c[5:40:3]))
    np.testing.assert_array_equal(together, local.update(energies, np.asfortranarray(log_c)))


@settings(derandomize=True, deadline=None)
@given(
    energies=arrays(np.float64, 4, elements=st.floats(-1e12, 1e12)),
    log_c=arrays(np.float64, (4, 7), elements=st.floats(-1e12, 1e12)),
)
def test_stable_and_in_range(energies, log_c):
    s = inverse_temperature_grid(7)
    local = LocalTemperature(s)
    means = local.update(energies, log_c)
    assert ((means >= s[0]) & (means <= 1.0)).all()
    r = local.responsibilities(energies, log_c)
    np.testing.assert_allclose(r.sum(axis=1), 1.0)
    np.testing.assert_allclose(means, r @ s, rtol=1e-12)
    # No other r does better: the prior and the one-hot ones.
    best = local.elbo_terms(energies, log_c)
    for other in (np.full(7, 1 / 7), *np.eye(7)):
        terms = local.elbo_terms(energies, log_c, np.tile(other, (4, 1)))
        assert (terms <= best + 1e-9 * np.abs(best) + 1e-9 * np.abs(log_c).max()).all()


def test_long_documents_make_a_spike():
    s = inverse_temperature_grid(100)
    tokens = 1e6
    log_c = tokens * 9.0 * (1 - s) ** 0.9
    means = LocalTemperature(s).update([-1e9, 0.0], log_c)
    np.testing.assert_array_equal(means, [0.01, 1.0])


def test_datum_without_tokens_has_the_priors_mean():
    s = np.array([0.5, 1.0])
    assert LocalTemperature(s).update([0.0], np.zeros((1, 2))) == pytest.approx(0.75)
    local = LocalTemperature(s, log_prior=np.log([0.2, 0.8]))
    assert local.update([0.0], np.zeros((1, 2))) == pytest.approx(0.9)
    assert local.elbo_terms([0.0], np.zeros(2)) == pytest.approx(0.0, abs=1e-15)


def test_excluded_temperature():
    local = LocalTemperature([0.25, 0.5, 1.0], log_prior=[-np.inf, 0.0, 0.0])
    without = LocalTemperature([0.5, 1.0])
    energies, log_c = np.array([-4.0, -9.0]), np.array([3.0, 2.0, 0.0])
    np.testing.assert_allclose(
        local.update(energies, log_c), without.update(energies, log_c[1:]), rtol=1e-14
    )
    np.testing.assert_allclose(
        local.elbo_terms(energies, log_c), without.elbo_terms(energies, log_c[1:]), rtol=1e-14
    )


def test_inputs_are_left_alone_and_may_be_single_precision(problem):
    s, energies, log_c = problem
    copies = energies.copy(), log_c.copy()
    local = LocalTemperature(s)
    local.update(energies, log_c)
    local.responsibilities(energies, log_c)
    local.elbo_terms(energies, log_c)
    np.testing.assert_array_equal(energies, copies[0])
    np.testing.assert_array_equal(log_c, copies[1])
    single = local.update(energies.astype(np.float32), log_c.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, local.update(energies, log_c), rtol=1e-3)


def test_no_data():
    local = LocalTemperature([0.5, 1.0])
    for log_c in (np.zeros((0, 2)), np.zeros(2)):
        assert local.update([], log_c).shape == (0,)
        assert local.responsibilities([], log_c).shape == (0, 2)
        assert local.elbo_terms([], log_c).shape == (0,)


def test_bad_arguments():
    # Temperatures in place of inverse temperatures are the likely slip.
    with pytest.raises(ValueError, match=r"^inverse_temperatures must lie in \(0, 1\]"):
        LocalTemperature(temperature_grid(3, 4.0))
    for bad in ([0.0, 1.0], [np.nan], [-0.5]):
        with pytest.raises(ValueError, match=r"^inverse_temperatures must lie"):
            LocalTemperature(bad)
    with pytest.raises(ValueError, match=r"^inverse_temperatures must be one-dim"):
        LocalTemperature([])
    with pytest.raises(ValueError, match=r"^log_prior must have 2 values"):
        LocalTemperature([0.5, 1.0], log_prior=[0.0])


def test_bad_values():
    local = LocalTemperature([0.5, 1.0])
    good = np.zeros(2)
    for call in (local.update, local.responsibilities, local.elbo_terms):
        for bad in (np.nan, np.inf, -np.inf):
            with pytest.raises(ValueError, match=r"^energies must be finite"):
                call([1.0, bad], good)
            with pytest.raises(ValueError, match=r"^log_c must be finite"):
                call([1.0, 2.0], [0.0, bad])
            with pytest.raises(ValueError, match=r"^log_c must be finite"):
                call([1.0, 2.0], [[0.0, 0.0], [bad, 0.0]])
            with pytest.raises(ValueError, match="must be finite"):
                call([1.0, bad], [0.0, bad])
        with pytest.raises(ValueError, match=r"^log_c must have shape \(2,\) or \(3, 2\)"):
            call([1.0, 2.0, 3.0], np.zeros((2, 2)))
        with pytest.raises(ValueError, match=r"^energies must be one-dimensional"):
            call(1.0, good)
    with pytest.raises(ValueError, match="too large"):
        local.update([1.5e308, 1.5e308], good)
    with pytest.raises(ValueError, match=r"^responsibilities must be of shape \(1, 2\)"):
        local.elbo_terms([1.0], good, [0.5, 0.5])
    with pytest.raises(ValueError, match=r"^responsibilities must .* row 1 sums to 1\.1"):
        local.elbo_terms([1.0, 1.0], good, [[0.5, 0.5], [0.5, 0.6]])
    with pytest.raises(ValueError, match=r"^responsibilities must .* from 0 to 1, got -0\.5"):
        local.elbo_terms([1.0], good, [[-0.5, 1.5]])
    single = np.float32([[0.1, 0.9]])
    assert local.elbo_terms([1.0], good, single / single.sum()) < local.elbo_terms([1.0], good)
