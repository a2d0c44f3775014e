"""The temperature of the next step: schedule, probe, bound, inertia and history, for any model."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, log
from typing import Any, NamedTuple

import numpy as np

from .._utils._state import Stateful, Tree, within
from .._utils._typing import Flags, Floats
from ._global import GlobalTemperature
from ._local import QUANTILES, LocalTemperature
from ._probe import CriticalProbe
from ._schedules import Schedule, ScheduleSpec, as_schedule

# Rows of a history; of more every second one is dropped.
_LONGEST_HISTORY = 4096
#: Names of the quantiles of temperatures in a history.
QUANTILE_FIELDS = tuple(f"q{round(100 * q):02d}" for q in QUANTILES)
# Shrinkage of T - 1 in a step of the probe, however small the step.
_LEAST_RATE = 0.01


@dataclass(frozen=True)
class Clock:
    """Where training stands, in passes, and the share of a pass in the next step."""

    passes: float
    step: float


class Evidence(NamedTuple):
    """What a step tells about temperatures, in nats.

    For one temperature of all data ``energy`` is a number and ``log_c`` a row of the grid. For a
    temperature of each datum both have one entry for each; ``weight`` says how often it counts
    (None: once), and data where ``empty`` is true have nothing to tell.
    """

    energy: Any
    log_c: Floats | None = None
    weight: Floats | None = None
    empty: Flags | None = None


class AnnealingCourse(Stateful):
    """The course of T that annealing follows, and that bounds a learned temperature from above.

    With a number for the start, the schedule runs from pass 0 on. With a probe, T first falls
    from far above the critical temperature until the components begin to differ. Then T - 1 is
    raised by a half, and the schedule runs from there.

    Parameters
    ----------
    start : float or None
        T at pass 0; None: ask a probe.
    schedule : str, Schedule or callable
        See `as_schedule`. A callable or a schedule is the whole course: no start, no probe.
    length : float
        Passes until T = 1.
    probe_length : float
        Passes within which the probe, at the latest, reaches temperatures at which any data
        are learned.
    lowest : float
        Temperature at which the probe gives up.
    """

    STATE = ("_probe", "max_temperature", "_begin")
    PARTS = ("_probe",)

    def __init__(
        self,
        start: float | None,
        schedule: ScheduleSpec,
        length: float,
        probe_length: float = 0.0,
        lowest: float = 1.02,
    ) -> None:
        self._schedule, self._length = schedule, length
        self._probe_length = probe_length
        self._probe: CriticalProbe | None = None
        self._course: Schedule | None = None
        self._begin = 0.0
        if start is None and isinstance(schedule, str):
            self._probe = CriticalProbe(lowest=lowest)
            self.max_temperature: float | None = None
        else:
            self._course = as_schedule(schedule, 1.0 if start is None else start, length)
            self.max_temperature = self._course.temperature(0.0)

    @property
    def probing(self) -> bool:
        """Whether the probe is still looking for the start of the schedule."""
        return self._probe is not None and not self._probe.finished

    def temperature(self, passes: float) -> float:
        """T of the next step."""
        if self.probing:
            assert self._probe is not None
            return self._probe.temperature
        assert self._course is not None
        return self._course.temperature(max(0.0, passes - self._begin))

    def observe(self, clock: Clock, order_parameter: float) -> None:
        """Give the probe the order parameter of a step: how much components differ, in nats."""
        assert self._probe is not None
        # T - 1 falls by a factor of 20 within `probe_length`.
        rate = 1.0 - exp(-log(20.0) * clock.step / self._probe_length)
        self._probe.update(order_parameter, min(0.5, max(rate, _LEAST_RATE)))
        if self._probe.finished:
            self._begin = clock.passes + clock.step
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


class TemperatureControl(Stateful):
    """Decides the temperature of every step of a model, and the weights of its data.

    Without a posterior, T follows its course ("avi", "dasvi"). With one, T is learned: it is an
    average of the temperatures that the data ask for, bounded above by the course. Far above the
    critical temperature the uniform solution explains itself best, and a learned temperature would
    stay there: hence the bound. Without inertia it falls to 1 within a fraction of a pass.

    Parameters
    ----------
    course : AnnealingCourse or None
        The course of T; for a learned temperature, its upper bound (None: there is none).
    posterior : GlobalTemperature, LocalTemperature or None
        q(T) of all data (VT eq. 9) or of each datum (VT eq. 10).
    updates : float
        Updates of one temperature of all data in a pass, and rows of the history.
    inertia : float
        Passes over which a learned temperature is averaged.

    Attributes
    ----------
    learned : float
        Mean inverse temperature that the data ask for, in (0, 1]; 1 where nothing is learned.
    history : list of tuple of float
        Pass, temperature and, for a temperature of each datum, quantiles of those that are not
        empty.
    """

    STATE = ("course", "learned", "posterior", "_quantiles")
    PARTS = ("course", "posterior")

    def __init__(
        self,
        course: AnnealingCourse | None,
        posterior: GlobalTemperature | LocalTemperature | None = None,
        *,
        updates: float = 1.0,
        inertia: float = 0.0,
    ) -> None:
        self.course, self.posterior = course, posterior
        self.history: list[tuple[float, ...]] = []
        self.learned = 1.0
        self._period, self._inertia = 1.0 / updates, inertia
        is_local = isinstance(posterior, LocalTemperature)
        self._quantiles = np.full(len(QUANTILES) if is_local else 0, np.nan)
        self._begin()

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns of `history`."""
        return ("pass", "temperature", *QUANTILE_FIELDS[: len(self._quantiles)])

    @property
    def probing(self) -> bool:
        """Whether the course still looks for its start, by order parameters."""
        return self.course is not None and self.course.probing

    def inverse_temperature(self, passes: float) -> float:
        """Inverse temperature s of a step after so many passes."""
        if self.course is None:
            return self.learned
        bound = 1.0 / self.course.temperature(passes)
        if self.posterior is None or self.probing:
            return bound
        return max(bound, self.learned)

    def learns(self, clock: Clock) -> bool:
        """Whether the next step is one to learn a temperature from, which needs evidence.

        One temperature of all data is learned at moments of a pass. Temperatures of each datum are
        learned from every datum while T > 1, and once a pass afterwards, to know what they ask for.
        """
        if self.posterior is None or self.probing:
            return False
        if isinstance(self.posterior, GlobalTemperature):
            return self._due(clock, self._period)
        return self.inverse_temperature(clock.passes) < 1.0 or self._due(clock, 1.0)

    def update(
        self,
        clock: Clock,
        evidence: Evidence | None = None,
        order_parameter: float | None = None,
    ) -> Floats | None:
        """Learn from a step (VT eqs. 9 and 10).

        Returns
        -------
        ndarray or None
            Weight s_n of each datum in the statistics (VT eq. 11); None: all have the s of the
            step.
        """
        temperature, weights = 1.0 / self.inverse_temperature(clock.passes), None
        if self.probing:
            if order_parameter is not None:
                assert self.course is not None
                self.course.observe(clock, order_parameter)
            self._begin()
        elif evidence is not None:
            weights = self._learn(clock, evidence)
        if self._due(clock, self._period):
            history = [*self.history, (clock.passes, temperature, *self._quantiles.tolist())]
            self.history = history[::2] if len(history) > _LONGEST_HISTORY else history
        return weights

    def get_state(self) -> Tree:
        """All that changes, the history included."""
        rows = np.array(self.history, dtype=np.float64).reshape(-1, len(self.fields))
        return {**super().get_state(), "history": rows}

    def set_state(self, tree: Tree) -> None:
        """Take the state of another one, made with the same parameters."""
        rest = dict(tree)
        rows = rest.pop("history")
        super().set_state(rest)
        with within("history"):
            if rows.dtype != np.float64 or rows.shape != (len(rows), len(self.fields)):
                raise ValueError("no table of numbers, or another number of columns")
            self.history = [tuple(row) for row in rows.tolist()]

    def _begin(self) -> None:
        """Begin to learn where the course begins, if that is known, or at the prior's mean."""
        if self.posterior is None:
            return
        if self.course is not None:
            if self.course.max_temperature is not None:
                self.learned = 1.0 / self.course.max_temperature
        elif isinstance(self.posterior, GlobalTemperature):
            self.learned = self.posterior.inverse_temperature
        else:
            self.learned = float(np.mean(self.posterior.inverse_temperatures))

    def _learn(self, clock: Clock, evidence: Evidence) -> Floats | None:
        assert self.posterior is not None
        if isinstance(self.posterior, GlobalTemperature):
            target = self.posterior.update(evidence.energy, evidence.log_c)
            self._approach(target, max(self._period, clock.step))
            return None
        assert evidence.log_c is not None
        s = self.posterior.update(evidence.energy, evidence.log_c)
        filled = s
        if evidence.empty is not None:
            filled = s[~evidence.empty]
            s[evidence.empty] = self.learned
        if len(filled):
            # As np.quantile does, which takes longer than the update.
            places = np.multiply(QUANTILES, len(filled) - 1)
            self._quantiles = np.interp(places, np.arange(len(filled)), np.sort(1.0 / filled))
        bound = 0.0 if self.course is None else 1.0 / self.course.temperature(clock.passes)
        mean = float(np.average(s, weights=evidence.weight))
        self._approach(mean, clock.step if bound < 1.0 else 1.0)
        return np.maximum(s, bound)

    def _approach(self, target: float, passes: float) -> None:
        """Move the learned value towards what the data seen in these passes ask for."""
        share = 1.0 - exp(-passes / self._inertia) if self._inertia > 0 else 1.0
        self.learned = target if share == 1.0 else self.learned + share * (target - self.learned)

    def _due(self, clock: Clock, period: float) -> bool:
        """Whether one of the moments of a pass, or of a longer period, falls into this step."""
        place = clock.passes / period
        # The clock is a sum of rounded steps: a little before a moment is that moment.
        return ceil(place - 1e-6) < place + clock.step / period - 1e-6
