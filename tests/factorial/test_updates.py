from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from topictemper._core._workers import Workers
from topictemper.datasets import make_shapes
from topictemper.factorial.fmm._config import Config
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.fmm._tempering import LearnedGlobally, LearnedLocally, Scheduled
from topictemper.factorial.fmm._training import ascend_from
from topictemper.factorial.fmm._updates import (
    Components,
    Prior,
    update_assignments,
    update_components,
)
from topictemper.tempering import (
    ConstantSchedule,
    GlobalTemperature,
    LocalTemperature,
    temperature_grid,
)

from . import brute_force

PRIOR = Prior(np.array([0.3, 0.2, 0.4, 0.3, 0.6]), 0.1, 0.35)
HOLES = pytest.mark.parametrize("holes", [0.0, 0.3], ids=["complete", "missing"])
WORKERS = Workers()


def data(holes=0.0, n=150):
    X = make_shapes(n, random_state=0).data
    X[np.random.RandomState(1).random_sample(X.shape) < holes] = np.nan
    return X


def config(mode, temperatures=None, schedule=None, max_iter=1, n_tempered=1):
    return Config(
        PRIOR, mode, schedule, temperatures, share=1.0, max_iter=max_iter, n_tempered=n_tempered,
        tol=0.0, n_init=1, random_state=np.random.RandomState(0), log=None,
    )  # fmt: skip


def start(n, seed=0, size=5):
    return np.random.RandomState(seed).random_sample((size, n))


@HOLES
@pytest.mark.parametrize("s", [1.0, 0.4, 0.1, "own"])
def test_no_update_lowers_the_bound(holes, s):
    X = data(holes)
    images, nu = Images(X), start(len(X))
    weights = np.random.RandomState(2).random_sample(len(X)) if s == "own" else np.full(len(X), s)
    m, v = np.random.RandomState(3).normal(size=(5, 16)), np.full((5, 16), 0.2)
    before = brute_force.bound(X, PRIOR, m, v, nu, weights)
    for _ in range(30):
        m, v = update_components(images, PRIOR, nu, weights)
        between = brute_force.bound(X, PRIOR, m, v, nu, weights)
        assert between - before >= -1e-9 * abs(before)
        result = update_assignments(images, PRIOR, Components(m, v), nu, weights, WORKERS)
        nu = result.nu
        before = brute_force.bound(X, PRIOR, m, v, nu, weights)
        assert before - between >= -1e-9 * abs(before)
        energies = result.energies + PRIOR.log_scale(images.observed)
        assert_allclose(energies, brute_force.energies(X, PRIOR, m, v, nu), rtol=1e-10)


@HOLES
def test_block_update_is_the_joint_maximum(holes):
    """No component, and no variance, can be improved while the others stand."""
    X = data(holes)
    nu, s = start(len(X)), np.random.RandomState(4).random_sample(len(X))
    m, v = update_components(Images(X), PRIOR, nu, s)
    best = brute_force.bound(X, PRIOR, m, v, nu, s)
    rng = np.random.RandomState(5)
    for size in (1e-1, 1e-3):
        for _ in range(20):
            step = size * rng.normal(size=m.shape)
            assert brute_force.bound(X, PRIOR, m + step, v, nu, s) < best
            assert brute_force.bound(X, PRIOR, m, v * np.exp(step), nu, s) < best
    # the paper's equation for one component at a time has the same solution
    shown = ~np.isnan(X)
    for k in range(len(m)):
        others = np.nan_to_num(X) - nu.T @ m + np.outer(nu[k], m[k])
        precision = 1 / PRIOR.prior_var + (s * nu[k]) @ shown / PRIOR.noise_var
        assert_allclose(v[k], 1 / precision, rtol=1e-12)
        right = (s * nu[k]) @ (others * shown) / PRIOR.noise_var / precision
        assert_allclose(m[k], right, rtol=1e-9, atol=1e-10)


@HOLES
def test_history_holds_the_bound_of_the_definition(holes):
    X = data(holes)
    images, how = Images(X), config("vt", temperature_grid(20, 10.0))
    nu = start(len(X))
    s = LearnedGlobally(how, images).inverse_temperatures()
    m, v = update_components(images, PRIOR, nu, s)
    after = update_assignments(images, PRIOR, Components(m, v), nu, s, WORKERS).nu
    run = ascend_from(images, how, nu, WORKERS)
    assert_allclose(run.elbo, brute_force.bound(X, PRIOR, m, v, after), rtol=1e-12)


@HOLES
@pytest.mark.parametrize("kind", ["vt", "lvt"])
def test_tempered_bound_never_falls(holes, kind):
    X = data(holes)
    how = config(kind, temperature_grid(30, 10.0), max_iter=200, n_tempered=150)
    elbos = []
    run = ascend_from(
        Images(X), how, start(len(X)), WORKERS, after_sweep=lambda *args: elbos.append(args[2])
    )
    tempered, cold = np.split(run.history.elbos["elbo"], [150])
    for bounds in (tempered, cold):
        assert np.diff(bounds).min() >= -1e-9 * np.abs(bounds).max()
        assert bounds[-1] > bounds[0]
    assert tempered[-1] - tempered[0] > 1.0  # it has had something to climb
    assert_allclose(cold, np.array(elbos[150:]) / len(X))


@HOLES
def test_annealed_bound_is_that_of_the_definition(holes):
    X = data(holes)
    images, how = Images(X), config("avi", schedule=ConstantSchedule(2.5))
    nu, s = start(len(X)), np.full(len(X), 0.4)
    assert_array_equal(Scheduled(how, images).inverse_temperatures(), s)
    m, v = update_components(images, PRIOR, nu, s)
    after = update_assignments(images, PRIOR, Components(m, v), nu, s, WORKERS).nu
    run = ascend_from(images, how, nu, WORKERS)
    assert_allclose(run.history.last, brute_force.bound(X, PRIOR, m, v, after, 0.4), rtol=1e-12)
    assert_allclose(run.elbo, brute_force.bound(X, PRIOR, m, v, after), rtol=1e-12)


@HOLES
def test_local_bound_is_the_average_over_temperatures(holes):
    images, grid = Images(data(holes)), temperature_grid(30, 10.0)
    tempering, local = LearnedLocally(config("lvt", grid), images), LocalTemperature(1 / grid)
    log_c = PRIOR.log_partition(1 / grid, images.observed)
    scale = PRIOR.log_scale(images.observed).sum()
    r = np.full((len(images.X), 30), 1 / 30)
    rng = np.random.RandomState(0)
    for _ in range(3):
        energies = -images.observed * rng.uniform(0.5, 5.0, size=len(images.X))
        expected = local.elbo_terms(energies, log_c, r).sum() + scale
        assert_allclose(tempering.bound(energies), expected, rtol=1e-12)
        assert_allclose(tempering.inverse_temperatures(), r @ (1 / grid), rtol=1e-12)
        assert_allclose(tempering.responsibilities(), r.mean(axis=0), rtol=1e-12)
        tempering.update(energies)
        r = local.responsibilities(energies, log_c)


@pytest.mark.parametrize("temperature", [1.0, 1.5, 3.0, 10.0])
def test_log_partition_is_the_integral(temperature):
    """Over a pixel x and all bits, at a mu that does not matter."""
    prior = Prior(np.array([0.3, 0.6]), 0.1, 0.35)
    s = np.array([1 / temperature])
    values = []
    for mu in (np.array([0.7, -0.4]), np.zeros(2)):
        total = 0.0
        for z in product([0, 1], repeat=2):
            weight, center = np.prod(np.where(z, prior.pi, 1 - prior.pi)), np.dot(z, mu)
            spread = 12 * np.sqrt(prior.noise_var * temperature)

            def tempered(x, weight=weight, center=center):
                return (weight * norm.pdf(x, center, np.sqrt(prior.noise_var))) ** s[0]

            ends = center - spread, center + spread
            total += quad(tempered, *ends, epsabs=1e-12, epsrel=1e-11)[0]
        values.append(np.log(total))
    bare = prior.log_partition(s, np.ones(1))[0, 0]
    # of the Gaussian's factor, which energies lack, the integral has the power s - 1
    assert_allclose(values, bare + (s[0] - 1) * prior.log_scale(np.ones(1))[0], atol=1e-8)


def fitted_state():
    X = data(n=300)
    images = Images(X)
    s = np.full(len(X), 0.6)
    nu = start(len(X))
    for _ in range(5):
        components = update_components(images, PRIOR, nu, s)
        result = update_assignments(images, PRIOR, components, nu, s, WORKERS)
        nu = result.nu
    return images, result


def test_constants_of_energy_and_normalizer_go_together():
    images, result = fitted_state()
    grid = temperature_grid(400, 10.0)
    bare_energy = result.energies.sum()
    bare_log_c = PRIOR.log_partition(1 / grid, images.observed).sum(axis=0)
    scale = PRIOR.log_scale(images.observed).sum()
    full_energy, full_log_c = bare_energy + scale, bare_log_c - (1 - 1 / grid) * scale

    def learned(energy, log_c):
        temperature = GlobalTemperature(grid, log_c)
        temperature.update(energy)
        return temperature

    bare, full = learned(bare_energy, bare_log_c), learned(full_energy, full_log_c)
    assert_allclose(bare.responsibilities, full.responsibilities, atol=1e-10)
    assert 1.1 < bare.mean_temperature < 9
    # here 2 pi noise_var < 1: the full energy alone is too high, and the data look too cold
    assert learned(full_energy, bare_log_c).mean_temperature < bare.mean_temperature - 0.05
    assert learned(bare_energy, full_log_c).mean_temperature > bare.mean_temperature + 0.05


def test_expected_energy_is_the_slope_of_the_normalizer():
    observed = np.array([3.0, 16.0])
    for s in (0.01, 0.5, 1.0):
        step = 1e-5 * s
        low, high = (PRIOR.log_partition(np.array([s + d]), observed)[:, 0] for d in (-step, step))
        assert_allclose(PRIOR.expected_energy(s, observed), (high - low) / (2 * step), rtol=1e-7)


def test_learned_temperature_solves_the_stationary_equation():
    images, result = fitted_state()
    pi, energy = PRIOR.pi, result.energies.sum()

    def slope(b):  # d log C / d b
        weights = np.stack([pi**b, (1 - pi) ** b])
        logs = np.stack([np.log(pi), np.log1p(-pi)])
        bits = ((weights * logs).sum(axis=0) / weights.sum(axis=0)).sum()
        return -images.observed.sum() / (2 * b) + len(images.X) * bits

    root = brentq(lambda b: slope(b) - energy, 0.05, 1.0)
    grid = temperature_grid(2000, 10.0)
    tempering = LearnedGlobally(config("vt", grid), images)
    tempering.update(result.energies)
    s = tempering.inverse_temperatures()[0]
    assert_allclose(1 / s, 1 / root, rtol=2e-3)  # q(T) has a width of about a hundredth


@pytest.mark.parametrize("mu_first", [True, False])
def test_many_pixels_kill_components_unless_mu_comes_first(mu_first):
    """D = 256: with m and v as the prior has them, no component pays for its uncertainty."""
    rng = np.random.RandomState(0)
    truth = rng.normal(scale=np.sqrt(0.35), size=(8, 256))
    X = (rng.random_sample((300, 8)) < 0.3) @ truth + rng.normal(
        scale=np.sqrt(0.1), size=(300, 256)
    )
    prior = Prior(np.full(8, 0.3), 0.1, 0.35)
    images, nu, s = Images(X), start(300, size=8), np.ones(300)
    if not mu_first:
        drawn = Components(rng.normal(scale=np.sqrt(0.35), size=(8, 256)), np.full((8, 256), 0.35))
        nu = update_assignments(images, prior, drawn, nu, s, WORKERS).nu
    for _ in range(100):
        components = update_components(images, prior, nu, s)
        nu = update_assignments(images, prior, components, nu, s, WORKERS).nu
    alive = (nu.sum(axis=1) > 1).sum()
    assert alive == (8 if mu_first else 0)
