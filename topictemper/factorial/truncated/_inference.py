"""E-steps of new data, and the good states that they start from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ..._core._workers import Workers
from ..._utils._hashing import hash_dense_rows
from ..._utils._typing import Floats, Reals
from ._e_step import Inference, Joint, StateSets, n_words, row_chunks

# Data whose ascents stay in the cache: numbers in them, and not fewer rows than these.
_NUMBERS, _FEWEST_ROWS = 2**13, 16


def infer_units(
    joint: Joint,
    Y: Reals,
    inference: Inference,
    workers: Workers,
    marginals: Callable[[Reals], Floats] | None,
) -> tuple[Floats, Floats]:
    """ELBO (n,) and means (n, H) of new data.

    Their E-steps start from local maxima of the log-joint and from draws of the prior. The random
    numbers of a datum follow from its values, so its result does not depend on other data.
    """
    elbo, means = np.empty(len(Y)), np.empty((len(Y), joint.n_units))
    for rows in row_chunks(0, len(Y)):
        chunk = Y[rows]
        sets = StateSets(hash_dense_rows(chunk), inference.n_states, joint.prior, 0, workers)
        add_local_maxima(sets, joint, chunk, workers)
        guesses = None if marginals is None else marginals(chunk)
        for iteration in range(inference.n_iter):
            own = inference.takes_turns and iteration % 2 == 1
            local = sets.update(
                slice(None),
                joint,
                chunk,
                iteration,
                inference.samples,
                workers,
                marginals=None if own else guesses,
            )
        elbo[rows] = local.elbo
        means[rows] = np.minimum(local.means, 1.0)  # sums of weights may be rounded up
    return elbo, means


def add_local_maxima(sets: StateSets, joint: Joint, Y: Reals, workers: Workers) -> None:
    """Put local maxima of the log-joint of each datum into its set.

    Draws of the prior alone do not lead to the states of data with many active units.

    Parameters
    ----------
    sets : StateSets
        Sets of the data, which are changed.
    joint : Joint
        The model.
    Y : ndarray of shape (n_data, n_features)
        The data.
    workers : Workers
        Threads.
    """

    def add(rows: slice) -> None:
        # Infinite fields are an error in the E-step. What only single precision cannot hold leads
        # to poor states, which do no harm. Threads have their own errstate.
        with np.errstate(over="ignore", invalid="ignore"):
            maxima = joint.local_maxima(Y[rows], sets.states.shape[1])
        _add(sets.states[rows], _packed(maxima))

    n_rows = max(_FEWEST_ROWS, _NUMBERS // max(joint.n_units, Y.shape[1]))
    workers.spread(add, gen_batches(len(Y), n_rows))


def _packed(states: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """States in words of 64 units, as the kernels have them."""
    n_units = states.shape[-1]
    padded = np.zeros((*states.shape[:-1], 64 * n_words(n_units)), dtype=bool)
    padded[..., :n_units] = states
    words = np.packbits(padded, axis=-1, bitorder="little").view("<u8")
    return words.astype(np.uint64, copy=False)


def _add(sets: NDArray[np.uint64], states: NDArray[np.uint64]) -> None:
    """Put states (n, m, n_words) in place of the last ones of each set, which stays distinct."""
    rows = np.arange(len(sets))
    for i in range(states.shape[1]):
        last, same = sets.shape[1] - 1 - i, (sets == states[:, i, np.newaxis]).all(axis=2)
        # One that is there already changes places, or a later one might take its place.
        sets[rows, np.where(same.any(axis=1), same.argmax(axis=1), last)] = sets[rows, last]
        sets[:, last] = states[:, i]
