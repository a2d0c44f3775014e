"""E-steps of new data of the truncated models, and the states that they start from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from topictemper._core._workers import Workers
from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.factorial.truncated._belief_network import BernoulliJoint
from topictemper.factorial.truncated._e_step import StateSets
from topictemper.factorial.truncated._inference import add_local_maxima, local_maxima
from topictemper.factorial.truncated._sparse_coding import GaussianJoint

from .enumeration import all_states


def gaussian(n_units, n_features=9):
    W = np.random.RandomState(0).normal(size=(n_units, n_features))
    return GaussianJoint(W, 0.5, 0.3)


def bernoulli(n_units, scale, n_features=9):
    rng = np.random.RandomState(0)
    weights = rng.normal(scale=scale, size=(n_units + 1, n_features))
    return BernoulliJoint(weights, rng.uniform(0.1, 0.6, n_units))


def data(n=50, n_features=9):
    return np.random.RandomState(1).normal(size=(n, n_features))


def unpacked(states, n_units):
    bits = np.unpackbits(states.astype("<u8").view(np.uint8), axis=-1, bitorder="little")
    return bits[..., :n_units].astype(np.float64)


def penalties(joint, states):
    """Those of `pairwise`."""
    offsets, couplings = joint.pairwise()
    assert (np.diag(couplings) == 0).all()
    return states @ offsets + 0.5 * np.einsum("mh,mh->m", states @ couplings, states)


def test_penalties_of_sparse_coding_are_of_pairs():
    joint, states = gaussian(5), all_states(5)
    assert_allclose(penalties(joint, states), joint.penalties(states), rtol=1e-12)


def test_penalties_of_small_weights_are_nearly_of_pairs():
    """The error is of third order: a tenth of the weights has less than a hundredth of it."""
    states, errors = all_states(5), []
    for scale in (0.1, 0.01):
        joint = bernoulli(5, scale)
        error = penalties(joint, states) - joint.penalties(states)
        errors.append(np.ptp(error) / np.ptp(joint.penalties(states)))
    assert errors[0] < 0.01
    assert errors[1] < 0.02 * errors[0]


def test_no_flip_leads_up_from_a_local_maximum():
    joint, Y = gaussian(12), data()
    fields, (_, couplings) = joint.fields(Y), joint.pairwise()
    found = local_maxima(fields.astype(np.float32), couplings.astype(np.float32), 4)
    assert found.shape == (50, 4, 12)
    for i in range(4):
        states = found[:, i].astype(float)
        gains = (1 - 2 * states) * (fields - states @ couplings)
        assert gains.max() < 1e-4
    assert (found[:, 0] != found[:, 3]).any()


@pytest.mark.parametrize("n_units", [3, 64, 70])
def test_sets_have_local_maxima_and_stay_distinct(n_units):
    joint, Y, n_states = gaussian(n_units), data(), 7
    fields, (_, couplings) = joint.fields(Y), joint.pairwise()
    n_ascents = min(n_units, n_states)
    found = local_maxima(fields.astype(np.float32), couplings.astype(np.float32), n_ascents)
    with Workers() as workers:
        sets = StateSets(np.arange(50, dtype=np.uint64), n_states, joint.prior, 0, workers)
        add_local_maxima(sets, joint, Y, workers)
    for own, maxima in zip(unpacked(sets.states, n_units), found, strict=True):
        assert len(np.unique(own, axis=0)) == n_states
        assert {tuple(state) for state in maxima} <= {tuple(state) for state in own}


def digits():
    return load_digits().data[:500] / 16


def test_sparse_coding_scores_data_of_training_as_well_as_in_training():
    """From states of the prior alone they are 0.4 to 0.6 nats lower, seeds 0 to 2."""
    X = digits() - digits().mean(axis=0)
    model = BinarySparseCoding(32, max_iter=100, random_state=0).fit(X)
    assert model.score(X) > model.elbo_history_["elbo"][-1] - 0.2


def test_belief_networks_find_states_of_data_of_training_soon():
    """From states of the prior alone it is 5 nats lower after three E-steps, here 1."""
    X = digits()
    model = SigmoidBeliefNetwork(32, binarize=0.5, max_iter=60, random_state=0).fit(X)
    assert model.elbo(X, 3) > model.elbo_history_["elbo"][-1] - 2.0


@pytest.mark.parametrize(
    "model",
    [BinarySparseCoding(20, max_iter=5), SigmoidBeliefNetwork(20, binarize=0.5, max_iter=5)],
    ids=["sparse coding", "belief network"],
)
def test_results_depend_neither_on_other_data_nor_on_threads(model):
    X = digits()
    means = model.set_params(random_state=0).fit(X).transform(X)
    alone = np.vstack([model.transform(X[i : i + 1]) for i in range(0, 500, 50)])
    assert_allclose(alone, means[::50], atol=1e-9)
    assert_array_equal(model.set_params(n_jobs=3).transform(X), means)


def test_fields_that_single_precision_cannot_hold_do_no_harm():
    X = np.eye(4)[[0, 1, 2, 3, 0]]
    model = BinarySparseCoding(4, sigma_init=1e-30, learn_sigma=False, max_iter=2, random_state=0)
    assert np.isfinite(model.fit(X).score(X))
