"""`log_partition` against its twin, and where the normalizer has a closed form."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topictemper._core import _lda as _kernels
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special
from topictemper._utils._typing import Floats

from .minibatches import DTYPES, RTOL, Minibatch, Real, estep, make_minibatch, share

NODES = np.array([0.02, 0.1, 0.3, 0.6, 0.9, 1.0])

pytestmark = pytest.mark.usefixtures("isa")


def topic_moments(minibatch: Minibatch) -> Floats:
    """``S_k(s) = sum_v E[beta_kv^s]`` at every node."""
    ratios = _reference.fractional_moments(minibatch.M, minibatch.a, minibatch.base, NODES)
    total = (minibatch.base + minibatch.a * minibatch.M.astype(np.float64)).sum(axis=0)
    return ratios / np.array([_special.gamma_ratio(total, s) for s in NODES])


def log_partition(
    alpha: NDArray[Any],
    gamma: NDArray[Any],
    topics: NDArray[np.int32],
    n_active: NDArray[np.int32],
    moments: Floats,
    n_threads: int = 1,
) -> Floats:
    prior = np.array([_special.gamma_ratio(alpha, s) for s in NODES]) * moments
    out = np.full((len(gamma), len(NODES)), np.nan)
    tables = (moments.astype(gamma.dtype), prior.astype(gamma.dtype))
    arguments = (gamma, topics, n_active, *tables, NODES, out)
    share(_kernels.log_partition, arguments, n_threads)
    return out


@pytest.mark.parametrize(
    ("alpha", "s"),
    [(1e-3, 1.0), (1e-3, "documents"), (0.05, 0.4), (1.0, 1.0), (1.0, "documents"), (10.0, 0.4)],
)
@pytest.mark.parametrize("n_topics", [1, 5, 37, 300])
@pytest.mark.parametrize("dtype", DTYPES)
def test_log_partition(dtype: Real, n_topics: int, alpha: float, s: float | str) -> None:
    minibatch = make_minibatch(n_topics, alpha, s, dtype)
    local, moments = estep(minibatch, 1e-4, 200), topic_moments(minibatch)
    topics, n_active = local.topics, local.n_active
    result = log_partition(minibatch.alpha, local.gamma, topics, n_active, moments)
    expected = _reference.log_partition(local.gamma, moments, NODES)
    # The logarithm of numbers near 1 (all of them at s = 1): their error is absolute.
    assert_allclose(result, expected, rtol=RTOL[dtype], atol=RTOL[dtype] / 10)
    assert_allclose(result[:, -1], 0, atol=RTOL[dtype] / 10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_topics_that_are_left_out_count_with_their_prior(dtype: Real) -> None:
    rng = np.random.default_rng(0)
    n_documents, n_topics = 50, 37
    minibatch = make_minibatch(n_topics, dtype=dtype)
    moments = topic_moments(minibatch)
    alpha: NDArray[Any] = rng.uniform(0.01, 2.0, n_topics).astype(dtype)
    gamma = np.tile(alpha, (n_documents, 1))
    topics = np.full((n_documents, n_topics), -1, np.int32)
    n_active = rng.integers(0, n_topics + 1, n_documents).astype(np.int32)
    for d, n in enumerate(n_active):
        topics[d, :n] = np.sort(rng.choice(n_topics, n, replace=False))
        gamma[d, topics[d, :n]] += rng.gamma(0.5, 50.0, n).astype(dtype)
    result = log_partition(alpha, gamma, topics, n_active, moments)
    expected = _reference.log_partition(gamma, moments, NODES)
    assert_allclose(result, expected, rtol=RTOL[dtype], atol=RTOL[dtype] / 10)
    for _ in range(5):
        shared = log_partition(alpha, gamma, topics, n_active, moments, n_threads=2)
        assert_array_equal(shared, result)
    for alone in [slice(d, d + 1) for d in range(n_documents)]:
        one = log_partition(alpha, gamma[alone], topics[alone], n_active[alone], moments)
        assert_array_equal(one, result[alone])


@pytest.mark.parametrize("dtype", DTYPES)
def test_normalizer_of_one_flat_topic(dtype: Real) -> None:
    """With one topic of V equal words and lambda -> infinity, ``sum_v beta_v^s = V^(1 - s)``."""
    n_words = 100
    ratios = _reference.fractional_moments(np.full((n_words, 1), 1e9), 1.0, 0.0, NODES)
    total = np.array([_special.gamma_ratio([n_words * 1e9], s) for s in NODES])
    one: NDArray[Any] = np.array([0.1], dtype)
    result = log_partition(
        one,
        np.array([[12.5]], dtype),
        np.zeros((1, 1), np.int32),
        np.ones(1, np.int32),
        ratios / total,
    )
    assert_allclose(result[0], (1 - NODES) * np.log(n_words), rtol=1e-5, atol=1e-5)
