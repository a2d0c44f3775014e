"""One random temperature for the whole model: variational tempering."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from .._utils import _validation as check
from .._utils._numerics import ignoring_underflow
from .._utils._state import Stateful, Tree
from .._utils._typing import Floats
from ._grids import log_c_vector, normalized_log_prior, temperature_vector


class GlobalTemperature(Stateful):
    """The variational distribution of one temperature shared by all data.

    With the multinomial ``q(y) = r`` over temperatures ``T_1 .. T_M``,

        r_m ∝ exp{ E / T_m - log C(T_m) + log pi_m },     E[1/T] = sum_m r_m / T_m,

    where E is the expected log joint of the tempered variables and C the normalizer of exactly
    those variables. Before the first update r is the prior pi.

    Parameters
    ----------
    temperatures : array-like of shape (M,)
        Temperatures, finite and >= 1.
    log_c : array-like of shape (M,) or None
        Log normalizers log C(T_m), in nats. None if every update brings its own.
    log_prior : array-like of shape (M,), optional
        Log prior of the temperatures, up to a constant; -inf excludes one. Uniform if not given.
    step : float, default=1.0
        Damping in (0, 1]: the energy that decides r is a moving average,
        ``E_bar <- (1 - step) E_bar + step E``, started by the first energy. Make few
        updates or small ones: else r follows the energy of a poor early fit down to T = 1 within
        some sweeps.

    Attributes
    ----------
    temperatures : ndarray of shape (M,)
        The temperatures.
    responsibilities : ndarray of shape (M,)
        r, the current distribution over temperatures.
    inverse_temperature : float
        E[1/T], in (0, 1].
    mean_temperature : float
        E[T].

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range or of the wrong length.

    Notes
    -----
    A constant factor of the likelihood, such as a Gaussian's ``(2 pi variance)^(-D/2)``, must be in
    both E and C (where it is raised to 1/T), or in neither. With it in one alone, the learned
    temperature is wrong, and may collapse to 1. The same holds for `LocalTemperature`.

    References
    ----------
    Mandt et al. (2016), "Variational Tempering", sections 2.2, 2.3 and 3.3, equations 3, 5 and 9.

    Examples
    --------
    >>> import numpy as np
    >>> temperature = GlobalTemperature([1.0, 2.0], log_c=[0.0, 40.0])
    >>> temperature.inverse_temperature
    0.75
    >>> temperature.update(energy=-100.0)
    0.5000226989343...

    Data of variance 4 ask a Gaussian of variance 1 for T = 4. The constant is in both:

    >>> T, x = np.array([1.0, 2.0, 4.0, 8.0]), np.full(1000, 2.0)
    >>> constant = np.log(2 * np.pi)
    >>> log_c = len(x) * 0.5 * ((1 - 1 / T) * constant + np.log(T))
    >>> temperature = GlobalTemperature(T, log_c)
    >>> round(1 / temperature.update(-0.5 * (x**2 + constant).sum()), 3)
    4.0
    """

    responsibilities: Floats
    inverse_temperature: float
    mean_temperature: float
    STATE = ("_energy", "_log_c", "responsibilities")

    def __init__(
        self,
        temperatures: ArrayLike,
        log_c: ArrayLike | None,
        *,
        log_prior: ArrayLike | None = None,
        step: float = 1.0,
    ) -> None:
        self.temperatures: Floats = temperature_vector(temperatures)
        self._inverse = 1.0 / self.temperatures
        size = self.temperatures.size
        self._log_c = None if log_c is None else log_c_vector(log_c, size)
        self._log_prior = normalized_log_prior(log_prior, size)
        self._step = check.number("step", step, 0.0, 1.0, boundaries="right")
        self._energy: float | None = None
        self._set_responsibilities(np.exp(self._log_prior))

    @ignoring_underflow
    def update(self, energy: float, log_c: ArrayLike | None = None) -> float:
        """Set r from the energy of the current state.

        Parameters
        ----------
        energy : float
            Expected log joint E of the tempered variables, at T = 1 and over all data, in nats.
        log_c : array-like of shape (M,), optional
            New log normalizers, for a normalizer that depends on the current state. They are
            averaged exactly as the energies are, because the two must describe the same states. If
            not given, the previous ones are kept.

        Returns
        -------
        float
            The inverse temperature E[1/T].

        Raises
        ------
        TypeError, ValueError
            If an argument is not finite or of the wrong length, if there is no log normalizer, or
            if energy and log_c are so large that their sums overflow.
        """
        energy = check.number("energy", energy)
        new_log_c = self._checked_log_c(log_c)
        if self._energy is not None:
            # In this order no step of 1, nor equal values, can leave a rounding error behind.
            keep = 1.0 - self._step
            energy = keep * self._energy + self._step * energy
            if log_c is not None:
                new_log_c = keep * self._checked_log_c(None) + self._step * new_log_c
        weights = self._log_joint(energy, new_log_c)
        self._energy, self._log_c = energy, new_log_c
        weights -= weights.max()
        np.exp(weights, out=weights)
        weights /= weights.sum()
        self._set_responsibilities(weights)
        return self.inverse_temperature

    @ignoring_underflow
    def set_state(self, tree: Tree) -> None:
        """Take the state of another one, made with the same parameters."""
        super().set_state(tree)
        self._set_responsibilities(self.responsibilities)

    @ignoring_underflow
    def elbo_terms(self, energy: float, log_c: ArrayLike | None = None) -> float:
        """Return what the tempered variables and r add to the tempered ELBO (equation 5).

            sum_m r_m (E / T_m + log pi_m - log C(T_m) - log r_m),

        at the current r; an undamped `update` with the same arguments maximizes it. All other terms
        of the bound belong to the model.

        Parameters
        ----------
        energy : float
            Expected log joint of the tempered variables, in nats. Not averaged with earlier ones.
        log_c : array-like of shape (M,), optional
            Log normalizers of the same state. If not given, those that the last update used.

        Returns
        -------
        float
            In nats.

        Raises
        ------
        TypeError, ValueError
            If an argument is not finite or of the wrong length, if there is no log normalizer, or
            if energy and log_c are so large that their sums overflow.
        """
        energy = check.number("energy", energy)
        used = self.responsibilities > 0  # 0 times the -inf of an excluded temperature is 0
        r = self.responsibilities[used]
        values = self._log_joint(energy, self._checked_log_c(log_c))
        return float(r @ values[used] + entr(r).sum())

    def _log_joint(self, energy: float, log_c: Floats) -> Floats:
        """``E / T_m - log C(T_m) + log pi_m``."""
        with np.errstate(over="ignore"):
            values: Floats = energy * self._inverse - log_c + self._log_prior
        if np.isinf(values[np.isfinite(self._log_prior)]).any():
            raise ValueError("energy and log_c are too large: their sums overflow")
        return values

    def _checked_log_c(self, log_c: ArrayLike | None) -> Floats:
        if log_c is not None:
            return log_c_vector(log_c, self.temperatures.size)
        if self._log_c is None:
            raise ValueError("log_c must be given to update, since the constructor was given None")
        return self._log_c

    def _set_responsibilities(self, r: Floats) -> None:
        r.setflags(write=False)
        self.responsibilities = r
        # The weights sum to one up to rounding only; an average must not leave its range.
        inverse, temperatures = self._inverse, self.temperatures
        self.inverse_temperature = float(np.clip(r @ inverse, inverse.min(), inverse.max()))
        self.mean_temperature = float(
            np.clip(r @ temperatures, temperatures.min(), temperatures.max())
        )
