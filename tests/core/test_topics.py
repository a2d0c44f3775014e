"""Kernels that read the topics: `topic_rows`, `fractional_moments`, `mixture_log_likelihood`."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topictemper._core import _lda as _kernels
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special
from topictemper._utils._typing import Floats

from .minibatches import (
    DTYPES,
    RTOL,
    Minibatch,
    Real,
    alone,
    make_minibatch,
    outputs,
    reference_prior,
    share,
    topic_rows,
    twin_rows,
)

TOPICS = [1, 5, 16, 37, 1000]
NODES = np.array([0.01, 0.1, 0.4, 0.77, 1.0])

pytestmark = pytest.mark.usefixtures("isa")


def at_most_one(
    B: NDArray[Any], shift: NDArray[Any], s: float, log_rows: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same rows with the twin's scale, which makes their largest weight 1."""
    if log_rows:
        return B, shift
    largest = B.max(axis=1)
    return B / largest[:, None], shift + np.log(largest) / s


@pytest.mark.parametrize("point", [False, True])
@pytest.mark.parametrize("s", [1.0, 0.4, 0.1, "documents"])
@pytest.mark.parametrize("n_topics", TOPICS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_topic_rows(dtype: Real, n_topics: int, s: float | str, point: bool) -> None:
    minibatch = make_minibatch(n_topics, s=s, dtype=dtype, point=point)
    B, shift = at_most_one(*topic_rows(minibatch)[:2], float(minibatch.s[0]), minibatch.log_rows)
    rows, expected_shift = twin_rows(minibatch)
    rtol = RTOL[dtype]
    assert_allclose(shift, expected_shift, rtol=rtol)
    if minibatch.log_rows:
        assert_allclose(B[:, :n_topics], rows, rtol=rtol, atol=rtol)
        assert np.all(B[:, n_topics:] < -1e3)  # weighs nothing at any temperature
    else:
        assert_allclose(B[:, :n_topics], rows, rtol=rtol)
        assert np.all(B[:, n_topics:] == 0)


@pytest.mark.parametrize("point", [False, True])
@pytest.mark.parametrize("s", [1.0, 0.4, "documents"])
@pytest.mark.parametrize("n_topics", [37, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_have_the_same_bits_at_any_address_and_without_their_sums(
    dtype: Real, n_topics: int, s: float | str, point: bool
) -> None:
    minibatch = make_minibatch(n_topics, s=s, dtype=dtype, point=point)
    expected = topic_rows(minibatch)
    for beyond, want_sums in [(1, True), (0, False), (1, False)]:
        found = topic_rows(minibatch, beyond=beyond, want_sums=want_sums)
        for array, expected_array in zip(found, expected, strict=True):
            assert_array_equal(array, expected_array)


@pytest.mark.parametrize("log_rows", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("point", [False, True])
@pytest.mark.parametrize("base", [1e-3, 1e-2, 10.0])
def test_topic_rows_at_other_priors(base: float, point: bool, dtype: Real, log_rows: bool) -> None:
    minibatch = make_minibatch(37, dtype=dtype, point=point)
    minibatch = replace(minibatch, base=base, log_rows=log_rows)
    B, shift = at_most_one(*topic_rows(minibatch)[:2], 1.0, log_rows)
    rows, expected_shift = twin_rows(minibatch)
    # psi(1e-3) is -1001, so that exp of it has a relative error of 1000 roundings, and is 0
    # in float32: what matters is the error against the largest weight of the row, which is 1.
    assert_allclose(shift, expected_shift, rtol=RTOL[dtype])
    assert_allclose(B[:, :37], rows, rtol=RTOL[dtype], atol=RTOL[dtype])


@pytest.mark.parametrize("point", [False, True])
def test_topic_rows_shared_by_threads(point: bool) -> None:
    minibatch = make_minibatch(37, dtype=np.float32, n_documents=200, point=point)
    alone = topic_rows(minibatch)
    for _ in range(5):
        for found, expected in zip(topic_rows(minibatch, n_threads=2), alone, strict=True):
            assert_array_equal(found, expected)


@pytest.mark.parametrize("point", [False, True])
@pytest.mark.parametrize("s", [1.0, 0.4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_mass_is_the_sum_of_a_row(dtype: Real, s: float, point: bool) -> None:
    B, _, mass = topic_rows(make_minibatch(37, s=s, dtype=dtype, point=point))
    assert_allclose(mass, B.sum(axis=1, dtype=np.float64), rtol=RTOL[dtype])


@pytest.mark.parametrize("point", [False, True])
@pytest.mark.parametrize("s", [1.0, 0.4])
@pytest.mark.parametrize("n_topics", TOPICS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_with_the_prior(dtype: Real, n_topics: int, s: float, point: bool) -> None:
    minibatch = make_minibatch(n_topics, s=s, dtype=dtype, point=point)
    alpha: NDArray[Any] = np.geomspace(0.01, 2.0, n_topics).astype(dtype)
    minibatch = replace(minibatch, alpha=alpha)
    out = outputs(minibatch)
    state = (minibatch.M, minibatch.a, minibatch.base, minibatch.log_total, minibatch.point)
    _kernels.topic_rows(*state, minibatch.batch.words, s, minibatch.batch, out, alone())
    prior = reference_prior(minibatch, out.B.astype(np.float64))
    assert_allclose(out.prior, prior, rtol=RTOL[dtype])
    assert_allclose(out.prior_mass, prior[:, -1], rtol=RTOL[dtype])


def fractional_moments(M: NDArray[Any], a: float, base: float, n_threads: int = 1) -> Floats:
    octave, n_octaves = int(np.floor(np.log2(base))), 40
    places = np.arange(n_octaves * _kernels.OCTAVE + 1) / _kernels.OCTAVE
    x = np.ldexp(1 + places % 1, octave + places.astype(int))
    table = _special.gamma_ratio(x[:, None], NODES)
    out = np.full((M.shape[1], len(NODES)), np.nan)
    share(_kernels.fractional_moments, (M, a, base, octave, table, out), n_threads)
    return out.T


@pytest.mark.parametrize("base", [1e-3, 0.05, 10.0])
@pytest.mark.parametrize("n_topics", TOPICS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_fractional_moments(dtype: Real, n_topics: int, base: float) -> None:
    minibatch = make_minibatch(n_topics, dtype=dtype)
    result = fractional_moments(minibatch.M, minibatch.a, base)
    expected = _reference.interpolated_moments(minibatch.M, minibatch.a, base, NODES)
    assert_allclose(result, expected, rtol=RTOL[dtype])
    exact = _reference.fractional_moments(minibatch.M, minibatch.a, base, NODES)
    if dtype is np.float64:
        assert (result <= exact * (1 + 1e-12)).all()
        assert (result >= exact * (1 - 1.5e-5)).all()
    assert_allclose(result[-1], exact[-1], rtol=RTOL[dtype])  # it is linear at s = 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_fractional_moments_of_a_large_vocabulary(dtype: Real) -> None:
    rng = np.random.default_rng(0)
    M: NDArray[Any] = (rng.gamma(0.05, 100.0, (3001, 7)) * (rng.random((3001, 1)) < 0.3)).astype(
        dtype
    )
    result = fractional_moments(M, 0.5, 0.02)
    expected = _reference.interpolated_moments(M, 0.5, 0.02, NODES)
    assert_allclose(result, expected, rtol=RTOL[dtype])
    for _ in range(5):
        assert_array_equal(fractional_moments(M, 0.5, 0.02, n_threads=2), result)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_beyond_the_table_count_as_of_its_last_interval(dtype: Real) -> None:
    table = np.linspace(1.0, 2.0, _kernels.OCTAVE + 1)[:, None]  # from 1 to 2
    M: NDArray[Any] = np.array([[1.0, 2.0, 1024.0, 1.0], [1.5, 4.0, 1.0, 1e30]], dtype)
    out = np.empty((4, 1))
    _kernels.fractional_moments(M, 1.0, 0.0, 0, table, out, alone())
    last = table[-2, 0]
    place = float(M[1, 3]) / 2**99 * _kernels.OCTAVE % 1  # in an interval of its own octave
    beyond = last + place / _kernels.OCTAVE
    assert_allclose(out[:, 0], [2.5, 2 * last, last + 1, 1 + beyond], rtol=1e-12)


def test_a_table_without_intervals_is_refused() -> None:
    out, M = np.empty((2, len(NODES))), np.ones((3, 2))
    with pytest.raises(ValueError, match="no interval"):
        _kernels.fractional_moments(M, 1.0, 0.1, 0, np.ones((1, len(NODES))), out, alone())


def mixture_log_likelihood(minibatch: Minibatch, t: NDArray[Any], n_threads: int = 1) -> Floats:
    return log_likelihoods(minibatch, t[None], np.array([minibatch.base]), n_threads)[0]


def log_likelihoods(
    minibatch: Minibatch, t: NDArray[Any], bases: Floats, n_threads: int = 1
) -> Floats:
    out = np.full(t.shape[:2], np.nan)
    arguments = (*mixture_arguments(minibatch, t)[:-1], bases, out)
    share(_kernels.mixture_log_likelihood, arguments, n_threads)
    return out


def mixture_arguments(minibatch: Minibatch, t: NDArray[Any]) -> tuple[Any, ...]:
    batch = minibatch.batch
    indices = batch.words[batch.word_of]
    state = (minibatch.M, minibatch.a, minibatch.base)
    return (batch.doc_ptr, indices, batch.counts, t, *state)


@pytest.mark.parametrize("n_topics", TOPICS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_mixture_log_likelihood(dtype: Real, n_topics: int) -> None:
    minibatch = make_minibatch(n_topics, dtype=dtype)
    lam = minibatch.base + minibatch.a * minibatch.M.astype(np.float64)
    rng = np.random.default_rng(1)
    theta = rng.dirichlet(np.full(n_topics, 0.1), size=minibatch.n_documents)
    t = (theta / lam.sum(axis=0)).astype(dtype)
    result = mixture_log_likelihood(minibatch, t)
    expected = _reference.mixture_log_likelihood(*mixture_arguments(minibatch, t))
    assert_allclose(result, expected, rtol=RTOL[dtype])
    assert np.all(result[minibatch.tokens == 0] == 0)


def test_mixture_log_likelihood_shared_by_threads() -> None:
    minibatch = make_minibatch(37, dtype=np.float32, n_documents=300)
    rng = np.random.default_rng(1)
    t = rng.dirichlet(np.full(37, 0.1), size=minibatch.n_documents).astype(np.float32)
    alone = mixture_log_likelihood(minibatch, t)
    for _ in range(5):
        assert_array_equal(mixture_log_likelihood(minibatch, t, n_threads=2), alone)


@pytest.mark.parametrize("n_topics", TOPICS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_several_mixtures_have_the_bits_of_each(dtype: Real, n_topics: int) -> None:
    minibatch = make_minibatch(n_topics, dtype=dtype)
    rng = np.random.default_rng(1)
    t = rng.random((11, minibatch.n_documents, n_topics)).astype(dtype)
    bases = rng.random(len(t))
    for n in range(1, len(t) + 1):  # not all are looked at at once
        for found, t_of_one, base in zip(
            log_likelihoods(minibatch, t[:n], bases[:n], n_threads=2), t, bases, strict=False
        ):
            alone = log_likelihoods(minibatch, t_of_one[None], np.array([base]))[0]
            assert_array_equal(found, alone)
