"""A random temperature per datum: local variational tempering."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from .._utils import _validation as check
from .._utils._numerics import ignoring_underflow
from .._utils._state import Stateful
from .._utils._typing import Floats
from ._grids import inverse_temperature_vector, normalized_log_prior

#: What a history notes of temperatures of many data.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# By so much a responsibility may exceed 1, and the sum of many may differ from 1: they may come
# from single precision.
_ROUNDING, _SLACK = 1e-6, 1e-4


class LocalTemperature(Stateful):
    """The variational distributions of one temperature per datum.

    They belong to the model of Mandt et al. (2016), "Variational Tempering", equation 6. With a
    multinomial ``r_n`` over inverse temperatures ``s_1 .. s_M`` for each datum n,

        r_nm ∝ exp{ s_m E_n - log C_n(s_m) + log pi_m },     E[1/T_n] = sum_m r_nm s_m,

    where E_n is the expected log joint of the tempered variables of datum n and C_n their
    normalizer. Nothing is kept between calls, so an object may be shared by threads, and the
    result of a datum does not depend on the data that come with it.

    Parameters
    ----------
    inverse_temperatures : array-like of shape (M,)
        Inverse temperatures s = 1 / T, in (0, 1].
    log_prior : array-like of shape (M,), optional
        Log prior of the temperatures, up to a constant; -inf excludes one. Uniform if not given.

    Attributes
    ----------
    inverse_temperatures : ndarray of shape (M,)
        The inverse temperatures.

    Raises
    ------
    ValueError
        If an argument is out of range or of the wrong length.

    References
    ----------
    Mandt et al. (2016), "Variational Tempering", sections 2.4 and 3.4, equation 10. The equation as
    printed divides all of the exponent by T once more. But ``p(x, z | beta / T)`` is tempered
    already, and the prior pi is not to be tempered.

    Examples
    --------
    >>> import numpy as np
    >>> temperature = LocalTemperature([0.5, 1.0])
    >>> s = temperature.update(energies=[-100.0, -10.0], log_c=[40.0, 0.0])
    >>> s.round(4).tolist()
    [0.5, 1.0]
    """

    def __init__(
        self, inverse_temperatures: ArrayLike, *, log_prior: ArrayLike | None = None
    ) -> None:
        self.inverse_temperatures: Floats = inverse_temperature_vector(
            "inverse_temperatures", inverse_temperatures
        )
        self._log_prior = normalized_log_prior(log_prior, self.inverse_temperatures.size)
        self._uniform = log_prior is None
        self._range = (self.inverse_temperatures.min(), self.inverse_temperatures.max())

    @ignoring_underflow
    def update(self, energies: ArrayLike, log_c: ArrayLike) -> Floats:
        """Return the inverse temperature of each datum.

        Parameters
        ----------
        energies : array-like of shape (N,)
            Expected log joints E_n of the tempered variables, at T = 1, in nats.
        log_c : array-like of shape (N, M) or (M,)
            Log normalizers log C_n(s_m), or one row that all data share, in nats.

        Returns
        -------
        ndarray of shape (N,)
            E[1/T_n], within the range of the grid. A datum without tempered variables (energy
            and log normalizers 0) has the prior's mean.

        Raises
        ------
        ValueError
            If a value is not finite or a shape does not fit.
        """
        weights = self._unnormalized(energies, log_c)
        totals = weights.sum(axis=1)
        # Not `weights @ s`: a matrix product may round a row differently for another N.
        means: Floats = np.einsum("nm,m->n", weights, self.inverse_temperatures)
        means /= totals
        return np.clip(means, *self._range, out=means)

    @ignoring_underflow
    def responsibilities(self, energies: ArrayLike, log_c: ArrayLike) -> Floats:
        """Return r, the distribution over temperatures of each datum.

        Parameters
        ----------
        energies, log_c : array-like
            As for `update`.

        Returns
        -------
        ndarray of shape (N, M)
            Rows sum to one.

        Raises
        ------
        ValueError
            If a value is not finite or a shape does not fit.
        """
        weights = self._unnormalized(energies, log_c)
        weights /= weights.sum(axis=1, keepdims=True)
        return weights

    @ignoring_underflow
    def elbo_terms(
        self,
        energies: ArrayLike,
        log_c: ArrayLike,
        responsibilities: ArrayLike | None = None,
    ) -> Floats:
        """Return what each datum's tempered variables and r_n add to the tempered ELBO.

            sum_m r_nm (s_m E_n + log pi_m - log C_n(s_m) - log r_nm).

        Parameters
        ----------
        energies, log_c : array-like
            As for `update`.
        responsibilities : array-like of shape (N, M), optional
            r, if it is not the one that maximizes these terms.

        Returns
        -------
        ndarray of shape (N,)
            In nats.

        Raises
        ------
        ValueError
            If a value is not finite, a shape does not fit, or a row of r is no distribution.
        """
        values = self._log_weights(energies, log_c)
        values += self._log_prior
        if responsibilities is None:
            peaks = values.max(axis=1, keepdims=True)
            values -= peaks
            best: Floats = np.log(np.exp(values, out=values).sum(axis=1))
            best += peaks[:, 0]
            return best
        r = check.table("responsibilities", responsibilities, [values.shape], 0.0, 1.0 + _ROUNDING)
        wrong = np.flatnonzero(np.abs(r.sum(axis=1) - 1.0) > _SLACK)
        if len(wrong):
            raise ValueError(
                f"responsibilities must have rows that sum to one, but row {wrong[0]} sums to "
                f"{r[wrong[0]].sum()}"
            )
        # 0 times the -inf of an excluded temperature is 0.
        terms = np.multiply(r, values, where=r > 0, out=np.zeros_like(r))
        terms += entr(r)
        return terms.sum(axis=1)

    def _unnormalized(self, energies: ArrayLike, log_c: ArrayLike) -> Floats:
        """Return r up to a factor per row, with 1 as its largest value (shape (N, M))."""
        weights = self._log_weights(energies, log_c)
        if not self._uniform:
            weights += self._log_prior
        weights -= weights.max(axis=1, keepdims=True)
        return np.exp(weights, out=weights)

    def _log_weights(self, energies: ArrayLike, log_c: ArrayLike) -> Floats:
        """Return s_m E_n - log C_n(s_m), a new array of shape (N, M)."""
        energies = np.asarray(energies, dtype=np.float64)
        log_c = np.asarray(log_c, dtype=np.float64)
        m = self.inverse_temperatures.size
        if energies.ndim != 1:
            raise ValueError(f"energies must be one-dimensional, got shape {energies.shape}")
        if log_c.shape not in ((m,), (energies.size, m)):
            raise ValueError(
                f"log_c must have shape ({m},) or ({energies.size}, {m}), one value per datum "
                f"and temperature, got {log_c.shape}"
            )
        weights = energies[:, np.newaxis] * self.inverse_temperatures
        with np.errstate(invalid="ignore", over="ignore"):
            weights -= log_c
            # One sum is much cheaper than a test of each value, and no bad value survives it.
            total = weights.sum()
        if not np.isfinite(total):
            for name, values in (("energies", energies), ("log_c", log_c)):
                if not np.isfinite(values).all():
                    bad = values[~np.isfinite(values)][0]
                    raise ValueError(f"{name} must be finite, got {bad}")
            raise ValueError("energies and log_c are too large: their sums overflow")
        return weights
