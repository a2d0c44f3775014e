"""What weights of documents do to shares and their intervals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._utils._intervals import interval_of_mean, size_in_documents
from topictemper.topics import _shares, shares_by_group

from ..small_lda import corpus, fitted

THETA = np.random.default_rng(0).dirichlet(np.full(3, 0.5), size=60)


def test_documents_that_count_alike_tell_as_much_as_their_number():
    """To the last bit, which tables of older versions have."""
    for n in (7, 49, 60):  # n * x / x need not be n
        theta = THETA[:n] / THETA[:n].sum(axis=1, keepdims=True)
        main, share, square = (
            np.ones(n) @ x / n for x in (theta.max(axis=1), theta, np.square(theta))
        )
        size = size_in_documents(
            *(np.average([x], axis=0, weights=[n]) for x in (main, share, square))
        )
        low, high = interval_of_mean(float(n), share, square, size, 0.95)
        for weights in (None, np.full(n, 0.3)):
            shares = shares_by_group(THETA[:n], np.zeros(n), weights=weights)
            assert_array_equal(shares["share"], share)
            assert_array_equal(shares["low"], low)
            assert_array_equal(shares["high"], high)


def test_what_weighted_documents_tell(monkeypatch):
    """As many equal ones as have the same standard error by linearization."""

    def spy(n, mean, square, size, confidence):
        given.append((n, size))
        return interval_of_mean(n, mean, square, size, confidence)

    given, tells_less = [], []
    monkeypatch.setattr(_shares, "interval_of_mean", spy)
    theta = THETA / THETA.sum(axis=1, keepdims=True)
    groups = np.arange(60) % 2
    # Heavy documents have more of a topic, and documents of a group are heavier.
    weights = (0.2 + theta[:, 0] ** 2) * np.where(groups, 9.0, 1.0)
    shares_by_group(theta, groups, weights=weights)
    ((n_equal, size),) = given
    for group, found in enumerate(n_equal):
        w = weights[groups == group]
        apart = (theta[groups == group] - np.average(theta[groups == group], 0, w)) ** 2
        of_topic = w.sum() * (w @ apart) / (w**2 @ apart)
        kish = w.sum() ** 2 / (w @ w)
        tells_less.append(of_topic < kish)
        assert_allclose(found, np.minimum(of_topic, kish))
    assert 0 < np.mean(tells_less) < 1
    # What a document about a topic has of it is that of all groups.
    of_all = (np.average(x, 0, weights) for x in (theta.max(axis=1), theta, theta**2))
    assert_allclose(size, size_in_documents(*of_all))


def test_shares_are_at_most_one():
    """Weighted sums are rounded; twelve of these 58 would be larger."""
    rng = np.random.default_rng(0)
    for n in range(2, 60):
        weights = rng.lognormal(size=n)
        shares = shares_by_group(np.eye(2)[np.zeros(n, int)], np.zeros(n), weights=weights)
        assert shares["share"][0] <= shares["high"][0] <= 1


def test_weights_of_a_model_have_the_order_of_its_documents():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(corpus().toarray(), index=[f"d{i}" for i in range(200)])
    turned = pd.Series(np.arange(200.0), index=frame.index[::-1])
    for shares_of in (fitted().topics_by_group, fitted().topics_over_time):
        with pytest.raises(ValueError, match=r"^sample_weight has the index of X in another order"):
            shares_of(frame, np.full(200, 2020), sample_weight=turned)
