"""What sets the temperature of a factorial mixture in its tempered sweeps."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..._utils._typing import Floats
from ...tempering import QUANTILES, GlobalTemperature, LocalTemperature, Schedule
from ._images import Images
from ._updates import Prior


class Thermostat(Protocol):
    """One kind of tempering."""

    #: Names of what `details` returns.
    fields: tuple[str, ...]

    def inverse_temperatures(self, sweep: int) -> Floats:
        """Return s of every image in the next sweep, shape (N,)."""
        ...

    def bound(self, energies: Floats) -> float:
        """Return what the tempered variables' energies add to the bound at the present s."""
        ...

    def update(self, energies: Floats) -> None:
        """Take note of the energies after a sweep."""
        ...

    def details(self) -> tuple[float, ...]:
        """Return what the history notes beside the mean temperature."""
        ...

    def responsibilities(self) -> Floats | None:
        """Return the distribution over temperatures, if one is learned."""
        ...


class AnnealingThermostat:
    """VI and AVI: T follows a schedule."""

    fields: tuple[str, ...] = ()

    def __init__(self, schedule: Schedule, images: Images, prior: Prior) -> None:
        self._schedule = schedule
        self._s = np.ones(len(images.X))
        self._log_scale = float(prior.log_scale(images.observed).sum())

    def inverse_temperatures(self, sweep: int) -> Floats:
        """Return s of the schedule, in sweeps."""
        self._s = np.full(len(self._s), 1.0 / self._schedule.temperature(float(sweep)))
        return self._s

    def bound(self, energies: Floats) -> float:
        """Annealed bound: E / T."""
        return float(self._s[0]) * (float(energies.sum()) + self._log_scale)

    def update(self, energies: Floats) -> None:
        """The data have no say."""

    def details(self) -> tuple[float, ...]:
        """Nothing."""
        return ()

    def responsibilities(self) -> Floats | None:
        """No temperature is learned."""
        return None


class GlobalThermostat:
    """VT: one learned temperature (VT eq. 9)."""

    fields: tuple[str, ...] = ()

    def __init__(self, temperatures: Floats, step: float, images: Images, prior: Prior) -> None:
        sizes, counts = np.unique(images.observed, return_counts=True)
        log_c = counts @ prior.log_partition(1.0 / temperatures, sizes)
        self._temperature = GlobalTemperature(temperatures, log_c, step=step)
        self._n = len(images.X)
        self._log_scale = float(prior.log_scale(images.observed).sum())

    def inverse_temperatures(self, sweep: int) -> Floats:
        """Return the learned s."""
        return np.full(self._n, self._temperature.inverse_temperature)

    def bound(self, energies: Floats) -> float:
        """Tempered bound: the average over q(T)."""
        return self._temperature.elbo_terms(float(energies.sum())) + self._log_scale

    def update(self, energies: Floats) -> None:
        """Renew q(T)."""
        self._temperature.update(float(energies.sum()))

    def details(self) -> tuple[float, ...]:
        """Nothing: there is no other temperature."""
        return ()

    def responsibilities(self) -> Floats | None:
        """q(T)."""
        return self._temperature.responsibilities


class LocalThermostat:
    """LVT: a learned temperature for each image (VT eq. 10), weighing its statistics (eq. 11)."""

    fields = tuple(f"q{round(100 * q):02d}" for q in QUANTILES)

    def __init__(self, temperatures: Floats, images: Images, prior: Prior) -> None:
        self._temperature = LocalTemperature(1.0 / temperatures)
        # Images with as many pixels have the same normaliser.
        observed = images.observed[:1] if np.ptp(images.observed) == 0 else images.observed
        log_c = prior.log_partition(1.0 / temperatures, observed)
        self._log_c = log_c[0] if len(log_c) == 1 else log_c
        self._log_scale = float(prior.log_scale(images.observed).sum())
        self._s = np.full(len(images.X), float(np.mean(1.0 / temperatures)))
        # Before the first energies every temperature is as likely as any other.
        r = np.full((1, len(temperatures)), 1.0 / len(temperatures))
        zero = np.zeros(1)
        rows = np.atleast_2d(self._log_c)
        terms = [self._temperature.elbo_terms(zero, row, r)[0] for row in rows]
        self._learned, self._prior = False, r[0]
        self._energies = np.zeros(len(images.X))
        self._terms = np.broadcast_to(np.array(terms), len(images.X))

    def inverse_temperatures(self, sweep: int) -> Floats:
        """Return each image's s."""
        return self._s

    def bound(self, energies: Floats) -> float:
        """Tempered bound: the average over every q(T_n), linear in E_n while q(T_n) stands."""
        terms = self._terms + self._s * (energies - self._energies)
        return float(terms.sum()) + self._log_scale

    def update(self, energies: Floats) -> None:
        """Renew every q(T_n)."""
        self._learned, self._energies = True, energies
        self._terms = self._temperature.elbo_terms(energies, self._log_c)
        self._s = self._temperature.update(energies, self._log_c)

    def details(self) -> tuple[float, ...]:
        """Quantiles of the temperatures over images."""
        return tuple(float(q) for q in np.quantile(1.0 / self._s, QUANTILES))

    def responsibilities(self) -> Floats | None:
        """q(T_n), averaged over images."""
        if not self._learned:
            return self._prior
        return self._temperature.responsibilities(self._energies, self._log_c).mean(axis=0)
