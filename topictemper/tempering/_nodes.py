"""Interpolation of log normalizers, smooth functions of the inverse temperature."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._utils import _validation as check
from .._utils._typing import Floats
from ._grids import inverse_temperature_vector


class InverseTemperatureNodes:
    """A few inverse temperatures from whose values all those of a grid are interpolated.

    The nodes are Chebyshev-Lobatto points in ``u = log(s + offset)`` over the range from the
    grid's least value to 1, and the interpolant is the polynomial in u through them (barycentric
    form). ``log[Gamma(x + s) / Gamma(x)]``, of which the log normalizers of Dirichlet models are
    made, has its nearest singularity at ``s = -x``, so `offset` should be near the least x, the
    least prior concentration. Largest errors measured in nats, on [0.01, 1]:

    - one such ratio, x from 0.01 to 100, offset <= x: 3e-7 with 12 nodes, 1e-9 with 16;
      with offset = 5 x: 7e-5 and 3e-6;
    - the log of a sum of such ratios over the words of a topic, where a few words have nearly
      all the counts (the sum has complex zeros near the real axis): 8e-4 with 12 nodes, 5e-5
      with 16, and 1e-5 with 16 and twice to four times the least x as offset. On [0.25, 1], that
      is temperatures up to 4: 5e-6 with 12 nodes.

    Parameters
    ----------
    grid : array-like of shape (M,)
        Inverse temperatures at which values are wanted, in (0, 1].
    n_nodes : int, default=12
        Number of nodes J, >= 2. (There is one node, at 1, if the grid holds nothing but 1, or
        values that cannot be told from 1 beside `offset`.)
    offset : float
        Positive offset inside the logarithm.

    Attributes
    ----------
    nodes : ndarray of shape (J,)
        Ascending inverse temperatures; the last is exactly 1, the first the grid's least.
    matrix : ndarray of shape (M, J)
        ``matrix @ values_at_nodes`` are the values at the grid.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    References
    ----------
    Berrut and Trefethen (2004), "Barycentric Lagrange Interpolation", SIAM Review 46(3).

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import gammaln
    >>> grid = np.arange(1, 101) / 100
    >>> nodes = InverseTemperatureNodes(grid, 12, offset=0.05)
    >>> values = nodes.matrix @ gammaln(0.05 + nodes.nodes)
    >>> bool(np.abs(values - gammaln(0.05 + grid)).max() < 1e-6)
    True
    """

    nodes: Floats
    matrix: Floats

    def __init__(self, grid: ArrayLike, n_nodes: int = 12, *, offset: float) -> None:
        grid = inverse_temperature_vector("grid", grid)
        n_nodes = check.integer("n_nodes", n_nodes, 2)
        self._offset = check.number("offset", offset, 0.0, boundaries="neither")
        lowest = float(grid.min())
        self.nodes, self._weights = np.ones(1), np.ones(1)
        if lowest < 1.0:
            # Ascending; the angles make the first exactly 0 and the last exactly 1.
            unit = np.sin(np.linspace(0.0, np.pi / 2, n_nodes)) ** 2
            low, high = np.log(lowest + self._offset), np.log(1.0 + self._offset)
            nodes = np.exp(low + (high - low) * unit) - self._offset
            # Rounding aside they are these already; exactly, a value there comes back as it is.
            nodes[0], nodes[-1] = lowest, 1.0
            if (np.diff(np.log(nodes + self._offset)) > 0).all():
                self.nodes = nodes
                self._weights = np.where(np.arange(n_nodes) % 2 == 0, 1.0, -1.0)
                self._weights[[0, -1]] *= 0.5
        self.nodes.setflags(write=False)
        self._positions = np.log(self.nodes + self._offset)
        self.matrix = self.at(grid)
        self.matrix.setflags(write=False)

    def at(self, s: ArrayLike) -> Floats:
        """Return the interpolation weights for any inverse temperatures.

        Parameters
        ----------
        s : float or array-like
            Inverse temperatures from the grid's least value to 1.

        Returns
        -------
        ndarray of shape (J,), or s.shape + (J,)
            Weights of the values at the nodes; they sum to one.

        Raises
        ------
        ValueError
            If a value lies outside the nodes' range, where the interpolant is useless.

        Examples
        --------
        >>> InverseTemperatureNodes([0.5, 1.0], 3, offset=0.1).at(1.0).tolist()
        [0.0, 0.0, 1.0]
        """
        s = np.asarray(s, dtype=np.float64)
        # The slack lets in a lower end that has been through single precision.
        bad = ~((s >= self.nodes[0] * (1.0 - 1e-6)) & (s <= 1.0))
        if bad.any():
            raise ValueError(f"s must lie between {self.nodes[0]} and 1, got {s[bad].flat[0]}")
        distance = np.log(s + self._offset)[..., np.newaxis] - self._positions
        exact = (s[..., np.newaxis] == self.nodes) | (distance == 0.0)
        distance[exact] = 1.0
        weights: Floats = self._weights / distance
        weights /= weights.sum(axis=-1, keepdims=True)
        on_node = exact.any(axis=-1)
        weights[on_node] = exact[on_node]
        return weights
