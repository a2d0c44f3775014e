"""The mathematics: the bound, its course, sorting, scikit-learn's results, annealing."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from scipy.special import betaln, logsumexp, multigammaln
from sklearn.cluster import KMeans
from sklearn.mixture import BayesianGaussianMixture

from topictemper.mixture._sticks import Sticks, size_order
from topictemper.tempering import Annealing, ConstantSchedule

from .points import clusters, fitted, random_start

# The bound, with all constants


def log_evidence(X, kind, m0, k0, dof0, S0):
    """Log marginal likelihood of one Gaussian component, from the normalizers of its prior."""
    n, D = X.shape
    if kind == "diag":
        columns = [
            log_evidence(X[:, [d]], "full", m0[[d]], k0, dof0, S0[[d], None]) for d in range(D)
        ]
        return sum(columns)
    k, dof = k0 + n, dof0 + n
    mean = (k0 * m0 + X.sum(axis=0)) / k
    S = S0 + X.T @ X + k0 * np.outer(m0, m0) - k * np.outer(mean, mean)
    result = -0.5 * n * D * np.log(np.pi) + 0.5 * D * np.log(k0 / k)
    result += multigammaln(0.5 * dof, D) - multigammaln(0.5 * dof0, D)
    return result + 0.5 * (dof0 * np.linalg.slogdet(S0)[1] - dof * np.linalg.slogdet(S)[1])


PRIORS = {
    "diag": (np.array([0.3, -0.2]), 0.7, 2.5, np.array([1.5, 0.8])),
    "full": (np.array([0.3, -0.2]), 0.7, 2.5, np.array([[1.5, 0.3], [0.3, 0.8]])),
}
NAMES = ("mean_prior", "mean_precision_prior", "degrees_of_freedom_prior", "covariance_prior")


@pytest.mark.parametrize("kind", PRIORS)
def test_with_one_component_the_bound_is_the_evidence(kind):
    X = clusters(1, 40)
    prior = PRIORS[kind]
    parameters = dict(zip(NAMES, prior, strict=True))
    model = fitted(X, 1, covariance_type=kind, **parameters)
    assert model.elbo_ * len(X) == pytest.approx(log_evidence(X, kind, *prior), rel=1e-12)


@pytest.mark.parametrize("kind", PRIORS)
@pytest.mark.parametrize("last_stick", ["one", "beta"])
def test_the_bound_of_clear_clusters_is_between_their_joint_and_the_evidence(kind, last_stick):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-20, 1, (5, 2)), rng.normal(20, 1, (3, 2))])
    prior, alpha = PRIORS[kind], 1.3
    parameters = dict(zip(NAMES, prior, strict=True))
    # Assignments to two components, all of them; the prior of sticks integrated out.
    n_sticks = 1 if last_stick == "one" else 2
    terms = {}
    for z in product((0, 1), repeat=len(X)):
        z = np.array(z)
        counts = np.bincount(z, minlength=2)
        later = [counts[1], 0]
        value = sum(
            betaln(1 + counts[t], alpha + later[t]) - betaln(1, alpha) for t in range(n_sticks)
        )
        for t in (0, 1):
            if counts[t]:
                value += log_evidence(X[z == t], kind, *prior)
        terms[tuple(z)] = value
    model = fitted(
        X, 2, covariance_type=kind, concentration=alpha, last_stick=last_stick, **parameters
    )
    # For certain responsibilities the bound is log p(x, z); fuzzy ones can only add to it.
    joint = terms[tuple(model.predict(X))]
    evidence = logsumexp(list(terms.values()))
    assert joint - 1e-9 < model.elbo_ * len(X) < min(evidence, joint + 1e-4)


@pytest.mark.parametrize("temperature", [1.0, 2.5])
@pytest.mark.parametrize(
    ("kind", "concentration", "last_stick"),
    # Sticks and components have bounds of their own, which are added.
    [
        *product(["diag"], [0.3, 1.0, 5.0], ["one", "beta"]),
        ("full", 0.3, "beta"),
        ("full", 5.0, "one"),
    ],
)
def test_the_annealed_bound_never_falls(kind, temperature, concentration, last_stick):
    X = clusters(2, 300, 3)
    # Hard assignments: at T = 2.5 a start with fuzzy ones has next to nothing to climb.
    start = np.eye(8)[np.random.default_rng(2).integers(8, size=300)]
    model = fitted(
        X,
        8,
        covariance_type=kind,
        tempering=Annealing(schedule=ConstantSchedule(temperature)),
        concentration=concentration,
        last_stick=last_stick,
        init_params=start,
        max_iter=150,
        tol=0.0,
    )
    rises = len(X) * np.diff(model.elbo_history_["elbo"])
    assert rises.min() >= -1e-9 * len(X) * abs(model.elbo_history_["elbo"][-1])
    assert rises.max() > 0.5
    # At T > 1 the history has the annealed bound, but `elbo_` is always that of T = 1.
    assert (model.elbo_ == model.elbo_history_["elbo"][-1]) == (temperature == 1.0)


def test_a_heated_bound_is_that_of_a_smaller_likelihood():
    """With one component: the evidence of weights 1 / T, from the normalizers of the prior."""
    X = clusters(3, 30, 1)
    m0, k0, dof0, S0 = (np.array([0.5]), 2.0, 3.0, np.array([1.7]))
    parameters = dict(zip(NAMES, (m0, k0, dof0, S0), strict=True))
    model = fitted(
        X, 1, tempering=Annealing(schedule=ConstantSchedule(4.0)), max_iter=2, **parameters
    )
    n = len(X) / 4
    mean = (k0 * m0 + X.sum() / 4) / (k0 + n)
    S = S0 + (X**2).sum() / 4 + k0 * m0**2 - (k0 + n) * mean**2
    expected = -0.5 * n * np.log(np.pi) + 0.5 * np.log(k0 / (k0 + n))
    expected += multigammaln(0.5 * (dof0 + n), 1) - multigammaln(0.5 * dof0, 1)
    expected += 0.5 * (dof0 * np.log(S0[0]) - (dof0 + n) * np.log(S[0]))
    assert model.elbo_history_["elbo"][-1] == pytest.approx(expected / len(X), rel=1e-12)


# Sorting


def test_sorting_raises_the_bound():
    # By one iteration, from the same start: 0.44 nats, standard deviation 0.16. Whole fits end 30
    # higher on average, but in another optimum each, with a deviation of 36.
    gains = []
    for seed in range(8):
        X, start = clusters(seed), random_start(500 + seed)
        sort, plain = (
            fitted(X, init_params=start, sort_components=sort, max_iter=1) for sort in (True, False)
        )
        gains.append(len(X) * (sort.elbo_ - plain.elbo_))
        assert (np.diff(sort.mean_precision_) <= 0).all()
        assert not (np.diff(plain.mean_precision_) <= 0).all()
    assert np.mean(gains) > 0.1
    whole = fitted(X, init_params=start)
    assert (np.diff(whole.mean_precision_) <= 1e-3 * whole.mean_precision_[0]).all()


def test_size_order():
    counts = np.array([1.0, 5.0, 3.0])
    np.testing.assert_array_equal(size_order(counts, 1.0, True), [1, 2, 0])
    assert size_order(np.sort(counts)[::-1], 1.0, True) is None
    # A whole last stick with a large concentration: the larger component is better off last.
    assert size_order(np.array([2.0, 6.0]), 4.0, True) is None
    np.testing.assert_array_equal(size_order(np.array([2.0, 6.0]), 4.0, False), [1, 0])


@pytest.mark.parametrize("last_is_one", [True, False])
def test_sticks_by_sampling(last_is_one):
    sticks = Sticks.posterior(np.array([4.0, 2.5, 1.0]), 1.5, last_is_one)
    rng = np.random.default_rng(0)
    v = rng.beta(sticks.a, sticks.b, (400_000, len(sticks.a)))
    if last_is_one:
        v = np.column_stack([v, np.ones(len(v))])
    pi = v * np.cumprod(np.column_stack([np.ones(len(v)), 1 - v[:, :-1]]), axis=1)
    expected = pi.mean(axis=0)
    np.testing.assert_allclose(sticks.expected_weights(), expected / expected.sum(), atol=2e-3)
    np.testing.assert_allclose(sticks.expected_log_weights(), np.log(pi).mean(axis=0), atol=1e-2)


@pytest.mark.parametrize("concentration", [1e-3, 1e-12, 1e-60])
def test_weights_of_sticks_that_leave_nearly_nothing(concentration):
    sticks = Sticks.posterior(np.array([60.0, 40.0, 0.0, 0.0]), concentration, False)
    alpha = Fraction(concentration)
    left = [
        (40 + alpha) / (101 + alpha),
        alpha / (41 + alpha),
        alpha / (1 + alpha),
        alpha / (1 + alpha),
    ]
    expected = [(1 - left[k]) * prod(left[:k]) for k in range(4)]
    expected = [float(each / sum(expected)) for each in expected]
    np.testing.assert_allclose(sticks.expected_weights(), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", ["diag", "full"])
@pytest.mark.parametrize("dof", [1e9, 1e12, 1e16, 1e100])
def test_with_many_degrees_of_freedom_variances_are_known(kind, dof):
    """What depends on them is a difference of terms that are as large as they are."""

    def model(dof):
        scale = dof * (np.ones(2) if kind == "diag" else np.eye(2))
        settings = {"degrees_of_freedom_prior": dof, "covariance_prior": scale, "max_iter": 10}
        return fitted(X, 6, covariance_type=kind, **settings)

    X = clusters(0)
    found, expected = model(dof), model(1e7)
    assert len(X) * found.elbo_ == pytest.approx(len(X) * expected.elbo_, abs=0.1)
    assert found.score(X) == pytest.approx(expected.score(X), abs=1e-4)
    assert len(X) * np.diff(found.elbo_history_["elbo"]).min() > -1e-6


@pytest.mark.parametrize("kind", ["diag", "full"])
@pytest.mark.parametrize("precision", [1e13, 1e20, 1e40, 1e100])
def test_with_a_firm_prior_mean_means_are_known(kind, precision):
    """The precision multiplies squares of differences of means, and of their rounding errors."""
    X = clusters(0)

    def model(precision):
        settings = {"mean_precision_prior": precision, "mean_prior": [0.1, 0.3], "max_iter": 10}
        return fitted(X, 4, covariance_type=kind, **settings)

    found, expected = model(precision), model(1e7)
    np.testing.assert_allclose(found.means_, np.tile([0.1, 0.3], (4, 1)), rtol=1e-9)
    assert len(X) * found.elbo_ == pytest.approx(len(X) * expected.elbo_, abs=0.1)
    if precision == 1e13:  # the others round to the prior mean
        moved, expected_moves = (m.means_ - [0.1, 0.3] for m in (found, expected))
        np.testing.assert_allclose(precision * moved, 1e7 * expected_moves, rtol=0.01, atol=0.1)
    assert found.score(X) == pytest.approx(expected.score(X), abs=1e-4)
    assert len(X) * np.diff(found.elbo_history_["elbo"]).min() > -1e-6


# scikit-learn


@pytest.mark.parametrize(("kind", "D"), [("diag", 1), ("full", 1), ("full", 3)])
@pytest.mark.parametrize("iterations", [1, 5, 300])
def test_equal_to_scikit_learn(kind, D, iterations):
    X = clusters(4, 300, D, 4) + 7.0
    shared = {"covariance_type": kind, "max_iter": iterations, "tol": 0.0, "random_state": 0}
    peer = BayesianGaussianMixture(
        n_components=6,
        weight_concentration_prior_type="dirichlet_process",
        weight_concentration_prior=0.7,
        reg_covar=0.0,
        **shared,
    )
    with pytest.warns(match="did not converge"):
        peer.fit(X)
    start = KMeans(6, n_init=1, random_state=np.random.RandomState(0)).fit(X).labels_
    # Theirs counts no iteration for the start, and breaks the last stick too.
    shared["max_iter"] += 1
    ours = fitted(
        X,
        6,
        concentration=0.7,
        last_stick="beta",
        sort_components=False,
        degrees_of_freedom_prior=D,
        init_params=np.eye(6)[start],
        **shared,
    )
    for name in (
        "weights_",
        "means_",
        "mean_precision_",
        "degrees_of_freedom_",
        "covariances_",
        "precisions_",
    ):
        np.testing.assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-10, atol=1e-10)
    for one, other in zip(ours.weight_concentration_, peer.weight_concentration_, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-9)


# Annealing


def test_annealing_rescues_a_collapsed_start():
    gains = []
    for seed in range(8):
        X, start = clusters(seed), 0.01 * random_start(500 + seed)
        start[:, 0] += 0.99
        cold = fitted(X, init_params=start, max_iter=600)
        hot = fitted(
            X, init_params=start, tempering=Annealing(max_temperature=2, length=50), max_iter=600
        )
        assert (cold.weights_ > 0.02).sum() == 1
        gains.append(len(X) * (hot.elbo_ - cold.elbo_))
    assert np.mean(gains) >= 200  # 40 other seeds: 497, standard deviation 157
