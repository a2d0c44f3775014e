"""`collapse` against its twin, and what it comes to where that is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._core import _lda as _kernels
from topictemper._core._reference.collapsed import collapse as reference

from .minibatches import Minibatch, Outputs, make_minibatch, outputs, reference_rows, share, ticket

RTOL = {np.float32: 1e-4, np.float64: 1e-10}
DTYPES = [np.float32, np.float64]

pytestmark = pytest.mark.usefixtures("isa")


def collapse(
    minibatch: Minibatch, tol: float, max_iter: int, n_threads: int = 1
) -> tuple[Outputs, np.ndarray]:
    rows = reference_rows(minibatch)
    out = replace(outputs(minibatch, rows), weights=np.empty((0, 16), minibatch.M.dtype))
    share(_kernels.collapse, (minibatch.batch, out, tol, max_iter, ticket()), n_threads)
    return out, rows[0]


def twin(minibatch: Minibatch, B: np.ndarray, tol: float, max_iter: int):
    batch = minibatch.batch
    arguments = batch.doc_ptr, batch.word_of, batch.counts, minibatch.alpha, B
    return reference(*arguments, tol, max_iter)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("max_iter", [1, 2, 7, 40])
@pytest.mark.parametrize("n_topics", [1, 3, 16, 70])
def test_is_its_twin(n_topics, max_iter, dtype):
    minibatch = make_minibatch(n_topics, 0.1, 1.0, dtype)
    out, B = collapse(minibatch, 0.0, max_iter)
    gamma, _ = twin(minibatch, B, 0.0, max_iter)
    scale = gamma.max(axis=1, keepdims=True)
    assert_allclose(out.gamma / scale, gamma / scale, atol=RTOL[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sweeps_end_at_the_tolerance(dtype):
    minibatch = make_minibatch(16, 0.1, 1.0, dtype)
    out, B = collapse(minibatch, 1e-2, 1000)
    _, sweeps = twin(minibatch, B, 1e-2, 1000)
    usual = np.asarray(np.diff(minibatch.batch.doc_ptr) > 1)
    assert (np.abs(out.sweeps - sweeps)[usual] <= 1).all()
    assert 1 < out.sweeps[usual].min() < out.sweeps[usual].max() < 1000


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
