"""Distances between distributions, and pairs of the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ._typing import Floats

# Sums of rows that are in the cache at once, and their columns: BLAS would use threads for more.
_ROWS, _COLUMNS = 32, 1024


def distributions(rows: NDArray[Any]) -> Floats:
    """Rows divided by their sums, in double precision."""
    rows = rows.astype(np.float64)
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def roots(topics: NDArray[Any]) -> Floats:
    """Square roots of rows divided by their sums, in double precision and one new array."""
    values = distributions(topics)
    return np.sqrt(values, out=values)


def hellinger(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    r"""Hellinger distances, :math:`(1 - \sum_v \sqrt{p_v q_v})^{1/2}`, of all pairs of rows.

    Rows sum to one. Those that are equal may get 1e-8, or 3e-4 in single precision, by rounding.
    """
    # BLAS needs half of the time for the product of an array with itself.
    same = second is first
    first = np.sqrt(first)  # in place of the argument, whose memory may be wanted
    return hellinger_of_roots(first, first if same else np.sqrt(second))


def hellinger_of_roots(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Hellinger distances of all pairs of rows, given the square roots of their values."""
    affinity = first @ second.T
    return np.sqrt(np.maximum(1.0 - affinity.astype(np.float64), 0.0))


def jensen_shannon(topics: Floats) -> Floats:
    r"""Jensen-Shannon distances to base 2 of all pairs of rows, which sum to one.

    With :math:`t_{ij} = \sum_v (p_{iv} + p_{jv}) \log_2(p_{iv} + p_{jv})` the divergence is
    :math:`(t_{ii} + t_{jj} - 2 t_{ij}) / 4`: one logarithm for a pair and a word. Rows that are
    equal to the last bit are at distance 0; by rounding, others are only some 1e-7 exact near 0.
    """
    n, n_columns = topics.shape
    total = np.zeros((n, n))
    room = np.empty((2, _ROWS, min(n_columns, _COLUMNS)))
    for left in range(0, n_columns, _COLUMNS):
        # The smallest number keeps 0 log 0 at 0.
        part = np.maximum(topics[:, left : left + _COLUMNS], np.finfo(np.float64).tiny)
        for i in range(n):
            for start in range(i, n, _ROWS):
                others = part[start : start + _ROWS]
                sums, logs = room[:, : len(others), : part.shape[1]]
                np.add(others, part[i], out=sums)
                np.log2(sums, out=logs)
                total[i, start : start + _ROWS] += np.vecdot(sums, logs)
    own = total.diagonal()
    divergence = np.triu(own[:, None] + own - 2 * total, 1) / 4
    return np.sqrt(np.clip(divergence + divergence.T, 0.0, 1.0))


def pairs(
    distance: Floats,
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Rows, columns and distances of the pairs with the least sum of distances (Hungarian method).

    There are as many as rows or columns, whichever are fewer; rows are ascending.
    """
    rows, columns = linear_sum_assignment(distance)
    return rows, columns, distance[rows, columns]
