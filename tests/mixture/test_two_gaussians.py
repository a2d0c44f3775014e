import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import xlogy
from scipy.stats import norm

from topictemper.mixture import TwoGaussians
from topictemper.tempering import (
    Annealing,
    ExponentialSchedule,
    GlobalTemperature,
    temperature_grid,
)


def data(seed: int, n: int = 500) -> np.ndarray:
    rng = np.random.default_rng(seed)
    left = rng.random(n) < 0.7
    return np.where(left, -4.0, 4.0) + rng.standard_normal(n)


MODEL = TwoGaussians(data(0))

# Made by another program, by coordinate ascent from both sides.
OPTIMA = {
    20.0: [(-1.363, -1.363, None)],
    16.0: [(-1.363, -1.363, None)],
    15.0: [(-0.60, -2.08, 28.456), (-1.99, -0.77, 28.423)],
    13.0: [(0.876, -3.283, -12.94), (-3.25, 0.53, -14.26)],
    8.5: [(3.365, -3.960, -107.65), (-4.00, 3.14, -121.49)],
    1.0: [(3.943, -4.074, -1010.35), (-4.074, 3.943, -1147.61)],
}


@pytest.mark.parametrize("temperature", OPTIMA)
def test_optima(temperature):
    optima = MODEL.optima(temperature)
    expected = OPTIMA[temperature]
    assert len(optima) == len(expected)
    bounds = MODEL.elbo(optima, temperature)
    assert (np.diff(bounds) < 0).all()
    for m, bound, (m1, m2, value) in zip(optima, bounds, expected, strict=True):
        np.testing.assert_allclose(m, [m1, m2], atol=6e-3)
        if value is not None:
            assert bound == pytest.approx(value, abs=6e-3)
        for step in ([0.01, 0], [-0.01, 0], [0, 0.01], [0, -0.01]):
            assert MODEL.elbo(m + step, temperature) < bound


def test_optima_of_equal_data():
    optima = TwoGaussians(np.ones(5)).optima()
    assert np.abs(optima[0] - 1.0).min() < 0.1


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_the_bound_is_the_highest_over_responsibilities_and_variances(temperature):
    """Against its definition, with a general optimizer over phi and v."""
    x, s = data(1, 6), 1.0 / temperature
    weights, variance, prior_variance, m = np.array([0.4, 0.6]), 2.0, 9.0, np.array([1.0, -2.0])
    model = TwoGaussians(x, weights=weights, variance=variance, prior_variance=prior_variance)

    def negative(parameters):
        phi = 1.0 / (1.0 + np.exp(-parameters[:6]))
        v = np.exp(parameters[6:])
        q = np.stack([phi, 1 - phi])
        squares = (x - m[:, None]) ** 2 + v[:, None]
        log_joint = np.log(weights)[:, None] - 0.5 * np.log(2 * np.pi * variance)
        energy = (q * (log_joint - 0.5 * squares / variance)).sum()
        prior = -0.5 * np.log(2 * np.pi * prior_variance) - 0.5 * (m**2 + v) / prior_variance
        entropy = 0.5 * np.log(2 * np.pi * np.e * v)
        return -(s * energy + (prior + entropy).sum() - xlogy(q, q).sum())

    best = minimize(negative, np.zeros(8), method="BFGS", options={"gtol": 1e-8})
    assert model.elbo(m, temperature) == pytest.approx(-best.fun, abs=1e-9)


def test_surface_has_m1_along_the_rows():
    m1, m2 = np.array([-1.0, 0.0, 2.0]), np.array([0.5, 3.0])
    surface = MODEL.surface(m1, m2, 2.0)
    assert surface.shape == (2, 3)
    assert surface[1, 2] == pytest.approx(float(MODEL.elbo([2.0, 3.0], 2.0)), rel=1e-12)


def test_log_partition_by_quadrature():
    model = TwoGaussians(data(0, 7), weights=(0.2, 0.8), variance=0.3)
    temperatures = np.array([1.0, 1.5, 3.0, 10.0])

    def of_one(temperature):
        densities = [
            quad(lambda x: norm.pdf(x, 0, 0.3**0.5) ** (1 / temperature), -40, 40, points=[0])[0]
        ]
        return np.log(densities[0] * sum(w ** (1 / temperature) for w in (0.2, 0.8)))

    expected = [7 * of_one(temperature) for temperature in temperatures]
    np.testing.assert_allclose(model.log_partition(1 / temperatures), expected, atol=1e-8)
    assert model.log_partition(0.1) == model.log_partition([0.1])[0]


def test_energy_and_log_partition_give_a_temperature():
    """A learned temperature is about 1 at the right optimum, and hotter at the wrong one."""
    temperatures = temperature_grid(100, 10.0)
    log_c = MODEL.log_partition(1 / temperatures)
    right, wrong = MODEL.optima(1.0)
    means = []
    for m in (right, wrong):
        q = GlobalTemperature(temperatures, log_c)
        q.update(float(MODEL.energy(m)))
        means.append(q.mean_temperature)
    # Of 60 other data: 1.05 and 1.57, standard deviations 0.02 and 0.06.
    assert 1.0 <= means[0] < 1.2
    assert 1.3 < means[1] < 1.9


@pytest.mark.parametrize("name", ["elbo", "energy"])
def test_many_means_take_little_memory_at_a_time(monkeypatch, name):
    means = np.random.default_rng(0).normal(size=(3, 4, 2))
    values = getattr(MODEL, name)(means, 2.0)
    assert values.shape == (3, 4)
    sizes = []
    posterior = MODEL._posterior
    monkeypatch.setattr(
        MODEL, "_posterior", lambda m, s: (sizes.append(len(m)), posterior(m, s))[1]
    )
    monkeypatch.setattr("topictemper.mixture._two_gaussians._AT_ONCE", 5 * len(MODEL.x))
    np.testing.assert_allclose(getattr(MODEL, name)(means, 2.0), values, rtol=1e-9)
    assert sizes == [5, 5, 2]


def wrong_ends(tempering):
    starts = np.random.default_rng(0).normal(size=(100, 2))
    ends = [
        TwoGaussians(data(seed)).ascend(start, tempering, max_iter=250)[-1]
        for seed, start in enumerate(starts)
    ]
    return np.mean([m1 < m2 for m1, m2 in ends])


def test_annealing_from_above_the_critical_temperature_finds_the_right_optimum():
    assert 0.3 < wrong_ends(None) < 0.75  # of 100 runs; a half, standard error 0.05
    exponential = Annealing(schedule="exponential", max_temperature=100, length=200)
    assert wrong_ends(exponential) <= 0.02
    assert wrong_ends("avi") <= 0.02


def test_the_default_of_annealing_stays_within_the_range_of_temperatures():
    """Clusters 10,000 standard deviations apart have a critical temperature beyond that range."""
    far = TwoGaussians(1250.0 * MODEL.x, prior_variance=1e8)
    highest = Annealing(schedule="exponential", max_temperature=1e6, length=9)
    path = far.ascend([1.0, -1.0], "avi", max_iter=12)
    np.testing.assert_array_equal(path, far.ascend([1.0, -1.0], highest, max_iter=12))


@pytest.mark.parametrize("temperature", [1.0, 4.0, 13.0])
def test_ascent_rises_to_an_optimum(temperature):
    path = MODEL.ascend(
        [[1.0, 0.0], [0.0, 1.0]], Annealing(schedule=lambda time: temperature), max_iter=400
    )
    assert path.shape == (401, 2, 2)
    bounds = MODEL.elbo(path, temperature)
    assert (np.diff(bounds, axis=0) >= -1e-9 * np.abs(bounds[-1])).all()
    for end, optimum in zip(path[-1], MODEL.optima(temperature), strict=True):
        np.testing.assert_allclose(end, optimum, atol=1e-4)


@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e12])
def test_optima_in_any_unit(unit):
    other = TwoGaussians(
        unit * MODEL.x,
        variance=unit**2 * MODEL.variance,
        prior_variance=unit**2 * MODEL.prior_variance,
    )
    for temperature in (1.0, 20.0):
        expected = MODEL.optima(temperature)
        np.testing.assert_allclose(other.optima(temperature) / unit, expected, atol=1e-3)


def test_data_that_are_changed_later_leave_the_model_alone():
    data = np.array([-4.0, -3.0, 4.0, 5.0])
    model = TwoGaussians(data)
    before = model.elbo([1.0, -1.0])
    data[:] = 0.0
    assert model.elbo([1.0, -1.0]) == before


def model(X=(0.0, 1.0), **parameters):
    return TwoGaussians(X, **parameters)


NO_NUMBERS = (["a"], [[0.0], [1.0, 2.0]], {"a": 1}, np.zeros(3, dtype="M8[D]"), [{}])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: model(np.zeros((3, 2))), "X must have one column"),
        (lambda: model([0.0, np.nan]), "X: row 1 has nan; values must not be missing: fill"),
        *((lambda X=X: model(X), "^X must (hold numbers|have rows of)") for X in NO_NUMBERS),
        (lambda: model([0.0, 1e200]), "X must be within"),
        (lambda: model(np.ma.masked_less([0.0, -1.0], 0.0)), "X has masked values"),
        (lambda: model(weights=(0.5, 0.6)), "weights must be two positive numbers"),
        (lambda: model(weights=[0.5, "b"]), "weights must hold numbers: the entries are text"),
        (lambda: model(variance=0), "variance == 0"),
        (lambda: model(variance=1e308), r"^variance == 1e\+308"),
        (lambda: model(variance=1e-308), "^variance == 1e-308"),
        (lambda: model(prior_variance=np.inf), "prior_variance == inf"),
        (lambda: MODEL.elbo([1.0, 2.0, 3.0]), r"means must be finite, of shape \(\.\.\., 2\)"),
        (lambda: MODEL.elbo([1e200, 0.0]), "means must be within"),
        (lambda: MODEL.elbo(["a", "b"]), "means must hold numbers"),
        (lambda: MODEL.optima(0.5), r"temperature == 0\.5, must be >= 1"),
        (lambda: MODEL.log_partition(["a"]), "inverse_temperatures must hold numbers: the entries"),
        (lambda: MODEL.log_partition([2.0]), "inverse_temperatures must lie in"),
        (lambda: MODEL.ascend([0, 1], ExponentialSchedule(100, 200)), "tempering must be None"),
        (lambda: MODEL.ascend([0, 1], "linear"), "tempering must be one of"),
        (lambda: MODEL.ascend([0, 1], max_iter=0), "max_iter == 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
