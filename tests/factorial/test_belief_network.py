import pickle
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, logsumexp
from scipy.stats import bernoulli
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from topictemper.datasets import make_bars
from topictemper.factorial import SigmoidBeliefNetwork
from topictemper.factorial.truncated import _inference
from topictemper.factorial.truncated._belief_network import BernoulliJoint
from topictemper.factorial.truncated._gradients import Adam, MarginalNetwork
from topictemper.tempering import Annealing

from .enumeration import all_states


def small(**parameters):
    """Bars of a 3 x 3 image: 6 components, 64 states."""
    defaults = {
        "n_components": 6,
        "n_states": 12,
        "max_iter": 20,
        "n_inference_iter": 20,
        "random_state": 0,
    }
    return SigmoidBeliefNetwork(**(defaults | parameters))


@cache
def images():
    return make_bars(400, 3, kind="sigmoid", random_state=0).data


@cache
def fitted(marginal="truncated"):
    return small(marginal=marginal).fit(images())


@parametrize_with_checks(
    [
        # The checks have real-valued data.
        small(n_components=2, max_iter=3, binarize=0.0),
        small(max_iter=3, binarize=0.0, marginal="mlp", batch_size=7),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# Learning


def test_bars_are_recovered():
    # A single start finds all bars in less than half of the fits, the best of six in 40 of 40, with
    # correlations of 0.94 and more.
    found = 0
    for seed in range(4):
        bars = make_bars(1000, 4, kind="sigmoid", random_state=seed)
        model = SigmoidBeliefNetwork(8, n_states=30, max_iter=100, n_init=6, random_state=seed)
        exact = model.fit(bars.data).exact_log_likelihood(bars.data)
        assert 0 < exact - model.elbo_history_["elbo"][-1] < 0.1
        likeness = np.corrcoef(model.components_, bars.components)[:8, 8:]
        if (likeness[linear_sum_assignment(-likeness)] > 0.9).all():
            found += 1
            bias, pi = np.full(16, -4.0), np.full(8, 0.2)
            assert exact > expected_log_likelihood(bars.components, bias, pi, bars.data)
    assert found >= 2


def expected_log_likelihood(W, bias, pi, Y):
    """By the sum over all states, written down as in the paper's eq. 9."""
    states = all_states(len(W))
    prior = bernoulli.logpmf(states, pi).sum(axis=1)
    probabilities = expit(states @ W + bias)
    table = Y @ np.log(probabilities).T + (1 - Y) @ np.log1p(-probabilities).T
    return logsumexp(table + prior, axis=1).mean()


def slope(function, array, place):
    """Of what depends on a number in an array, by differences."""
    value, step = array[place], 1e-5
    array[place] = value + step
    above = function()
    array[place] = value - step
    below = function()
    array[place] = value
    return (above - below) / (2 * step)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"marginal": "mlp"},
        {"marginal": "both"},
        {"n_components": 70, "max_iter": 10},
        {"n_components": 1},
        {"n_prior_samples": 0, "n_marginal_samples": 0},
        {"sampler_schedule": (3, 8)},
    ],
    ids=str,
)
def test_elbo_does_not_fall(parameters):
    # At the default learning rate Adam overshoots once little is left to learn: with one unit the
    # bound falls by up to 0.035 nats a datum.
    history = small(learning_rate=0.02, **parameters).fit(images()).elbo_history_["elbo"]
    assert np.diff(history).min() > 0


@pytest.mark.parametrize("marginal", ["truncated", "mlp", "both"])
def test_elbo_is_at_most_the_exact_log_likelihood(marginal):
    model = fitted(marginal)
    exact = model.exact_log_likelihood(images())
    before = -np.inf
    for n_iter in (1, 3, 10, 30):
        bound = model.elbo(images(), n_iter)
        assert before <= bound <= exact + 1e-12 * abs(exact)
        before = bound
    assert model.score(images()) == model.elbo(images(), 20)


def test_with_all_states_the_elbo_is_exact():
    model = small(n_states=64, max_iter=3).fit(images())
    exact = model.exact_log_likelihood(images())
    assert_allclose(model.elbo(images(), 1), exact, rtol=1e-13)
    expected = expected_log_likelihood(model.components_, model.bias_, model.pi_, images())
    assert_allclose(exact, expected, rtol=1e-12)


def test_one_step_follows_the_gradient_of_the_exact_log_likelihood():
    # With all states the first M-step climbs the log-likelihood itself; the first step of Adam is
    # the sign of the gradient times the rate.
    rate = 1e-6
    model = small(
        n_states=64, max_iter=1, n_gradient_steps=1, learning_rate=rate, bias_init=-1.0
    ).fit(images())
    rng = np.random.RandomState(0)
    W, bias, pi = rng.normal(scale=0.1, size=(6, 9)), np.full(9, -1.0), np.full(6, 0.2)

    def log_likelihood():
        return expected_log_likelihood(W, bias, pi, images())

    for learned, start, place in (
        *((model.components_, W, place) for place in ((0, 0), (3, 5), (5, 8))),
        (model.bias_, bias, 4),
    ):
        change = slope(log_likelihood, start, place)
        assert abs(change) > 1e-5
        assert_allclose(learned[place] - start[place], rate * np.sign(change), rtol=0.01)


def test_a_step_from_many_data_is_that_from_a_few():
    # Many data are gathered chunk by chunk. All states are kept, so that draws make no difference.
    few, many = (
        small(n_components=4, n_states=16, max_iter=1, n_gradient_steps=3).fit(Y)
        for Y in (images(), np.tile(images(), (22, 1)))
    )
    assert_allclose(many.components_, few.components_, rtol=1e-9)
    assert_allclose(many.bias_, few.bias_, rtol=1e-9)


@pytest.mark.parametrize("marginal", ["mlp", "both"])
def test_the_network_finds_better_states_at_once(marginal, monkeypatch):
    # After one E-step from draws of the prior, of the same models with and without their networks:
    # the gap is 0.06 on average with, 0.5 without.
    monkeypatch.setattr(_inference, "add_local_maxima", lambda *args: None)
    gaps = {marginal: 0.0, "truncated": 0.0}
    for seed in range(3):
        Y = make_bars(400, 3, kind="sigmoid", random_state=seed).data
        model = small(marginal=marginal, random_state=seed).fit(Y)
        exact = model.exact_log_likelihood(Y)
        for how in gaps:
            gaps[how] += exact - model.set_params(marginal=how).elbo(Y, 1)
    assert 0 < gaps[marginal] < 0.6 * gaps["truncated"]


def test_marginals_of_a_fitted_model():
    plain, model, Y = fitted(), pickle.loads(pickle.dumps(fitted("mlp"))), images()
    # Without its network the model is one that has none.
    model.components_, model.bias_, model.pi_ = plain.components_, plain.bias_, plain.pi_
    assert model.elbo(Y, 2) != plain.elbo(Y, 2)
    assert_array_equal(model.set_params(marginal="truncated").transform(Y), plain.transform(Y))
    other = pickle.loads(pickle.dumps(plain))
    for marginal in ("mlp", "both"):
        with pytest.raises(ValueError, match=f"marginal='{marginal}' takes a network, .*; fit it"):
            other.set_params(marginal=marginal).transform(Y)
    with pytest.raises(ValueError, match="marginal must be one of"):
        other.set_params(marginal="exact").transform(Y)


def test_both_approximations_take_turns():
    # The network is there from the second E-step on, and new data begin with it.
    models = {
        marginal: [small(marginal=marginal, max_iter=n).fit(images()) for n in (1, 2, 3)]
        for marginal in ("mlp", "both")
    }
    for mlp, both in zip(models["mlp"][:2], models["both"][:2], strict=True):
        assert_array_equal(both.components_, mlp.components_)
    assert (models["both"][2].components_ != models["mlp"][2].components_).any()
    model = models["mlp"][2]
    bounds = {n_iter: model.elbo(images(), n_iter) for n_iter in (1, 2)}
    model.set_params(marginal="both")
    assert model.elbo(images(), 1) == bounds[1]
    assert model.elbo(images(), 2) != bounds[2]


def test_batches_learn():
    model = small(batch_size=64, learning_rate=0.02, max_iter=30).fit(images())
    history = model.elbo_history_["elbo"]
    assert history[-1] > history[0] + 0.3
    # pi is the mean over all data, though each batch was seen at its own time.
    assert_allclose(model.pi_, model.transform(images()).mean(axis=0), atol=0.05)
    # In the first iteration the sums of E[s] are not those of all data.
    first = [small(batch_size=64, max_iter=n).fit(images()).pi_ for n in (1, 2)]
    assert_array_equal(first[0], 0.2)
    assert (first[1] != 0.2).all()
    whole = small(batch_size=10_000).fit(images())
    assert np.isfinite(whole.elbo_history_["elbo"]).all()


@pytest.mark.parametrize("batch_size", [None, 150])
def test_the_best_start_goes_on(batch_size):
    # Starts are drawn one after another; each makes the first 4 of 20 iterations.
    places = set()
    for seed in range(1, 5):
        how = {"batch_size": batch_size, "random_state": np.random.RandomState(seed)}
        trials = [small(max_iter=4, **how).fit(images()).elbo_history_["elbo"] for _ in range(6)]
        model = small(n_init=6, batch_size=batch_size, random_state=seed).fit(images())
        places.add(np.argmax([history[-1] for history in trials]))
        best = max(trials, key=lambda history: history[-1])
        assert_array_equal(model.elbo_history_["elbo"][:4], best)
        assert len(model.elbo_history_["elbo"]) == model.n_iter_ == 20
        assert model.elbo_history_["elbo"][-1] > best[-1]
    assert places != {0}


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_pi_waits_for_temperature_one():
    model = small(max_iter=4, tempering=Annealing(max_temperature=3, length=10)).fit(images())
    assert_array_equal(model.pi_, 0.2)
    assert (small(max_iter=4).fit(images()).pi_ != 0.2).all()


def test_adam_is_the_published_algorithm():
    rng = np.random.default_rng(0)
    adam, gradients = Adam(0.1, (3,)), rng.normal(size=(5, 3))
    m, v = np.zeros(3), np.zeros(3)
    for t, gradient in enumerate(gradients, start=1):
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        expected = 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        assert_allclose(adam.step(gradient), expected, rtol=1e-10)


def test_network_learns_marginals():
    rng = np.random.RandomState(0)
    Y = rng.randint(2, size=(300, 4)).astype(float)
    targets = np.column_stack([Y[:, 0], 1 - Y[:, 1], np.full(300, 0.3)]) * 0.9 + 0.05
    network = MarginalNetwork.random(4, 10, 3, np.zeros(3), rng)
    before = np.abs(network.marginals(Y) - targets).mean()
    for _ in range(300):
        network.train(Y, targets)
    assert np.abs(network.marginals(Y) - targets).mean() < 0.05 < before


def test_network_gradient():
    # The first step of Adam has the signs of the gradient, here by differences of the loss.
    rng = np.random.RandomState(1)
    Y, targets = rng.randint(2, size=(20, 3)).astype(float), rng.random_sample((20, 2))
    network = MarginalNetwork.random(3, 4, 2, np.zeros(2), rng)

    def entropy():
        p = network.marginals(Y)
        return (targets * np.log(p) + (1 - targets) * np.log1p(-p)).sum()

    layers = network._layers
    slopes = [[slope(entropy, one, place) for place in np.ndindex(one.shape)] for one in layers]
    before = [layer.copy() for layer in layers]
    network.train(Y, targets)
    for layer, old, expected in zip(layers, before, slopes, strict=True):
        assert_array_equal(np.sign(layer - old).ravel(), np.sign(expected))


# As an estimator


@pytest.mark.parametrize("parameters", [{}, {"marginal": "mlp", "batch_size": 500}], ids=str)
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(n_jobs, parameters):
    Y = make_bars(1200, 3, kind="sigmoid", random_state=0).data
    one = small(max_iter=4, **parameters).fit(Y)
    more = small(max_iter=4, n_jobs=n_jobs, **parameters).fit(Y)
    assert_array_equal(one.components_, more.components_)
    assert_array_equal(one.bias_, more.bias_)
    assert_array_equal(one.pi_, more.pi_)
    assert_array_equal(one.elbo_history_["elbo"], more.elbo_history_["elbo"])
    assert_array_equal(one.transform(Y), more.transform(Y))


def test_binarize():
    gray = images() * 200 + 20.0
    model = small(max_iter=3, binarize=100).fit(gray)
    plain = small(max_iter=3).fit(images())
    assert_array_equal(model.components_, plain.components_)
    assert_array_equal(model.transform(gray), plain.transform(images()))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32])
def test_kinds_of_zeros_and_ones(dtype):
    model = small(max_iter=2).fit(images().astype(dtype))
    assert_array_equal(model.components_, small(max_iter=2).fit(images()).components_)


def test_marginals_of_the_network_do_not_depend_on_the_other_rows():
    model, Y = fitted("mlp"), images()
    whole = model.transform(Y)
    assert_allclose(model.transform(Y[17:18])[0], whole[17], atol=1e-9)
    assert_allclose(model.transform(Y[::-1])[::-1], whole, atol=1e-9)


def test_sample_and_inverse_transform():
    model = fitted()
    X, S = model.sample(20_000, random_state=0)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert (np.abs(S.mean(axis=0) - model.pi_) < 5 * np.sqrt(0.25 / len(S))).all()
    expected = model.inverse_transform(S)
    assert_allclose(expected, expit(S @ model.components_ + model.bias_))
    assert (np.abs((X - expected).mean(axis=0)) < 5 * np.sqrt(0.25 / len(S))).all()


def test_joint_of_one_state():
    model, Y = fitted(), images()[:3]
    joint = BernoulliJoint(np.vstack([model.components_, model.bias_]), model.pi_)
    state = np.array([1.0, 0, 0, 1, 0, 1])
    probabilities = expit(state @ model.components_ + model.bias_)
    expected = bernoulli.logpmf(Y, probabilities).sum(axis=1)
    expected += bernoulli.logpmf(state, model.pi_).sum()
    value = joint.constants(Y) + joint.fields(Y) @ state - joint.penalties(state[None])
    assert_allclose(value, expected, rtol=1e-9)  # of logarithms of 1 - p where p is almost 1


def test_pickle():
    model = fitted("mlp")
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.transform(images()), model.transform(images()))
    with pytest.raises(NotFittedError):
        small().transform(images())


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_components": 0}, ValueError, "n_components"),
        ({"n_states": 0}, ValueError, "n_states"),
        ({"marginal": "exact"}, ValueError, "marginal"),
        ({"mlp_hidden": 0, "marginal": "mlp"}, ValueError, "mlp_hidden"),
        ({"mlp_hidden": 50}, ValueError, "mlp_hidden must be None where marginal='truncated'"),
        ({"n_gradient_steps": 0}, ValueError, "n_gradient_steps"),
        ({"learning_rate": 0.0}, ValueError, "learning_rate"),
        ({"batch_size": 0}, ValueError, "batch_size"),
        ({"bias_init": np.inf}, ValueError, "bias_init"),
        ({"pi_init": 0.0}, ValueError, "pi_init"),
        ({"binarize": "x"}, TypeError, "binarize"),
        ({"binarize": np.nan}, ValueError, "binarize"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"n_init": 0}, ValueError, "n_init"),
        ({"n_inference_iter": 0.5}, TypeError, "n_inference_iter"),
        ({"tempering": "linear"}, ValueError, "tempering must be one of"),
        ({"tempering": Annealing(length=-1)}, ValueError, "length == -1"),
        ({"sampler_schedule": "x"}, TypeError, "sampler_schedule"),
    ],
)
def test_bad_parameters_change_nothing(parameters, error, message):
    model = pickle.loads(pickle.dumps(fitted())).set_params(**parameters)
    before = set(vars(model)), model.components_
    with pytest.raises(error, match=message):
        model.fit(images())
    assert (set(vars(model)), model.components_) == before


def test_data_that_are_not_binary():
    Y = images().copy()
    Y[3, 4] = 0.5
    message = r"zeros and ones: row 3 has 0.5 in column 4; give binarize"
    with pytest.raises(ValueError, match=message):
        small().fit(Y)
    with pytest.raises(ValueError, match=message):
        fitted().transform(Y)
