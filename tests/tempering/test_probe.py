import numpy as np
import pytest

from topictemper.tempering import CriticalProbe


def run(probe, order_parameter, limit=10_000):
    for count in range(limit):
        if probe.finished:
            return count
        probe.update(order_parameter(probe.temperature))
    raise AssertionError("the probe did not finish")


def test_cools_while_under_the_threshold():
    probe = CriticalProbe(start=5.0, rate=0.01)
    assert probe.temperature == 5.0
    for count in range(1, 50):
        probe.update(0.0)
        assert probe.temperature == pytest.approx(1 + 4 * 0.99**count)
    assert not probe.finished
    assert probe.max_temperature is None


@pytest.mark.parametrize("critical", [1.3, 2.0, 4.0])
@pytest.mark.parametrize("rate", [0.01, 0.03])
def test_finds_the_critical_temperature(critical, rate):
    probe = CriticalProbe(rate=rate)
    run(probe, lambda temperature: 0.06 if temperature < critical else 0.0)
    # At weight 0.2 the average takes 4 updates to reach half of a step.
    expected = 1 + (critical - 1) * (1 - rate) ** 3.5
    assert probe.temperature == pytest.approx(expected, rel=0.02)
    assert probe.max_temperature == pytest.approx(min(5.0, 1 + 1.5 * (probe.temperature - 1)))


def test_reheating_is_capped_at_the_start():
    probe = CriticalProbe(start=3.0, reheat=2.0)
    run(probe, lambda temperature: 1.0)
    assert probe.max_temperature == 3.0
    assert probe.temperature == 3.0


def test_no_rise_means_no_annealing():
    probe = CriticalProbe(start=5.0, rate=0.01)
    count = run(probe, lambda temperature: 0.0)
    assert probe.max_temperature == 1.0
    assert probe.temperature - 1 < 0.02
    assert count == pytest.approx(np.log(200) / 0.01, rel=0.02)


def test_gives_up_at_the_lowest_temperature():
    probe = CriticalProbe(start=5.0, rate=0.01, lowest=1.2)
    run(probe, lambda temperature: 0.1 if temperature < 1.19 else 0.0)
    assert probe.max_temperature == 1.0
    assert 1.19 < probe.temperature < 1.2


def test_noise_is_smoothed():
    rng = np.random.default_rng(0)
    probe = CriticalProbe()
    run(
        probe,
        lambda temperature: rng.normal(0.06 if temperature < 2.0 else 0.0, 0.012),
    )
    assert probe.temperature == pytest.approx(1.96, abs=0.05)
    unsmoothed = CriticalProbe(smoothing=1.0)
    unsmoothed.update(0.04)
    assert unsmoothed.finished
    smoothed = CriticalProbe()
    smoothed.update(0.04)
    assert not smoothed.finished
    assert smoothed.order_parameter == pytest.approx(0.008)


def test_rate_of_one_update():
    probe = CriticalProbe(start=5.0)
    probe.update(0.0, rate=0.5)
    assert probe.temperature == 3.0
    probe.update(0.0)
    assert probe.temperature == pytest.approx(2.98)


def test_finished_probe_takes_no_more():
    probe = CriticalProbe(smoothing=1.0)
    probe.update(1.0)
    with pytest.raises(RuntimeError, match="finished"):
        probe.update(0.0)


def test_bad_values_leave_no_trace():
    probe = CriticalProbe()
    with pytest.raises(ValueError, match=r"^order_parameter must be finite"):
        probe.update(np.nan)
    for rate in (0.0, 1.0, -1.0, np.nan):
        with pytest.raises(ValueError, match=r"^rate .*must be"):
            probe.update(1.0, rate=rate)
    assert (probe.temperature, probe.order_parameter) == (5.0, 0.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", 1.0),
        ("start", np.inf),
        ("rate", 0.0),
        ("rate", 1.0),
        ("lowest", 1.0),
        ("lowest", 5.0),
        ("threshold", 0.0),
        ("reheat", 0.9),
        ("smoothing", 0.0),
        ("smoothing", 1.1),
    ],
)
def test_bad_arguments(name, value):
    with pytest.raises(ValueError, match=rf"^{name} .*must be"):
        CriticalProbe(**{name: value})
    with pytest.raises(TypeError, match=rf"^{name} must be"):
        CriticalProbe(**{name: "1"})
