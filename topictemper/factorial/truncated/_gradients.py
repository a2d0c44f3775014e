"""Adam, and a small network that learns marginals from data."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.random import RandomState
from scipy.special import expit

from ..._utils._state import Tree
from ..._utils._typing import Floats, Reals
from ...persistence._fitted import Numbers, checked

_LEARNING_RATE = 1e-2  # of the network


class Adam:
    """Gradient ascent with a rate for each parameter (Kingma and Ba 2015, algorithm 1).

    Parameters
    ----------
    learning_rate : float
        About the largest change of a parameter in one step.
    shape : tuple of int
        Shape of the parameters.
    """

    def __init__(self, learning_rate: float, shape: tuple[int, ...]) -> None:
        self.learning_rate = learning_rate
        self._mean, self._square = np.zeros(shape), np.zeros(shape)
        self._decays = np.array([0.9, 0.999])
        self._left = np.ones(2)  # weight of the zeros that the two averages started from

    def step(self, gradient: Floats) -> Floats:
        """The change of the parameters."""
        self._mean += (1 - self._decays[0]) * (gradient - self._mean)
        self._square += (1 - self._decays[1]) * (gradient**2 - self._square)
        self._left *= self._decays
        mean, square = self._mean / (1 - self._left[0]), self._square / (1 - self._left[1])
        return self.learning_rate * mean / (np.sqrt(square) + 1e-8)


class MarginalNetwork:
    """Data to marginals of binary units: one hidden layer, tanh, then sigmoid.

    The 2nd approximation of Lücke et al. (2018), section 3: trained with cross-entropy to the
    marginals of the truncated distributions.

    Parameters
    ----------
    layers : list of ndarrays of shape (n_features + 1, n_hidden) and (n_hidden + 1, n_units)
        The weights. The last row of each layer is its bias.
    """

    def __init__(self, layers: list[Floats]) -> None:
        self._layers = layers
        self._optimizers = [Adam(_LEARNING_RATE, layer.shape) for layer in layers]

    @classmethod
    def random(
        cls, n_features: int, n_hidden: int, n_units: int, start: Floats, random_state: RandomState
    ) -> Self:
        """Return an untrained network.

        Parameters
        ----------
        n_features, n_hidden, n_units : int
            Sizes of the three layers.
        start : ndarray of shape (n_units,)
            Initial log-odds of the units, for all data.
        random_state : RandomState
            Source of the initial weights.
        """
        hidden = np.vstack([_glorot(random_state, n_features, n_hidden), np.zeros(n_hidden)])
        units = np.vstack([_glorot(random_state, n_hidden, n_units), start])
        return cls([hidden, units])

    def get_state(self) -> Tree:
        """Return the weights, for `of_state`; the network is not to be trained further."""
        return {"hidden": self._layers[0], "units": self._layers[1]}

    @classmethod
    def of_state(cls, tree: Tree, n_units: int, n_features: int) -> Self:
        """Return the network of `get_state`."""
        kinds = {"hidden": Numbers("IH"), "units": Numbers("JK")}
        layers = checked(tree, kinds, I=n_features + 1, K=n_units)
        if len(layers["units"]) != layers["hidden"].shape[1] + 1:
            raise ValueError("layers of different sizes")
        return cls(list(layers.values()))

    def marginals(self, Y: Reals) -> Floats:
        """(n, n_units): probabilities of the units."""
        return self._forward(Y)[1]

    def _forward(self, Y: Reals) -> tuple[Floats, Floats]:
        hidden = np.tanh(Y @ self._layers[0][:-1] + self._layers[0][-1])
        return hidden, expit(hidden @ self._layers[1][:-1] + self._layers[1][-1])

    def train(self, Y: Reals, targets: Floats) -> None:
        """One step on the mean cross-entropy of some data."""
        hidden, marginals = self._forward(Y)
        output = (targets - marginals) / len(Y)
        inner = output @ self._layers[1][:-1].T * (1 - hidden**2)
        for i, (inputs, errors) in enumerate(((Y, inner), (hidden, output))):
            gradient = np.vstack([inputs.T @ errors, errors.sum(axis=0)])
            self._layers[i] += self._optimizers[i].step(gradient)


def _glorot(random_state: RandomState, n_in: int, n_out: int) -> Floats:
    bound = np.sqrt(6.0 / (n_in + n_out))
    return random_state.uniform(-bound, bound, (n_in, n_out))
