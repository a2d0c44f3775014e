import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topictemper.tempering import (
    CallableSchedule,
    ConstantSchedule,
    ExponentialSchedule,
    InverseLinearSchedule,
    LinearSchedule,
    Schedule,
    as_schedule,
)
from topictemper.tempering._schedules import _NAMED

FALLING = list(_NAMED.values())


@pytest.mark.parametrize("kind", FALLING)
def test_falls_from_t0_to_exactly_one(kind):
    schedule = kind(3.9, 7.0)
    assert schedule.temperature(0) == 3.9
    assert schedule.temperature(7.0) == 1.0
    assert schedule.temperature(1e9) == 1.0
    assert schedule.temperature(math.inf) == 1.0
    values = [schedule.temperature(time) for time in np.linspace(0, 7, 50)]
    assert all(a > b for a, b in pairwise(values))


def test_shapes():
    time, t0, length = 2.5, 3.0, 10.0
    assert LinearSchedule(t0, length).temperature(time) == pytest.approx(2.5)
    assert ExponentialSchedule(t0, length).temperature(time) == pytest.approx(3.0**0.75)
    expected = 1 / (1 / 3 + (1 - 1 / 3) * 0.25)
    assert InverseLinearSchedule(t0, length).temperature(time) == pytest.approx(expected)


@settings(derandomize=True, deadline=None)
@given(
    kind=st.sampled_from(FALLING),
    t0=st.floats(1, 1e6),
    length=st.floats(0, 1e6),
    time=st.floats(0, 1e7),
)
def test_always_between_one_and_t0(kind, t0, length, time):
    schedule = kind(t0, length)
    assert 1.0 <= schedule.temperature(time) <= t0
    if time >= length:
        assert schedule.temperature(time) == 1.0
    elif time == 0:
        assert schedule.temperature(time) == t0


@pytest.mark.parametrize("kind", FALLING)
def test_length_zero_is_always_one(kind):
    assert kind(5.0, 0).temperature(0) == 1.0


def test_constant():
    assert ConstantSchedule().temperature(0) == 1.0
    assert ConstantSchedule(2.5).temperature(1e12) == 2.5


@pytest.mark.parametrize("schedule", [ConstantSchedule(2), *(kind(2, 3) for kind in FALLING)])
def test_frozen_comparable_picklable(schedule):
    with pytest.raises(AttributeError):
        schedule.t0 = 4.0
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert isinstance(schedule, Schedule)


@pytest.mark.parametrize("t0", [0.99, -1.0, 1.1e6, math.nan, math.inf])
@pytest.mark.parametrize(
    "kind",
    [lambda t0: ConstantSchedule(t0), *(lambda t0, kind=kind: kind(t0, 1.0) for kind in FALLING)],
)
def test_bad_t0(kind, t0):
    with pytest.raises(ValueError, match=r"^t0 .*must be"):
        kind(t0)


@pytest.mark.parametrize("length", [-0.1, math.nan, math.inf])
@pytest.mark.parametrize("kind", FALLING)
def test_bad_length(kind, length):
    with pytest.raises(ValueError, match=r"^length .*must be"):
        kind(2.0, length)


@pytest.mark.parametrize("t0", ["2", None, True, 2j])
def test_t0_of_another_type(t0):
    with pytest.raises(TypeError, match=r"^t0 must be an instance of"):
        LinearSchedule(t0, 1.0)


@pytest.mark.parametrize("time", [-1, math.nan, "1", None, np.ones(2)])
@pytest.mark.parametrize(
    "schedule", [ConstantSchedule(), LinearSchedule(2, 3), CallableSchedule(lambda time: 1.0)]
)
def test_bad_time(schedule, time):
    with pytest.raises(ValueError, match=r"^time must be >= 0"):
        schedule.temperature(time)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.float64(2), np.int64(2)])
def test_callable_values(value):
    result = CallableSchedule(lambda time: value).temperature(0)
    assert result == 2.0
    assert type(result) is float


@pytest.mark.parametrize(
    "value", [0.5, -1, 1.1e6, math.nan, math.inf, None, "2", True, 2j, np.ones(1)]
)
def test_callable_bad_values(value):
    with pytest.raises(ValueError, match=r"^schedule must .* at time 12\.5 it returned") as error:
        CallableSchedule(lambda time: value).temperature(12.5)
    assert repr(value) in str(error.value)


def test_callable_must_be_callable():
    with pytest.raises(TypeError, match=r"^function must be callable"):
        CallableSchedule(3.0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("linear", LinearSchedule),
        ("exponential", ExponentialSchedule),
        ("inverse-linear", InverseLinearSchedule),
    ],
)
def test_as_schedule_by_name(name, kind):
    assert as_schedule(name, 2.0, 5.0) == kind(2.0, 5.0)


def test_as_schedule_keeps_ours():
    for schedule in (ConstantSchedule(2), LinearSchedule(2, 3), CallableSchedule(float)):
        assert as_schedule(schedule, 9.0, 9.0) is schedule


def test_as_schedule_checks_what_is_not_ours():
    class Foreign:
        def temperature(self, time):
            return 2.0 - time

    schedule = as_schedule(Foreign(), 9.0, 9.0)
    assert schedule.temperature(0.5) == 1.5
    with pytest.raises(ValueError, match=r"^schedule .* at time 1\.5 it returned 0\.5"):
        schedule.temperature(1.5)
    assert as_schedule(lambda time: 3, 9.0, 9.0).temperature(0) == 3.0


def test_as_schedule_bad():
    with pytest.raises(ValueError, match=r"^schedule must be one of 'linear', .* got 'sudden'"):
        as_schedule("sudden", 2.0, 5.0)
    for spec in (None, 2.0, LinearSchedule, float):
        with pytest.raises(TypeError, match=r"^schedule must be a name"):
            as_schedule(spec, 2.0, 5.0)
    with pytest.raises(ValueError, match=r"^t0 .*must be"):
        as_schedule("linear", 0.5, 5.0)
