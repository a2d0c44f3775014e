"""Sets of states of the truncated models, and their samplers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper._core._reference.truncated import pack
from topictemper._core._workers import Workers
from topictemper.datasets import make_bars
from topictemper.factorial.truncated._e_step import (
    SamplerSchedule,
    Samples,
    StateSets,
    UnitPrior,
    merged,
)
from topictemper.factorial.truncated._sparse_coding import GaussianJoint


def test_sampler_schedule_of_the_paper():
    schedule = SamplerSchedule(Samples(0, 200), 100, 200)
    counts = {t: schedule.samples(t) for t in (0, 99, 100, 150, 199, 200, 1999)}
    assert counts[0] == counts[99] == counts[100] == (200, 0)
    assert counts[150] == (100, 100)
    assert counts[199] == (2, 198)
    assert counts[200] == counts[1999] == (0, 200)
    assert SamplerSchedule(Samples(3, 4), 0, 0).samples(0) == (3, 4)
    assert SamplerSchedule(Samples(3, 4), 5, 5).samples(4) == (7, 0)
    assert SamplerSchedule(Samples(3, 4), 5, 5).samples(5) == (3, 4)


def test_states_are_distinct_in_every_iteration():
    bars = make_bars(400, 3, random_state=0)
    joint = GaussianJoint(bars.components, 4.0, 0.3)
    keys = np.arange(400, dtype=np.uint64)
    with Workers() as workers:
        sets = StateSets(keys, 12, joint.prior, 5, workers)
        before = np.full(400, -np.inf)
        for iteration in range(6):
            local = sets.update(slice(None), joint, bars.data, iteration, Samples(9, 9), workers)
            assert all(len(np.unique(states)) == 12 for states in sets.states[:, :, 0])
            assert sets.states.max() < 2**6
            assert (local.elbo >= before - 1e-9).all()
            before = local.elbo


def test_every_iteration_draws_other_states():
    bars = make_bars(400, 3, random_state=0)
    joint = GaussianJoint(bars.components, 4.0, 0.3)
    bounds = []
    with Workers() as workers:
        sets = StateSets(np.arange(400, dtype=np.uint64), 12, joint.prior, 5, workers)
        for iteration in range(4):
            draws = Samples(9, 0)  # from the prior, which stays
            local = sets.update(slice(None), joint, bars.data, iteration, draws, workers)
            bounds.append(local.elbo)
    # Draws of before would change nothing. Many data find a better state each time.
    assert ((np.diff(bounds, axis=0) > 0).mean(axis=1) > 0.1).all()


def test_no_more_states_than_there_are():
    with Workers() as workers:
        sets = StateSets(np.arange(3, dtype=np.uint64), 99, UnitPrior(np.full(3, 0.01)), 0, workers)
    assert_array_equal(np.sort(sets.states[:, :, 0]), np.tile(np.arange(8), (3, 1)))


@pytest.mark.parametrize("n_units", [3, 16, 17, 64, 70, 130])
def test_states_of_many_data_are_merged(n_units):
    rng = np.random.default_rng(0)
    kinds = rng.integers(2, size=(40, n_units))
    kinds[:2] = 0  # the empty state, and that of the last unit alone
    kinds[1, -1] = 1
    packed = pack(kinds)
    chosen, weights = rng.integers(40, size=(50, 6)), rng.random((50, 6))
    weights[::5] = 1e-12  # left out
    states, sums = merged(
        [(packed[chosen[:20]], weights[:20]), (packed[chosen[20:]], weights[20:])]
    )
    expected = {}
    for state, weight in zip(packed[chosen].reshape(300, -1), weights.ravel(), strict=True):
        if weight > 1e-12:
            expected[tuple(state)] = expected.get(tuple(state), 0.0) + weight
    filled = -(-len(expected) // 6)
    assert states.shape == (filled, 6, packed.shape[1])
    assert_array_equal(sums.ravel()[len(expected) :], 0.0)
    flat = map(tuple, states.reshape(filled * 6, -1)[: len(expected)])
    assert dict(zip(flat, sums.ravel(), strict=False)) == pytest.approx(expected, rel=1e-13)
    nothing, none = merged([(packed[chosen], np.zeros((50, 6)))])
    assert (nothing.size, none.size) == (0, 0)
