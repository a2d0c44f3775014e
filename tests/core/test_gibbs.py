"""`sample` against its twin, draw by draw, and against the exact posterior of a short document."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import gammaln

from topictemper._core import _lda as _kernels
from topictemper._core._reference import gibbs as _reference
from topictemper._core._reference.lda import EStep

from .minibatches import (
    DTYPES,
    Minibatch,
    Outputs,
    Real,
    make_minibatch,
    of_twin,
    reference_rows,
    sample,
    token_assignments,
)

pytestmark = pytest.mark.usefixtures("isa")


def keys(n_documents: int, seed: int = 0) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(2**64, size=n_documents, dtype=np.uint64)


def run(minibatch: Minibatch, n_threads: int = 1) -> Outputs:
    key, rows = keys(minibatch.n_documents), reference_rows(minibatch)
    return sample(minibatch, key, 2, 3, rows, n_threads, want_own=True)


def assert_same_draws(minibatch: Minibatch, n_kept: int = 3, n_burn_in: int = 2) -> EStep:
    batch, rows = minibatch.batch, reference_rows(minibatch)
    key = keys(minibatch.n_documents)
    out = sample(minibatch, key, n_burn_in, n_kept, rows)
    documents = batch.doc_ptr, batch.word_of, batch.counts
    arguments = *documents, minibatch.alpha, out.B, key, n_burn_in, n_kept
    twin = of_twin(_reference.sample, *arguments)
    assert_allclose(out.gamma, twin.gamma, rtol=1e-12)
    assert_allclose(out.dense_weights(), twin.weights, rtol=1e-12)
    assert_allclose(out.ratio, twin.ratio, rtol=1e-9)
    assert_array_equal(out.n_active, (twin.weights > 0).sum(axis=1))
    for d, n in enumerate(out.n_active):
        assert_array_equal(out.topics[d, :n], np.flatnonzero(twin.weights[d]))
    if n_kept == 1:  # what was drawn last is all that is averaged
        assert_allclose(out.drawn, twin.gamma - minibatch.alpha, rtol=1e-12, atol=1e-12)
    return twin


@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("n_topics", [1, 2, 16, 17, 60])
def test_same_draws_as_the_twin(n_topics: int, alpha: float) -> None:
    minibatch = make_minibatch(n_topics, alpha)
    assert_same_draws(minibatch)
    assert_same_draws(minibatch, n_kept=1)


def test_same_draws_of_counts_that_are_not_whole() -> None:
    minibatch = make_minibatch(60, 0.3)
    counts = np.random.default_rng(0).gamma(1.0, 3.0, len(minibatch.batch.counts))
    assert_same_draws(replace(minibatch, batch=minibatch.batch._replace(counts=counts)))


def test_same_draws_with_more_topics_than_slots() -> None:
    # Some documents of 100 tokens run out of slots on the way, some never do.
    twin = assert_same_draws(make_minibatch(300, 3.0, n_documents=3), n_kept=1)
    n_topics = (twin.weights > 0).sum(axis=1)
    assert n_topics.max() > 64 > n_topics.min()


def test_what_was_averaged_before_slots_ran_out_counts() -> None:
    twin = assert_same_draws(make_minibatch(150, 0.3, n_documents=3), n_kept=6, n_burn_in=0)
    assert (twin.weights > 0).sum(axis=1).max() > 64


def test_same_draws_of_a_long_document() -> None:
    # Each of its draws is for more than a token; around it are documents of few.
    minibatch = make_minibatch(40, 0.1, n_documents=2)
    batch = minibatch.batch
    counts = batch.counts.copy()
    counts[minibatch.span(2)] += 20.0
    assert counts[minibatch.span(2)].sum() > 2 * 256
    assert_same_draws(replace(minibatch, batch=batch._replace(counts=counts)), n_kept=1)


@pytest.mark.parametrize("n", [4096, 4097])
def test_same_draws_of_a_document_of_many_words(n: int) -> None:
    # As many as go abreast, and more: each word comes several times, which is all the same to the
    # kernel.
    minibatch = make_minibatch(20, 0.1, n_documents=2).part([0])
    batch = minibatch.batch._replace(
        doc_ptr=np.array([0, n], np.int64),
        word_of=np.arange(n, dtype=np.int32) % len(minibatch.batch.words),
        counts=np.ones(n),
    )
    assert_same_draws(replace(minibatch, batch=batch), n_kept=1, n_burn_in=0)


def assert_same_without_own(minibatch: Minibatch) -> None:
    batch, rows = minibatch.batch, reference_rows(minibatch)
    key = keys(minibatch.n_documents)
    out = sample(minibatch, key, 2, 3, rows, want_own=True)
    documents = batch.doc_ptr, batch.word_of, batch.counts
    arguments = *documents, minibatch.alpha, out.B, key, 2, 3
    twin = of_twin(_reference.sample, *arguments, want_own=True)
    assert_allclose(out.gamma, twin.gamma, rtol=1e-12)
    assert twin.own is not None
    phi = token_assignments(minibatch, out.B, out.dense_weights(), out.ratio, out.own)
    expected = token_assignments(minibatch, out.B, twin.weights, twin.ratio, twin.own)
    assert_allclose(phi, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alpha", [1e-3, 0.01, 1.0])
@pytest.mark.parametrize("n_topics", [1, 2, 16, 17, 60, 300])
def test_tokens_without_their_own_counts(n_topics: int, alpha: float) -> None:
    minibatch = make_minibatch(n_topics, alpha)
    assert_same_without_own(minibatch)
    counts = np.random.default_rng(0).gamma(1.0, 3.0, len(minibatch.batch.counts))
    assert_same_without_own(replace(minibatch, batch=minibatch.batch._replace(counts=counts)))


# A token of a word by itself: one that drew a rare topic is in the counts of this topic.
@pytest.mark.parametrize("dtype", DTYPES)
def test_without_own_counts_tokens_are_shared_out_as_in_the_posterior(dtype: Real) -> None:
    minibatch, rows = short(dtype, [1, 1, 1], 3)
    alpha, B = minibatch.alpha.astype(np.float64), rows[0][:, :3].astype(np.float64)
    topics = np.indices((3, 3, 3)).reshape(3, -1)
    N = sum(np.eye(3)[of_token] for of_token in topics)
    joint = np.exp(gammaln(alpha + N).sum(axis=1)) * B[np.arange(3)[:, None], topics].prod(axis=0)
    expected = np.array([joint @ np.eye(3)[of_token] for of_token in topics]) / joint.sum()

    def error(want_own: bool) -> float:
        out = sample(minibatch, keys(1000), 20, 4, rows, want_own=want_own)
        own = out.own if want_own else 0.0
        phi = token_assignments(minibatch, out.B, out.dense_weights(), out.ratio, own)
        return float(np.abs(phi.reshape(1000, 3, 3).mean(axis=0) - expected).max())

    assert error(want_own=True) < 0.5 * error(want_own=False)


@pytest.mark.parametrize("want_own", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_are_all_dealt_out(dtype: Real, want_own: bool) -> None:
    minibatch = make_minibatch(17, 0.1, dtype=dtype)
    key, rows = keys(minibatch.n_documents), reference_rows(minibatch)
    out = sample(minibatch, key, 2, 3, rows, want_own=want_own)
    tokens = minibatch.tokens
    assert_allclose((out.gamma - minibatch.alpha).sum(axis=1), tokens, rtol=1e-5, atol=1e-5)
    own = out.own if want_own else 0.0
    phi = token_assignments(minibatch, out.B, out.dense_weights(), out.ratio, own)
    assert_allclose(phi.sum(axis=1), minibatch.batch.counts, rtol=1e-5)
    empty = tokens == 0
    assert empty.any()
    assert_array_equal(out.gamma[empty], np.tile(minibatch.alpha, (empty.sum(), 1)))
    assert_array_equal(out.weights[empty], 0.0)
    assert_allclose(out.drawn.sum(axis=1), tokens, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_same_bits_with_any_threads_and_neighbors(dtype: Real) -> None:
    minibatch = make_minibatch(60, 0.1, dtype=dtype, n_documents=40)
    alone = run(minibatch)
    shared = run(minibatch, n_threads=3)
    for name in ("gamma", "weights", "n_active", "ratio", "own", "drawn"):
        assert_array_equal(getattr(alone, name), getattr(shared, name))
    order = [25, 3, 9]
    some = sample(minibatch.part(order), keys(48)[order], 2, 3, reference_rows(minibatch))
    assert_array_equal(some.gamma, alone.gamma[order])
    other = sample(minibatch, keys(48, seed=1), 2, 3, reference_rows(minibatch))
    assert not np.array_equal(other.gamma, alone.gamma)


def test_a_key_for_each_document() -> None:
    minibatch = make_minibatch(5)
    with pytest.raises(ValueError, match="keys must have one entry for each of 20 documents"):
        sample(minibatch, keys(19), 2, 3, reference_rows(minibatch))


def short(dtype: Real, counts: list[int], n_topics: int) -> tuple[Minibatch, tuple[Any, ...]]:
    """A thousand times one document of three words, under three topics or many."""
    n, rng = 1000, np.random.default_rng(1)
    B = np.zeros((3, _kernels.padded_topics(n_topics)), dtype)
    B[:, :n_topics] = rng.dirichlet(np.ones(3), n_topics).T
    B[:, :3] = [[0.5, 0.1, 0.4], [0.2, 0.9, 0.1], [0.3, 0.3, 0.8]]
    alpha = np.concatenate(([0.3, 0.7, 0.2], rng.uniform(0.01, 0.1, n_topics - 3)))
    minibatch = make_minibatch(n_topics, 0.1, dtype=dtype)
    batch = minibatch.batch._replace(
        doc_ptr=np.arange(0, 3 * n + 1, 3, dtype=np.int64),
        word_of=np.tile(np.arange(3, dtype=np.int32), n),
        counts=np.tile(np.array(counts, dtype), n),
    )
    minibatch = replace(minibatch, batch=batch, s=np.ones(n, dtype), alpha=alpha.astype(dtype))
    return minibatch, (B, np.zeros(3, dtype), B.sum(axis=1))


# With 40 topics most are without a slot at any time, and slots change hands.
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("counts", "n_topics"), [([1, 1, 1], 3), ([2, 1, 0], 3), ([1, 0, 4], 3), ([1, 1, 1], 40)]
)
def test_long_run_mean_is_that_of_the_posterior(
    dtype: Real, counts: list[int], n_topics: int
) -> None:
    minibatch, rows = short(dtype, counts, n_topics)
    out = sample(minibatch, keys(1000), 20, 200, rows)
    alpha, B = minibatch.alpha.astype(np.float64), rows[0][:, :n_topics].astype(np.float64)
    words = np.repeat(np.arange(3), counts)
    topics = np.indices((n_topics,) * len(words)).reshape(len(words), -1)
    N = sum(np.eye(n_topics)[of_token] for of_token in topics)
    joint = np.exp(gammaln(alpha + N).sum(axis=1)) * B[words[:, None], topics].prod(axis=0)
    expected = joint @ N / joint.sum()
    found = out.gamma.astype(np.float64) - alpha
    error = found.std(axis=0) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - expected) < 4.5 * error)
