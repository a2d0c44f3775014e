import numpy as np
import pytest

from topictemper.datasets import make_two_gaussians


def test_moments():
    X, y = make_two_gaussians(20_000, weight=0.2, separation=6.0, random_state=0)
    assert X.shape == (20_000, 1)
    assert np.mean(y == 0) == pytest.approx(0.2, abs=5 * 0.4 / 20_000**0.5)
    for k, center in enumerate((3.0, -3.0)):
        own = X[y == k, 0]
        assert own.mean() == pytest.approx(center, abs=5 / len(own) ** 0.5)
        assert own.std() == pytest.approx(1.0, abs=5 / (2 * len(own)) ** 0.5)


def test_seed():
    one, two, other = (make_two_gaussians(random_state=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 0}, "n_samples == 0, must be >= 1"),
        ({"weight": 1.0}, r"weight == 1\.0, must be < 1"),
        ({"separation": 0.0}, "separation == 0.0, must be > 0"),
        ({"separation": np.inf}, "separation must be finite"),
    ],
)
def test_bad_arguments(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_two_gaussians(**parameters)
