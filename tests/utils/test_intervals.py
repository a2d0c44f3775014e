"""Intervals of mean proportions, and of differences of two."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

from topictemper._utils._intervals import interval_of_difference, interval_of_mean

# Of 20 topics, some have a quarter of the documents and some one in 500.
SHARES = 0.75 ** np.arange(20)
SHARES /= SHARES.sum()
REPETITIONS = 400


def groups_of(n, rng, alpha=2.0):
    """Proportions of many groups of n documents, (REPETITIONS, n, 20), and of the main topics."""
    theta = rng.dirichlet(alpha * SHARES, (REPETITIONS, n))
    return theta, float(rng.dirichlet(alpha * SHARES, 10_000).max(axis=1).mean())


def intervals_of(theta, main):
    mean, square = theta.mean(axis=-2), (theta**2).mean(axis=-2)
    return mean, *interval_of_mean(theta.shape[-2], mean, square, main, 0.95)


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_of_documents_of_one_topic_it_is_the_interval_of_jeffreys(n):
    with_topic = np.arange(n + 1)
    share = with_topic / n
    for confidence in (0.5, 0.95):
        low, high = interval_of_mean(n, share, share, 1.0, confidence)
        tails = [[(1 - confidence) / 2], [(1 + confidence) / 2]]
        expected = beta.ppf(tails, with_topic + 0.5, n - with_topic + 0.5)
        assert_allclose(low, np.minimum(expected[0], share), rtol=1e-9, atol=1e-300)
        assert_allclose(high, np.maximum(expected[1], share), rtol=1e-9)


@pytest.mark.parametrize("n", [2, 5, 20, 50, 200])
def test_intervals_contain_shares_of_groups_of_any_size(n):
    """The bootstrap by percentiles had 0.21, 0.39, 0.59, 0.72 and 0.84."""
    theta, main = groups_of(n, np.random.default_rng(n))
    _, low, high = intervals_of(theta, main)
    covered = ((low <= SHARES) & (high >= SHARES)).mean(axis=1)
    # Nine seeds had 0.950 to 0.966.
    assert 0.94 < covered.mean() < 0.975


def test_of_alike_documents_intervals_are_not_much_wider_than_need_be():
    theta, main = groups_of(20, np.random.default_rng(0), alpha=200.0)
    _, low, high = intervals_of(theta, main)
    error = (SHARES * (1 - SHARES) / 201 / 20) ** 0.5
    assert ((high - low).mean(axis=0) / (2 * 1.96 * error))[SHARES > 0.05].max() < 2.5


def test_of_many_documents_it_is_that_of_the_normal_approximation():
    theta = np.random.default_rng(1).dirichlet(np.full(3, 0.5), size=100_000)
    mean, low, high = intervals_of(theta, theta.max(axis=1).mean())
    error = theta.std(axis=0) / 100_000**0.5
    assert_allclose(low, mean - 1.96 * error, atol=0.01 * error.min())
    assert_allclose(high, mean + 1.96 * error, atol=0.01 * error.min())


@pytest.mark.parametrize("n", [1, 1e3, 1e9])
@pytest.mark.parametrize("share", [0.0, 1e-12, 0.1, 0.3, 0.9, 1.0])
def test_documents_that_do_not_differ_have_an_interval_around_their_share(n, share):
    low, high = interval_of_mean(n, np.array([share]), np.array([share**2]), 0.9, 0.95)
    assert 0.0 <= low[0] <= share <= high[0] <= 1.0
    assert 0.0 < high[0] - low[0] < 4.0 / n + 1e-6


def test_unknown_means_have_unknown_intervals():
    unknown = np.array([np.nan])
    assert np.isnan(interval_of_mean(unknown, unknown, unknown, 0.9, 0.95)).all()


def test_a_difference_has_the_interval_of_newcombe():
    """56 of 70 and 48 of 80, example (a) in his table II, with the intervals of Wilson."""
    ends = []
    for x, n in ((48, 80), (56, 70)):
        p, z = x / n, 1.959964
        middle, half = p + z**2 / (2 * n), z * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
        ends.append((p, (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)))
    assert_allclose(interval_of_difference(*ends), (0.0524, 0.3339), atol=5e-5)
    low, high = interval_of_difference(*ends)
    assert_array_equal(interval_of_difference(*ends[::-1]), (-high, -low))


@pytest.mark.parametrize(("n", "other"), [(10, 10), (10, 40), (50, 200), (100, 900)])
def test_groups_that_do_not_differ_seldom_seem_to(n, other):
    """Normal approximations excluded zero in 14% to 15% of the last cases."""
    rng = np.random.default_rng(n)
    theta, main = groups_of(n, rng)
    low, high = interval_of_difference(
        intervals_of(theta, main), intervals_of(groups_of(other, rng)[0], main)
    )
    alarms = ((low > 0) | (high < 0)).mean()
    # Nine seeds had 0.012 to 0.043.
    assert 0.008 < alarms < 0.055
