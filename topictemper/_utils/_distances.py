"""Distances between distributions, and pairs of the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment


def hellinger(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    r"""Hellinger distances, :math:`(1 - \sum_v \sqrt{p_v q_v})^{1/2}`, of all pairs of rows.

    Rows sum to one. Those that are equal may get 1e-8, or 3e-4 in single precision, by rounding.
    """
    affinity = np.sqrt(first) @ np.sqrt(second).T
    return np.sqrt(np.clip(1.0 - affinity.astype(np.float64), 0.0, 1.0))


def pairs(
    distance: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Rows, columns and distances of the pairs with the least sum of distances (Hungarian method).

    There are as many as rows or columns, whichever are fewer; rows are ascending.
    """
    rows, columns = linear_sum_assignment(distance)
    return rows, columns, distance[rows, columns]
