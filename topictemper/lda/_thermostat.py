"""What sets the temperature of LDA while it learns: one class for each kind of tempering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils._state import Stateful, Tree, table, within
from ..tempering import (
    QUANTILES,
    CriticalProbe,
    GlobalTemperature,
    LocalTemperature,
    Schedule,
    as_schedule,
)
from ._e_step import Locals, Minibatch, log_likelihood
from ._normalizers import CorpusSize, PosteriorNormalizer, PriorNormalizer
from ._topics import Topics

# Rows of a history; of more every second one is dropped.
_LONGEST_HISTORY = 4096


@dataclass(frozen=True)
class Clock:
    """Where training stands, in passes, and how long one minibatch is."""

    passes: float
    batch: float


class Cooling(Stateful):
    """The course of T that annealing follows, and that bounds a learned temperature from above.

    With a number for the start, the schedule runs from pass 0 on. With a probe, T first falls
    from far above the critical temperature until the topics begin to differ; then T is raised
    again, T - 1 by a half, and the schedule runs from there.

    Parameters
    ----------
    start : float or None
        T at pass 0; None: ask a probe.
    schedule : str, Schedule or callable
        See `as_schedule`. A callable or a schedule is the whole course: no start, no probe.
    length : float
        Passes until T = 1.
    probe_length : float
        Passes within which the probe, at the latest, comes down to where no corpus learns.
    """

    STATE = ("_probe", "max_temperature", "_begin")
    PROBE_START, PROBE_RATE, PROBE_THRESHOLD, PROBE_REHEAT = 5.0, 0.01, 0.03, 1.5

    def __init__(
        self,
        start: float | None,
        schedule: str | Schedule | Callable[[float], Any],
        length: float,
        probe_length: float,
    ) -> None:
        self._schedule, self._length = schedule, length
        self._probe_length = probe_length
        self._probe: CriticalProbe | None = None
        self._course: Schedule | None = None
        self._begin = 0.0
        if start is None and isinstance(schedule, str):
            self._probe = CriticalProbe(
                self.PROBE_START, self.PROBE_RATE, self.PROBE_THRESHOLD, self.PROBE_REHEAT
            )
            self.max_temperature: float | None = None
        else:
            self._course = as_schedule(schedule, 1.0 if start is None else start, length)
            self.max_temperature = self._course.temperature(0.0)

    @property
    def probing(self) -> bool:
        """Whether the start of the schedule is still being looked for."""
        return self._probe is not None and not self._probe.finished

    def temperature(self, passes: float) -> float:
        """T of the next minibatch."""
        if self.probing:
            assert self._probe is not None
            return self._probe.temperature
        assert self._course is not None
        return self._course.temperature(max(0.0, passes - self._begin))

    def observe(
        self, clock: Clock, topics: Topics, batch: Minibatch, local: Locals, workers: Workers
    ) -> None:
        """Let the probe see a minibatch: how much its own topics explain beyond the average mix."""
        tokens = batch.total_tokens()
        if self._probe is None or self._probe.finished or tokens == 0:
            return
        own = local.gamma / local.gamma.sum(axis=1, keepdims=True)
        totals = topics.totals
        average = (totals / totals.sum())[None, :]
        gain = log_likelihood(topics, batch, own, workers) - log_likelihood(
            topics, batch, average, workers
        )
        # T - 1 falls by a factor of 20 within `probe_length`, by 1% a minibatch at the least.
        rate = 1.0 - exp(-log(20.0) * clock.batch / self._probe_length)
        self._probe.update(float(batch.total(gain) / tokens), min(0.5, max(rate, self.PROBE_RATE)))
        if self._probe.finished:
            self._begin = clock.passes + clock.batch
            self._set_course()

    def _set_course(self) -> None:
        """Follow the schedule from where the probe has ended."""
        if self._probe is not None and self._probe.max_temperature is not None:
            self.max_temperature = self._probe.max_temperature
            self._course = as_schedule(self._schedule, self.max_temperature, self._length)

    def set_state(self, tree: Tree) -> None:
        """Take the state of another one, made with the same parameters."""
        super().set_state(tree)
        self._set_course()


class Thermostat(Stateful):
    """SVI, AVI and posterior tempering: T follows its course, the data have no say.

    Parameters
    ----------
    cooling : Cooling
        The course of T; for a learned temperature, its upper bound.
    updates : int
        Moments a pass when the temperature is noted, and learned ones are brought up to date.
    """

    STATE: ClassVar[tuple[str, ...]] = ("cooling", "learned")

    #: Mean inverse temperature that the data ask for, in (0, 1]; 1 where nothing is learned.
    learned = 1.0

    def __init__(self, cooling: Cooling, updates: int) -> None:
        self.cooling = cooling
        self.history: list[tuple[float, ...]] = []
        self._period = 1.0 / updates

    def inverse_temperature(self, clock: Clock) -> float:
        """Inverse temperature s of the next minibatch."""
        return 1.0 / self.cooling.temperature(clock.passes)

    def learns(self, clock: Clock) -> bool:
        """Whether the next minibatch is one to learn a temperature from; it needs energies."""
        return False

    def weights(
        self,
        clock: Clock,
        topics: Topics,
        batch: Minibatch,
        local: Locals,
        size: CorpusSize,
        workers: Workers,
    ) -> NDArray[Any]:
        """Take note of a minibatch after its E-step; weight s_d of each document's statistics."""
        weights, temperature = local.s, 1.0 / self.inverse_temperature(clock)
        if self.cooling.probing:
            self.cooling.observe(clock, topics, batch, local, workers)
            self._start()
        elif self.learns(clock):
            weights = self._learn(clock, topics, batch, local, size, workers)
        if self._due(clock):
            history = [*self.history, (clock.passes, temperature, *self._details())]
            self.history = history[::2] if len(history) > _LONGEST_HISTORY else history
        return weights

    def get_state(self) -> Tree:
        """All that changes, the history included."""
        width = 2 + len(self._details())
        return {**super().get_state(), "history": table(self.history, width)}

    def set_state(self, tree: Tree) -> None:
        """Take the state of another one, made with the same parameters."""
        rest = dict(tree)
        rows = rest.pop("history")
        super().set_state(rest)
        with within("history"):
            if rows.dtype != np.float64 or rows.shape != (len(rows), 2 + len(self._details())):
                raise ValueError("no table of numbers, or another number of columns")
            self.history = [tuple(row) for row in rows.tolist()]

    def _due(self, clock: Clock, period: float | None = None) -> bool:
        """Whether one of the moments of a pass, or of a longer period, falls into this batch."""
        period = self._period if period is None else period
        place = clock.passes / period
        # the clock is a sum of rounded steps: a hair before a moment is that moment
        return ceil(place - 1e-6) < place + clock.batch / period - 1e-6

    def _start(self) -> None:
        """Begin to learn at the temperature where the course begins, if that is known."""

    def _details(self) -> tuple[float, ...]:
        """What the history notes beyond time and temperature."""
        return ()

    def _learn(
        self,
        clock: Clock,
        topics: Topics,
        batch: Minibatch,
        local: Locals,
        size: CorpusSize,
        workers: Workers,
    ) -> NDArray[Any]:
        raise AssertionError("only a thermostat that learns is asked to")


class _LearnedThermostat(Thermostat):
    """An average over the corpus of the temperature that the data ask for, below a bound.

    Far above the critical temperature the uniform solution explains itself best, and a learned
    temperature stays there for ever: hence the bound. Followed at once, a learned temperature
    runs down within a fraction of a pass: hence the average, with a memory of ``inertia`` passes.
    """

    def __init__(self, cooling: Cooling, updates: int, inertia: float) -> None:
        super().__init__(cooling, updates)
        self._inertia = inertia
        self._start()

    def _start(self) -> None:
        if self.cooling.max_temperature is not None:
            self.learned = 1.0 / self.cooling.max_temperature

    def inverse_temperature(self, clock: Clock) -> float:
        """The learned value, but never hotter than the bound."""
        bound = super().inverse_temperature(clock)
        return bound if self.cooling.probing else max(bound, self.learned)

    def _approach(self, target: float, passes: float) -> None:
        """Move the learned value towards what the data seen in these passes ask for."""
        share = 1.0 - exp(-passes / self._inertia) if self._inertia > 0 else 1.0
        self.learned += share * (target - self.learned)


class GlobalThermostat(_LearnedThermostat):
    """VT: one learned temperature (VT eq. 9), renewed some times a pass.

    Parameters
    ----------
    cooling, updates
        As for `Thermostat`.
    inertia : float
        Memory of the learned temperature, in passes.
    grid : ndarray of shape (n_temperatures,)
        Ascending inverse temperatures.
    normalizer : PosteriorNormalizer or PriorNormalizer
        Gives energy and log C.
    """

    STATE = ("cooling", "learned", "_temperature", "_normalizer")

    def __init__(
        self,
        cooling: Cooling,
        updates: int,
        inertia: float,
        grid: NDArray[np.float64],
        normalizer: PosteriorNormalizer | PriorNormalizer,
    ) -> None:
        super().__init__(cooling, updates, inertia)
        self._temperature = GlobalTemperature(1.0 / grid[::-1], None)
        self._normalizer = normalizer

    def learns(self, clock: Clock) -> bool:
        """At the moments of a pass only."""
        return not self.cooling.probing and self._due(clock)

    def _learn(
        self,
        clock: Clock,
        topics: Topics,
        batch: Minibatch,
        local: Locals,
        size: CorpusSize,
        workers: Workers,
    ) -> NDArray[Any]:
        if len(batch.counts):
            self._normalizer.refresh(topics, workers)
            energy, log_c = self._normalizer.corpus(topics, batch, local, size, workers)
            target = self._temperature.update(energy, (self._normalizer.nodes.matrix @ log_c)[::-1])
            self._approach(target, max(self._period, clock.batch))
        return local.s


class LocalThermostat(_LearnedThermostat):
    """LVT: a temperature for each document (VT eq. 10), once a visit.

    The fixed point of a document is found at the corpus average; then its own inverse temperature
    is worked out, once, and weighs its statistics (VT eq. 11). Going on to a joint fixed point
    inside the document would let its temperature run down before its topics have formed.

    Parameters
    ----------
    cooling, updates, inertia, grid
        As for `GlobalThermostat`.
    normalizer : PosteriorNormalizer
        Gives energies and log C_d.
    """

    STATE = ("cooling", "learned", "_normalizer", "_refreshed", "_quantiles")

    def __init__(
        self,
        cooling: Cooling,
        updates: int,
        inertia: float,
        grid: NDArray[np.float64],
        normalizer: PosteriorNormalizer,
    ) -> None:
        super().__init__(cooling, updates, inertia)
        self._grid = grid
        self._normalizer = normalizer
        self._refreshed = -np.inf
        self._quantiles = np.full(len(QUANTILES), np.nan)

    def learns(self, clock: Clock) -> bool:
        """While T > 1 from every document; afterwards once a pass, to know what they ask for."""
        if self.cooling.probing:
            return False
        return self.inverse_temperature(clock) < 1.0 or self._due(clock, 1.0)

    def _learn(
        self,
        clock: Clock,
        topics: Topics,
        batch: Minibatch,
        local: Locals,
        size: CorpusSize,
        workers: Workers,
    ) -> NDArray[Any]:
        if clock.passes - self._refreshed > self._period * (1 - 1e-6):
            self._normalizer.refresh(topics, workers)
            self._refreshed = clock.passes
        s = document_inverse_temperatures(
            self._grid, self._normalizer, batch, local, self.learned, workers
        )
        self._quantiles = np.quantile(1.0 / s, QUANTILES)
        bound = 1.0 / self.cooling.temperature(clock.passes)
        self._approach(float(batch.total(s) / batch.size), clock.batch if bound < 1.0 else 1.0)
        return np.maximum(s, bound).astype(local.s.dtype)

    def _details(self) -> tuple[float, ...]:
        return tuple(float(q) for q in self._quantiles)


def document_inverse_temperatures(
    grid: NDArray[np.float64],
    normalizer: PosteriorNormalizer,
    batch: Minibatch,
    local: Locals,
    mean: float,
    workers: Workers,
) -> NDArray[np.float64]:
    """E[1/T_d] of every document after its E-step (VT eq. 10); one without words has ``mean``."""
    energies, log_c = normalizer.documents(batch, local, workers)
    # Not a matrix product of BLAS, which may round a row differently for other neighbours.
    at_grid = np.einsum("dj,jm->dm", log_c, np.ascontiguousarray(normalizer.nodes.matrix.T))
    s = LocalTemperature(grid).update(energies, at_grid)
    s[np.diff(batch.doc_ptr) == 0] = mean
    return s
