"""Temperature schedules of annealed variational inference."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from .._utils import _validation as check

#: The highest temperature: there nothing is left of any likelihood.
LARGEST_TEMPERATURE = 1e6


@runtime_checkable
class Schedule(Protocol):
    """Anything with a method ``temperature(time) -> float``.

    Times are in whatever unit the caller counts (iterations, effective passes); temperatures
    are from 1 to 1e6.

    Examples
    --------
    >>> from topictemper.tempering import LinearSchedule, Schedule
    >>> isinstance(LinearSchedule(t0=5, length=10), Schedule)
    True
    """

    def temperature(self, time: float, /) -> float:
        """Return the temperature at `time`."""
        ...


ScheduleName = Literal["linear", "exponential", "inverse-linear"]
ScheduleSpec = ScheduleName | Schedule | Callable[[float], Any]


@dataclass(frozen=True)
class ConstantSchedule:
    """The same temperature at all times.

    Parameters
    ----------
    t0 : float, default=1.0
        The temperature, from 1 to 1e6. Unlike the other schedules this one never falls to 1.

    Raises
    ------
    TypeError, ValueError
        If `t0` is not a number from 1 to 1e6.

    Examples
    --------
    >>> ConstantSchedule(2.0).temperature(1000)
    2.0
    """

    t0: float = 1.0

    def __post_init__(self) -> None:
        """Check the temperature."""
        object.__setattr__(self, "t0", check.number("t0", self.t0, 1.0, LARGEST_TEMPERATURE))

    def temperature(self, time: float, /) -> float:
        """Return the temperature at `time` (>= 0)."""
        _check_time(time)
        return self.t0


@dataclass(frozen=True)
class _FallingSchedule(ABC):
    """From `t0` at time 0 down to exactly 1 at time `length` and ever after."""

    t0: float
    length: float

    def __post_init__(self) -> None:
        """Check the two numbers."""
        object.__setattr__(self, "t0", check.number("t0", self.t0, 1.0, LARGEST_TEMPERATURE))
        object.__setattr__(self, "length", check.number("length", self.length, 0.0))

    def temperature(self, time: float, /) -> float:
        """Return the temperature at `time` (>= 0), exactly 1.0 from `length` on."""
        _check_time(time)
        # Not left to rounding: callers test `temperature == 1.0` to know that annealing is over.
        if time >= self.length:
            return 1.0
        return self._falling(float(time) / self.length)

    @abstractmethod
    def _falling(self, fraction: float) -> float:
        """T after a fraction of the length, < 1."""


@dataclass(frozen=True)
class LinearSchedule(_FallingSchedule):
    """Temperature falling linearly, ``T = t0 + (1 - t0) time / length``, then 1.

    The schedule of the experiments of Mandt et al. (2016), "Variational Tempering", section 4.

    Parameters
    ----------
    t0 : float
        Temperature at time 0, from 1 to 1e6.
    length : float
        Time from which the temperature is exactly 1, >= 0 (0: always 1).

    Raises
    ------
    TypeError, ValueError
        If `t0` or `length` is out of range.

    Examples
    --------
    >>> schedule = LinearSchedule(t0=3.0, length=10)
    >>> [schedule.temperature(time) for time in (0, 5, 10, 20)]
    [3.0, 2.0, 1.0, 1.0]
    """

    def _falling(self, fraction: float) -> float:
        return 1.0 + (self.t0 - 1.0) * (1.0 - fraction)


@dataclass(frozen=True)
class ExponentialSchedule(_FallingSchedule):
    """Temperature falling by a constant factor per unit of time, ``T = t0^(1 - time / length)``.

    The schedule of "Deterministic Annealing for Stochastic Variational Inference".

    Parameters
    ----------
    t0 : float
        Temperature at time 0, from 1 to 1e6.
    length : float
        Time from which the temperature is exactly 1, >= 0 (0: always 1).

    Raises
    ------
    TypeError, ValueError
        If `t0` or `length` is out of range.

    Examples
    --------
    >>> schedule = ExponentialSchedule(t0=4.0, length=10)
    >>> [schedule.temperature(time) for time in (0, 5, 10)]
    [4.0, 2.0, 1.0]
    """

    def _falling(self, fraction: float) -> float:
        return float(self.t0 ** (1.0 - fraction))


@dataclass(frozen=True)
class InverseLinearSchedule(_FallingSchedule):
    """Inverse temperature rising linearly, ``1/T = 1/t0 + (1 - 1/t0) time / length``, then 1.

    Parameters
    ----------
    t0 : float
        Temperature at time 0, from 1 to 1e6.
    length : float
        Time from which the temperature is exactly 1, >= 0 (0: always 1).

    Raises
    ------
    TypeError, ValueError
        If `t0` or `length` is out of range.

    Examples
    --------
    >>> schedule = InverseLinearSchedule(t0=3.0, length=10)
    >>> [schedule.temperature(time) for time in (0, 5, 10)]
    [3.0, 1.5, 1.0]
    """

    def _falling(self, fraction: float) -> float:
        # The equation above, multiplied by t0: exact at time 0 and never rounded below 1.
        return self.t0 / (1.0 + (self.t0 - 1.0) * fraction)


@dataclass(frozen=True)
class CallableSchedule:
    """A function of time as a schedule, with each value it returns checked.

    Parameters
    ----------
    function : callable
        Takes a time, returns the temperature.

    Raises
    ------
    TypeError
        If `function` cannot be called.

    Examples
    --------
    >>> CallableSchedule(lambda time: 1 + 2 / (1 + time)).temperature(1)
    2.0
    """

    function: Callable[[float], Any]

    def __post_init__(self) -> None:
        """Check that the function can be called."""
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}")

    def temperature(self, time: float, /) -> float:
        """Return the temperature at `time` (>= 0).

        Raises
        ------
        ValueError
            If the function returns anything but a real number from 1 to 1e6.
        """
        _check_time(time)
        value = self.function(time)
        if not check.is_real(value) or not 1.0 <= value <= LARGEST_TEMPERATURE:  # also of NaN
            raise ValueError(
                f"schedule must return temperatures: numbers from 1 to {LARGEST_TEMPERATURE:g}; "
                f"at time {time!r} it returned {value!r}"
            )
        return float(value)


_NAMED: dict[str, Callable[[float, float], Schedule]] = {
    "linear": LinearSchedule,
    "exponential": ExponentialSchedule,
    "inverse-linear": InverseLinearSchedule,
}
_OWN = (ConstantSchedule, _FallingSchedule, CallableSchedule)
#: Schedules that are given by numbers, by the names of their classes.
SCHEDULES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (ConstantSchedule, LinearSchedule, ExponentialSchedule, InverseLinearSchedule)
}


def as_schedule(spec: ScheduleSpec, t0: float, length: float) -> Schedule:
    """Return the schedule that `spec` describes.

    Parameters
    ----------
    spec : {"linear", "exponential", "inverse-linear"}, Schedule or callable
        A name makes that schedule from `t0` and `length`. The schedules of this package are
        returned as they are. Any other schedule, and any callable from time to temperature,
        is wrapped in `CallableSchedule`, so that what it returns is checked.
    t0, length : float
        Temperature at time 0 and time from which it is 1; used only with a name.

    Returns
    -------
    Schedule

    Raises
    ------
    TypeError, ValueError
        If `spec` is none of these, or `t0` or `length` is out of range.

    Examples
    --------
    >>> as_schedule("linear", t0=3.0, length=2.0)
    LinearSchedule(t0=3.0, length=2.0)
    """
    if isinstance(spec, str):
        if spec not in _NAMED:
            names = ", ".join(map(repr, _NAMED))
            raise ValueError(
                f"schedule must be one of {names}, a schedule or a callable, got {spec!r}"
            )
        return _NAMED[spec](t0, length)
    # A class passes for its own instances in the two tests below; it is a forgotten call.
    if not isinstance(spec, type):
        if isinstance(spec, _OWN):
            return spec
        if isinstance(spec, Schedule):
            return CallableSchedule(spec.temperature)
        if callable(spec):
            return CallableSchedule(spec)
    raise TypeError(
        "schedule must be a name, an object with a method temperature(time) or a callable, "
        f"got {spec!r}"
    )


def _check_time(time: float) -> None:
    if not check.is_real(time) or not time >= 0:
        raise ValueError(f"time must be >= 0, got {time!r}")
