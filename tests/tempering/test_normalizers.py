import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from topictemper.tempering import (
    GlobalTemperature,
    LocalTemperature,
    log_mean_exp,
    prior_log_partition,
    temperature_grid,
)


class FactorialMixture:
    """The pair of a factorial mixture at some fixed state (Mandt et al. 2016, section 4.2).

    With `full` the Gaussian's constant is in the energy and in the normalizer, else in neither.
    """

    def __init__(self, noise_var, full, n=300, d=16):
        rng = np.random.default_rng(7)
        self.noise_var, self.full, self.d = noise_var, full, d
        self.pi = rng.uniform(0.1, 0.5, size=8)
        # Residuals as if the noise variance were 1.29 times what it is.
        self.residuals = 1.29 * noise_var * rng.chisquare(d, size=n)
        self.nu = rng.random((n, 8)) < self.pi

    def energies(self):
        prior = np.where(self.nu, np.log(self.pi), np.log1p(-self.pi)).sum(axis=1)
        energies = prior - self.residuals / (2 * self.noise_var)
        if self.full:
            energies -= self.d / 2 * np.log(2 * np.pi * self.noise_var)
        return energies

    def energy(self):
        return self.energies().sum()

    def log_partition_of_one(self, s):
        value = -self.d / 2 * np.log(s)
        value = value + np.log(self.pi[:, None] ** s + (1 - self.pi[:, None]) ** s).sum(axis=0)
        if self.full:
            value += self.d / 2 * (1 - s) * np.log(2 * np.pi * self.noise_var)
        return value

    def log_partition(self, s):
        return self.residuals.size * self.log_partition_of_one(s)


# The constant is log(2 pi noise_var): of either sign.
@pytest.mark.parametrize("noise_var", [0.1, 1.0])
def test_consistent_pairs_agree(noise_var):
    temperatures = temperature_grid(100, 10.0)
    s = 1 / temperatures
    pairs = [FactorialMixture(noise_var, full) for full in (True, False)]
    assert np.isclose(pairs[0].log_partition(np.ones(1))[0], 0.0)

    fits = [GlobalTemperature(temperatures, pair.log_partition(s)) for pair in pairs]
    for fit, pair in zip(fits, pairs, strict=True):
        fit.update(pair.energy())
    np.testing.assert_allclose(
        fits[0].responsibilities, fits[1].responsibilities, rtol=1e-10, atol=1e-10
    )
    assert fits[0].inverse_temperature == pytest.approx(fits[1].inverse_temperature, rel=1e-10)

    local = LocalTemperature(s)
    r = [local.responsibilities(p.energies(), p.log_partition_of_one(s)) for p in pairs]
    np.testing.assert_allclose(r[0], r[1], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("noise_var", "sign"), [(0.1, 1), (1.0, -1)])
def test_mixed_pairs_do_not(noise_var, sign):
    temperatures = temperature_grid(100, 10.0)
    full, short = (FactorialMixture(noise_var, full) for full in (True, False))

    def inverse(energy_of, normalizer_of):
        fit = GlobalTemperature(temperatures, normalizer_of.log_partition(1 / temperatures))
        return fit.update(energy_of.energy())

    right = inverse(full, full)
    assert 0.7 < right < 0.9
    assert sign * (inverse(full, short) - right) > 0.1
    assert sign * (inverse(short, full) - right) < -0.1


def test_log_mean_exp():
    x = np.log(np.arange(1.0, 13.0).reshape(3, 4))
    assert log_mean_exp(x) == pytest.approx(np.log(6.5))
    np.testing.assert_allclose(np.exp(log_mean_exp(x, axis=0)), [5, 6, 7, 8])
    np.testing.assert_allclose(np.exp(log_mean_exp(x, axis=1)), [2.5, 6.5, 10.5])
    assert log_mean_exp(x, axis=(0, 1)) == pytest.approx(np.log(6.5))
    np.testing.assert_allclose(log_mean_exp(x - 1e9, axis=0), np.log([5, 6, 7, 8]) - 1e9)
    assert log_mean_exp([-np.inf, 0.0]) == pytest.approx(-np.log(2))
    assert log_mean_exp([-np.inf, -np.inf]) == -np.inf


@pytest.mark.parametrize(("shape", "axis"), [((0,), None), ((3, 0), 1), ((0, 0), 0)])
def test_log_mean_exp_of_nothing(shape, axis):
    with pytest.raises(ValueError, match="x must hold numbers"):
        log_mean_exp(["a"])
    with pytest.raises(ValueError, match="x must not be empty"):
        log_mean_exp(np.empty(shape), axis=axis)


def test_prior_log_partition_is_the_equation():
    # Powers of two, whose means Python's rationals hold exactly.
    exponents = np.array([[[0, -1], [-2, -3]], [[1, 0], [-1, 2]], [[-1, -1], [0, -2]]])
    d, n = 5, 3
    result = prior_log_partition(exponents * np.log(2.0), n_data=d, n_tokens_per_datum=n)
    for j in range(2):
        mean = sum(
            (sum(Fraction(2) ** int(n * e) for e in row[:, j]) / 2) ** d for row in exponents
        ) / Fraction(3)
        assert result[j] == pytest.approx(math.log(mean), rel=1e-13)


@settings(derandomize=True, deadline=None)
@given(
    c=arrays(np.float64, (4, 3, 2), elements=st.floats(-10, 10)),
    d=st.floats(1, 1e6),
    n=st.floats(1, 1e4),
)
def test_both_bounds_are_from_below(c, d, n):
    lower, upper, plain = (
        prior_log_partition(c, d, n, bound) for bound in ("lower", "upper", None)
    )
    slack = 1e-9 * d * n * 10
    assert (lower <= upper + slack).all()
    assert (upper <= plain + slack).all()
    assert (plain <= d * n * c.max(axis=(0, 1)) + slack).all()


def test_bounds_are_the_equations():
    c = np.random.default_rng(0).normal(size=(6, 5, 3))
    np.testing.assert_allclose(
        prior_log_partition(c, 7, 2.5, "lower"), 7 * 2.5 * c.mean(axis=(0, 1))
    )
    np.testing.assert_allclose(
        prior_log_partition(c, 7, 2.5, "upper"), 7 * 2.5 * np.log(np.exp(c).mean(axis=(0, 1)))
    )


def test_corpus_sized_arguments_are_stable():
    c = np.random.default_rng(0).normal(5.0, 0.1, size=(10, 10, 4))
    result = prior_log_partition(c, n_data=1e7, n_tokens_per_datum=500)
    assert np.isfinite(result).all()


@pytest.mark.parametrize(("d", "n"), [(0.25, 4.0), (4.0, 0.25), (1e-3, 1e-3)])
def test_less_than_one_datum_or_token(d, n):
    # Weights of data, and counts, may sum to less than 1.
    c = np.random.default_rng(0).normal(size=(6, 5, 3))
    expected = np.log((np.exp(n * c).mean(axis=1) ** d).mean(axis=0))
    np.testing.assert_allclose(prior_log_partition(c, d, n), expected)


def test_prior_log_partition_bad():
    good = np.zeros((2, 2, 3))
    for c in (np.zeros((2, 3)), np.zeros((0, 2, 3)), np.zeros((2, 0, 3))):
        with pytest.raises(ValueError, match=r"^c must have shape"):
            prior_log_partition(c, 10, 10)
    with pytest.raises(ValueError, match=r"^c must be finite"):
        prior_log_partition(good - np.inf, 10, 10)
    with pytest.raises(ValueError, match=r"^n_data == .*must be > 0"):
        prior_log_partition(good, 0, 10)
    with pytest.raises(ValueError, match=r"^n_tokens_per_datum == .*must be > 0"):
        prior_log_partition(good, 10, 0)
    with pytest.raises(ValueError, match=r"^bound must be None, 'lower' or 'upper', got 'exact'"):
        prior_log_partition(good, 10, 10, "exact")
