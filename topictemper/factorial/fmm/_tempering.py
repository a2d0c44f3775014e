"""Temperatures of images in tempered sweeps, and the bound that these sweeps climb."""

from __future__ import annotations

import numpy as np

from ..._utils._typing import Floats
from ...tempering import GlobalTemperature, LocalTemperature
from ...tempering._control import AnnealingCourse, Clock, Evidence, TemperatureControl
from ._config import Config
from ._images import Images


class Scheduled:
    """AVI and VI: T follows a schedule, in sweeps, or is 1."""

    def __init__(
        self,
        config: Config,
        images: Images,
        posterior: GlobalTemperature | LocalTemperature | None = None,
    ) -> None:
        course = None
        if config.schedule is not None:
            course = AnnealingCourse(None, config.schedule, 0.0)
        self.control = TemperatureControl(course, posterior)
        self._n = len(images.X)
        self._log_scale = float(config.prior.log_scale(images.observed).sum())
        self._clock = Clock(0.0, 1.0)

    def temperature(self) -> float:
        """Return T of the next sweep; of several temperatures, that of their mean 1 / T."""
        return 1.0 / self.control.inverse_temperature(self._clock.passes)

    def inverse_temperatures(self) -> Floats:
        """Return s of every image in the next sweep, (N,)."""
        return np.full(self._n, self.control.inverse_temperature(self._clock.passes))

    def bound(self, energies: Floats) -> float:
        """Return the likelihood's terms of the annealed bound, E / T (VT eq. 4)."""
        s = self.control.inverse_temperature(self._clock.passes)
        return s * (float(energies.sum()) + self._log_scale)

    def update(self, energies: Floats) -> None:
        """Learn from the energies after a sweep, and proceed to the next one."""
        self._learn(energies)
        self._clock = Clock(self._clock.passes + 1.0, 1.0)

    def _learn(self, energies: Floats) -> None:
        self.control.update(self._clock)

    def quantiles(self) -> tuple[float, ...]:
        """Return quantiles of learned temperatures of images; NaN before the first update."""
        if not self.control.history:
            return (np.nan,) * (len(self.control.fields) - 2)
        return self.control.history[-1][2:]

    def responsibilities(self) -> Floats | None:
        """Return the distribution over temperatures, if one is learned."""
        return None


class LearnedGlobally(Scheduled):
    """VT: one learned temperature (VT eq. 9), perhaps with a schedule as its upper bound."""

    def __init__(self, config: Config, images: Images) -> None:
        assert config.temperatures is not None
        sizes, counts = np.unique(images.observed, return_counts=True)
        log_c = counts @ config.prior.log_partition(1.0 / config.temperatures, sizes)
        self._posterior = GlobalTemperature(config.temperatures, log_c, step=config.share)
        if config.share < 1.0:
            # The average of energies starts where T is highest, and T falls from there.
            lowest = 1.0 / float(config.temperatures.max())
            self._posterior.update(float(counts @ config.prior.expected_energy(lowest, sizes)))
        super().__init__(config, images, self._posterior)

    def bound(self, energies: Floats) -> float:
        """Return the average over q(T) (VT eq. 5), or the annealed terms if T has met its bound."""
        s = self.control.inverse_temperature(self._clock.passes)
        if s != self._posterior.inverse_temperature:
            return super().bound(energies)
        return self._posterior.elbo_terms(float(energies.sum())) + self._log_scale

    def _learn(self, energies: Floats) -> None:
        self.control.update(self._clock, Evidence(float(energies.sum())))

    def responsibilities(self) -> Floats:
        """Return q(T)."""
        return self._posterior.responsibilities


class LearnedLocally(Scheduled):
    """LVT: a learned temperature for each image (VT eq. 10), which weights it (VT eq. 11)."""

    def __init__(self, config: Config, images: Images) -> None:
        assert config.temperatures is not None
        grid = 1.0 / config.temperatures
        self._posterior = LocalTemperature(grid)
        super().__init__(config, images, self._posterior)
        # Images with as many pixels have the same normalizer.
        observed = images.observed[:1] if np.ptp(images.observed) == 0 else images.observed
        log_c = config.prior.log_partition(grid, observed)
        self._log_c = log_c[0] if len(log_c) == 1 else log_c
        self._s = super().inverse_temperatures()
        # Before the first update every q(T_n) is uniform.
        self._uniform: Floats | None = np.full(len(grid), 1.0 / len(grid))
        zero, r = np.zeros(1), self._uniform[np.newaxis]
        terms = [self._posterior.elbo_terms(zero, row, r)[0] for row in np.atleast_2d(self._log_c)]
        self._energies = np.zeros(self._n)
        self._terms = np.broadcast_to(np.array(terms), self._n)

    def inverse_temperatures(self) -> Floats:
        """Return s of every image in the next sweep, (N,)."""
        return self._s

    def bound(self, energies: Floats) -> float:
        """Return the average over every q(T_n), as in VT eq. 5; it is linear in E_n."""
        terms = self._terms + self._s * (energies - self._energies)
        return float(terms.sum()) + self._log_scale

    def _learn(self, energies: Floats) -> None:
        s = self.control.update(self._clock, Evidence(energies, self._log_c))
        assert s is not None
        self._s, self._energies, self._uniform = s, energies, None
        self._terms = self._posterior.elbo_terms(energies, self._log_c)

    def responsibilities(self) -> Floats:
        """Return q(T_n), averaged over images."""
        if self._uniform is not None:
            return self._uniform
        return self._posterior.responsibilities(self._energies, self._log_c).mean(axis=0)


def new_tempering(config: Config, images: Images) -> Scheduled:
    """Return the tempering of one fit."""
    kinds: dict[str, type[Scheduled]] = {"vt": LearnedGlobally, "lvt": LearnedLocally}
    return kinds.get(config.mode, Scheduled)(config, images)
