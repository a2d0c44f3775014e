"""Normal-Wishart distributions: divergences and draws, beside numbers that are known exactly."""

import numpy as np
import pytest

from topictemper.mixture._normal_wishart import (
    Diagonal,
    Full,
    NormalWishart,
    _log_gamma_ratio,
    restored,
)

KINDS = {"diag": Diagonal, "full": Full}


def distributions(kind: str, n_components: int, dof: float, seed: int = 0) -> NormalWishart:
    """Some of three columns."""
    rng = np.random.default_rng(seed)
    roots = np.eye(3) + 0.2 * rng.standard_normal((n_components, 3, 3))
    scale = dof * roots @ roots.transpose(0, 2, 1)
    if kind == "diag":
        scale = np.diagonal(scale, axis1=1, axis2=2).copy()
    mean = rng.standard_normal((n_components, 3))
    precision = rng.uniform(0.5, 2.0, n_components)
    return KINDS[kind](mean, precision, dof + rng.uniform(0, 20, n_components), scale)


@pytest.mark.parametrize("a", [3.5, 1e6, 4.9e7, 5.1e7, 1e9, 1e13])
@pytest.mark.parametrize("h", [1, 7, 1000])
def test_ratio_of_gamma_functions(a, h):
    # Gamma(a + h) / Gamma(a) = a (a + 1) ... (a + h - 1)
    expected = sum(float(np.log(a + i)) for i in range(h))
    found = _log_gamma_ratio(np.array([a]), np.array([float(h)]))
    # Below 5e7 a difference of numbers of the size of 1e9.
    assert found[0] == pytest.approx(expected, rel=1e-12, abs=1e-6 if a < 5e7 else 0.0)


def test_ratios_of_gamma_functions_of_all_sizes_at_once():
    a = np.array([3.5, 1e13])
    found = _log_gamma_ratio(a, np.ones(2))
    np.testing.assert_allclose(found, np.log(a), rtol=1e-12)


@pytest.mark.parametrize("a", [6e7, 1e9])
def test_ratio_of_gamma_functions_that_are_far_apart(a):
    # Gamma(2 a) / Gamma(a), by Stirling's series of each.
    expected = (2 * a - 0.5) * np.log(2) + a * np.log(a) - a
    assert _log_gamma_ratio(np.array([a]), np.array([a]))[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_both_forms_of_the_divergence_are_the_same(kind):
    q, prior = distributions(kind, 4, 30.0), distributions(kind, 1, 10.0, seed=1)
    plain = (q.dof - prior.dof) * q._expected_log_det().sum(axis=1)
    plain += q.dof * (q._trace_ratio(prior) - 3) + 2 * q._log_normalizer()
    plain -= 2 * prior._log_normalizer()
    np.testing.assert_allclose(q._kl_of_many(prior), plain, rtol=1e-10)
    assert q.kl(prior) > 0.5 * plain.sum() > 1.0  # which has that of the means, too


@pytest.mark.parametrize("kind", KINDS)
def test_a_distribution_has_no_divergence_from_itself(kind):
    prior = distributions(kind, 1, 10.0)
    assert prior.kl(prior) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(prior._kl_of_many(prior), 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_of_the_predictive_density_if_the_mean_is_uncertain(kind):
    given = distributions(kind, 2, 10.0)
    given = type(given)(given.mean, np.array([0.2, 5.0]), np.array([9.0, 12.0]), given.scale)
    for k in range(2):
        draws = given.draw(np.full(20_000, k), np.random.RandomState(0))
        dof = given.dof[k] - (given.block - 1)
        expected = given.scale[k] * (1 + 1 / given.mean_precision[k]) / (dof - 2)
        expected = np.diag(expected) if kind == "diag" else expected
        size = np.sqrt(np.diag(expected))
        np.testing.assert_allclose(draws.mean(axis=0), given.mean[k], atol=5 * size.max() / 140)
        found = np.cov(draws.T) / np.outer(size, size)
        # Five standard deviations of a variance, if the kurtosis is that of seven degrees.
        np.testing.assert_allclose(found, expected / np.outer(size, size), atol=0.07)


def test_variances_do_not_depend_on_the_origin_of_one_column():
    rng = np.random.default_rng(0)
    prior = distributions("diag", 1, 10.0)
    X, phi = rng.standard_normal((200, 3)), rng.dirichlet(np.ones(4), 200)
    far = np.array([0.0, 1e7, 0.0])
    moved = Diagonal(prior.mean + far, prior.mean_precision, prior.dof, prior.scale)
    found, expected = moved.posterior(X + far, phi, 0.7), prior.posterior(X, phi, 0.7)
    np.testing.assert_allclose(found.scale, expected.scale, rtol=1e-6)
    np.testing.assert_allclose(found.mean - far, expected.mean, atol=1e-6)
    distances = expected.squared_distances(X)
    np.testing.assert_allclose(found.squared_distances(X + far), distances, rtol=1e-6)


def test_a_constant_column_has_no_variance():
    """Its squares less the square of its mean are a little less than 0 for some components."""
    phi = np.random.default_rng(0).dirichlet(np.ones(50), 200)
    prior = Diagonal(np.full((1, 1), 0.1), np.ones(1), np.ones(1), np.ones((1, 1)))
    found = prior.posterior(np.full((200, 1), 0.1), phi, 1.0)
    np.testing.assert_allclose(found.scale, 1.0, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", [1e30, 1e100])
def test_a_firm_prior_mean_stays_to_the_last_bit(kind, precision):
    """The divergence has the square of its move times the precision."""
    rng = np.random.default_rng(0)
    prior = KINDS[kind](
        rng.standard_normal((1, 20)),
        np.array([precision]),
        np.array([30.0]),
        np.ones((1, 20)) if kind == "diag" else np.eye(20)[None],
    )
    found = prior.posterior(rng.standard_normal((100, 20)), rng.dirichlet(np.ones(3), 100), 1.0)
    np.testing.assert_array_equal(found.mean, np.repeat(prior.mean, 3, axis=0))


def test_squared_distances_are_never_negative():
    rng = np.random.default_rng(0)
    mean = 1e3 * rng.standard_normal((50, 3))
    given = Diagonal(mean, np.ones(50), np.full(50, 10.0), rng.uniform(5.0, 20.0, (50, 3)))
    found = given.squared_distances(mean)
    assert found.min() >= 0.0
    np.testing.assert_allclose(np.diagonal(found), 0.0, atol=1e-8)


def test_distributions_of_few_degrees_of_freedom_are_restored():
    given = distributions("diag", 2, 10.0)
    few = Diagonal(given.mean, given.mean_precision, np.array([1e-3, 0.5]), given.scale)
    found = restored(Diagonal, few.get_state(), 3)
    np.testing.assert_array_equal(found.dof, few.dof)
    given = distributions("full", 2, 10.0)
    state = given.get_state() | {"dof": np.array([2.001, 5.0])}
    np.testing.assert_array_equal(restored(Full, state, 3, 2).dof, state["dof"])
    for dof in (2.0, 1.0):  # a Wishart distribution has more than D - 1
        with pytest.raises(ValueError, match="dof"):
            restored(Full, state | {"dof": np.array([dof, 5.0])}, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_distribution_is_not_restored(kind):
    state = distributions(kind, 2, 10.0).get_state()
    with pytest.raises(ValueError, match="mean"):
        restored(KINDS[kind], state, 4)
    with pytest.raises(ValueError, match="mean"):
        restored(KINDS[kind], state, 3, n_components=3)
    with pytest.raises(ValueError, match="scale"):
        restored(KINDS[kind], state | {"scale": -state["scale"]}, 3)
