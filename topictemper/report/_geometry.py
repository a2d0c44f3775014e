"""Distances between topics, their neighbors, and a map in two dimensions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.spatial import cKDTree

from .._utils._distances import hellinger, pairs
from .._utils._typing import Floats

# Area of all circles, as a part of the map before they are parted, and the steps of that.
_COVER, _STEPS = 0.22, 500


def neighbors(distance: Floats, n: int) -> NDArray[np.intp]:
    """Return the n nearest other topics of each topic, the nearest first."""
    other = distance + np.diag(np.full(len(distance), np.inf))
    return np.argsort(other, axis=1, kind="stable")[:, : min(n, len(distance) - 1)]


class Map(NamedTuple):
    """Circles in a box of width 1, or of height 1 if it is higher than wide."""

    places: Floats  # (n_components, 2)
    radii: Floats  # areas in proportion to the shares


def map_of(distance: Floats, shares: Floats) -> Map:
    """Place topics with similar words close to each other.

    Principal coordinates of the distances [1]_; then circles that overlap are pushed apart.

    References
    ----------
    .. [1] Torgerson (1952). Multidimensional scaling. Psychometrika 17.
    """
    radius = np.sqrt(_COVER * shares / np.pi)
    places = _apart(_principal(distance), radius)
    low = (places - radius[:, None]).min(axis=0)
    high = (places + radius[:, None]).max(axis=0)
    side = float((high - low).max())
    return Map((places - low) / side, radius / side)


def match_distance(topics: NDArray[Any], others: list[NDArray[Any]]) -> Floats | None:
    """Return the mean distance of each topic to its partner in the other fits.

    Partners minimize the sum of distances of a fit (Hungarian method). A topic without a partner
    has distance 1.
    """
    if not others:
        return None
    total = np.zeros(len(topics))
    for other in others:
        rows, _, distances = pairs(hellinger(topics, other))
        partner = np.ones(len(topics))
        partner[rows] = distances
        total += partner
    return total / len(others)


def _principal(distance: Floats) -> Floats:
    n = len(distance)
    square = distance**2
    centered = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    n_axes = min(2, n)
    values, vectors = eigh(-0.5 * centered, subset_by_index=(n - n_axes, n - 1))
    places = np.zeros((n, 2))
    for axis in range(n_axes):
        vector = vectors[:, -1 - axis]
        # The sign of an eigenvector is arbitrary: the same on every machine.
        sign = np.sign(vector[np.argmax(np.abs(vector))]) or 1.0
        places[:, axis] = sign * vector * np.sqrt(max(values[-1 - axis], 0.0))
    return places


def _apart(places: Floats, radius: Floats) -> Floats:
    """Spread places over a square of side 1, then push circles that overlap off each other."""
    n = len(places)
    places = places - places.mean(axis=0)
    spread = np.abs(places).max()
    # Places that coincide would never part: each gets a spot of its own on a tiny spiral.
    turn = 2.4 * np.arange(n)
    places = places / (2 * spread or 1.0) + 1e-4 * np.c_[np.cos(turn), np.sin(turn)]
    for _ in range(_STEPS):
        first, second = _candidates(places, radius)
        offset = places[first] - places[second]
        distance = np.maximum(np.hypot(*offset.T), 1e-9)
        overlap = radius[first] + radius[second] - distance
        near = overlap > 1e-4
        if not near.any():
            break
        push = (0.3 * overlap[near] / distance[near])[:, None] * offset[near]
        np.add.at(places, first[near], push)
        np.subtract.at(places, second[near], push)
    return places


def _candidates(places: Floats, radius: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of circles that may overlap, each once.

    No further from the center of the larger one than twice its radius: of many circles one may be
    so large that all are near it, and few others.
    """
    near = cKDTree(places).query_ball_point(places, 2 * radius, return_sorted=True)
    first = np.repeat(np.arange(len(places)), [len(some) for some in near])
    second = np.concatenate(near).astype(np.intp)
    other = (radius[second] < radius[first]) | (
        (radius[second] == radius[first]) & (second > first)
    )
    return first[other], second[other]
