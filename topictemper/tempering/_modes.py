"""Modes of tempering: what the parameter `tempering` of every estimator takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sklearn.base import BaseEstimator

from .._utils import _validation as check
from ._schedules import (
    LARGEST_TEMPERATURE,
    ConstantSchedule,
    Schedule,
    ScheduleName,
    ScheduleSpec,
    as_schedule,
)


class Annealing(BaseEstimator):
    """Annealed variational inference ("avi"): T falls on a schedule.

    Settings that are None or "auto" are chosen by the estimator; its docstring states them. An
    estimator that cannot use a setting raises an error.

    Parameters
    ----------
    schedule : {"linear", "exponential", "inverse-linear"}, Schedule or callable, default=None
        How T falls from `max_temperature` to 1. A `Schedule`, or a callable from passes to T >= 1,
        sets T by itself: `max_temperature` must then be "auto" and `length` None.
    max_temperature : "auto" or float, default="auto"
        T at the start, from 1 to 1e6.
    length : float, default=None
        Passes over the data until T = 1, >= 0.

    References
    ----------
    Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS. Section 2.2.

    Examples
    --------
    >>> from topictemper.factorial import FactorialMixture
    >>> from topictemper.tempering import Annealing
    >>> model = FactorialMixture(10, tempering=Annealing(max_temperature=3, length=30))
    >>> model.get_params()["tempering__length"]
    30
    """

    #: The name that stands for this mode with its default settings.
    mode: ClassVar[str] = "avi"

    def __init__(
        self,
        *,
        schedule: ScheduleSpec | None = None,
        max_temperature: float | Literal["auto"] = "auto",
        length: float | None = None,
    ) -> None:
        self.schedule = schedule
        self.max_temperature = max_temperature
        self.length = length


class PosteriorAnnealing(Annealing):
    """Deterministic annealing of the whole posterior ("dasvi"): it also tempers the priors.

    Parameters
    ----------
    schedule : {"linear", "exponential", "inverse-linear"}, Schedule or callable, default=None
        As for `Annealing`.
    max_temperature : "auto" or float, default="auto"
        T at the start, from 1 to 1e6.
    length : float, default=None
        Passes over the data until T = 1, >= 0.

    References
    ----------
    Abrol, Mandt, Ranganath, Blei (2014). Deterministic Annealing for Stochastic Variational
    Inference. arXiv:1411.1810.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.tempering import PosteriorAnnealing
    >>> lda = TemperedLDA(20, tempering=PosteriorAnnealing(max_temperature=2.0))
    """

    mode = "dasvi"


class LocalTempering(Annealing):
    """Local variational tempering ("lvt"): a temperature is learned for each document, or datum.

    Settings that are None or "auto" are chosen by the estimator; its docstring states them.

    Parameters
    ----------
    schedule : {"linear", "exponential", "inverse-linear"}, Schedule or callable, default=None
        Upper bound of the learned temperatures over time, as for `Annealing`.
    max_temperature : "auto" or float, default="auto"
        The bound at the start, from 1 to 1e6.
    length : float, default=None
        Passes over the data until the bound is 1, >= 0.
    inertia : float, default=None
        Time constant of the average over past temperatures, in passes over the data, >= 0.
    n_temperatures : int, default=None
        Size n of the grid of temperatures, >= 2. For topics 1 / T is 1 / n, 2 / n, ..., 1, so that
        none is above n; for factorial mixtures it goes from 1 to `max_temperature`.
    updates : int, default=None
        How often in a pass the normalizer C(T) is computed anew, >= 1. Temperatures are learned at
        every step.

    References
    ----------
    Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS. Equations 10
    and 11.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.tempering import LocalTempering
    >>> lda = TemperedLDA(20, tempering=LocalTempering(max_temperature=3, inertia=1.5))
    """

    mode = "lvt"

    def __init__(
        self,
        *,
        schedule: ScheduleSpec | None = None,
        max_temperature: float | Literal["auto"] = "auto",
        length: float | None = None,
        inertia: float | None = None,
        n_temperatures: int | None = None,
        updates: int | None = None,
    ) -> None:
        super().__init__(schedule=schedule, max_temperature=max_temperature, length=length)
        self.inertia = inertia
        self.n_temperatures = n_temperatures
        self.updates = updates


class GlobalTempering(LocalTempering):
    """Variational tempering ("vt"): the model learns one temperature for all data.

    Settings that are None or "auto" are chosen by the estimator; its docstring states them.

    Parameters
    ----------
    schedule : {"linear", "exponential", "inverse-linear"}, Schedule or callable, default=None
        Upper bound of the learned temperature over time, as for `Annealing`.
    max_temperature : "auto" or float, default="auto"
        The bound at the start, from 1 to 1e6.
    length : float, default=None
        Passes over the data until the bound is 1, >= 0.
    inertia : float, default=None
        Time constant of the average over past temperatures, in passes over the data, >= 0.
    n_temperatures : int, default=None
        Size n of the grid of temperatures, >= 2. For topics 1 / T is 1 / n, 2 / n, ..., 1, so that
        none is above n; for factorial mixtures it goes from 1 to `max_temperature`.
    updates : int, default=None
        Updates of the temperature in one pass, >= 1.
    normalizer : {"posterior", "prior", "prior_lower", "prior_upper"}, default=None
        Normalizer C(T) of the tempered likelihood: an average over the model's posterior, or the
        paper's average over its prior, by sampling or by one of two bounds.

    References
    ----------
    Mandt, McInerney, Abrol, Ranganath, Blei (2016). Variational Tempering. AISTATS. Equation 9.

    Examples
    --------
    >>> from topictemper.factorial import FactorialMixture
    >>> from topictemper.tempering import GlobalTempering
    >>> model = FactorialMixture(8, tempering=GlobalTempering(schedule="exponential", length=50))
    """

    mode = "vt"

    def __init__(
        self,
        *,
        schedule: ScheduleSpec | None = None,
        max_temperature: float | Literal["auto"] = "auto",
        length: float | None = None,
        inertia: float | None = None,
        n_temperatures: int | None = None,
        updates: int | None = None,
        normalizer: Literal["posterior", "prior", "prior_lower", "prior_upper"] | None = None,
    ) -> None:
        super().__init__(
            schedule=schedule,
            max_temperature=max_temperature,
            length=length,
            inertia=inertia,
            n_temperatures=n_temperatures,
            updates=updates,
        )
        self.normalizer = normalizer


MODES: dict[str, type[Annealing]] = {
    kind.mode: kind for kind in (Annealing, PosteriorAnnealing, GlobalTempering, LocalTempering)
}
#: The settings of `Annealing`, and the modes of a model that anneals and learns no temperature.
COURSE = ("schedule", "max_temperature", "length")
ANNEALING = {"avi": COURSE}

_NORMALIZERS = ("posterior", "prior", "prior_lower", "prior_upper")

_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "schedule": lambda name, value: _schedule(value),
    "max_temperature": lambda name, value: check.number(name, value, 1.0, LARGEST_TEMPERATURE),
    "length": lambda name, value: check.number(name, value, 0.0),
    "inertia": lambda name, value: check.number(name, value, 0.0),
    "n_temperatures": lambda name, value: check.integer(name, value, 2),
    "updates": lambda name, value: check.integer(name, value, 1),
    "normalizer": lambda name, value: check.choice(name, value, _NORMALIZERS),
}


@dataclass(frozen=True)
class TemperingSettings:
    """Checked settings of a mode; None where the model chooses.

    `schedule` is a name, or a `Schedule` that needs no further settings.
    """

    mode: str
    schedule: ScheduleName | Schedule | None = None
    max_temperature: float | None = None
    length: float | None = None
    inertia: float | None = None
    n_temperatures: int | None = None
    updates: int | None = None
    normalizer: str | None = None

    @property
    def is_whole_course(self) -> bool:
        """Whether the schedule is a function of time that needs no start and no length."""
        return self.schedule is not None and not isinstance(self.schedule, str)

    def course(self, name: ScheduleName, max_temperature: float, length: float) -> Schedule:
        """Return the schedule; T = 1 without a mode. Arguments replace settings that are None."""
        if self.mode not in MODES:
            return ConstantSchedule()
        return as_schedule(
            name if self.schedule is None else self.schedule,
            max_temperature if self.max_temperature is None else self.max_temperature,
            length if self.length is None else self.length,
        )


def tempering_settings(
    tempering: Any, modes: Mapping[str, tuple[str, ...]], untempered: str
) -> TemperingSettings:
    """Check the argument `tempering` of an estimator.

    Parameters
    ----------
    tempering : str, Annealing or None
        The argument.
    modes : mapping of str to tuple of str
        The modes of the model, each with the settings that it can use.
    untempered : str
        The model's name for no tempering, such as "svi".

    Raises
    ------
    TypeError, ValueError
        If the model does not have the mode, or cannot use a setting.
    """
    if tempering is None or (isinstance(tempering, str) and tempering == untempered):
        return TemperingSettings(untempered)
    names = (untempered, *modes)
    if isinstance(tempering, str):
        return TemperingSettings(check.choice("tempering", tempering, names))
    if not isinstance(tempering, Annealing):
        kinds = " or ".join(MODES[mode].__name__ for mode in modes)
        raise TypeError(
            f"tempering must be None, one of {names}, or an instance of {kinds}; got {tempering!r}"
        )
    mode = tempering.mode
    if mode not in modes:
        raise ValueError(
            f"tempering must be None, one of {names}, or an instance of these modes; "
            f"got {tempering!r}, which is {mode!r}"
        )
    given = {
        name: value
        for name, value in tempering.get_params(deep=False).items()
        if value is not None and not (name == "max_temperature" and str(value) == "auto")
    }
    for name in given:
        if name not in modes[mode]:
            usable = ", ".join(modes[mode])
            raise ValueError(
                f"this model cannot use {name} of {type(tempering).__name__}; "
                f"leave it out (it can use {usable})"
            )
    settings = TemperingSettings(
        mode, **{name: _CHECKS[name](name, value) for name, value in given.items()}
    )
    if settings.is_whole_course:
        for name, unset in (("max_temperature", "'auto'"), ("length", "None")):
            if name in given:
                raise ValueError(
                    f"{name} must be {unset} where schedule is a function of time; "
                    f"got {given[name]!r}"
                )
    return settings


def _schedule(value: Any) -> str | Schedule:
    checked = as_schedule(value, 1.0, 0.0)
    return value if isinstance(value, str) else checked
