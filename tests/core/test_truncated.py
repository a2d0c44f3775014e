"""Kernels of truncated variational sampling against their twin, which has the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._core import _truncated as kernels
from topictemper._core._reference import truncated as reference
from topictemper._core._workers import Workers
from topictemper.factorial.truncated._e_step import UnitPrior

from .minibatches import alone

SEED = 7
# Units and states: one word and more, a full power set, gaps and thresholds of the prior.
CASES = {
    "small": (7, 20, 0.3),
    "all states": (4, 16, 0.2),
    "one state": (20, 1, 0.2),
    "few states": (10, 3, 0.3),
    "one word": (64, 12, 0.1),
    "two words": (100, 20, 0.05),
    "three words": (130, 9, 0.03),
    "four words": (200, 9, 0.02),
    "five words": (300, 9, 0.01),
    "seven words": (400, 9, 0.01),
    "different units": (70, 20, None),
    "most units on": (90, 12, 0.8),
    "half of them": (130, 70, 0.5),
}


def case(name, n_data=6):
    """Keys, prior of the kernels, first states, and what draws the rest."""
    n_units, n_states, pi = CASES[name]
    rng = np.random.default_rng(0)
    probabilities = rng.uniform(0.05, 0.5, n_units) if pi is None else np.full(n_units, pi)
    prior = UnitPrior(probabilities).draw_arguments()
    keys = rng.integers(2**63, size=n_data, dtype=np.uint64)
    states = np.empty((n_data, n_states, (n_units + 63) // 64), dtype=np.uint64)
    kernels.initial_states(states, keys, SEED, 0, *prior, alone())
    return keys, prior, states, rng


def lower_triangle(matrix):
    """Row by row, as the kernels have it."""
    return matrix[np.tril_indices(len(matrix))]


def n_pairs(n_units):
    """Elements of such a triangle."""
    return n_units * (n_units + 1) // 2


def gaussian_estep(states, keys, iteration, prior, drawn, fields, couplings, beta=1.0):
    """What the kernel gives back for up to 256 data, whose states it changes.

    `drawn` are the numbers of samples from the prior and from marginals, and these or None.
    """
    free_energy, means = np.full(len(fields), np.nan), np.full(fields.shape, np.nan)
    second = np.full((1, n_pairs(fields.shape[1])), np.nan)
    kernels.gaussian_estep(
        states, keys, SEED, iteration, *prior, *drawn, fields, beta,
        free_energy, means, couplings, second, alone(),
    )  # fmt: skip
    return free_energy, means, second


def bernoulli_estep(states, keys, iteration, prior, drawn, fields, padded_weights, beta=1.0):
    """The same of a belief network."""
    free_energy, means = np.full(len(fields), np.nan), np.full(fields.shape, np.nan)
    responsibilities = np.full(states.shape[:2], np.nan)
    kernels.bernoulli_estep(
        states, keys, SEED, iteration, *prior, *drawn, fields, beta,
        free_energy, means, padded_weights, responsibilities, alone(),
    )  # fmt: skip
    return free_energy, means, responsibilities


def as_sets(words):
    return [{state.tobytes() for state in states} for states in words]


@pytest.mark.parametrize("name", CASES)
def test_packing_is_undone(name):
    n_units = CASES[name][0]
    bits = np.random.default_rng(1).integers(0, 2, (5, 3, n_units), dtype=np.uint8)
    assert_array_equal(reference.unpack(reference.pack(bits), n_units), bits)


@pytest.mark.parametrize("name", CASES)
def test_initial_states(name, isa):
    keys, prior, states, _ = case(name)
    n_states = CASES[name][1]
    assert_array_equal(
        states, reference.initial_states(keys, n_states, SEED, 0, reference.Sampler(*prior))
    )
    assert all(len(found) == n_states for found in as_sets(states))


@pytest.mark.parametrize("beta", [1.0, 0.4])
@pytest.mark.parametrize("guided", [False, True], ids=["truncated", "given"])
@pytest.mark.parametrize("name", CASES)
def test_gaussian_estep(name, guided, beta, isa):
    keys, prior, states, rng = case(name)
    n_data, n_units = len(keys), CASES[name][0]
    W = rng.normal(size=(n_units, 9))
    couplings = W @ W.T
    couplings = (couplings + couplings.T) / 2
    np.fill_diagonal(couplings, 0)
    fields = rng.normal(size=(n_data, n_units))
    marginals = rng.random((n_data, n_units)) if guided else None
    drawn = (6, 7, marginals)
    sampler = reference.Sampler(*prior)
    expected = reference.gaussian_estep(
        states, keys, SEED, 3, sampler, *drawn, fields, beta, couplings=couplings
    )
    free_energy, means, second = gaussian_estep(
        states, keys, 3, prior, drawn, fields, couplings, beta
    )
    assert as_sets(states) == as_sets(expected.states)
    assert_allclose(free_energy, expected.free_energy, rtol=1e-12)
    assert_allclose(means, expected.means, atol=1e-11)
    assert_allclose(second[0], lower_triangle(expected.second), atol=1e-10)


def few_marginals(n_data, n_units, rng):
    """Marginals of nearly all units are 0: fewer states can be drawn than are asked for."""
    marginals = np.zeros((n_data, n_units))
    marginals[:, rng.choice(n_units, 3, replace=False)] = rng.uniform(0.1, 0.9, (n_data, 3))
    return marginals


@pytest.mark.parametrize("n_marginal", [8, 20])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_all_states_are_taken_where_they_are_few(name, dtype, n_marginal, isa):
    keys, prior, states, rng = case(name)
    n_data, n_units = len(keys), CASES[name][0]
    couplings = np.zeros((n_units, n_units))
    fields = rng.normal(size=(n_data, n_units)).astype(dtype)
    before = as_sets(states)
    drawn = (0, n_marginal, few_marginals(n_data, n_units, rng))
    sampler, exact = reference.Sampler(*prior), fields.astype(float)
    expected = reference.gaussian_estep(
        states, keys, SEED, 3, sampler, *drawn, exact, 1.0, couplings=couplings
    )
    free_energy, means, _ = gaussian_estep(states, keys, 3, prior, drawn, fields, couplings)
    assert as_sets(states) == as_sets(expected.states)
    assert_allclose(free_energy, expected.free_energy, rtol=1e-12)
    assert_allclose(means, expected.means, atol=1e-11)
    assert (as_sets(states) == before) == (name == "all states")


@pytest.mark.parametrize(("n_states", "beta"), [(1, 1.0), (2, 1.0), (1, 0.9)])
def test_known_draws_are_changed_until_they_are_new(n_states, beta, isa):
    # The marginals of one state have no other, and those of two states next to none. While hot,
    # draws that are known are dropped.
    n_data, n_units = 6, 70
    rng = np.random.default_rng(0)
    fields = rng.normal(scale=20.0, size=(n_data, n_units))
    prior = UnitPrior(np.full(n_units, 0.3)).draw_arguments()
    keys = np.arange(n_data, dtype=np.uint64)
    states = np.empty((n_data, n_states, 2), dtype=np.uint64)
    kernels.initial_states(states, keys, SEED, 0, *prior, alone())
    before = states.copy()
    couplings = np.zeros((n_units, n_units))
    for iteration in range(1, 100):
        gaussian_estep(states, keys, iteration, prior, (0, 20, None), fields, couplings, beta)
        assert all(len(found) == n_states for found in as_sets(states))
    best = reference.pack((fields > 0).astype(np.uint8))
    found = (states == best[:, None]).all(axis=2).any(axis=1)
    assert found.all() if beta == 1 else (as_sets(states) == as_sets(before) and not found.any())


@pytest.mark.parametrize("n_marginal", [32, 33])
def test_states_of_few_units_leave_draws_for_others(n_marginal, isa):
    # Five units have 32 states, which are as many as there are draws, and the best state has six.
    n_data, n_units = 6, 12
    rng = np.random.default_rng(0)
    best = np.zeros((n_data, n_units), dtype=np.uint8)
    for bits in best:
        bits[rng.choice(n_units, 6, replace=False)] = 1
    fields = np.where(best == 1, 40.0, -40.0)
    first = best.copy()
    first[np.arange(n_data), best.argmax(axis=1)] = 0
    states = reference.pack(first)[:, None].copy()
    prior = UnitPrior(np.full(n_units, 0.1)).draw_arguments()
    keys = np.arange(n_data, dtype=np.uint64)
    couplings = np.zeros((n_units, n_units))
    for iteration in range(1, 5):
        gaussian_estep(states, keys, iteration, prior, (0, n_marginal, None), fields, couplings)
    assert_array_equal(states[:, 0], reference.pack(best))


@pytest.mark.parametrize("n_drawn", [(6, 7), (0, 7), (0, 0)])
@pytest.mark.parametrize("guided", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_draws_that_are_known_change_nothing(name, guided, n_drawn, isa):
    keys, prior, states, rng = case(name)
    n_data, n_units = len(keys), CASES[name][0]
    fields, marginals = rng.normal(size=(2, n_data, n_units))
    marginals = np.abs(np.tanh(marginals)) if guided else None
    couplings = np.ones((n_units, n_units)) - np.eye(n_units)
    results = []
    for _ in range(60):  # draws follow the states, which settle
        found = gaussian_estep(states, keys, 3, prior, (*n_drawn, marginals), fields, couplings)
        results.append([array.tobytes() for array in (states, *found)])
    assert results[-2] == results[-1]
    assert not np.isnan(found[1]).any()


@pytest.mark.parametrize("beta", [1.0, 0.4])
@pytest.mark.parametrize("n_features", [1, 27])
@pytest.mark.parametrize("name", CASES)
def test_bernoulli_estep_and_expectations(name, n_features, beta, isa):
    keys, prior, states, rng = case(name)
    n_data, n_units = len(keys), CASES[name][0]
    weights = rng.normal(scale=2.0, size=(n_units + 1, n_features))
    width = kernels.padded_width(n_features)
    padded = np.zeros((n_units + 1, width))
    padded[:, :n_features], padded[-1, n_features:] = weights, -1e4
    fields = rng.normal(size=(n_data, n_units))
    drawn = (6, 7, None)
    sampler = reference.Sampler(*prior)
    expected = reference.bernoulli_estep(
        states, keys, SEED, 3, sampler, *drawn, fields, beta, weights=weights
    )
    free_energy, means, responsibilities = bernoulli_estep(
        states, keys, 3, prior, drawn, fields, padded, beta
    )
    assert as_sets(states) == as_sets(expected.states)
    assert_allclose(free_energy, expected.free_energy, rtol=1e-12)
    assert_allclose(means, expected.means, atol=1e-11)
    # Sets are not ordered.
    for ours, theirs, mine, twin in zip(
        states, expected.states, responsibilities, expected.responsibilities, strict=True
    ):
        other = {state.tobytes(): weight for state, weight in zip(theirs, twin, strict=True)}
        assert_allclose(mine, [other[state.tobytes()] for state in ours], atol=1e-11)
    out = np.empty((1, n_units + 1, width))
    kernels.bernoulli_expectations(states, padded, responsibilities, out, alone())
    assert_allclose(
        out[0, :, :n_features],
        reference.bernoulli_expectations(states, weights, responsibilities),
        rtol=1e-9,
        atol=1e-10,
    )
    assert not out[0, :, n_features:].any()


@pytest.mark.parametrize("name", ["all states", "small", "one word", "two words"])
def test_states_that_data_share(name, isa):
    # Their penalties are computed once, and some are replaced by those of other states.
    n_data, n_units = 700, CASES[name][0]
    keys, prior, states, rng = case(name, n_data)
    weights = rng.normal(scale=2.0, size=(n_units + 1, 8))
    weights[-1] = -1.0
    fields = rng.normal(size=(n_data, n_units))

    def run(rows):
        own = states[rows].copy()
        found = bernoulli_estep(own, keys[rows], 3, prior, (6, 7, None), fields[rows], weights)
        return own, *found

    together = run(slice(None))
    alone = [run(slice(n, n + 1)) for n in range(n_data)]
    for ours, theirs in zip(together, zip(*alone, strict=True), strict=True):
        assert_array_equal(ours, np.concatenate(theirs))


def test_units_beyond_sixty_four_words(isa):
    n_units, n_features = 4200, 5
    rng = np.random.default_rng(0)
    bits = (rng.random((2, 3, n_units)) < 0.01).astype(np.uint8)
    bits[0, 0] = 0
    assert bits[:, :, 4096:].any()
    weights = rng.normal(size=(n_units + 1, n_features))
    padded = np.zeros((n_units + 1, kernels.padded_width(n_features)))
    padded[:, :n_features], padded[-1, n_features:] = weights, -1e4
    states, responsibilities = reference.pack(bits), rng.random((2, 3))
    out = np.empty((1, *padded.shape))
    kernels.bernoulli_expectations(states, padded, responsibilities, out, alone())
    expected = reference.bernoulli_expectations(states, weights, responsibilities)
    assert_allclose(out[0, :, :n_features], expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ["all states", "one state", "few states", "small"])
def test_softplus_of_many_features_is_finite(name, isa):
    # The product of 1 + exp(-|a|) over features would overflow if taken over all of them, and exp
    # of what it leaves vanishes unless the largest is taken out, whatever the number of states.
    n_features = 20_000
    n_units, n_states, _ = CASES[name]
    keys, prior, states, _ = case(name)
    weights = np.zeros((n_units + 1, n_features))
    fields = np.zeros((len(keys), n_units))
    free_energy, *_ = bernoulli_estep(states, keys, 1, prior, (0, 0, None), fields, weights)
    assert_allclose(free_energy, np.log(n_states) - n_features * np.log(2), rtol=1e-13)


def test_states_with_equal_log_joints_stay_distinct(isa):
    keys, prior, states, _ = case("two words")
    n_units = 100
    fields, couplings = np.zeros((len(keys), n_units)), np.zeros((n_units, n_units))
    drawn = (30, 30, None)
    for iteration in range(1, 4):
        free_energy, *_ = gaussian_estep(states, keys, iteration, prior, drawn, fields, couplings)
        assert all(len(found) == states.shape[1] for found in as_sets(states))
        assert_allclose(free_energy, np.log(states.shape[1]))


@pytest.mark.parametrize("probability", [0.003, 0.04, 0.125, 0.3])
def test_prior_draws_have_the_probability_of_the_prior(probability):
    n_data, n_units = 4000, 40
    prior = UnitPrior(np.full(n_units, probability)).draw_arguments()
    assert (prior[1] is None) == (probability > 0.125)
    states = np.empty((n_data, 1, 1), dtype=np.uint64)
    keys = np.arange(n_data, dtype=np.uint64)
    kernels.initial_states(states, keys, SEED, 0, *prior, alone())
    bits = reference.unpack(states[:, 0], n_units)
    # 160,000 draws, within five standard errors (and the 2^-17 that thresholds are rounded by);
    # so are the 4,000 of each unit.
    deviation = np.sqrt(probability * (1 - probability))
    assert abs(bits.mean() - probability) < 5 * deviation / np.sqrt(bits.size) + 2**-17
    assert (np.abs(bits.mean(axis=0) - probability) < 5 * deviation / np.sqrt(n_data)).all()
    # Neighbors are independent.
    both = (bits[:, 1:] & bits[:, :-1]).mean()
    assert abs(both - probability**2) < 6 * probability / np.sqrt(bits.size)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(n_jobs):
    rng = np.random.default_rng(3)
    n_data, n_units = 1000, 20
    prior = UnitPrior(np.full(n_units, 0.1)).draw_arguments()
    keys = np.arange(n_data, dtype=np.uint64)
    fields = rng.normal(size=(n_data, n_units))
    couplings = np.ones((n_units, n_units)) - np.eye(n_units)
    results = []
    for jobs in (1, n_jobs):
        states = np.empty((n_data, 15, 1), dtype=np.uint64)
        free_energy, means = np.empty(n_data), np.empty(fields.shape)
        second = np.empty((-(-n_data // kernels.row_block), n_pairs(n_units)))
        with Workers(jobs) as workers:
            workers.run(kernels.initial_states, states, keys, SEED, 0, *prior)
            workers.run(
                kernels.gaussian_estep,
                states,
                keys,
                SEED,
                1,
                *prior,
                9,
                9,
                None,
                fields,
                1.0,
                free_energy,
                means,
                couplings,
                second,
            )
        results.append([array.tobytes() for array in (states, free_energy, means, second)])
    assert results[0] == results[1]
