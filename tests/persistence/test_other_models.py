"""Files of factorial models and mixtures, which learn from scratch only."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from topictemper import load
from topictemper.datasets import make_bars, make_shapes
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture
from topictemper.persistence import _archive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHAPES = make_shapes(100, random_state=0).data
BARS = make_bars(n_samples=100, random_state=0).data
BINARY = make_bars(n_samples=100, kind="sigmoid", random_state=0).data
POINTS = np.random.default_rng(0).normal(size=(80, 2)) + np.repeat([[-5.0], [5.0]], 40, axis=0)
MODELS = {
    **{
        f"mixture {tempering}": (FactorialMixture(4, tempering=tempering, max_iter=20), SHAPES)
        for tempering in ("vt", "lvt", "avi", None)
    },
    "coding": (BinarySparseCoding(5, max_iter=8, sampler_schedule=(2, 5)), BARS),
    "coding float32": (BinarySparseCoding(5, max_iter=8, dtype="float32"), BARS),
    **{
        f"network {marginal}": (SigmoidBeliefNetwork(5, max_iter=4, marginal=marginal), BINARY)
        for marginal in ("truncated", "mlp")
    },
    **{
        f"points {kind} {last}": (
            DPGaussianMixture(4, covariance_type=kind, last_stick=last, max_iter=20),
            POINTS,
        )
        for kind in ("full", "diag")
        for last in ("one", "beta")
    },
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request, tmp_path_factory):
    """A fitted model, its data and its file."""
    model, X = MODELS[request.param]
    path = tmp_path_factory.mktemp("models") / "model.npz"
    model.set_params(random_state=0).fit(X).save(path)
    return model, X, path


def same(one, two):
    if isinstance(one, tuple):
        return all(map(same, one, two))
    if isinstance(one, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (two.dtype, two.shape, two.tobytes())
    return type(one) is type(two) and one == two


def test_what_is_loaded_is_what_was_saved(fitted):
    model, X, path = fitted
    loaded = load(path)
    assert vars(loaded).keys() == vars(model).keys()
    for name in vars(model):
        if name.endswith("_"):
            assert same(getattr(model, name), getattr(loaded, name)), name
    assert loaded.score(X) == model.score(X)
    for method in ("transform", "predict_proba", "score_samples"):
        if hasattr(model, method):
            assert same(getattr(model, method)(X), getattr(loaded, method)(X))
    assert loaded.fit(X).score(X) == model.score(X)


def test_predictions_have_the_same_bits_after_load(tmp_path):
    for seed in range(3):
        X = np.random.default_rng(seed).random((20, 9))
        model = FactorialMixture(3, max_iter=50, random_state=seed).fit(X)
        model.save(tmp_path / "model.npz")
        assert same(load(tmp_path / "model.npz").transform(X), model.transform(X))


def test_a_mixture_of_one_component_has_no_stick(tmp_path):
    model = DPGaussianMixture(1, random_state=0).fit(POINTS)
    model.save(tmp_path / "model.npz")
    assert same(load(tmp_path / "model.npz").score_samples(POINTS), model.score_samples(POINTS))


def _damaged(path, target, name, value):
    """Write a file with another value at a place; `...` takes it out."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    *above, last = name.split("/")
    place = header
    if name in arrays:
        arrays[name] = value
    else:
        for step in above:
            place = place[step]
        place[last] = None if value is ... else value
    if value is ...:
        arrays.pop(name, None)
        place.pop(last, None)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(target, **arrays)


def test_every_damaged_array_is_named(fitted, tmp_path):
    _, _, path = fitted
    with np.load(path) as archive:
        arrays = {name: array for name, array in archive.items() if name.startswith("state/")}
    assert arrays
    target = tmp_path / "damaged.npz"
    for name, array in arrays.items():
        worse = [..., array[:0], array[None], np.array(["text"])]
        if array.dtype == np.float64:
            spoiled = array.copy()
            spoiled.flat[-1] = np.nan
            worse += [spoiled, array.astype(np.float32)]
            worse += [array[..., None].repeat(2, axis=-1)]
        for value in worse:
            _damaged(path, target, name, value)
            with pytest.raises(
                ValueError, match=f"damaged topictemper model: .*{name.split('/')[-1]}"
            ):
                load(target)


@pytest.mark.parametrize(
    ("of", "name", "value"),
    [
        ("mixture vt", "state/noise_var", 0.0),
        ("mixture vt", "state/prior_var", ...),
        ("mixture vt", "state/temperature", 0.5),
        ("mixture vt", "state/pi", np.array([0.3, 0.3, 0.3, 1.0])),
        ("mixture vt", "state/component_variances", np.zeros((4, 16))),
        ("coding", "state/sigma", -1.0),
        ("coding", "state/pi", "0.5"),
        ("network mlp", "state/network/hidden", np.zeros((26, 3))),
        ("points full one", "state/globals/components/scale", -np.ones((4, 2, 2))),
        ("points full one", "state/globals/components/dof", np.full(4, 1.0)),
        ("points full one", "state/prior/scale", np.ones((1, 2))),
        ("points full one", "state/full", False),
        ("points diag one", "state/globals/concentration", None),
        ("points diag one", "state/globals/a", np.ones(2)),
        ("points diag one", "state/converged", 1),
        ("points diag one", "state/offset", np.zeros(3)),
        ("points diag one", "parameters", {"n_components": 3, "other": 1}),
        ("points diag one", "estimator", "BaseEstimator"),
    ],
)
def test_values_that_no_fit_leads_to(tmp_path, of, name, value):
    model, X = MODELS[of]
    path = tmp_path / "model.npz"
    model.set_params(random_state=0).fit(X).save(path)
    _damaged(path, path, name, value)
    with pytest.raises(ValueError, match=r"model\.npz is a damaged topictemper model"):
        load(path)


def test_a_file_of_another_version_may_be_no_damage(tmp_path, monkeypatch):
    model, X = MODELS["points diag one"]
    path = tmp_path / "model.npz"
    monkeypatch.setattr(_archive, "VERSION", "9.1")
    model.set_params(random_state=0).fit(X).save(path)
    load(path)
    _damaged(path, path, "estimator", "Later")
    with pytest.raises(
        ValueError, match=r"another version .* than 9\.1, which wrote it: estimator"
    ):
        load(path)


def test_a_process_that_has_not_imported_the_classes_loads_them(tmp_path):
    names = []
    for model, X in (
        MODELS[of] for of in ("mixture vt", "coding", "network mlp", "points full one")
    ):
        names.append(type(model).__name__)
        model.set_params(random_state=0).fit(X).save(tmp_path / names[-1])
    code = (
        "import sys, topictemper\n"
        "for path in sys.argv[1:]: print(type(topictemper.load(path)).__name__)"
    )
    files = [tmp_path / name for name in names]
    answer = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True)
    assert answer.stdout.split() == names, answer.stderr


def test_names_of_columns(tmp_path):
    model = DPGaussianMixture(2, random_state=0).fit(POINTS)
    model.save(tmp_path / "model", feature_names=["x", "y"])
    assert load(tmp_path / "model").feature_names_in_.tolist() == ["x", "y"]


def test_nothing_is_saved_that_would_not_load(tmp_path):
    model = BinarySparseCoding(3, max_iter=2, random_state=0)
    with pytest.raises(NotFittedError):
        model.save(tmp_path / "model")
    model.fit(BARS).sigma_ = float("nan")
    with pytest.raises(ValueError, match="sigma"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())
