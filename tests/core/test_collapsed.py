"""`collapse` against its twin, and what it comes to where that is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._core import _lda as _kernels
from topictemper._core._reference.collapsed import MOST_AT_WORK
from topictemper._core._reference.collapsed import collapse as reference

from .minibatches import Minibatch, Outputs, make_minibatch, outputs, reference_rows, share, ticket

RTOL = {np.float32: 1e-4, np.float64: 1e-10}
DTYPES = [np.float32, np.float64]

pytestmark = pytest.mark.usefixtures("isa")


def collapse(
    minibatch: Minibatch,
    tol: float,
    max_iter: int,
    n_own: int = 0,
    n_threads: int = 1,
    rough: float = 0.0,
) -> tuple[Outputs, np.ndarray]:
    rows = reference_rows(minibatch)
    out = replace(outputs(minibatch, rows), weights=np.empty((0, 16), minibatch.M.dtype))
    arguments = minibatch.batch, out, tol, max_iter, rough, n_own, ticket()
    share(_kernels.collapse, arguments, n_threads)
    return out, rows[0]


def twin(minibatch: Minibatch, B: np.ndarray, tol: float, max_iter: int, n_own: int = 0):
    batch = minibatch.batch
    arguments = batch.doc_ptr, batch.word_of, batch.counts, minibatch.alpha, B
    return reference(*arguments, tol, max_iter, n_own)


def objective(minibatch: Minibatch, B: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """What the proportions of each document are to maximise."""
    batch, theta = minibatch.batch, gamma / gamma.sum(axis=1, keepdims=True, dtype=np.float64)
    document = np.repeat(np.arange(len(gamma)), np.diff(batch.doc_ptr))
    mixture = (theta[document] * B[batch.word_of, : theta.shape[1]]).sum(axis=1)
    of_words = np.bincount(document, batch.counts * np.log(mixture), minlength=len(gamma))
    return of_words + (minibatch.alpha * np.log(theta)).sum(axis=1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_topics", [1, 3, 16, 70])
def test_first_sweep_is_its_twin(n_topics, dtype):
    minibatch = make_minibatch(n_topics, 0.1, 1.0, dtype)
    out, B = collapse(minibatch, 0.0, 1)
    gamma, _ = twin(minibatch, B, 0.0, 1)
    scale = gamma.max(axis=1, keepdims=True)
    assert_allclose(out.gamma / scale, gamma / scale, atol=RTOL[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("alpha", [0.1, 1e-3, 1e-20])
@pytest.mark.parametrize("n_topics", [1, 3, 16, 70])
def test_comes_to_the_maximum(n_topics, alpha, dtype):
    minibatch = make_minibatch(n_topics, alpha, 1.0, dtype)
    out, B = collapse(minibatch, 0.0, 1000)
    gamma, _ = twin(minibatch, B, 0.0, 1000)
    found, expected = (objective(minibatch, B, x) for x in (out.gamma, gamma))
    loss = (expected - found) / np.maximum(1, np.abs(expected))
    assert loss.max() < 10 * RTOL[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sweeps_end_at_the_tolerance(dtype):
    minibatch = make_minibatch(70, 0.1, 1.0, dtype)
    batch, tol = minibatch.batch, 1e-2
    out, B = collapse(minibatch, tol, 1000)
    assert 1 < out.sweeps[np.diff(batch.doc_ptr) > 1].min() <= out.sweeps.max() < 100
    for d, gamma in enumerate(out.gamma):
        span = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        phi = gamma * B[batch.word_of[span], :70]
        phi /= phi.sum(axis=1, keepdims=True)
        another = minibatch.alpha + batch.counts[span] @ phi
        assert np.abs(another - gamma).mean() < tol


@pytest.mark.parametrize("dtype", DTYPES)
def test_sweeps_end_where_changes_are_noise(dtype):
    minibatch = make_minibatch(70, 0.1, 1.0, dtype)
    batch, rough = minibatch.batch, 0.5
    out, B = collapse(minibatch, 0.0, 1000, rough=rough)
    exact, _ = collapse(minibatch, 0.0, 1000)
    assert (out.sweeps <= exact.sweeps).all()
    assert out.sweeps.max() < exact.sweeps.max()
    for d, gamma in enumerate(out.gamma):
        span = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        n, phi = batch.counts[span], gamma * B[batch.word_of[span], :70]
        another = minibatch.alpha + n @ (phi / phi.sum(axis=1, keepdims=True))
        assert np.abs(another - gamma).sum() <= rough * np.sqrt(n.sum())


@pytest.mark.parametrize("max_iter", [1, 2, 3, 7])
def test_sweeps_are_limited(max_iter):
    out, _ = collapse(make_minibatch(70, 0.1, 1.0, np.float64), 0.0, max_iter)
    assert out.sweeps.max() == max_iter


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("alpha", [0.1, 1e-3])
@pytest.mark.parametrize("n_topics", [1, 3, 16, 70, 300])
def test_own_share_is_left_out_as_in_its_twin(n_topics, alpha, dtype):
    minibatch = make_minibatch(n_topics, alpha, 1.0, dtype)
    for n_own in [1, 8]:
        out, B = collapse(minibatch, 0.0, 1, n_own)
        gamma, _ = twin(minibatch, B, 0.0, 1, n_own)
        scale = gamma.max(axis=1, keepdims=True)
        assert_allclose(out.gamma / scale, gamma / scale, atol=RTOL[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_topics", [1, 3, 16, 70])
def test_own_share_is_left_out_at_the_maximum(n_topics, dtype):
    minibatch = make_minibatch(n_topics, 0.1, 1.0, dtype)
    out, B = collapse(minibatch, 0.0, 1000, 8)
    gamma, _ = twin(minibatch, B, 0.0, 1000, 8)
    scale = gamma.max(axis=1, keepdims=True)
    assert_allclose(out.gamma / scale, gamma / scale, atol=RTOL[dtype], rtol=0)


def test_not_all_topics_are_at_work_among_many():
    minibatch = make_minibatch(300, 1e-3, 1.0, np.float64)
    out, _ = collapse(minibatch, 0.0, 1)
    assert (out.gamma >= 2 * minibatch.alpha).sum(axis=1).max() > MOST_AT_WORK


def test_topics_of_one_token_follow_their_prior():
    """The posterior of the topic of a lone token is alpha B, as in sampling."""
    minibatch = make_minibatch(16, 0.1, 1.0, np.float64)
    kept, B = collapse(minibatch, 1e-6, 1000)
    out, _ = collapse(minibatch, 1e-6, 1000, 8)
    batch = minibatch.batch
    lengths = np.diff(batch.doc_ptr)
    single = [d for d in np.flatnonzero(lengths == 1) if batch.counts[batch.doc_ptr[d]] == 1]
    assert single
    for d in single:
        phi = minibatch.alpha * B[batch.word_of[batch.doc_ptr[d]], :16]
        before, after = (x.gamma[d] - minibatch.alpha - phi / phi.sum() for x in (kept, out))
        assert np.abs(after).max() < 0.05 < 0.2 < np.abs(before).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_own", [0, 8])
def test_any_number_of_threads_gives_the_same_bits(n_own, dtype):
    minibatch = make_minibatch(16, 0.1, 1.0, dtype)
    one = collapse(minibatch, 1e-3, 100, n_own)[0]
    three = collapse(minibatch, 1e-3, 100, n_own, n_threads=3)[0]
    assert_array_equal(one.gamma, three.gamma)
    assert_array_equal(one.sweeps, three.sweeps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("alpha", "n_own"), [(0.1, 0), (0.1, 8), (1e-20, 8)])
def test_tokens_are_shared_out_whole(alpha, n_own, dtype):
    minibatch = make_minibatch(16, alpha, 1.0, dtype)
    out, _ = collapse(minibatch, 1e-3, 100, n_own)
    batch = minibatch.batch
    tokens = np.add.reduceat(np.append(batch.counts, 0.0), batch.doc_ptr[:-1])
    tokens[np.diff(batch.doc_ptr) == 0] = 0
    total = out.gamma.sum(axis=1, dtype=np.float64) - minibatch.alpha.sum(dtype=np.float64)
    assert_allclose(total, tokens, rtol=1e-4, atol=1e-3 if dtype == np.float32 else 1e-9)


def test_document_without_words_keeps_its_prior():
    minibatch = make_minibatch(16, 0.1, 1.0, np.float64)
    out, _ = collapse(minibatch, 1e-3, 100)
    empty = np.diff(minibatch.batch.doc_ptr) == 0
    assert empty.any()
    assert_array_equal(out.gamma[empty], np.tile(minibatch.alpha, (empty.sum(), 1)))
    assert (out.sweeps[empty] == 0).all()
