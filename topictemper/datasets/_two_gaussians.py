"""Draws from a mixture of two Gaussians in one dimension."""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._typing import Floats


def make_two_gaussians(
    n_samples: int = 500,
    *,
    weight: float = 0.3,
    separation: float = 8.0,
    random_state: int | RandomState | None = None,
) -> tuple[Floats, NDArray[np.intp]]:
    """Draw from two Gaussians of unit variance and different weights.

    The defaults are the data of [1]_, section 2 and figure 2; figure 1 of [2]_ has the same model.
    With unequal weights the ELBO has a right optimum and a wrong one, which has the means in the
    wrong order.

    Parameters
    ----------
    n_samples : int, default=500
        Number of draws.
    weight : float, default=0.3
        Weight of the first component, in (0, 1).
    separation : float, default=8.0
        Distance between the means, > 0. The first mean is ``separation / 2``, the second its
        negative.
    random_state : int, RandomState or None, default=None
        An int gives the same draws in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
        The draws.
    y : ndarray of shape (n_samples,)
        Their components, 0 or 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or out of range.

    References
    ----------
    .. [1] Abrol, Mandt, Ranganath, Blei (2014). Deterministic Annealing for Stochastic
       Variational Inference. arXiv:1411.1810.
    .. [2] Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS.

    Examples
    --------
    >>> from topictemper.datasets import make_two_gaussians
    >>> X, y = make_two_gaussians(1000, random_state=0)
    >>> [round(float(X[y == k].mean()), 1) for k in (0, 1)]
    [4.1, -4.0]
    """
    check.integer("n_samples", n_samples, 1)
    check.number("weight", weight, 0.0, 1.0, boundaries="neither")
    check.number("separation", separation, 0.0, boundaries="neither")
    rng = check.random_state(random_state)
    y = (rng.random_sample(n_samples) >= weight).astype(np.intp)
    center = np.where(y == 0, 0.5 * separation, -0.5 * separation)
    return (center + rng.standard_normal(n_samples))[:, None], y
