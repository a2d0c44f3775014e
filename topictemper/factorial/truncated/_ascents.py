"""Local maxima of the log-joint, from which E-steps of new data start.

Single precision takes less time, and decides between equal units by their order, as rounding of
the fields seldom does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
# Units that a step of a belief network tries; with one, ascents end too soon
# (docs/guide/measured/truncated.rst, "Starts of new data").
_N_TRIED = 2


def pairwise_maxima(fields: Singles, couplings: Singles, n_ascents: int) -> NDArray[np.bool_]:
    """Local maxima of ``fields.s - s.couplings.s / 2``, the log-joint of sparse coding.

    Each ascent starts from one unit. The unit that gains most is flipped until none gains, but at
    most `n_units` times, as rounding may go in circles. The first units are those of the best
    states of one or two units: two components may fit a datum well that each alone does not.

    Parameters
    ----------
    fields : ndarray of shape (n_data, n_units)
        Terms of active units, in nats.
    couplings : ndarray of shape (n_units, n_units)
        Couplings of pairs, in nats; the diagonal is 0.
    n_ascents : int
        Ascents of each datum, at most `n_units`.

    Returns
    -------
    ndarray of shape (n_data, n_ascents, n_units)
        Where the ascents end. Some may be equal.
    """
    n_units = len(couplings)
    gains = np.repeat(fields, n_ascents, axis=0)
    states = np.zeros(gains.shape, dtype=bool)
    signs = np.ones(gains.shape, dtype=np.float32)  # of a flip: -1 where the unit is on
    rows, units = np.arange(len(gains)), _first_units(fields, couplings)[:, :n_ascents].ravel()
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


def _first_units(fields: Singles, couplings: Singles) -> NDArray[np.intp]:
    """(n_data, n_units): units, those of the best states of one or two units first."""
    n_units = len(couplings)
    added, all_units = -couplings, np.arange(n_units)
    np.fill_diagonal(added, -np.inf)
    values, gains = np.empty_like(fields), np.empty_like(added)
    for own, best in zip(fields, values, strict=True):
        np.add(added, own, out=gains)  # of a second unit, for each first one
        partners = gains.argmax(axis=1)
        seconds = gains[all_units, partners]
        np.add(own, np.maximum(seconds, 0), out=best)
        # An ascent from either unit of a pair would find the same.
        best[(partners[partners] == all_units) & (partners < all_units) & (seconds > 0)] = -np.inf
    return np.argsort(-values, axis=1, kind="stable")


def bernoulli_maxima(
    Y: Singles, weights: Singles, curvatures: Singles, log_odds: Singles, n_ascents: int
) -> NDArray[np.bool_]:
    """States near local maxima of the log-joint of a belief network.

    The gain of a flip is expanded about the activations of the state, and exact only for the two
    units that seem to gain most. The better one is flipped until neither gains, but at most
    `n_units` times. The first units are those that gain most from the empty state, by the
    expansion.

    Parameters
    ----------
    Y : ndarray of shape (n_data, n_features)
        Data of zeros and ones.
    weights : ndarray of shape (n_units + 1, n_features)
        Weights of the units; the last row is the bias.
    curvatures : ndarray of shape (n_features, n_units)
        Those of `flip_curvatures`.
    log_odds : ndarray of shape (n_units,)
        Log-odds of the units, in nats.
    n_ascents : int
        Ascents of each datum, at most `n_units`.

    Returns
    -------
    ndarray of shape (n_data, n_ascents, n_units)
        Where the ascents end. Some may be equal.
    """
    W, bias, n_units = weights[:-1], weights[-1], len(log_odds)

    def gains(Y: Singles, activations: Singles, signs: Singles) -> Singles:
        """Of all flips, by the expansion."""
        means: Singles = np.reciprocal(1 + np.exp(-activations))
        slopes = (Y - means) @ W.T + log_odds
        found = signs * slopes - (means * (1 - means)) @ curvatures
        return found.astype(np.float32, copy=False)

    n_tried = min(_N_TRIED, n_units)
    ones = np.ones(n_units, dtype=np.float32)
    units = np.argsort(-gains(Y, bias, ones), axis=1, kind="stable")[:, :n_ascents].ravel()
    Y = np.repeat(Y, n_ascents, axis=0)
    rows = np.arange(len(Y))
    signs = np.tile(ones, (len(Y), 1))  # of a flip: -1 where the unit is on
    signs[rows, units] = -1
    activations = W[units] + bias
    values = _log_likelihoods(Y, activations)
    for _ in range(n_units):
        data, flips = Y[rows], gains(Y[rows], activations[rows], signs[rows])
        tried = np.argpartition(-flips, n_tried - 1, axis=1)[:, :n_tried]
        steps = signs[rows[:, np.newaxis], tried]
        changed = activations[rows][:, np.newaxis] + steps[:, :, np.newaxis] * W[tried]
        likelihoods = _log_likelihoods(data[:, np.newaxis], changed)
        exact = likelihoods - values[rows][:, np.newaxis] + steps * log_odds[tried]
        best = np.arange(len(rows)), exact.argmax(axis=1)
        rising = exact[best] > 0
        rows, best = rows[rising], (best[0][rising], best[1][rising])
        if not len(rows):
            break
        signs[rows, tried[best]] *= -1
        activations[rows], values[rows] = changed[best], likelihoods[best]
    return (signs < 0).reshape(-1, n_ascents, n_units)


def _log_likelihoods(Y: Singles, activations: Singles) -> Singles:
    """Of data, given activations of all features, in nats."""
    # Faster than np.logaddexp.
    softplus = np.maximum(activations, 0) + np.log(1 + np.exp(-np.abs(activations)))
    return (Y * activations - softplus).sum(axis=-1)


def flip_curvatures(weights: Singles) -> Singles:
    """For a flip of a unit, what the penalty rises beyond its slope, over ``p (1 - p)``.

    For small weights it is ``w^2 / 2``, as in an expansion to second order. For large ones it
    rises as ``2 |w|``; it is exact where the probability p of a feature is 1/2.
    """
    half = weights / 2
    return 4 * (np.logaddexp(half, -half) - np.float32(np.log(2)))
