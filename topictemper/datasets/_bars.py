"""Images of bars, the synthetic data of sparse coding."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import Bunch

from .._utils import _validation as check
from .._utils._typing import Floats


class _Bars(Bunch):
    data: Floats
    components: Floats
    states: NDArray[np.uint8]


def make_bars(
    n_samples: int = 1000,
    size: int = 5,
    *,
    kind: Literal["linear", "sigmoid"] = "linear",
    probability: float = 0.2,
    strength: float | None = None,
    noise: float | None = None,
    bias: float | None = None,
    random_state: int | RandomState | None = None,
) -> _Bars:
    """Draw images of bars: each row and each column is present or absent.

    Linear bars add up, with Gaussian noise, as in binary sparse coding. Sigmoid bars add up to the
    log-odds of binary pixels, as in a sigmoid belief network [1]_.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of images, N.
    size : int, default=5
        Height and width of an image. There are ``2 * size`` bars, H, and ``size**2`` pixels, D.
    kind : {"linear", "sigmoid"}, default="linear"
        Whether bars are added to pixels, or to their log-odds.
    probability : float, default=0.2
        Probability of each bar, in (0, 1).
    strength : float, optional
        What a bar adds to its pixels, or to their log-odds. The default is 10 for linear bars, as
        in the paper, and 8 for sigmoid bars.
    noise : float, optional
        Standard deviation of the noise of linear bars, >= 0; the default is 2. Sigmoid bars have
        none.
    bias : float, optional
        Log-odds of a pixel of sigmoid bars that is in no bar; the default is -4. Linear bars have
        none.
    random_state : int, RandomState or None, default=None
        An int gives the same images in every call.

    Returns
    -------
    bars : :class:`~sklearn.utils.Bunch`
        data : ndarray of shape (n_samples, size**2)
            Images; zeros and ones for sigmoid bars.
        components : ndarray of shape (2 * size, size**2)
            What each bar adds: first the rows of the image, then the columns.
        states : ndarray of shape (n_samples, 2 * size), uint8
            Which bars each image has.

    Raises
    ------
    TypeError
        If a size is not an integer, or another parameter not a real number.
    ValueError
        If a parameter is out of range, or is of the other kind of bars.

    References
    ----------
    .. [1] Lücke, Dai, Exarchakis (2018). Truncated Variational Sampling for "Black Box"
       Optimization of Generative Models, section 4. It gives no values for sigmoid bars.

    Examples
    --------
    >>> from topictemper.datasets import make_bars
    >>> bars = make_bars(100, random_state=0)
    >>> bars.data.shape, bars.components.shape, bars.states.shape
    ((100, 25), (10, 25), (100, 10))
    """
    check.integer("n_samples", n_samples, 1)
    check.integer("size", size, 1)
    check.choice("kind", kind, ("linear", "sigmoid"))
    linear = kind == "linear"
    name, other = ("bias", bias) if linear else ("noise", noise)
    if other is not None:
        raise ValueError(f"{kind} bars have no {name}: it must be None, got {other!r}")
    check.number("probability", probability, 0.0, 1.0, boundaries="neither")
    strength = check.number("strength", (10.0 if linear else 8.0) if strength is None else strength)
    noise = check.number("noise", 2.0 if noise is None else noise, 0.0)
    bias = check.number("bias", -4.0 if bias is None else bias)

    rng = check.random_state(random_state)
    lines = np.eye(size)
    components = strength * np.vstack(
        [np.kron(lines, np.ones(size)), np.kron(np.ones(size), lines)]
    )
    states = (rng.random_sample((n_samples, 2 * size)) < probability).astype(np.uint8)
    data = states @ components
    if linear:
        data += noise * rng.standard_normal(data.shape)
    else:
        data = (rng.random_sample(data.shape) < expit(data + bias)).astype(np.float64)
    return _Bars(data=data, components=components, states=states)
