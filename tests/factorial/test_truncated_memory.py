"""Fits of the truncated models that do not fit into memory are refused, others are not."""

from functools import partial

import numpy as np
import pytest

from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.factorial.truncated._memory import belief_network_bytes, sparse_coding_bytes

from ..traced_memory import TracedMemory


def data(n, d):
    return (np.random.default_rng(0).random((n, d)) < 0.3).astype(float)


def peak(model, X):
    with TracedMemory() as memory:
        model.set_params(max_iter=1, random_state=0).fit(X)
    return memory.peak


# Mostly of states, of few states, of means and pairs of units, and of components.
@pytest.mark.parametrize(
    ("shape", "n_components", "n_states"),
    [((9000, 10), 70, 100), ((20000, 4), 3, 64), ((1500, 20), 300, 8), ((200, 1500), 150, 8)],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sparse_coding_takes_little_more_than_is_counted(shape, n_components, n_states, dtype):
    X = data(*shape).astype(dtype)
    counted = sparse_coding_bytes(
        shape[1], X.itemsize, n_components=n_components, n_states=n_states, n_samples=shape[0]
    )
    taken = peak(BinarySparseCoding(n_components, n_states=n_states, dtype=dtype), X)
    assert counted <= taken < 1.3 * counted + 2**20


@pytest.mark.parametrize("batch_size", [None, 300])
@pytest.mark.parametrize("n_init", [1, 3])
@pytest.mark.parametrize(
    ("shape", "n_components", "n_states"),
    [((5000, 10), 3, 50), ((5000, 10), 60, 50), ((300, 1500), 60, 10)],
)
def test_belief_networks_take_what_is_counted(shape, n_components, n_states, batch_size, n_init):
    """They take more where few states are equal, as at the start of learning."""
    settings = {"n_states": n_states, "batch_size": batch_size, "n_init": n_init}
    counted = belief_network_bytes(
        shape[1],
        batch_size,
        n_init,
        n_components=n_components,
        n_states=n_states,
        n_samples=shape[0],
    )
    model = SigmoidBeliefNetwork(n_components, n_gradient_steps=1, **settings)
    assert counted <= peak(model, data(*shape)) < 2.5 * counted + 2**20


def test_bringing_different_states_together_takes_less_than_they_do():
    """Of 250,000 states at the start, nearly all are different."""
    X, sizes = data(5000, 10), {"n_components": 60, "n_states": 50}
    counted = belief_network_bytes(10, None, 1, n_samples=5000, **sizes)
    taken = peak(SigmoidBeliefNetwork(n_gradient_steps=1, **sizes), X)
    assert taken < 1.7 * counted + 2**20  # 1.4, and 2.2 with copies of all states at a time


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (BinarySparseCoding(70, n_states=99), partial(sparse_coding_bytes, 6, 8)),
        (SigmoidBeliefNetwork(70, n_states=99), partial(belief_network_bytes, 6, None, 1)),
    ],
    ids=["sparse coding", "belief network"],
)
def test_a_fit_beyond_the_memory_is_refused(monkeypatch, model, count):
    X = data(500, 6)
    n_bytes = count(n_components=70, n_states=99, n_samples=500)
    assert n_bytes > 500 * 99 * 2 * 8
    memory = n_bytes - 1
    where = "topictemper._utils._validation.usable_memory"
    monkeypatch.setattr(where, lambda: (memory, "the machine"))
    model.set_params(max_iter=1, random_state=0)
    message = "n_components=70 and n_states=99 need .* GiB for 6 features and 500 rows.* fewer rows"
    with pytest.raises(ValueError, match=message):
        model.fit(X)
    assert not hasattr(model, "components_")
    memory += 1
    model.fit(X)


def test_states_that_no_machine_holds_are_refused_at_once():
    with pytest.raises(ValueError, match="n_states=1000000000000 need"):
        BinarySparseCoding(64, n_states=10**12).fit(data(500, 6))
    BinarySparseCoding(3, n_states=10**12, max_iter=1).fit(data(500, 6))  # there are but eight
