"""`add_statistics` against its twin, and its sums against the tokens."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topictemper._core import _lda as _kernels
from topictemper._core._reference import lda as _reference
from topictemper._utils._typing import Floats

from .minibatches import (
    DTYPES,
    RTOL,
    Minibatch,
    Outputs,
    Real,
    add_statistics,
    estep,
    make_minibatch,
    reference_rows,
    sample,
)

RATE = 0.37

pytestmark = pytest.mark.usefixtures("isa")


def statistics(
    minibatch: Minibatch, local: Outputs, doc_weight: NDArray[Any], n_threads: int = 1
) -> tuple[NDArray[Any], Floats]:
    """A copy of M with the statistics added, and the sums of the blocks."""
    M = minibatch.M.copy()
    block_sums = add_statistics(minibatch, local, doc_weight, RATE, M, n_threads)
    return M, block_sums


def random_weights(minibatch: Minibatch) -> NDArray[Any]:
    """Weights that are no temperatures, so that the two cannot be mistaken for each other."""
    rng = np.random.default_rng(5)
    return rng.uniform(0.1, 2.0, minibatch.n_documents).astype(minibatch.M.dtype)


def without_millions(minibatch: Minibatch) -> Minibatch:
    """The same with counts of at most 7, for sums that many words should have a part in."""
    counts = np.minimum(minibatch.batch.counts, 7)
    return replace(minibatch, batch=minibatch.batch._replace(counts=counts))


@pytest.mark.parametrize("s", [1.0, 0.4, 0.1])
@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("n_topics", [1, 5, 16, 32, 37, 300])
@pytest.mark.parametrize("dtype", DTYPES)
def test_add_statistics(dtype: Real, n_topics: int, alpha: float, s: float) -> None:
    minibatch = make_minibatch(n_topics, alpha, s, dtype)
    local = estep(minibatch, 1e-3, 50)
    assert_same_statistics(minibatch, local, RTOL[dtype])


@pytest.mark.parametrize("n_topics", [1, 5, 37, 300])
@pytest.mark.parametrize("dtype", DTYPES)
def test_add_statistics_of_tokens_without_their_own_counts(dtype: Real, n_topics: int) -> None:
    minibatch = make_minibatch(n_topics, 0.1, dtype=dtype)
    keys = np.arange(minibatch.n_documents, dtype=np.uint64)
    local = sample(minibatch, keys, 2, 3, reference_rows(minibatch), want_own=True)
    assert local.own.max() > 0
    assert_same_statistics(minibatch, local, RTOL[dtype])


@pytest.mark.parametrize("size", [1e-30, 1e-20])
@pytest.mark.parametrize("dtype", DTYPES)
def test_tiny_tokens_without_their_own_counts(dtype: Real, size: float) -> None:
    minibatch = without_millions(make_minibatch(20, 0.1, dtype=dtype))
    counts = (minibatch.batch.counts * size).astype(dtype)
    minibatch = replace(minibatch, batch=minibatch.batch._replace(counts=counts))
    keys = np.arange(minibatch.n_documents, dtype=np.uint64)
    local = sample(minibatch, keys, 2, 3, reference_rows(minibatch), want_own=True)
    empty_state = replace(minibatch, M=np.zeros_like(minibatch.M))
    _, block_sums = statistics(empty_state, local, np.ones(minibatch.n_documents))
    assert_allclose(block_sums.sum(), RATE * counts.sum(dtype=np.float64), rtol=1e-5)


def assert_same_statistics(minibatch: Minibatch, local: Outputs, rtol: float) -> None:
    doc_weight = random_weights(minibatch)
    M, block_sums = statistics(minibatch, local, doc_weight)

    batch = minibatch.batch
    expected = np.zeros(M.shape)
    expected_sum = _reference.add_statistics(
        batch.words,
        batch.word_ptr,
        batch.word_doc,
        batch.word_pos,
        doc_weight,
        local.B,
        local.dense_weights(),
        local.ratio,
        local.own if local.own.size else None,
        RATE,
        expected,
    )
    assert_allclose(M, minibatch.M + expected, rtol=rtol)
    assert_allclose(block_sums.sum(axis=0), expected_sum, rtol=rtol)
    absent = np.setdiff1d(np.arange(len(M)), batch.words)
    assert len(absent) > 0
    assert_array_equal(M[absent], minibatch.M[absent])


def test_no_statistics_of_documents_with_temperatures_of_their_own() -> None:
    minibatch = make_minibatch(5, 0.1, "documents")
    local = estep(minibatch, 1e-3, 50)
    with pytest.raises(ValueError, match="one inverse temperature"):
        statistics(minibatch, local, random_weights(minibatch))


@pytest.mark.parametrize("s", [1.0, 0.4, 0.1])
@pytest.mark.parametrize("n_topics", [1, 37, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_statistics_sum_to_the_tokens_times_their_weight(
    dtype: Real, n_topics: int, s: float
) -> None:
    # Counts are spread over topics and added up again, which rounds a few times only.
    rtol = {np.float32: 1e-5, np.float64: 1e-12}[dtype]
    for minibatch in (
        make_minibatch(n_topics, 0.05, s, dtype),
        without_millions(make_minibatch(n_topics, 0.05, s, dtype, n_documents=150)),
    ):
        local, doc_weight = estep(minibatch, 1e-2, 20), random_weights(minibatch)
        empty_state = replace(minibatch, M=np.zeros_like(minibatch.M))
        M, block_sums = statistics(empty_state, local, doc_weight)

        tokens = minibatch.tokens @ doc_weight.astype(np.float64)
        assert_allclose(block_sums.sum(), RATE * tokens, rtol=rtol)
        assert_allclose(M.sum(dtype=np.float64), RATE * tokens, rtol=rtol)

        batch, of_words = minibatch.batch, np.zeros(len(M))
        weighted = batch.counts * doc_weight[minibatch.document_of].astype(np.float64)
        np.add.at(of_words, batch.words[batch.word_of], weighted)
        assert_allclose(M.sum(axis=1, dtype=np.float64), RATE * of_words, rtol=rtol)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_step_that_is_done_needs_no_memory(dtype: Real) -> None:
    """Its end comes where memory is short, too: topics would else stay between two steps."""
    minibatch = make_minibatch(5, 0.1, dtype=dtype)
    local, doc_weight = estep(minibatch, 1e-3, 50), random_weights(minibatch).astype(np.float64)
    endless = np.full_like(minibatch.batch.word_ptr, 2**60)  # documents of a word
    endless[0] = 0
    batch, M = minibatch.batch._replace(word_ptr=endless), minibatch.M.copy()
    n_blocks = _kernels.statistics_blocks(len(batch.words))
    sums = np.empty((n_blocks, minibatch.n_topics))
    _kernels.add_statistics(batch, local, doc_weight, RATE, M, sums, np.array([n_blocks]))
    assert_array_equal(M, minibatch.M)


@pytest.mark.parametrize("s", [1.0, 0.4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_threads_of_a_team_give_the_same_bits(dtype: Real, s: float) -> None:
    minibatch = make_minibatch(300, 0.05, s, dtype, n_documents=300)
    local, doc_weight = estep(minibatch, 1e-3, 50), random_weights(minibatch)
    M, block_sums = statistics(minibatch, local, doc_weight)
    assert len(block_sums) > 1
    for n_threads in (2, 2, 2, 3):
        shared_M, shared_sums = statistics(minibatch, local, doc_weight, n_threads)
        assert_array_equal(shared_M, M)
        assert_array_equal(shared_sums, block_sums)
