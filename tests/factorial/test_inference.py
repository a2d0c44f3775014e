"""q(Z) of given images: annealed, and compared with the sum over all 2^K states."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from scipy.stats import norm

from topictemper._core._workers import Workers
from topictemper.datasets import make_bars, make_shapes
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm import _images, _inference
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.fmm._inference import infer_assignments, starting_temperature
from topictemper.factorial.fmm._prediction import density_of_pixels
from topictemper.factorial.fmm._updates import (
    Components,
    Prior,
    components_bound,
    parts_of,
    update_assignments,
)

from . import brute_force
from .enumeration import all_states

WORKERS = Workers()
HOLES = pytest.mark.parametrize("holes", [0.0, 0.2], ids=["complete", "missing"])


def with_holes(X, holes):
    return np.where(np.random.RandomState(1).random_sample(X.shape) < holes, np.nan, X)


def known(m):
    """Components without uncertainty."""
    return Components(np.array(m, dtype=float), np.zeros(np.shape(m)))


def case(kind, noise_var, holes=0.0, n=200):
    """Images, prior and the true components."""
    shapes = make_shapes(n, kind, noise_var=noise_var, random_state=0)
    prior = Prior(np.full(8, 0.3), noise_var, 0.35)
    return with_holes(shapes.data, holes), prior, known(shapes.components)


def inferred(X, prior, components):
    """The bounds of images and nu, (N, K)."""
    images = Images(X)
    found = infer_assignments(images, prior, components, WORKERS)
    return found.energies + prior.log_scale(images.observed) + found.entropies, found.nu.T


def plain(X, prior, components, nu=None):
    """The same by sweeps at T = 1, from pi."""
    images, s = Images(X), np.ones(len(X))
    if nu is None:
        nu = np.repeat(prior.pi[:, np.newaxis], len(X), axis=1)
    for _ in range(50):
        found = update_assignments(images, prior, components, nu, s, WORKERS)
        nu = found.nu
    return found.energies + prior.log_scale(images.observed) + found.entropies, nu.T


def exact(X, prior, m):
    """Log p(x) and E[z] of images."""
    states = all_states(len(m))
    joint = states @ np.log(prior.pi) + (1 - states) @ np.log1p(-prior.pi)
    noise = np.sqrt(prior.noise_var)
    rows = [joint + np.nansum(norm.logpdf(x, states @ m, noise), axis=1) for x in X]
    logs = logsumexp(rows, axis=1)
    return logs, np.exp(rows - logs[:, np.newaxis]) @ states


def test_score_is_exact_for_components_that_do_not_overlap():
    m = np.zeros((3, 6))
    m[0, :2], m[1, 2:4], m[2, 4:] = 0.8, -0.5, 1.1
    prior = Prior(np.array([0.3, 0.5, 0.2]), 0.2, 1.0)
    X = np.random.RandomState(0).normal(size=(20, 6))
    X[3, 1] = X[5, 2:] = np.nan
    bounds, nu = inferred(X, prior, known(m))
    evidence, means = exact(X, prior, m)
    assert_allclose(bounds, evidence, rtol=1e-12)
    assert_allclose(nu, means, atol=1e-12)


@HOLES
@pytest.mark.parametrize(
    ("kind", "noise_var", "gap", "error"),
    [("quads", 0.1, 0.15, 0.03), ("quads", 0.01, 0.1, 0.01), ("hand", 0.1, 1.1, 0.1)],
)
def test_bounds_and_probabilities_are_near_those_of_all_states(kind, noise_var, gap, error, holes):
    """By plain sweeps the gaps of the last two kinds are 5 to 12 nats."""
    X, prior, components = case(kind, noise_var, holes)
    evidence, means = exact(X, prior, components.m)
    bounds, nu = inferred(X, prior, components)
    assert (bounds <= evidence + 1e-9).all()
    assert (evidence - bounds).mean() < gap
    assert np.abs(nu - means).mean() < error
    before, nu_before = plain(X, prior, components)
    assert bounds.mean() > before.mean()
    assert np.abs(nu - means).mean() < np.abs(nu_before - means).mean()


def test_hidden_pixels_are_predicted_as_by_all_states():
    bars = make_bars(200, noise=1.0, random_state=0)
    prior, components = Prior(np.full(10, 0.2), 1.0, 10.0), known(bars.components)
    hidden = np.random.RandomState(5).random_sample(25) < 0.5
    given, targets = np.where(hidden, np.nan, bars.data), np.tile(hidden, (200, 1))

    def score(nu):
        return density_of_pixels(bars.data, targets, nu.T, components, 1.0)

    best = score(exact(given, prior, components.m)[1])
    assert score(inferred(given, prior, components)[1]) > best - 0.05
    assert score(plain(given, prior, components)[1]) < best - 0.5


def test_images_of_training_are_scored_as_well_as_in_training():
    gains = []
    for seed in range(3):
        X = make_shapes(500, "hand", random_state=seed).data
        model = FactorialMixture(8, random_state=seed).fit(X)
        q = Components(model.components_, model.component_variances_)
        prior = Prior(model.pi_, model.noise_var, model.prior_var)
        in_training = model.elbo_ - components_bound(prior, q) / len(X)
        gains.append((model.elbo(X) - in_training, plain(X, prior, q)[0].mean() - in_training))
    gain, plain_gain = np.mean(gains, axis=0)
    assert gain > -0.1
    assert plain_gain < -0.5


@HOLES
def test_above_the_starting_temperature_there_is_one_optimum(holes):
    X, prior, components = case("hand", 0.01, holes, n=50)
    hot = starting_temperature(prior, components)
    images, ends = Images(X), {}
    for temperature in (hot, 1.0):
        for start in (0.0, 0.3, 1.0):
            (part,) = parts_of(images, prior, components)
            nu = np.full((8, len(X)), start)
            part.sweep(nu, np.full(len(X), 1.0 / temperature), WORKERS, 500)
            ends[temperature, start] = nu
    assert_allclose(ends[hot, 0.0], ends[hot, 1.0], atol=1e-10)
    assert_allclose(ends[hot, 0.3], ends[hot, 1.0], atol=1e-10)
    assert np.abs(ends[1.0, 0.0] - ends[1.0, 1.0]).max() > 0.9


def test_the_starting_temperature_has_limits():
    def start(scale, noise_var):
        return starting_temperature(Prior(np.full(2, 0.3), noise_var, 1.0), known(scale * m))

    m = np.array([[3.0, 4.0, 0.0], [0.0, 1.0, 1.0]])
    assert_allclose(start(1.0, 0.5), 25 / (4 * 0.5))
    assert start(1e-3, 0.5) == 1.0
    assert start(1.0, 1e-100) == 1e6


@HOLES
def test_each_image_has_the_better_of_two_courses(holes):
    X, prior, components = case("hand", 0.1, holes)
    schedule = _inference.ExponentialSchedule(starting_temperature(prior, components), 20)
    (part,) = parts_of(Images(X), prior, components)
    scale = prior.log_scale(Images(X).observed)
    first, second = (
        _inference._annealed(part, prior, schedule, WORKERS, prior_too=prior_too)[1] + scale
        for prior_too in (True, False)
    )
    best = np.maximum(first, second)
    assert (inferred(X, prior, components)[0] >= best - 1e-9 * np.abs(best)).all()
    assert min((first > second + 0.1).sum(), (second > first + 0.1).sum()) > 2


@HOLES
def test_energies_are_those_of_the_definition(holes):
    X, prior, (m, _) = case("hand", 0.1, holes)
    v = np.full(m.shape, 0.01)
    images = Images(X)
    found = infer_assignments(images, prior, Components(m, v), WORKERS)
    expected = brute_force.energies(X, prior, m, v, found.nu)
    assert_allclose(found.energies + prior.log_scale(images.observed), expected, rtol=1e-10)


@HOLES
def test_assignments_have_settled(holes):
    X, prior, components = case("hand", 0.1, holes)
    nu = inferred(X, prior, components)[1]
    assert_allclose(plain(X, prior, components, nu.T)[1], nu, atol=1e-4)


@HOLES
def test_an_image_does_not_depend_on_the_others(holes):
    """Two components are the same, so which of the two an image has is decided by their order."""
    X, prior, components = case("hand", 0.1, holes, n=60)
    components.m[7] = components.m[2]
    whole = inferred(X, prior, components)[1]
    assert_allclose(inferred(X[::-1], prior, components)[1][::-1], whole, atol=1e-9)
    alone = np.vstack([inferred(x[np.newaxis], prior, components)[1] for x in X])
    assert_allclose(alone, whole, atol=1e-9)
    beside_holes = np.vstack([X, np.full((1, 16), np.nan)])
    assert_allclose(inferred(beside_holes, prior, components)[1][:-1], whole, atol=1e-9)


def test_images_in_parts_are_those_at_once(monkeypatch):
    X, prior, components = case("hand", 0.1, 0.2)
    at_once = inferred(X, prior, components)
    monkeypatch.setattr(_images, "_MOST_NUMBERS", 8**2 * 7)
    assert len(list(parts_of(Images(X), prior, components))) > 5
    for n_images in (10**6, 3):
        monkeypatch.setattr(_inference, "_MOST_NUMBERS", 8 * n_images)
        for one, other in zip(at_once, inferred(X, prior, components), strict=True):
            assert_allclose(other, one, rtol=1e-9, atol=1e-9)
