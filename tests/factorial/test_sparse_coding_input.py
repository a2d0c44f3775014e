"""Parameters and data that sparse coding refuses."""

import pickle

import numpy as np
import pytest

from topictemper.tempering import Annealing, LocalTempering

from .small_coding import fitted, images, small


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_components": 0}, ValueError, "n_components"),
        (
            {"n_components": 10**9},
            ValueError,
            "n_components=.* n_states=.* need .* GiB for 9 features",
        ),
        ({"n_states": 0}, ValueError, "n_states"),
        ({"n_states": 2.5}, TypeError, "n_states"),
        ({"n_prior_samples": -1}, ValueError, "n_prior_samples"),
        ({"n_marginal_samples": "x"}, TypeError, "n_marginal_samples"),
        # With these a kernel went on for ever, where no interrupt could reach it.
        ({"n_prior_samples": 2**62}, ValueError, "n_prior_samples"),
        ({"n_marginal_samples": 2**61}, ValueError, "n_marginal_samples"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"n_inference_iter": 0}, ValueError, "n_inference_iter"),
        ({"learn_sigma": 1}, TypeError, "learn_sigma"),
        ({"learn_pi": "yes"}, TypeError, "learn_pi"),
        ({"learn_components": None}, TypeError, "learn_components"),
        ({"sigma_init": 0.0}, ValueError, "sigma_init"),
        ({"sigma_init": np.nan}, ValueError, "sigma_init"),
        ({"pi_init": 1.0}, ValueError, "pi_init"),
        # Another value was taken for these, and said nowhere.
        ({"pi_init": 1e-5, "learn_pi": False}, ValueError, "pi_init == 1e-05, must be >= 0.0001"),
        ({"pi_init": 0.99995}, ValueError, "pi_init == 0.99995, must be <= 0.9999"),
        ({"components_init": np.zeros((5, 9))}, ValueError, "components_init"),
        ({"components_init": "x"}, ValueError, "components_init"),
        ({"sigma_init": 1e-200}, ValueError, "sigma_init"),
        ({"components_init": np.full((6, 9), np.nan)}, ValueError, "components_init"),
        ({"sampler_schedule": 3}, TypeError, "sampler_schedule"),
        ({"sampler_schedule": (3,)}, TypeError, "sampler_schedule"),
        ({"sampler_schedule": (5, 3)}, ValueError, "sampler_schedule"),
        (
            {"sampler_schedule": (3, 5), "n_marginal_samples": 0},
            ValueError,
            "sampler_schedule must be None where n_marginal_samples is 0",
        ),
        ({"tempering": "vt"}, ValueError, "tempering must be one of"),
        ({"tempering": LocalTempering()}, ValueError, "tempering must be None"),
        ({"tempering": 3}, TypeError, "tempering must be None"),
        ({"tempering": Annealing(schedule=lambda time: 0.5)}, ValueError, "schedule must return"),
        ({"random_state": "x"}, ValueError, "random_state"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
def test_bad_parameters_change_nothing(parameters, error, message):
    model = pickle.loads(pickle.dumps(fitted())).set_params(**parameters)
    before = set(vars(model)), model.components_
    with pytest.raises(error, match=message):
        model.fit(images()[:, :9] * 2)
    assert (set(vars(model)), model.components_) == before


def test_bad_data():
    with pytest.raises(ValueError, match="X has masked values"):
        small().fit(np.ma.masked_greater(images(), 0.5))
    with pytest.raises(ValueError, match=r"X: row 1 has nan in column 0; .* fill them"):
        small().fit([[0.0, 1.0], [np.nan, 1.0]])
    with pytest.raises(ValueError, match="X must be within ±"):
        small().fit(np.array([[1e200, 1.0], [-1e200, 2.0]]))
    with pytest.raises(ValueError, match="X must be within ±"):
        small(dtype="float32").fit(np.array([[1e20, 1.0], [-1e20, 2.0]]))
    with pytest.raises(ValueError, match=r"row 0 has \S+e\+\d+ in column 0; .* single precision"):
        small(dtype="float32").fit(images() * 1e50)
    with pytest.raises(ValueError, match=r"row 1 has inf in column 0; values must be finite$"):
        small(dtype="float32").fit(np.float32([[0.0, 1.0], [np.inf, 1.0]]))  # at any scale
    with pytest.raises(ValueError, match="log-joints overflow"):
        small(dtype="float32", sigma_init=1e-100).fit(images())
    with pytest.raises(ValueError, match="dtype must be float32 or float64"):
        small(dtype="float16").fit(images())
    with pytest.raises(ValueError, match="features"):
        fitted().transform(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="S must have 6 columns, one for each component, got 5"):
        fitted().inverse_transform(np.zeros((2, 5)))
    with pytest.raises(ValueError, match="passed to S: row 0 has inf in column 0"):
        fitted().inverse_transform(np.full((2, 6), np.inf))
    with pytest.raises(ValueError, match="n_iter"):
        fitted().elbo(images(), 0)
    with pytest.raises(ValueError, match="n_samples"):
        fitted().sample(0)


def test_exact_log_likelihood_is_for_few_components():
    model = small(n_components=17, max_iter=1).fit(images())
    with pytest.raises(ValueError, match="at most 16 components, and this model has 17"):
        model.exact_log_likelihood(images())
