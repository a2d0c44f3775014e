"""`collapse` against its twin, and what it comes to where that is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._core import _lda as _kernels
from topictemper._core._reference.collapsed import collapse as reference

from .minibatches import (
    Minibatch,
    Outputs,
    make_minibatch,
    of_twin,
    outputs,
    reference_rows,
    share,
    ticket,
)

RTOL = {np.float32: 1e-4, np.float64: 1e-10}
DTYPES = [np.float32, np.float64]

pytestmark = pytest.mark.usefixtures("isa")


def collapse(
    minibatch: Minibatch, tol: float, max_iter: int, n_threads: int = 1
) -> tuple[Outputs, np.ndarray]:
    rows = reference_rows(minibatch)
    out = replace(outputs(minibatch, rows), weights=np.empty((0, 16), minibatch.M.dtype))
    arguments = minibatch.batch, out, tol, max_iter, ticket()
    share(_kernels.collapse, arguments, n_threads)
    return out, rows[0]


def twin(minibatch: Minibatch, B: np.ndarray, tol: float, max_iter: int):
    batch = minibatch.batch
    arguments = batch.doc_ptr, batch.word_of, batch.counts, minibatch.alpha, B
    return of_twin(reference, *arguments, tol, max_iter)


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


@pytest.mark.parametrize("max_iter", [1, 2, 3, 7])
def test_sweeps_are_limited(max_iter):
    out, _ = collapse(make_minibatch(70, 0.1, 1.0, np.float64), 0.0, max_iter)
    assert out.sweeps.max() == max_iter


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_number_of_threads_gives_the_same_bits(dtype):
    minibatch = make_minibatch(16, 0.1, 1.0, dtype)
    one = collapse(minibatch, 1e-3, 100)[0]
    three = collapse(minibatch, 1e-3, 100, n_threads=3)[0]
    assert_array_equal(one.gamma, three.gamma)
    assert_array_equal(one.sweeps, three.sweeps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tokens_are_shared_out_whole(dtype):
    minibatch = make_minibatch(16, 0.1, 1.0, dtype)
    out, _ = collapse(minibatch, 1e-3, 100)
    total = out.gamma.sum(axis=1, dtype=np.float64) - minibatch.alpha.sum(dtype=np.float64)
    assert_allclose(total, minibatch.tokens, rtol=1e-4, atol=1e-3 if dtype == np.float32 else 1e-9)


def test_document_without_words_keeps_its_prior():
    minibatch = make_minibatch(16, 0.1, 1.0, np.float64)
    out, _ = collapse(minibatch, 1e-3, 100)
    empty = np.diff(minibatch.batch.doc_ptr) == 0
    assert empty.any()
    assert_array_equal(out.gamma[empty], np.tile(minibatch.alpha, (empty.sum(), 1)))
    assert (out.sweeps[empty] == 0).all()
