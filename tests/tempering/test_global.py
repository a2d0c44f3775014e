import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topictemper.tempering import GlobalTemperature, temperature_grid


def brute_force(energy, temperatures, log_c, log_prior):
    """r by plain Python floats, one temperature after the other."""
    logits = [energy / t - c + p for t, c, p in zip(temperatures, log_c, log_prior, strict=True)]
    top = max(logits)
    weights = [math.exp(x - top) for x in logits]
    return np.array([w / math.fsum(weights) for w in weights])


def terms(r, energy, temperatures, log_c, log_prior):
    log_r = np.log(r, where=r > 0, out=np.zeros_like(r))
    return float(np.sum(r * (energy / temperatures + log_prior - log_c - log_r), where=r > 0))


def test_prior_before_any_update():
    temperatures = temperature_grid(100, 10.0)
    temperature = GlobalTemperature(temperatures, np.zeros(100))
    np.testing.assert_allclose(temperature.responsibilities, 0.01)
    assert temperature.inverse_temperature == pytest.approx(np.mean(1 / temperatures))
    assert temperature.mean_temperature == pytest.approx(np.mean(temperatures))

    temperature = GlobalTemperature([1, 2], None, log_prior=np.log([6.0, 2.0]))
    np.testing.assert_allclose(temperature.responsibilities, [0.75, 0.25])
    assert temperature.inverse_temperature == pytest.approx(0.875)


@settings(derandomize=True, deadline=None)
@given(
    energy=st.floats(-300, 300),
    log_c=st.lists(st.floats(-100, 100), min_size=5, max_size=5),
    log_prior=st.lists(st.floats(-20, 0), min_size=5, max_size=5),
)
def test_update_is_brute_force(energy, log_c, log_prior):
    temperatures = np.array([1.0, 1.3, 2.0, 5.0, 10.0])
    temperature = GlobalTemperature(temperatures, log_c, log_prior=log_prior)
    inverse = temperature.update(energy)
    expected = brute_force(energy, temperatures, log_c, log_prior)
    np.testing.assert_allclose(temperature.responsibilities, expected, rtol=1e-10, atol=1e-300)
    assert inverse == temperature.inverse_temperature
    assert inverse == pytest.approx(expected @ (1 / temperatures), rel=1e-10)
    assert temperature.mean_temperature == pytest.approx(expected @ temperatures, rel=1e-10)
    assert 0.1 <= inverse <= 1.0


def test_update_maximises_its_terms_against_a_grid_search():
    temperatures = np.array([1.0, 2.0, 4.0])
    log_c = np.array([0.0, 2.0, 2.7])
    log_prior = np.log([0.2, 0.5, 0.3])
    temperature = GlobalTemperature(temperatures, log_c, log_prior=log_prior)
    energy = -3.0
    temperature.update(energy)
    best = temperature.elbo_terms(energy)
    assert best == pytest.approx(
        terms(temperature.responsibilities, energy, temperatures, log_c, log_prior), rel=1e-12
    )

    # A coarse search of the simplex, then ever finer ones around the best point found.
    center, width, found = np.full(3, 1 / 3), 1.0, -np.inf
    for _ in range(12):
        a, b = np.meshgrid(*(c + width * np.linspace(-1, 1, 41) for c in center[:2]))
        points = np.stack([a.ravel(), b.ravel(), 1 - a.ravel() - b.ravel()], axis=1)
        points = points[(points >= 0).all(axis=1)]
        values = [terms(point, energy, temperatures, log_c, log_prior) for point in points]
        assert max(values) <= best * (1 - 1e-9) if best < 0 else best * (1 + 1e-9)
        center, found = points[np.argmax(values)], max(values)
        width /= 4
    assert found == pytest.approx(best, rel=1e-9)
    np.testing.assert_allclose(temperature.responsibilities, center, atol=1e-4)


def test_many_data_make_a_spike():
    # N D large: with E = -N D e the terms are N D times a function of T, whose maximum wins all.
    temperatures = temperature_grid(100, 10.0)
    nd = 1e9
    log_c = nd * 0.5 * np.log(temperatures)
    for energy in (-1e9, -2.5e8, -1e12):
        temperature = GlobalTemperature(temperatures, log_c)
        inverse = temperature.update(energy)
        best = np.argmax(energy / temperatures - log_c)
        assert temperature.responsibilities[best] == 1.0
        assert np.count_nonzero(temperature.responsibilities) == 1
        assert inverse == 1.0 / temperatures[best]
        assert math.isfinite(temperature.elbo_terms(energy))
    assert temperature.inverse_temperature == pytest.approx(0.1)  # the last energy: hottest


def test_one_hot_at_t1_is_exactly_one():
    temperature = GlobalTemperature(temperature_grid(100, 10.0), np.full(100, 1e7).cumsum())
    assert temperature.update(-1.0) == 1.0
    assert temperature.mean_temperature == 1.0


@pytest.mark.parametrize("energy", [-1e300, -1e9, 0.0, 1e9, 1e300])
def test_extreme_energies_are_stable(energy):
    temperature = GlobalTemperature([1.0, 3.0, 9.0], [0.0, 1.0, 2.0])
    temperature.update(energy)
    assert np.isfinite(temperature.responsibilities).all()
    assert temperature.responsibilities.sum() == pytest.approx(1.0)
    assert math.isfinite(temperature.elbo_terms(energy))


def test_averages_stay_in_range():
    # Many equal temperatures: r sums to one up to rounding only.
    for size in range(1, 200):
        temperature = GlobalTemperature(np.ones(size), np.zeros(size))
        assert temperature.update(-1.0) == 1.0
        assert temperature.mean_temperature == 1.0


def test_damping_of_the_energy():
    temperatures, log_c = np.array([1.0, 2.0, 4.0]), np.array([0.0, 5.0, 8.0])
    damped = GlobalTemperature(temperatures, log_c, step=0.1)
    average = None
    for energy in (-20.0, -10.0, -15.0):
        damped.update(energy)
        average = energy if average is None else 0.9 * average + 0.1 * energy
        plain = GlobalTemperature(temperatures, log_c)
        plain.update(average)
        np.testing.assert_allclose(damped.responsibilities, plain.responsibilities, rtol=1e-12)


def test_damping_of_renewed_normalizers():
    temperatures = np.array([1.0, 2.0, 4.0])
    rng = np.random.default_rng(1)
    energies = rng.normal(-20, 5, size=4)
    log_cs = rng.normal(5, 1, size=(4, 3))
    damped = GlobalTemperature(temperatures, None, step=0.3)
    mean_energy, mean_log_c = energies[0], log_cs[0]
    for i, (energy, log_c) in enumerate(zip(energies, log_cs, strict=True)):
        if i:
            mean_energy = 0.7 * mean_energy + 0.3 * energy
            mean_log_c = 0.7 * mean_log_c + 0.3 * log_c
        damped.update(energy, log_c)
        plain = GlobalTemperature(temperatures, mean_log_c)
        plain.update(mean_energy)
        np.testing.assert_allclose(damped.responsibilities, plain.responsibilities, rtol=1e-12)
    assert damped.elbo_terms(-7.0) == pytest.approx(damped.elbo_terms(-7.0, mean_log_c))
    assert damped.elbo_terms(-7.0) != pytest.approx(damped.elbo_terms(-7.0, log_cs[-1]))


def test_first_update_replaces_the_constructors_normalizers():
    # They described another state than the energy does.
    one = GlobalTemperature([1.0, 2.0], [0.0, 999.0], step=0.1)
    other = GlobalTemperature([1.0, 2.0], None, step=0.1)
    assert one.update(-5.0, [0.0, 2.0]) == other.update(-5.0, [0.0, 2.0])


def test_update_without_normalizers_keeps_the_last():
    temperature = GlobalTemperature([1.0, 2.0], None)
    temperature.update(-5.0, [0.0, 2.0])
    fixed = GlobalTemperature([1.0, 2.0], [0.0, 2.0])
    assert temperature.update(-3.0) == fixed.update(-3.0)


def test_constants_common_to_energy_and_normalizer_cancel():
    temperatures = temperature_grid(20, 8.0)
    log_c = 300 * np.log(temperatures)
    constant = -417.0
    one = GlobalTemperature(temperatures, log_c)
    other = GlobalTemperature(temperatures, log_c + constant / temperatures)
    one.update(-900.0)
    other.update(-900.0 + constant)
    np.testing.assert_allclose(one.responsibilities, other.responsibilities, rtol=1e-10)


def test_excluded_temperature():
    temperature = GlobalTemperature([1.0, 2.0, 4.0], np.zeros(3), log_prior=[-np.inf, 0.0, 0.0])
    assert temperature.responsibilities[0] == 0.0
    temperature.update(5.0)
    assert temperature.responsibilities[0] == 0.0
    without = GlobalTemperature([2.0, 4.0], np.zeros(2))
    without.update(5.0)
    np.testing.assert_allclose(temperature.responsibilities[1:], without.responsibilities)
    assert temperature.elbo_terms(3.0) == pytest.approx(without.elbo_terms(3.0))


def test_responsibilities_are_read_only_and_inputs_are_copied():
    log_c = np.zeros(2)
    temperatures = np.array([1.0, 2.0])
    temperature = GlobalTemperature(temperatures, log_c)
    log_c[:] = temperatures[:] = 100.0
    assert temperature.update(-1.0) == GlobalTemperature([1.0, 2.0], [0.0, 0.0]).update(-1.0)
    with pytest.raises(ValueError, match="read-only"):
        temperature.responsibilities[0] = 1.0


@pytest.mark.parametrize(
    ("temperatures", "log_c", "options", "message"),
    [
        ([0.5, 1.0], [0, 0], {}, "temperatures must be finite and >= 1, got 0.5"),
        ([1.0, np.inf], [0, 0], {}, "temperatures must be finite"),
        ([1.0, np.nan], [0, 0], {}, "temperatures must be finite"),
        ([], [], {}, "temperatures must be one-dimensional"),
        (2.0, [0], {}, "temperatures must be one-dimensional"),
        ([1.0, 2.0], [0, 0, 0], {}, "log_c must have 2 values"),
        (["hot"], [0], {}, "temperatures must hold numbers"),
        ([1.0, 2.0], [0, np.inf], {}, "log_c must be finite"),
        ([1.0, 2.0], [[0, 0]], {}, "log_c must be one-dimensional"),
        ([1.0, 2.0], [0, 0], {"log_prior": [0.0]}, "log_prior must have 2 values"),
        ([1.0, 2.0], [0, 0], {"log_prior": [0.0, np.nan]}, "log_prior must hold"),
        ([1.0, 2.0], [0, 0], {"log_prior": [0.0, np.inf]}, "log_prior must hold"),
        ([1.0, 2.0], [0, 0], {"log_prior": [-np.inf] * 2}, "log_prior must hold"),
        ([1.0, 2.0], [0, 0], {"step": 0.0}, "step == 0.0, must be > 0"),
        ([1.0, 2.0], [0, 0], {"step": 1.1}, "step == 1.1, must be <= 1"),
    ],
)
def test_bad_arguments(temperatures, log_c, options, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        GlobalTemperature(temperatures, log_c, **options)


def test_bad_updates():
    temperature = GlobalTemperature([1.0, 2.0], None)
    for call in (temperature.update, temperature.elbo_terms):
        with pytest.raises(ValueError, match=r"^log_c must be given"):
            call(-1.0)
        with pytest.raises(ValueError, match=r"^energy must be finite"):
            call(np.nan, [0.0, 0.0])
        with pytest.raises(TypeError, match=r"^energy must be an instance of"):
            call("1", [0.0, 0.0])
        with pytest.raises(ValueError, match=r"^log_c must have 2 values"):
            call(-1.0, [0.0])
        with pytest.raises(ValueError, match=r"^log_c must be finite, got nan"):
            call(-1.0, [0.0, np.nan])
    for energy, log_c in ((-1e308, [1e308, 1.7e308]), (1e308, [-1e308, 0.0])):
        with pytest.raises(ValueError, match=r"^energy and log_c are too large"):
            temperature.update(energy, log_c)
        with pytest.raises(ValueError, match=r"^energy and log_c are too large"):
            temperature.elbo_terms(energy, log_c)
    # None of these left a trace.
    assert temperature.update(-1.0, [0.0, 1.0]) == pytest.approx(
        GlobalTemperature([1.0, 2.0], [0.0, 1.0]).update(-1.0), rel=0
    )
