"""The estimator: scikit-learn's contract, what it predicts, bad input."""

import pickle
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from topictemper.mixture import DPGaussianMixture
from topictemper.mixture._normal_wishart import Diagonal
from topictemper.mixture._priors import draw_start
from topictemper.tempering import Annealing, ConstantSchedule, GlobalTempering, LocalTempering

from ..traced_memory import TracedMemory
from .points import clusters, fitted, random_start

X = clusters(0, 120)


@parametrize_with_checks(
    [
        DPGaussianMixture(4, tol=1e-3, covariance_type="diag", tempering="avi"),
        DPGaussianMixture(4, tol=1e-3, covariance_type="full", last_stick="beta"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


class Plain(DPGaussianMixture):
    """An estimator with few parameters of its own."""

    def __init__(self, n_components=4):
        super().__init__(n_components, tempering="avi", random_state=0)


def test_a_subclass_may_have_other_parameters():
    theirs = DPGaussianMixture(4, tempering="avi", random_state=0).fit(X)
    np.testing.assert_array_equal(clone(Plain()).fit(X).means_, theirs.means_)


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_the_order_of_numbers_in_memory_does_not_matter(kind):
    model = DPGaussianMixture(4, covariance_type=kind, random_state=0).fit(X)
    other = clone(model).fit(np.asfortranarray(X))
    np.testing.assert_array_equal(other.means_, model.means_)
    np.testing.assert_array_equal(other.score_samples(np.asfortranarray(X)), model.score_samples(X))


def test_masked_values_are_refused():
    with pytest.raises(ValueError, match="X has masked values"):
        DPGaussianMixture(4).fit(np.ma.masked_greater(X, 0.5))


# What it predicts


@pytest.mark.parametrize("kind", ["diag", "full"])
@pytest.mark.parametrize("last_stick", ["one", "beta"])
def test_predictions_agree_with_each_other(kind, last_stick):
    model = DPGaussianMixture(8, covariance_type=kind, last_stick=last_stick, random_state=0)
    labels = model.fit_predict(X)
    assert model.converged_
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(labels, proba.argmax(axis=1))
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(model.predict_proba(X[:1]), proba[:1], rtol=1e-9, atol=1e-300)
    assert model.score(X) == model.score_samples(X).mean()
    assert model.weights_.sum() == pytest.approx(1.0)
    n_sticks = 8 if last_stick == "beta" else 7
    assert [len(part) for part in model.weight_concentration_] == [n_sticks, n_sticks]
    expected = model.covariances_ if kind == "full" else model.covariances_[:, :, None] * np.eye(2)
    inverse = model.precisions_ if kind == "full" else model.precisions_[:, :, None] * np.eye(2)
    np.testing.assert_allclose(expected @ inverse, np.tile(np.eye(2), (8, 1, 1)), atol=1e-10)


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_the_predictive_density_is_of_students_t(kind):
    model = fitted(X, 6, covariance_type=kind)
    k, dof = model.mean_precision_, model.degrees_of_freedom_
    expected = np.zeros(len(X))
    for t, weight in enumerate(model.weights_):
        if kind == "diag":
            scale = np.sqrt(model.covariances_[t] * (k[t] + 1) / k[t])
            density = stats.t.pdf(X, dof[t], model.means_[t], scale).prod(axis=1)
        else:
            n = dof[t] - 1  # nu - D + 1, D = 2
            shape = model.covariances_[t] * dof[t] * (k[t] + 1) / (k[t] * n)
            density = stats.multivariate_t(model.means_[t], shape, n).pdf(X)
        expected += weight * density
    np.testing.assert_allclose(np.exp(model.score_samples(X)), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_the_predictive_density_integrates_to_one(kind):
    model = fitted(X[:, :1], 6, covariance_type=kind)
    # x = sinh(u): tails of Student's t with one degree of freedom need a far grid.
    u = np.linspace(-40, 40, 200_001)
    density = np.exp(model.score_samples(np.sinh(u)[:, None])) * np.cosh(u)
    assert np.trapezoid(density, u) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("kind", "dof"), [("diag", 1.0), ("full", 2.0)])
def test_the_prior_has_default_degrees_of_freedom_and_a_mean_of_its_own(kind, dof):
    mean = np.zeros(2)
    model = fitted(X, 6, covariance_type=kind, mean_prior=mean)
    mean += 1.0
    assert model.degrees_of_freedom_prior_ == dof
    np.testing.assert_array_equal(model.mean_prior_, 0.0)


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_samples_are_of_the_predictive_density(kind):
    model = fitted(X, 6, covariance_type=kind, degrees_of_freedom_prior=30.0)
    draws, labels = model.sample(20_000)
    again, _ = model.sample(20_000)
    np.testing.assert_array_equal(draws, again)
    seeded, _ = model.sample(20_000, random_state=0)  # that of the estimator
    np.testing.assert_array_equal(draws, seeded)
    assert (model.sample(20_000, random_state=1)[0] != draws).all()
    shares = np.bincount(labels, minlength=6) / 20_000
    np.testing.assert_allclose(shares, model.weights_, atol=5 * 0.5 / 20_000**0.5)
    t = int(model.weights_.argmax())
    own = draws[labels == t]
    k, dof, p = model.mean_precision_[t], model.degrees_of_freedom_[t], 1 if kind == "diag" else 2
    # Covariance of Student's t with dof - p + 1 degrees of freedom.
    expected = model.covariances_[t] * dof * (k + 1) / (k * (dof - p - 1))
    expected = np.diag(expected) if kind == "diag" else expected
    size = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(own.mean(axis=0), model.means_[t], atol=5 * size.max() / 60)
    correlations = np.cov(own.T) / np.outer(size, size)
    np.testing.assert_allclose(correlations, expected / np.outer(size, size), atol=0.12)


# State and bits


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_same_seed_same_bits_and_pickles(kind):
    parameters = {"covariance_type": kind, "init_params": "random", "n_init": 2}
    one, two = (fitted(X, 5, random_state=3, **parameters) for _ in range(2))
    restored = pickle.loads(pickle.dumps(one))
    for other in (two, restored):
        assert one.elbo_history_.tobytes() == other.elbo_history_.tobytes()
        assert one.means_.tobytes() == other.means_.tobytes()
        assert one.score_samples(X).tobytes() == other.score_samples(X).tobytes()
    assert one.elbo_ != fitted(X, 5, random_state=4, **parameters).elbo_
    np.testing.assert_array_equal(clone(one).fit(X).means_, one.means_)


def test_the_best_start_is_kept():
    rng = np.random.RandomState(0)
    singles = [fitted(X, 8, init_params="random", random_state=rng).elbo_ for _ in range(4)]
    best = fitted(X, 8, init_params="random", n_init=4, random_state=0)
    assert len(set(singles)) > 1
    assert best.elbo_ == max(singles)


def test_far_from_the_origin_and_in_other_units():
    start = random_start(0, len(X), 5)
    near = fitted(X, 5, init_params=start)
    scale = np.array([1e6, 1e-6])
    far = fitted(1e3 * scale + X * scale, 5, init_params=start)
    np.testing.assert_allclose(far.predict_proba(1e3 * scale + X * scale), near.predict_proba(X),
                               atol=1e-6)  # fmt: skip
    np.testing.assert_allclose(far.means_ / scale - 1e3, near.means_, atol=1e-6)


@pytest.mark.parametrize("distance", [1e4, 1e8, 1e10])
def test_clusters_that_are_far_apart(distance):
    """With one column "diag" and "full" are the same model, and "full" subtracts before it squares.

    A weak prior of the means leaves components as narrow as their clusters.
    """
    rng = np.random.default_rng(0)
    far = np.repeat([-distance, distance], [60, 40])[:, None] + rng.normal(size=(100, 1))
    weak = {"mean_precision_prior": 1e-12 / distance**2, "max_iter": 20, "tol": 0.0}
    diag = fitted(far, 6, covariance_prior=[1.0], **weak)
    full = fitted(far, 6, covariance_type="full", covariance_prior=[[1.0]], **weak)
    np.testing.assert_allclose(diag.covariances_, full.covariances_[:, 0], rtol=1e-3)
    np.testing.assert_allclose(diag.score(far), full.score(far), rtol=1e-4)
    assert len(far) * np.diff(diag.elbo_history_["elbo"]).min() > -1e-3


def test_clusters_that_are_far_apart_with_known_variances():
    """The more degrees of freedom the prior has, the larger is the scale at the same width."""
    rng = np.random.default_rng(0)
    far = np.repeat([-1e8, 1e8], [60, 40])[:, None] + rng.normal(size=(100, 1))
    known = {"mean_precision_prior": 1e-28, "degrees_of_freedom_prior": 1e10, "max_iter": 20}
    diag = fitted(far, 6, covariance_prior=[1e10], **known)
    full = fitted(far, 6, covariance_type="full", covariance_prior=[[1e10]], **known)
    assert diag.elbo_ == pytest.approx(full.elbo_, rel=1e-6)
    np.testing.assert_allclose(diag.predict_proba(far), full.predict_proba(far), atol=1e-6)


def test_few_degrees_of_freedom():
    """Of components without data; draws may be beyond any number, and nothing warns of them."""
    start = np.eye(5)[np.zeros(4, int)]
    model = fitted(X[:4], 5, degrees_of_freedom_prior=1e-30, concentration=5.0, init_params=start)
    points, components = model.sample(100, random_state=0)
    assert len(set(components)) == 5
    assert not np.isnan(points).any()
    assert np.isfinite(model.score_samples(X)).all()


def test_histories():
    model = fitted(X, 5, tempering="avi", max_iter=60, tol=0.0)
    assert model.temperature_history_.dtype.names == ("pass", "temperature")
    assert model.temperature_history_["temperature"][0] == 2.0
    assert (model.temperature_history_["temperature"][50:] == 1.0).all()
    np.testing.assert_array_equal(model.temperature_history_["pass"], np.arange(60))
    assert model.elbo_history_.dtype.names == ("pass", "temperature", "elbo")
    for name in ("pass", "temperature"):
        np.testing.assert_array_equal(model.elbo_history_[name], model.temperature_history_[name])
    assert model.n_iter_ == len(model.elbo_history_) == 60
    assert model.elbo_ == model.elbo_history_["elbo"][-1]


def test_tol_is_in_nats_per_datum():
    rises = np.diff(fitted(X, 5, tol=1e-4).elbo_history_["elbo"])
    assert rises[-1] < 1e-4
    assert (rises[:-1] >= 1e-4).all()


def test_elbo_of_rows():
    model = fitted(X, 5)
    assert model.elbo(X) <= model.score(X)
    together = [model.elbo(X[:50]) * 50, model.elbo(X[50:]) * (len(X) - 50)]
    assert model.elbo(X) * len(X) == pytest.approx(sum(together), rel=1e-12)
    prior = Diagonal(
        (model.mean_prior_ - model._offset)[None],
        np.array([model.mean_precision_prior_]),
        np.array([model.degrees_of_freedom_prior_]),
        model.covariance_prior_[None],
    )
    whole = model.elbo(X) * len(X) - model._globals.kl(prior)
    assert whole == pytest.approx(model.elbo_ * len(X), rel=1e-9)


def test_fewer_distinct_points_than_components():
    model = fitted(np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0), 6)
    assert len(set(model.predict([[0.0, 1.0], [5.0, 2.0]]))) == 2


def test_the_first_points_may_be_the_same():
    # Each of the three kinds starts as a cluster of its own, though the first 50 points are equal.
    kinds = np.array([[0.0, 1.0], [5.0, 2.0], [9.0, 9.0]])
    points = np.repeat(kinds, [50, 5, 5], axis=0)
    start = draw_start(points, "kmeans", 4, np.random.RandomState(0))
    assert [len(set(part)) for part in np.split(start.argmax(axis=1), [50, 55])] == [1, 1, 1]
    np.testing.assert_array_equal(np.sort(start.sum(axis=0)), [0, 5, 5, 50])


def test_random_starts_are_responsibilities():
    start = draw_start(X, "random", 4, np.random.RandomState(0))
    np.testing.assert_allclose(start.sum(axis=1), 1.0)


def test_components_whose_weight_underflows_score_nothing():
    start = np.eye(6)[np.zeros(len(X), int)]
    model = fitted(X, 6, concentration=1e-100, init_params=start)
    assert model.weights_[-1] == 0.0
    assert np.isfinite(model.score_samples(X)).all()


def test_one_component():
    model = fitted(X, 1)
    np.testing.assert_array_equal(model.weights_, [1.0])
    np.testing.assert_array_equal(model.predict(X), 0)


# Warnings and bad input


def test_warns_while_hot():
    with pytest.warns(ConvergenceWarning, match="the last at a temperature of 3; raise max_iter"):
        DPGaussianMixture(
            3, tempering=Annealing(schedule=ConstantSchedule(3.0)), max_iter=30, random_state=0
        ).fit(X)


@pytest.mark.parametrize("tempering", ["vt", "lvt", GlobalTempering(), LocalTempering()])
def test_no_learned_temperature(tempering):
    with pytest.raises(ValueError, match=r"unknown precisions: the normalizer C\(T\) .* infinite"):
        DPGaussianMixture(tempering=tempering).fit(X)


BAD = [
    ({"n_components": 0}, "n_components == 0, must be >= 1"),
    ({"n_components": 2.5}, "n_components must be an instance of int"),
    ({"n_components": 10**12}, r"n_components == 1000000000000, must be <= 2147483647"),
    ({"concentration": 0.0}, "concentration == 0"),
    ({"concentration": 5e-324}, "concentration == 5e-324"),
    ({"mean_precision_prior": 1e308}, r"mean_precision_prior == 1e\+308"),
    ({"mean_precision_prior": 1e-308}, "mean_precision_prior == 1e-308"),
    ({"degrees_of_freedom_prior": 1e308}, r"degrees_of_freedom_prior == 1e\+308"),
    ({"degrees_of_freedom_prior": 5e-324}, "degrees_of_freedom_prior == 5e-324"),
    ({"concentration": np.nan}, "concentration must be finite"),
    ({"covariance_type": "tied"}, "covariance_type must be one of"),
    ({"tempering": "svi"}, "tempering must be one of"),
    ({"tempering": Annealing(schedule="falling")}, "schedule must be one of"),
    ({"tempering": Annealing(schedule=lambda time: 0.5)}, "schedule must return temperatures"),
    ({"last_stick": "two"}, "last_stick must be one of"),
    ({"sort_components": 1}, "sort_components must be True or False"),
    ({"mean_prior": [0.0]}, r"mean_prior must be of shape \(2,\), got \(1,\)"),
    ({"mean_prior": [0.0, np.inf]}, "mean_prior must hold finite numbers"),
    ({"mean_prior": "mean"}, "mean_prior must hold numbers"),
    ({"mean_precision_prior": 0}, "mean_precision_prior == 0"),
    ({"degrees_of_freedom_prior": 0}, "degrees_of_freedom_prior == 0"),
    ({"degrees_of_freedom_prior": 1, "covariance_type": "full"}, "degrees_of_freedom_prior == 1"),
    ({"covariance_prior": [1.0, 0.0]}, "covariance_prior must be positive"),
    ({"covariance_prior": [1.0, 1e-310]}, "covariance_prior must be positive, with variances >="),
    ({"covariance_prior": 1.0}, r"covariance_prior must be of shape \(2,\), got \(\)"),
    ({"covariance_prior": np.eye(2)}, "covariance_prior"),
    (
        {"covariance_prior": [[1, 2], [2, 1]], "covariance_type": "full"},
        "covariance_prior must be symmetric and positive definite",
    ),
    (
        {"covariance_prior": [[1, 0.5], [0, 1]], "covariance_type": "full"},
        "covariance_prior must be symmetric and positive definite",
    ),
    (
        {"mean_prior": [1e12, 1e12], "covariance_type": "full"},
        "covariance of a component is singular, by rounding: mean_prior is too far",
    ),
    ({"init_params": "k-means++"}, "init_params must be one of"),
    ({"init_params": None}, "init_params must hold numbers, got None"),
    ({"init_params": np.ones((120, 2))}, r"init_params must be of shape \(120, 15\)"),
    ({"init_params": -np.ones((120, 15))}, "init_params must hold finite numbers from 0"),
    ({"init_params": np.ones((120, 15))}, "init_params must be responsibilities"),
    ({"init_params": np.eye(15)[np.zeros(120, int)], "n_init": 2}, "n_init must be 1 where"),
    ({"n_init": 0}, "n_init == 0"),
    ({"max_iter": 0}, "max_iter == 0"),
    ({"tol": -1.0}, "tol == -1"),
    ({"random_state": -1}, r"None, an int from 0 to 2\*\*32 - 1 or a RandomState, got -1"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD)
def test_bad_parameters_change_nothing(parameters, message):
    model = fitted(X, 3)
    before = {name: value for name, value in model.__dict__.items() if name.endswith("_")}
    model.set_params(**{"n_components": 15, **parameters})
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X[:, ::-1].copy())
    after = {name: value for name, value in model.__dict__.items() if name.endswith("_")}
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before)


@pytest.mark.parametrize(
    ("kind", "n_numbers"), [("diag", 3 * 120 + 2 * 2), ("full", 3 * 120 + 2 * 4)]
)
def test_rows_and_covariances_need_memory_for_each_component(monkeypatch, kind, n_numbers):
    sizes = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 3 * 8 * n_numbers - 1}
    monkeypatch.setattr("topictemper._utils._memory.os.sysconf", sizes.get, raising=False)
    with pytest.raises(ValueError, match=r"n_components=3 needs .* for 2 features and 120 rows"):
        fitted(X, 3, covariance_type=kind)
    sizes["SC_PHYS_PAGES"] += 1
    fitted(X, 3, covariance_type=kind)


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("kind", ["diag", "full"])
@pytest.mark.parametrize(("N", "D", "K"), [(500, 12, 2000), (2000, 12, 100), (50, 20, 2000)])
def test_no_fit_is_refused_that_has_the_memory(N, D, K, kind):
    """Ratios are from 1.35 to 2.6."""
    rows = np.random.default_rng(0).normal(size=(N, D))
    with TracedMemory() as memory:
        DPGaussianMixture(K, covariance_type=kind, max_iter=2, random_state=0).fit(rows)
    assert memory.peak > 8 * K * (3 * N + 2 * D ** (2 if kind == "full" else 1))


def test_bad_data():
    for value in (1.0, 0.1, 1e8 + 0.1):  # the computed variance of the last two is above 0
        constant = np.column_stack([X[:, 0], np.full(len(X), value)])
        for kind in ("diag", "full"):
            with pytest.raises(ValueError, match=r"column 1 is constant; .* give covariance_prior"):
                DPGaussianMixture(3, covariance_type=kind).fit(constant)
    with pytest.raises(ValueError, match=r"columns 1, 2 are constant; remove them"):
        DPGaussianMixture(3).fit(constant[:, [0, 1, 1]])
    for few in (X[:2], X[:, [0, 0]]):
        with pytest.raises(ValueError, match=r"its 2 columns are linearly dependent, .*'diag', or"):
            DPGaussianMixture(2, covariance_type="full").fit(few)
    for kind, scale in product(("diag", "full"), (1e-156, 1e-170)):
        with pytest.raises(ValueError, match=r"squares of its values vanish; scale it up"):
            DPGaussianMixture(3, covariance_type=kind).fit(X * [1.0, scale])
    fitted(constant, 3, covariance_prior=[1.0, 1.0])
    with pytest.raises(
        ValueError, match=r"X: row 3 has nan in column 1; .* fill them in, or leave"
    ):
        fitted(X, 3).predict(np.where(np.arange(2 * len(X)).reshape(X.shape) == 7, np.nan, X))
    with pytest.raises(ValueError, match=r"X must be within ±1e\+100"):
        DPGaussianMixture(3).fit(X * 1e200)
    with pytest.raises(NotFittedError):
        DPGaussianMixture(3).sample()
    with pytest.raises(ValueError, match="n_samples == 0"):
        fitted(X, 3).sample(0)
    with pytest.raises(ValueError, match="random_state must be None"):
        fitted(X, 3).sample(random_state="x")
