"""Two Gaussians of known weights and variance: the smallest model with a wrong optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.utils import check_array

from .._utils import _validation as check
from .._utils._numerics import ignoring_underflow
from .._utils._typing import Floats
from ..tempering import Schedule
from ..tempering._modes import ANNEALING, Annealing, tempering_settings
from ..tempering._schedules import LARGEST_TEMPERATURE

# Numbers in the largest temporary array of many means.
_AT_ONCE = 2_000_000
# Relative change of v at convergence; the remaining error enters the bound squared.
_SETTLED = 1e-9
# Optima closer than this, in standard deviations of a component, are the same.
_SAME = 1e-2
# Default annealing: T at the start over the variance ratio, above which there is one optimum, and
# the share of the iterations.
_HOT, _LENGTH = 4.0, 0.75


class TwoGaussians:
    """Annealed bound of a mixture of two Gaussians as a function of the two means.

    ``x_n ~ sum_k w_k N(mu_k, variance)``, ``mu_k ~ N(0, prior_variance)``, with
    ``q(mu_k) = N(m_k, v_k)`` and responsibilities phi; weights and variance are known. With
    b = 1 / T the annealed bound is

        b E[log p(x, z | mu)] + E[log p(mu)] + H(q(mu)) + H(q(z)).

    phi and v are always the best for the given means, so that the bound is a surface over
    (m_1, m_2). With unequal weights it has two optima at T = 1, one of which has the means
    exchanged. Above a critical temperature it has one ([1]_, figure 1). That temperature is about
    the variance of the data over that of a component.

    Parameters
    ----------
    X : array-like of shape (n_samples,) or (n_samples, 1)
        Data.
    weights : array-like of shape (2,), default=(0.3, 0.7)
        Weights of the two components, > 0, with the sum 1.
    variance : float, default=1.0
        Variance of each component, from 1e-100 to 1e200.
    prior_variance : float, default=100.0
        Variance of the prior of the means, from 1e-100 to 1e200.

    Attributes
    ----------
    x : ndarray of shape (n_samples,)
        The data.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid.

    References
    ----------
    .. [1] Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS,
       section 2.2, equation 4. Its predecessor, Abrol et al. (2014), section 2, tempers the prior
       of the means, too.

    Examples
    --------
    >>> from topictemper.datasets import make_two_gaussians
    >>> from topictemper.mixture import TwoGaussians
    >>> from topictemper.tempering import Annealing
    >>> X, _ = make_two_gaussians(random_state=0)
    >>> model = TwoGaussians(X)
    >>> [len(model.optima(T)) for T in (20, 13, 1)]
    [1, 2, 2]
    >>> annealing = Annealing(schedule="exponential", max_temperature=100, length=200)
    >>> path = model.ascend([-0.1, 0.1], annealing, max_iter=250)
    >>> path[-1].round(1)
    array([ 4. , -4.1])
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        weights: ArrayLike = (0.3, 0.7),
        variance: float = 1.0,
        prior_variance: float = 100.0,
    ) -> None:
        check.unmasked("X", X)
        with check.readable("X", X):
            x = check_array(
                X,
                dtype=np.float64,
                ensure_2d=False,
                ensure_all_finite=False,  # `check.finite` names the row
                input_name="X",
            )
        check.finite("X", x)
        if x.ndim != 1 and x.shape[1] != 1:
            raise ValueError(f"X must have one column, got shape {x.shape}")
        check.squarable("X", x)
        self.x: Floats = x.flatten()  # a copy, which nobody changes
        w = check.numbers("weights", weights)
        if w.shape != (2,) or not (w > 0).all() or abs(w.sum() - 1.0) > 1e-9:
            raise ValueError(
                f"weights must be two positive numbers with the sum 1, got {weights!r}"
            )
        self._log_w = np.log(w)
        self.variance: float = check.variance("variance", variance)
        self.prior_variance: float = check.variance("prior_variance", prior_variance)

    @ignoring_underflow
    def elbo(self, means: ArrayLike, temperature: float = 1.0) -> Floats:
        """Annealed bound at means.

        Parameters
        ----------
        means : array-like of shape (..., 2)
            m_1 and m_2.
        temperature : float, default=1.0
            T, >= 1; at 1 it is the evidence lower bound.

        Returns
        -------
        ndarray of shape (...)
            In nats, all constants included.
        """
        m, s = _checked_means(means), _inverse(temperature)
        return self._by_parts(m, lambda part: self._elbo(part, s)[0])

    def surface(self, m1: ArrayLike, m2: ArrayLike, temperature: float = 1.0) -> Floats:
        """Annealed bound on a grid of means.

        Parameters
        ----------
        m1, m2 : array-like of shape (n1,) and (n2,)
            Means of the first and of the second component.
        temperature : float, default=1.0
            T, >= 1.

        Returns
        -------
        ndarray of shape (n2, n1)
            In nats; m1 increases along the rows.
        """
        return self.elbo(np.stack(np.meshgrid(m1, m2), axis=-1), temperature)

    @ignoring_underflow
    def optima(self, temperature: float = 1.0) -> Floats:
        """Local optima of the annealed bound.

        Parameters
        ----------
        temperature : float, default=1.0
            T, >= 1.

        Returns
        -------
        ndarray of shape (n_optima, 2)
            The means at the optima, the best first, found from starts at different quantiles of
            the data. At T = 1 the first one is the answer.
        """
        s = _inverse(temperature)
        unit = self.variance**0.5  # of the search, whatever the unit of the data

        def descent(m: Floats) -> tuple[float, Floats]:
            value, gradient = self._elbo(unit * m[None], s)
            return -float(value[0]), -unit * gradient[0]

        places = np.quantile(self.x, (0.05, 0.35, 0.65, 0.95)) / unit
        if places[0] == places[-1]:
            places = places[0] + np.array([-1.0, 1.0])
        found: list[tuple[float, Floats]] = []
        # Never from equal means: the surface has a saddle there, where an ascent can end.
        for start in [(a, b) for a in places for b in places if a != b]:
            end = minimize(descent, start, jac=True, method="BFGS", options={"gtol": 1e-7})
            if all(np.abs(end.x - m).max() > _SAME for _, m in found):
                found.append((end.fun, end.x))
        return np.array([unit * m for _, m in sorted(found, key=lambda one: one[0])])

    @ignoring_underflow
    def ascend(
        self,
        means: ArrayLike,
        tempering: Literal["vi", "avi"] | Annealing | None = None,
        *,
        max_iter: int = 300,
    ) -> Floats:
        """Coordinate ascent, annealed by a schedule: responsibilities, then q of the means.

        Parameters
        ----------
        means : array-like of shape (..., 2)
            Where to start; any number of starts at once.
        tempering : {"vi", "avi"}, Annealing or None, default=None
            None or "vi": T = 1. "avi" or `Annealing`: a schedule in iterations; by default T
            falls exponentially over three quarters of the iterations, from four times the
            variance of the data over that of a component, but from 1e6 at most.
        max_iter : int, default=300
            Number of iterations.

        Returns
        -------
        ndarray of shape (max_iter + 1, ..., 2)
            The means, from the start to the end.
        """
        m = _checked_means(means)
        max_iter = check.integer("max_iter", max_iter, 1)
        course = self._schedule(tempering, max_iter)
        path = np.empty((max_iter + 1, *m.shape))
        path[0] = m
        flat = m.reshape(-1, 2)
        v = self._posterior(flat, 1.0 / course.temperature(0))[1]
        for i in range(max_iter):
            s = 1.0 / course.temperature(i)
            phi = self._responsibilities(flat, v, s)
            v = self._variances(phi, s)
            sums = phi @ self.x
            flat = v * s / self.variance * np.stack([sums, self.x.sum() - sums], axis=-1)
            path[i + 1] = flat.reshape(m.shape)
        return path

    @ignoring_underflow
    def energy(self, means: ArrayLike, temperature: float = 1.0) -> Floats:
        """``E[log p(x, z | mu)]`` at means, with phi and v the best for them at a temperature.

        Parameters
        ----------
        means : array-like of shape (..., 2)
            m_1 and m_2.
        temperature : float, default=1.0
            T, >= 1.

        Returns
        -------
        ndarray of shape (...)
            In nats, with the Gaussians' constants, as in `log_partition`.
        """
        m, s = _checked_means(means), _inverse(temperature)
        return self._by_parts(m, lambda part: self._energy(part, s))

    def log_partition(self, inverse_temperatures: ArrayLike) -> Floats:
        """Log C(T) of the data and assignments, which does not depend on the means.

            N [log(T) / 2 + (1 - 1/T) log(2 pi variance) / 2 + log sum_k w_k^(1/T)]

        Parameters
        ----------
        inverse_temperatures : array-like of shape (...)
            1 / T, in (0, 1].

        Returns
        -------
        ndarray of shape (...)
            In nats; 0 at T = 1.
        """
        s = check.numbers("inverse_temperatures", inverse_temperatures)
        if not ((s > 0) & (s <= 1)).all():
            raise ValueError(f"inverse_temperatures must lie in (0, 1], got {s}")
        gaussian = 0.5 * ((1.0 - s) * np.log(2 * np.pi * self.variance) - np.log(s))
        weights = np.logaddexp(*(s * log_w for log_w in self._log_w))
        return np.asarray(len(self.x) * (gaussian + weights))

    def _schedule(self, tempering: Any, max_iter: int) -> Schedule:
        settings = tempering_settings(tempering, ANNEALING, "vi")
        hot = min(max(1.0, _HOT * float(self.x.var()) / self.variance), LARGEST_TEMPERATURE)
        return settings.course("exponential", hot, _LENGTH * max_iter)

    def _by_parts(self, m: Floats, function: Callable[[Floats], Floats]) -> Floats:
        """Call ``function(means)`` for some means at a time, which bounds the memory."""
        flat = m.reshape(-1, 2)
        result = np.empty(len(flat))
        step = max(1, _AT_ONCE // len(self.x))
        for start in range(0, len(flat), step):
            rows = slice(start, start + step)
            result[rows] = function(flat[rows])
        return result.reshape(m.shape[:-1])

    # With means (S, 2), variances (S, 2), and phi (S, N) of the first component

    def _elbo(self, m: Floats, s: float) -> tuple[Floats, Floats]:
        """Annealed bound (S,), and its gradient in the means (S, 2)."""
        phi, v = self._posterior(m, s)
        joints = [s * self._log_joint(m[:, k], v[:, k], k) for k in (0, 1)]
        of_data = np.logaddexp(*joints).sum(axis=1)
        of_means = 1.0 + np.log(v / self.prior_variance) - (m * m + v) / self.prior_variance
        # phi and v are optimal, so only the means themselves have a gradient.
        counts = np.stack([phi.sum(axis=1), (1.0 - phi).sum(axis=1)], axis=-1)
        sums = np.stack([phi @ self.x, (1.0 - phi) @ self.x], axis=-1)
        gradient = s / self.variance * (sums - counts * m) - m / self.prior_variance
        return of_data + 0.5 * of_means.sum(axis=1), gradient

    def _energy(self, m: Floats, s: float) -> Floats:
        """``E[log p(x, z | mu)]``, (S,)."""
        phi, v = self._posterior(m, s)
        first, second = (self._log_joint(m[:, k], v[:, k], k) for k in (0, 1))
        return (phi * first + (1.0 - phi) * second).sum(axis=1)

    def _posterior(self, m: Floats, s: float) -> tuple[Floats, Floats]:
        """The best responsibilities and variances for means."""
        v = np.full(m.shape, 1.0 / (1.0 / self.prior_variance + s * len(self.x) / self.variance))
        for _ in range(1000):
            phi = self._responsibilities(m, v, s)
            new = self._variances(phi, s)
            if (np.abs(new - v) <= _SETTLED * new).all():
                break
            v = new
        return phi, new

    def _responsibilities(self, m: Floats, v: Floats, s: float) -> Floats:
        square = (m[:, 1] ** 2 + v[:, 1]) - (m[:, 0] ** 2 + v[:, 0])
        odds = ((m[:, 0] - m[:, 1])[:, None] * self.x + 0.5 * square[:, None]) / self.variance
        return expit(s * (odds + self._log_w[0] - self._log_w[1]))

    def _variances(self, phi: Floats, s: float) -> Floats:
        counts = phi.sum(axis=1)
        precision = np.stack([counts, len(self.x) - counts], axis=-1) * (s / self.variance)
        return 1.0 / (1.0 / self.prior_variance + precision)

    def _log_joint(self, m: Floats, v: Floats, k: int) -> Floats:
        """``E[log p(x_n, z_n = k | mu)]``, (S, N)."""
        squares = (self.x - m[:, None]) ** 2 + v[:, None]
        constant = self._log_w[k] - 0.5 * np.log(2 * np.pi * self.variance)
        return constant - 0.5 * squares / self.variance


def _checked_means(means: ArrayLike) -> Floats:
    m = check.numbers("means", means).copy()
    if m.ndim == 0 or m.shape[-1] != 2 or not np.isfinite(m).all():
        raise ValueError(f"means must be finite, of shape (..., 2), got shape {m.shape}")
    check.squarable("means", m)
    return m


def _inverse(temperature: float) -> float:
    return 1.0 / check.number("temperature", temperature, 1.0)
