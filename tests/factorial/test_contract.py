import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from topictemper.datasets import make_shapes
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.tempering import (
    Annealing,
    ConstantSchedule,
    GlobalTempering,
    LinearSchedule,
    LocalTempering,
    PosteriorAnnealing,
)

from ..traced_memory import TracedMemory

MODES = ("vi", "avi", "vt", "lvt")
FITTED = ("components_", "component_variances_", "elbo_history_", "temperature_history_")


def small(tempering="vt", **parameters):
    defaults = {"max_iter": 30, "random_state": 0}
    if tempering not in (None, "vi"):
        defaults["final_sweeps"] = 10
    return FactorialMixture(4, tempering=tempering, **(defaults | parameters))


def shapes(n=300, seed=0):
    return make_shapes(n, random_state=seed).data


def with_holes():
    X = shapes()
    X[np.random.RandomState(0).random_sample(X.shape) < 0.3] = np.nan
    return X


@parametrize_with_checks([small(mode, final_sweeps=None) for mode in MODES])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("data", [shapes, with_holes])
def test_same_bits_for_any_number_of_threads(mode, data):
    X = data()
    one = small(mode).fit(X)
    for n_jobs in (2, 3):
        other = small(mode, n_jobs=n_jobs).fit(X)
        for name in FITTED:
            assert_array_equal(getattr(one, name), getattr(other, name))
        assert_array_equal(one.transform(X), other.transform(X))
        assert one.score(X) == other.score(X)


@pytest.mark.parametrize("mode", MODES)
def test_pickle_and_clone(mode):
    X = with_holes()
    model = small(mode).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(model.transform(X), again.transform(X))
    assert again.score(X) == model.score(X)
    assert_array_equal(clone(model).fit(X).components_, model.components_)


def test_fitted_attributes():
    X = shapes()
    model = small("lvt", tol=0).fit(X)
    assert model.components_.shape == model.component_variances_.shape == (4, 16)
    assert_array_equal(model.pi_, np.full(4, 0.3))
    assert model.n_iter_ == 30
    assert model.elbo_history_.dtype.names == ("pass", "temperature", "elbo")
    assert model.elbo_ == model.elbo_history_["elbo"][-1]
    for name in ("pass", "temperature"):
        assert_array_equal(model.elbo_history_[name], model.temperature_history_[name])
    assert_array_equal(model.elbo_history_["pass"], np.arange(30))
    names = ("pass", "temperature", "q05", "q25", "q50", "q75", "q95")
    assert model.temperature_history_.dtype.names == names
    assert (model.temperature_history_["temperature"][20:] == 1).all()
    assert (model.temperature_history_["temperature"][:20] > 1).all()
    assert model.temperature_responsibilities_.shape == model.temperatures_.shape == (20,)
    assert_allclose(model.temperature_responsibilities_.sum(), 1)
    # What belongs to the last fit does not stay.
    model.set_params(tempering="vi", final_sweeps=None).fit(X)
    assert not hasattr(model, "temperatures_")
    assert not hasattr(model, "temperature_responsibilities_")


def test_best_of_several_starts():
    X = shapes()
    state = np.random.RandomState(0)
    runs = [small("vi", random_state=state).fit(X).elbo_ for _ in range(4)]
    best = small("vi", n_init=4, random_state=np.random.RandomState(0)).fit(X)
    assert best.elbo_ == max(runs) > min(runs)


def test_stops_only_where_cold():
    X = shapes()
    rises = np.diff(small("vi", max_iter=400, tol=1e-2).fit(X).elbo_history_["elbo"])
    assert len(rises) < 100
    assert rises[-1] < 1e-2
    assert (rises[:-1] >= 1e-2).all()
    linear = Annealing(schedule="linear", max_temperature=5, length=70)
    model = small(linear, max_iter=400, tol=1e9).fit(X)
    # The second sweep at T = 1 can be compared with the first. A renewal follows.
    assert model.n_iter_ == 73
    model = small("vt", max_iter=100, final_sweeps=20, tol=1e9).fit(X)
    assert model.n_iter_ == 83


def test_a_fit_that_ends_hot_warns():
    hot = Annealing(max_temperature=20, length=1000)
    with pytest.warns(ConvergenceWarning, match=r"temperature 18\.\d+, not at 1; .* final_sweeps"):
        small(hot, final_sweeps=0).fit(shapes())
    nearly = Annealing(schedule=ConstantSchedule(1.0004))
    with pytest.warns(ConvergenceWarning, match=r"temperature 1\.0004, not at 1"):
        small(nearly, final_sweeps=0).fit(shapes())
    cold = Annealing(max_temperature=20, length=10)
    assert small(cold, final_sweeps=0).fit(shapes()).temperature_ == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_names_stand_for_objects_and_objects_for_their_settings(mode):
    X = shapes()
    kinds = {"avi": Annealing, "vt": GlobalTempering, "lvt": LocalTempering}
    other = kinds[mode]() if mode in kinds else None
    one, two = small(mode).fit(X), small(other).fit(X)
    assert_array_equal(one.components_, two.components_)
    if mode in kinds:
        hot = small(kinds[mode](max_temperature=3)).fit(X)
        assert (hot.components_ != one.components_).any()
        assert hot.temperature_history_["temperature"].max() <= 3


def test_inertia_is_in_sweeps():
    X = shapes()
    default, same = small("vt"), small(GlobalTempering(inertia=2))  # a tenth of those tempered
    assert_allclose(same.fit(X).components_, default.fit(X).components_, rtol=1e-6)
    courses = [
        small(GlobalTempering(inertia=inertia)).fit(X).temperature_history_["temperature"]
        for inertia in (0, 5, 50)
    ]
    assert courses[0][5] < courses[1][5] < courses[2][5]


def test_a_learned_temperature_starts_at_the_highest_or_without_inertia_from_all():
    X = shapes()
    hot = small(GlobalTempering(max_temperature=20)).fit(X).temperature_history_["temperature"]
    assert 19 < hot[0] <= 20
    assert (np.diff(hot[:20]) <= 0).all()
    plain = small(GlobalTempering(max_temperature=20, inertia=0)).fit(X)
    mean_of_inverse = (1 / plain.temperatures_).mean()
    assert_allclose(plain.temperature_history_["temperature"][0], 1 / mean_of_inverse)


def test_a_schedule_bounds_a_learned_temperature():
    X = shapes()
    slow = {"max_temperature": 10, "inertia": 30}
    free = small(GlobalTempering(**slow)).fit(X).temperature_history_["temperature"]
    bounded = small(GlobalTempering(schedule="exponential", length=10, **slow)).fit(X)
    bound = 10.0 ** (1 - np.arange(30) / 10).clip(0)
    assert_allclose(bounded.temperature_history_["temperature"][0], 10)
    assert (bounded.temperature_history_["temperature"] <= bound * (1 + 1e-12)).all()
    assert (free > bound)[5:20].any()
    assert np.isfinite(bounded.elbo_history_["elbo"]).all()
    by_length = small(GlobalTempering(length=10, **slow)).fit(X)
    assert_array_equal(by_length.components_, bounded.components_)
    whole = small(GlobalTempering(schedule=lambda sweep: 1.0)).fit(X)
    assert_allclose(whole.components_, small(None).fit(X).components_)


def test_a_grid_search_reaches_the_temperature():
    search = GridSearchCV(
        small(GlobalTempering(), max_iter=20, final_sweeps=5),
        {"tempering__max_temperature": [2.0, 20.0]},
        cv=2,
    ).fit(shapes())
    assert search.best_params_["tempering__max_temperature"] in (2.0, 20.0)
    assert search.best_estimator_.temperatures_[-1] == pytest.approx(
        search.best_params_["tempering__max_temperature"]
    )


def test_set_output_and_pipeline():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(shapes(), columns=[f"p{d}" for d in range(16)])
    model = small().set_output(transform="pandas").fit(X)
    assert list(model.transform(X).columns) == [f"factorialmixture{k}" for k in range(4)]
    assert make_pipeline(FunctionTransformer(), small()).fit(X).score(X) == model.score(X)


def test_data_are_not_changed():
    for X in (shapes(), with_holes()):
        before = X.copy()
        model = small().fit(X)
        model.transform(X)
        model.predictive_log_likelihood(X, np.arange(16) < 8)
        assert_array_equal(X, before)


@pytest.mark.parametrize("kind", [FactorialMixture, BinarySparseCoding, SigmoidBeliefNetwork])
def test_data_are_not_metadata(kind):
    routing = kind(2).get_metadata_routing()
    assert not routing.transform.requests
    assert not routing.inverse_transform.requests


def test_inverse_transform_and_sample():
    model = small().fit(shapes())
    X, Z = model.sample(20_000, random_state=0)
    assert_array_equal(X, model.sample(20_000, random_state=0)[0])
    assert_allclose(Z.mean(axis=0), 0.3, atol=5 * np.sqrt(0.21 / 20_000))
    residuals = X - model.inverse_transform(Z)
    assert_allclose(residuals.var(), 0.1, rtol=5 * np.sqrt(2 / residuals.size))
    with pytest.raises(ValueError, match="Z must have 4 columns"):
        model.inverse_transform(np.ones((2, 3)))


@pytest.mark.parametrize("kind", [FactorialMixture, BinarySparseCoding, SigmoidBeliefNetwork])
def test_units_that_are_no_numbers_are_named(kind):
    name = "Z" if kind is FactorialMixture else "S"
    model = kind(2, tempering=None, max_iter=2).fit(np.eye(6))
    with pytest.raises(ValueError, match=f"{name} must hold numbers: row 0 has 'x' in column 1"):
        model.inverse_transform([[1.0, "x"]])
    with pytest.raises(ValueError, match=f"{name} has masked values"):
        model.inverse_transform(np.ma.masked_greater([[0.0, 1.0]], 0.5))


@pytest.mark.parametrize("kind", [FactorialMixture, BinarySparseCoding, SigmoidBeliefNetwork])
@pytest.mark.parametrize("seed", [0, None])
def test_samples_have_the_seed_of_the_estimator(kind, seed):
    Y = np.random.RandomState(0).random_sample((40, 6)).round()
    model = kind(2, tempering=None, max_iter=2, random_state=seed).fit(Y)
    draws, again = model.sample(50)[0], model.sample(50)[0]
    assert (draws == again).all() == (seed == 0)
    assert (draws == model.sample(50, random_state=0)[0]).all() == (seed == 0)
    assert (draws != model.sample(50, random_state=1)[0]).any()


BAD = [
    ({"n_components": 0}, "n_components"),
    ({"n_components": 1.5}, "n_components"),
    ({"n_components": 10**12}, "n_components"),
    ({"tempering": "svi"}, "tempering"),
    ({"tempering": PosteriorAnnealing()}, "dasvi"),
    ({"pi": 0.0}, "pi"),
    ({"pi": 1}, "pi"),
    ({"pi": [0.5, 0.5]}, "pi"),
    ({"pi": [[0.5], 0.5]}, "pi must hold numbers"),
    ({"pi": "half"}, "pi"),
    ({"pi": float("nan")}, "pi"),
    ({"pi": None}, "pi must hold numbers, got None"),
    ({"noise_var": 0.0}, "noise_var"),
    ({"noise_var": float("inf")}, "noise_var"),
    ({"noise_var": 1e308}, "noise_var"),
    ({"noise_var": 1e-308}, "noise_var"),
    ({"prior_var": 5e-324}, "prior_var"),
    ({"prior_var": -1.0}, "prior_var"),
    ({"tempering": LinearSchedule(2, 3)}, "tempering"),
    ({"tempering": Annealing(schedule="falling")}, "schedule"),
    ({"tempering": Annealing(schedule=lambda time: 0.5)}, "schedule"),
    ({"tempering": GlobalTempering(normalizer="prior")}, "normalizer"),
    ({"tempering": GlobalTempering(updates=3)}, "updates"),
    ({"tempering": GlobalTempering(inertia=-1.0)}, "inertia"),
    ({"tempering": GlobalTempering(max_temperature=0.5)}, "max_temperature"),
    ({"tempering": GlobalTempering(max_temperature=1)}, "max_temperature must be > 1"),
    ({"tempering": LocalTempering(n_temperatures=1)}, "n_temperatures"),
    ({"tempering": LocalTempering(schedule="linear")}, "schedule"),
    ({"tempering": LocalTempering(inertia=1.0)}, "inertia"),
    ({"tempering": "vi", "final_sweeps": 5}, "final_sweeps must be None without tempering"),
    ({"final_sweeps": -1}, "final_sweeps"),
    ({"final_sweeps": 30}, "final_sweeps must be < max_iter=30"),
    ({"max_iter": 0}, "max_iter"),
    ({"tol": -1.0}, "tol"),
    ({"n_init": 0}, "n_init"),
    ({"random_state": "seed"}, "random_state"),
    ({"n_jobs": 0}, "n_jobs"),
]


@pytest.mark.parametrize(("parameters", "name"), BAD)
def test_bad_parameters_leave_the_estimator_as_it_was(parameters, name):
    model = small().fit(shapes())
    before = pickle.dumps(model)
    model.set_params(**parameters)
    with pytest.raises((TypeError, ValueError), match=name):
        model.fit(shapes()[:, :10])
    model.set_params(**small().get_params())
    assert pickle.dumps(model) == before


def test_images_and_other_components_need_memory_for_each_component(monkeypatch):
    model, X = small(), shapes()
    K, (N, D) = model.n_components, X.shape
    sizes = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 16 * K * (D + N + K) - 1}
    monkeypatch.setattr("topictemper._utils._memory.os.sysconf", sizes.get, raising=False)
    with pytest.raises(ValueError, match=f"n_components={K} needs .* {D} features and {N} rows"):
        model.fit(X)
    sizes["SC_PHYS_PAGES"] += 1
    model.fit(X)


@pytest.mark.parametrize("tempering", ["vi", "lvt"])
@pytest.mark.parametrize(("N", "D", "K"), [(20, 12, 600), (600, 12, 300), (20, 400, 300)])
def test_no_fit_is_refused_that_has_the_memory(N, D, K, tempering):
    """Ratios are 1.1, 2.0 and 1.6."""
    X = np.random.default_rng(0).random((N, D))
    with TracedMemory() as memory:
        FactorialMixture(K, tempering=tempering, max_iter=2, random_state=0).fit(X)
    # LAPACK takes a copy of the equations, which is not traced.
    assert memory.peak + 8 * K * K > 16 * K * (N + D + K)


def test_bad_data():
    with pytest.raises(ValueError, match="no observed pixel"):
        small().fit(np.full((5, 3), np.nan))
    with pytest.raises(ValueError, match=r"masked values.*X\.filled\(np\.nan\)"):
        small().fit(np.ma.masked_greater(shapes(), 0.5))
    with pytest.raises(ValueError, match=r"X: row 0 has inf in column 1; .* or NaN where"):
        small().fit([[1.0, np.inf]])
    with pytest.raises(ValueError, match=r"within ±1e\+100, got 1e\+160 at \(1, 0\); scale it"):
        small().fit([[np.nan, 1.0], [1e160, 0.0]])
    with pytest.raises(ValueError, match=r"noise_var=1e-50 is too small for prior_var=0\.35"):
        small(noise_var=1e-50).fit(np.array([[1.0, 2.0], [3.0, np.nan]]))
    with pytest.raises(ValueError, match=r"noise_var=1e-50 is too small for prior_var=0\.35"):
        small(noise_var=1e-50).fit(np.array([[1.0, 2.0], [3.0, 5.0]]))
    with pytest.raises(NotFittedError):
        small().transform(shapes())
    with pytest.raises(NotFittedError):
        small().predictive_log_likelihood(shapes(), np.ones(16, bool))
    model = small().fit(shapes())
    with pytest.raises(ValueError, match="mask must have shape"):
        model.predictive_log_likelihood(shapes(), np.ones(15, bool))
    with pytest.raises(ValueError, match="mask must be boolean"):
        model.predictive_log_likelihood(shapes(), np.ones(16))
    with pytest.raises(ValueError, match="nothing is predicted"):
        model.predictive_log_likelihood(shapes(), np.zeros(16, bool))
