"""E-steps of new data, and the good states that they start from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..._core._workers import Workers
from ..._utils._hashing import hash_dense_rows
from ..._utils._typing import Floats
from ._e_step import Inference, Joint, StateSets, n_words, row_chunks, row_parts

# Ascents of a datum: with one alone, new patches stay 3 nats lower. See the guide, `measured`.
_N_ASCENTS = 8


def infer_units(
    joint: Joint,
    Y: Floats,
    inference: Inference,
    workers: Workers,
    marginals: Callable[[Floats], Floats] | None,
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


def add_local_maxima(sets: StateSets, joint: Joint, Y: Floats, workers: Workers) -> None:
    """Put local maxima of the log-joint of each datum into its set.

    Draws of the prior alone do not lead to the states of data with many active units. The penalty
    is that of `Joint.pairwise`.

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
    # Infinite fields are an error in the E-step. What only single precision cannot hold leads to
    # poor states, which do no harm.
    with np.errstate(over="ignore", invalid="ignore"):
        offsets, couplings = (numbers.astype(np.float32) for numbers in joint.pairwise())
    n_ascents = min(_N_ASCENTS, joint.n_units, sets.states.shape[1])

    def add(rows: slice) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # threads have their own
            fields = joint.fields(Y[rows]).astype(np.float32) - offsets
            _add(sets.states[rows], _packed(local_maxima(fields, couplings, n_ascents)))

    workers.spread(add, row_parts(len(Y)))


def local_maxima(
    fields: NDArray[np.float32], couplings: NDArray[np.float32], n_ascents: int
) -> NDArray[np.bool_]:
    """Local maxima of ``fields.s - s.couplings.s / 2``, from several states of one unit.

    Single precision takes less time, and decides between equal components by their order, as
    rounding of the fields seldom does.

    Parameters
    ----------
    fields : ndarray of shape (n_data, n_units)
        Terms of active units.
    couplings : ndarray of shape (n_units, n_units)
        Couplings of pairs; the diagonal is 0.
    n_ascents : int
        Ascents of each datum: they start from its best units, each alone. The unit that gains
        most is flipped until none gains, but at most `n_units` times, as rounding may go in
        circles.

    Returns
    -------
    ndarray of shape (n_data, n_ascents, n_units)
        Where the ascents end. Some may be equal.
    """
    n_units = len(couplings)
    first = np.argsort(-fields, axis=1, kind="stable")[:, :n_ascents].ravel()
    gains = np.repeat(fields, n_ascents, axis=0)
    states = np.zeros(gains.shape, dtype=bool)
    signs = np.ones(gains.shape, dtype=np.float32)  # of a flip: -1 where the unit is on
    rows, units = np.arange(len(first)), first
    for _ in range(n_units):
        states[rows, units] ^= True
        signs[rows, units] *= -1
        gains[rows] += signs[rows, units][:, np.newaxis] * couplings[units]
        flips = gains[rows] * signs[rows]
        units = flips.argmax(axis=1)
        rising = flips[np.arange(len(rows)), units] > 0
        rows, units = rows[rising], units[rising]
        if not len(rows):
            break
    return states.reshape(len(fields), n_ascents, n_units)


def _packed(states: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """States in words of 64 units, as the kernels have them."""
    n_units = states.shape[-1]
    padded = np.zeros((*states.shape[:-1], 64 * n_words(n_units)), dtype=bool)
    padded[..., :n_units] = states
    words = np.packbits(padded, axis=-1, bitorder="little").view("<u8")
    return words.astype(np.uint64, copy=False)


def _add(sets: NDArray[np.uint64], states: NDArray[np.uint64]) -> None:
    """Put states (n, m, n_words) that are not there in place of the last ones of each set."""
    for i in range(states.shape[1]):
        new = ~(sets == states[:, i, np.newaxis]).all(axis=2).any(axis=1)
        sets[new, -1 - i] = states[new, i]
