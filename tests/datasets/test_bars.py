import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper.datasets import make_bars


def test_linear_bars_are_the_papers():
    bars = make_bars(5000, random_state=0)
    assert bars.data.shape == (5000, 25)
    assert set(np.unique(bars.components)) == {0.0, 10.0}
    assert_array_equal((bars.components > 0).sum(axis=1), 5)
    images = bars.components.reshape(10, 5, 5)
    assert (images[2, 2] == 10).all()  # a row
    assert (images[7, :, 2] == 10).all()  # a column
    noise = bars.data - bars.states @ bars.components
    assert abs(noise.std() - 2) < 5 * 2 / np.sqrt(2 * noise.size)
    assert abs(bars.states.mean() - 0.2) < 5 * np.sqrt(0.2 * 0.8 / bars.states.size)


def test_sigmoid_bars_are_binary():
    bars = make_bars(5000, kind="sigmoid", random_state=0)
    assert set(np.unique(bars.data)) == {0.0, 1.0}
    assert set(np.unique(bars.components)) == {0.0, 8.0}
    expected = 1 / (1 + np.exp(4 - bars.states @ bars.components))
    deviation = np.sqrt((expected * (1 - expected)).sum(axis=0))
    assert (np.abs((bars.data - expected).sum(axis=0)) < 5 * deviation).all()


def test_other_sizes_and_values():
    bars = make_bars(7, 3, strength=-1.5, noise=0, probability=0.9, random_state=1)
    assert bars.states.shape == (7, 6)
    assert_allclose(bars.data, bars.states @ bars.components)
    assert bars.components.min() == -1.5


def test_the_bias_of_sigmoid_bars():
    bars = make_bars(500, kind="sigmoid", bias=-50.0, random_state=1)
    assert not bars.data.any()
    assert make_bars(500, kind="sigmoid", bias=50.0, random_state=1).data.all()


def test_random_state():
    first, again, other = (
        make_bars(20, random_state=seed) for seed in (3, np.random.RandomState(3), 4)
    )
    assert_array_equal(first.data, again.data)
    assert (first.data != other.data).any()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples"),
        ({"n_samples": 2.0}, TypeError, "n_samples"),
        ({"size": 0}, ValueError, "size"),
        ({"kind": "cubic"}, ValueError, "kind must be"),
        ({"probability": 1.0}, ValueError, "probability"),
        ({"probability": "x"}, TypeError, "probability"),
        ({"strength": np.nan}, ValueError, "strength must be finite"),
        ({"noise": -1.0}, ValueError, "noise == -1.0, must be >= 0"),
        ({"kind": "sigmoid", "bias": np.inf}, ValueError, "bias must be finite"),
        ({"bias": -4.0}, ValueError, "linear bars have no bias: it must be None, got -4.0"),
        ({"kind": "sigmoid", "noise": 1.0}, ValueError, "sigmoid bars have no noise"),
    ],
)
def test_bad_input(parameters, error, message):
    with pytest.raises(error, match=message):
        make_bars(**parameters)
