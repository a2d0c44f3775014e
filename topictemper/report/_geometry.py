"""Distances between topics, their neighbours, and a map in two dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

# Largest area of all circles, as a part of the map, and steps that part circles that overlap.
_COVER, _STEPS = 0.22, 200


def hellinger(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    r"""Hellinger distances, :math:`(1 - \sum_v \sqrt{p_v q_v})^{1/2}`, of all pairs of rows."""
    affinity = np.sqrt(first) @ np.sqrt(second).T
    return np.sqrt(np.clip(1.0 - affinity.astype(np.float64), 0.0, 1.0))


def neighbours(distance: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the n nearest other topics of each topic, the nearest first."""
    other = distance + np.diag(np.full(len(distance), np.inf))
    return np.argsort(other, axis=1, kind="stable")[:, : min(n, len(distance) - 1)]


def radii(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return radii on a map of side 1: areas in proportion to the shares."""
    return np.sqrt(_COVER * shares / np.pi)


def place_on_map(
    distance: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return places of topics in [0, 1]^2, (n_components, 2).

    Principal coordinates of the ranks of the distances [1]_, then circles that overlap are parted.
    Ranks, because most topics share few words: their distances are all close to 1.

    References
    ----------
    .. [1] Torgerson (1952). Multidimensional scaling. Psychometrika 17.
    """
    n = len(distance)
    if n == 1:
        return np.full((1, 2), 0.5)
    places = _fitted(_apart(_principal(distance), radii(shares)), radii(shares))
    return places


def match_distance(
    topics: NDArray[Any], others: list[NDArray[Any]]
) -> NDArray[np.float64] | None:
    """Return the mean distance of each topic to its partner in the other fits.

    Partners minimize the sum of distances of a fit (Hungarian method). A topic without a partner
    has distance 1.
    """
    if not others:
        return None
    total = np.zeros(len(topics))
    for other in others:
        distance = hellinger(topics, other)
        rows, columns = linear_sum_assignment(distance)
        partner = np.ones(len(topics))
        partner[rows] = distance[rows, columns]
        total += partner
    return total / len(others)


def _principal(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(distance)
    square = distance**2
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    places = np.zeros((n, 2))
    for axis in range(min(2, n)):
        vector = vectors[:, -1 - axis]
        # The sign of an eigenvector is arbitrary: the same on every machine.
        sign = np.sign(vector[np.argmax(np.abs(vector))]) or 1.0
        places[:, axis] = sign * vector * np.sqrt(max(values[-1 - axis], 0.0))
    return places


def _fitted(places: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale circles into the unit square, alike in both directions, in its middle."""
    low = (places - radius[:, None]).min(axis=0)
    high = (places + radius[:, None]).max(axis=0)
    return 0.5 + (places - (low + high) / 2) / max((high - low).max(), 1e-9)


def _apart(places: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spread places over a square of side 1, then push circles that overlap off each other."""
    n = len(places)
    places = places - places.mean(axis=0)
    spread = np.abs(places).max()
    # Places that coincide would never part: each gets a spot of its own on a tiny spiral.
    turn = 2.4 * np.arange(n)
    places = places / (2 * spread or 1.0) + 1e-4 * np.c_[np.cos(turn), np.sin(turn)]
    reach = radius[:, None] + radius
    for _ in range(_STEPS):
        offset = places[:, None] - places
        distance = np.sqrt((offset**2).sum(axis=2))
        np.fill_diagonal(distance, np.inf)
        overlap = np.maximum(reach - distance, 0.0)
        if not overlap.any():
            break
        places = places + 0.25 * (offset * (overlap / np.maximum(distance, 1e-9))[:, :, None]).sum(
            axis=1
        )
    return places
