"""Log normalizers of tempered models from samples."""

from __future__ import annotations

from math import prod
from typing import Any, Literal, overload

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from .._utils import _validation as check
from .._utils._typing import Floats


@overload
def log_mean_exp(x: ArrayLike, axis: None = ...) -> float: ...
@overload
def log_mean_exp(x: ArrayLike, axis: int | tuple[int, ...]) -> Any: ...
def log_mean_exp(x: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Any:
    """Return the log of the mean of exp(x), without overflow.

    Parameters
    ----------
    x : array-like
        Logarithms; -inf stands for 0.
    axis : int, tuple of int or None, default=None
        Axes to average over; None for all.

    Returns
    -------
    float or ndarray

    Raises
    ------
    ValueError
        If there is nothing to average over.

    Examples
    --------
    >>> float(log_mean_exp([-1000.0, -1000.0]))
    -1000.0
    """
    x = check.numbers("x", x)
    try:
        axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    except TypeError as error:
        raise TypeError(f"axis must be an int, a tuple of ints or None, got {axis!r}") from error
    except ValueError as error:  # beyond the dimensions, or twice the same
        raise ValueError(f"axis {axis} is none of x, whose shape is {x.shape}: {error}") from error
    count = prod(x.shape[place] for place in axes)
    if count == 0:
        raise ValueError(f"x must not be empty along axis {axis}, got shape {x.shape}")
    return logsumexp(x, axis=None if axis is None else axes) - np.log(count)


def prior_log_partition(
    c: ArrayLike,
    n_data: float,
    n_tokens_per_datum: float,
    bound: Literal["lower", "upper"] | None = None,
) -> Floats:
    """Combine samples from a prior into the log normalizer of a model of exchangeable tokens.

    With c(s) = log sum_v p(v | theta, beta)^s the log normalizer of one token, D data and N tokens
    per datum,

        log C(s) ≈ log mean_beta exp{ D log mean_theta exp(N c(s)) }.

    Parameters
    ----------
    c : array-like of shape (n_beta, n_theta, J)
        c(s) at J inverse temperatures, for samples beta of the globals from their prior and,
        for each of these, samples theta of the locals from theirs.
    n_data : float
        D, > 0; weights of data may sum to less than 1.
    n_tokens_per_datum : float
        N, > 0; the mean if data differ.
    bound : {None, "lower", "upper"}, default=None
        None for the estimate above, "lower" for ``N D mean c``, "upper" for
        ``N D log mean exp c``. Both have less variance, and are linear in N D. The names are the
        paper's. The second is no upper bound, though: for N and D of at least 1, x^N and x^D are
        convex, so by Jensen's inequality their means are at least the powers of the mean, and
        ``"lower" <= "upper" <= None`` on the same samples.

    Returns
    -------
    ndarray of shape (J,)
        log C(s), in nats.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    References
    ----------
    Mandt et al. (2016), "Variational Tempering", supplement B.1, equation 18 and the bounds
    after it.

    Examples
    --------
    >>> import numpy as np
    >>> c = np.zeros((3, 5, 2)) + [1.5, 0.0]
    >>> prior_log_partition(c, n_data=10, n_tokens_per_datum=4).round(12).tolist()
    [60.0, 0.0]
    """
    c = check.numbers("c", c)
    if c.ndim != 3 or 0 in c.shape[:2]:
        raise ValueError(
            f"c must have shape (n_beta, n_theta, J), with at least one sample, got {c.shape}"
        )
    if not np.isfinite(c).all():
        raise ValueError(f"c must be finite, got {c[~np.isfinite(c)][0]}")
    d = check.number("n_data", n_data, 0.0, boundaries="neither")
    n = check.number("n_tokens_per_datum", n_tokens_per_datum, 0.0, boundaries="neither")
    result: Floats
    if bound is None:
        result = log_mean_exp(d * log_mean_exp(n * c, axis=1), axis=0)
    elif bound == "lower":
        result = n * d * c.mean(axis=(0, 1))
    elif bound == "upper":
        result = n * d * log_mean_exp(c, axis=(0, 1))
    else:
        raise ValueError(f"bound must be None, 'lower' or 'upper', got {bound!r}")
    return result
