"""`cvb0` against its twin, and what it comes to where that is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topictemper._core import _lda as _kernels
from topictemper._core._reference.cvb0 import (
    MOST_LEFT_OUT,
    MOST_WORKING,
    first_look,
    to_the_maximum,
)
from topictemper._core._reference.cvb0 import cvb0 as reference

from .minibatches import (
    DTYPES,
    RTOL,
    Minibatch,
    Outputs,
    make_minibatch,
    of_twin,
    outputs,
    reference_rows,
    share,
)

pytestmark = pytest.mark.usefixtures("isa")


def cvb0(
    minibatch: Minibatch,
    max_iter: int = 100,
    n_own: int = 4,
    *,
    tol: float = 0.0,
    rough: float = 0.0,
    n_threads: int = 1,
) -> tuple[Outputs, np.ndarray]:
    rows = reference_rows(minibatch)
    prior_mass = rows[0][:, : minibatch.n_topics] @ minibatch.alpha
    out = replace(
        outputs(minibatch, rows),
        prior_mass=prior_mass.astype(minibatch.M.dtype),
        weights=np.empty((0, 16), minibatch.M.dtype),
        topics=np.empty((0, minibatch.n_topics), np.int32),
    )
    arguments = minibatch.batch, out, tol, max_iter, rough, n_own
    share(_kernels.cvb0, arguments, n_threads)
    return out, rows[0]


def twin(minibatch: Minibatch, B: np.ndarray, max_iter: int, n_own: int, rough: float = 0.0):
    batch = minibatch.batch
    arguments = batch.doc_ptr, batch.word_of, batch.counts, minibatch.alpha, B
    return reference(*arguments, 0.0, max_iter, rough, n_own)


def long_documents(n_topics: int, dtype: type) -> Minibatch:
    """Documents with few topics that one sweep rules out."""
    minibatch = make_minibatch(n_topics, 0.1, 1.0, dtype)
    return replace(minibatch, batch=minibatch.batch._replace(counts=minibatch.batch.counts + 50))


def first_looks(minibatch: Minibatch, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which topics the first look puts to work, and gamma after it."""
    batch, found = minibatch.batch, []
    for d in np.flatnonzero(np.diff(batch.doc_ptr)):
        span = minibatch.span(d)
        rows = B[batch.word_of[span], : minibatch.n_topics]
        found.append(first_look(batch.counts[span], rows, minibatch.alpha))
    works, gamma = zip(*found, strict=True)
    return np.array(works), np.array(gamma)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("alpha", [0.1, 1e-3])
@pytest.mark.parametrize("n_topics", [1, 3, 16, 70, 300])
@pytest.mark.parametrize(("max_iter", "n_own"), [(1, 1), (3, 1), (3, 8)])
def test_is_its_twin(max_iter, n_own, n_topics, alpha, dtype):
    minibatch = make_minibatch(n_topics, alpha, 1.0, dtype)
    out, B = cvb0(minibatch, max_iter, n_own)
    gamma, _ = twin(minibatch, B, max_iter, n_own)
    scale = gamma.max(axis=1, keepdims=True)
    assert_allclose(out.gamma / scale, gamma / scale, atol=RTOL[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_is_its_twin_up_to_the_most_topics_at_work(dtype):
    minibatch = long_documents(600, dtype)
    out, B = cvb0(minibatch, 3, 8)
    works = first_looks(minibatch, B)[0].sum(axis=1)
    many = (works > MOST_WORKING / 2) & (works <= MOST_WORKING)
    assert many.any()
    some = np.flatnonzero(np.diff(minibatch.batch.doc_ptr))[many]
    gamma, found = (x[some] for x in (twin(minibatch, B, 3, 8)[0], out.gamma))
    scale = gamma.max(axis=1, keepdims=True)
    assert_allclose(found / scale, gamma / scale, atol=RTOL[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_is_its_twin_with_parts_of_tokens(dtype):
    minibatch = make_minibatch(70, 0.1, 1.0, dtype)
    parts = np.random.default_rng(0).gamma(0.5, 1.0, len(minibatch.batch.counts)).astype(dtype)
    assert parts.min() < 0.1
    minibatch = replace(minibatch, batch=minibatch.batch._replace(counts=parts))
    out, B = cvb0(minibatch, 3, 8)
    assert_allclose(out.gamma, twin(minibatch, B, 3, 8)[0], rtol=10 * RTOL[dtype])


@pytest.mark.parametrize("rough", [0.5, 2.0])
def test_first_sweeps_end_where_changes_are_noise(rough):
    minibatch = make_minibatch(70, 0.1, 1.0, np.float64)
    out, B = cvb0(minibatch, rough=rough)
    gamma, sweeps = twin(minibatch, B, 100, 4, rough)
    assert 1 <= np.median(sweeps) < 5
    assert_array_equal(out.sweeps, sweeps)
    assert_allclose(out.gamma, gamma, rtol=1e-9)


def test_a_tolerance_ends_first_sweeps_as_well():
    minibatch = make_minibatch(70, 0.1, 1.0, np.float64)
    by_tol = cvb0(minibatch, tol=0.02)[0]
    assert by_tol.sweeps.sum() < cvb0(minibatch)[0].sweeps.sum() / 4
    # The same limit, if it is given by the tokens of the longest document.
    d = int(minibatch.tokens.argmax())
    by_noise = cvb0(minibatch, rough=0.02 * 70 / np.sqrt(minibatch.tokens[d]))[0]
    assert by_noise.sweeps[d] == by_tol.sweeps[d]


@pytest.mark.parametrize("max_iter", [1, 2, 3, 7])
def test_first_sweeps_are_limited(max_iter):
    out, _ = cvb0(make_minibatch(70, 0.1, 1.0, np.float64), max_iter)
    assert out.sweeps.max() == max_iter
    minibatch, many = crowded(0.1, np.float64)
    assert (cvb0(minibatch, max_iter)[0].sweeps[many] == max_iter).all()


def crowded(alpha: float, dtype: type) -> tuple[Minibatch, list[int]]:
    """Documents, and which of them have too many topics at work: they go to the fixed point."""
    minibatch = long_documents(1200, dtype)
    minibatch = replace(minibatch, alpha=np.full(1200, alpha, dtype))
    works, _ = first_looks(minibatch, reference_rows(minibatch)[0])
    many = np.flatnonzero(np.diff(minibatch.batch.doc_ptr))[works.sum(axis=1) > MOST_WORKING]
    return minibatch, many.tolist()


def objective(n: np.ndarray, B: np.ndarray, alpha: np.ndarray, gamma: np.ndarray) -> float:
    """What the proportions of a document are to maximise."""
    theta = gamma / gamma.sum(dtype=np.float64)
    return float(n @ np.log(B @ theta) + alpha @ np.log(theta))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("alpha", [0.1, 1e-20])
@pytest.mark.parametrize("max_iter", [1, 3000])
def test_documents_of_very_many_topics_come_to_the_maximum(max_iter, alpha, dtype):
    minibatch, many = crowded(alpha, dtype)
    out, B = cvb0(minibatch, max_iter)
    batch = minibatch.batch
    assert many
    for d in many:
        span = minibatch.span(d)
        n, B_d = batch.counts[span].astype(float), B[batch.word_of[span], :1200].astype(float)
        gamma, _ = of_twin(to_the_maximum, n, B_d, minibatch.alpha.astype(float), 0.0, max_iter)
        if max_iter == 1:
            assert_allclose(out.gamma[d] / gamma.max(), gamma / gamma.max(), atol=RTOL[dtype])
        found, best = (objective(n, B_d, minibatch.alpha, x) for x in (out.gamma[d], gamma))
        assert best - found < 10 * RTOL[dtype] * max(1, abs(best))


@pytest.mark.parametrize("dtype", DTYPES)
def test_documents_of_very_many_topics_end_at_the_tolerance(dtype):
    minibatch, many = crowded(0.1, dtype)
    batch, tol = minibatch.batch, 1e-2
    out, B = cvb0(minibatch, 1000, tol=tol)
    assert 1 < out.sweeps[many].min() <= out.sweeps[many].max() < 100
    for d in many:
        span = minibatch.span(d)
        phi = out.gamma[d] * B[batch.word_of[span], :1200]
        phi /= phi.sum(axis=1, keepdims=True)
        another = minibatch.alpha + batch.counts[span] @ phi
        assert np.abs(another - out.gamma[d]).mean() < tol


def test_at_most_so_many_topics_leave_tokens_out():
    minibatch = make_minibatch(300, 1e-3, 1.0, np.float64)
    _, gamma = first_looks(minibatch, cvb0(minibatch, 1)[1])
    assert (gamma >= 2 * minibatch.alpha).sum(axis=1).max() > MOST_LEFT_OUT


def test_topics_of_one_token_follow_their_prior():
    """The posterior of the topic of a lone token is alpha B, as in sampling."""
    minibatch = make_minibatch(16, 0.1, 1.0, np.float64)
    out, B = cvb0(minibatch, n_own=8)
    batch = minibatch.batch
    lengths = np.diff(batch.doc_ptr)
    single = [d for d in np.flatnonzero(lengths == 1) if batch.counts[batch.doc_ptr[d]] == 1]
    assert single
    for d in single:
        row = B[batch.word_of[batch.doc_ptr[d]], :16]
        works, _ = first_look(np.ones(1), row[np.newaxis], minibatch.alpha)
        posterior, tokens = minibatch.alpha * row, out.gamma[d] - minibatch.alpha
        found, expected = (x[works] / x[works].sum() for x in (tokens, posterior))
        assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_number_of_threads_gives_the_same_bits(dtype):
    for minibatch in (make_minibatch(16, 0.1, 1.0, dtype), crowded(0.1, dtype)[0]):
        one, three = (cvb0(minibatch, tol=1e-3, n_threads=n)[0] for n in (1, 3))
        assert_array_equal(one.gamma, three.gamma)
        assert_array_equal(one.sweeps, three.sweeps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_topics", [1, 16, 300])
@pytest.mark.parametrize("alpha", [10.0, 0.1, 1e-20])
def test_tokens_are_shared_out_whole(alpha, n_topics, dtype):
    minibatch = make_minibatch(n_topics, alpha, 1.0, dtype)
    out, _ = cvb0(minibatch, rough=2.0)
    total = out.gamma.sum(axis=1, dtype=np.float64) - minibatch.alpha.sum(dtype=np.float64)
    assert_allclose(total, minibatch.tokens, rtol=1e-4, atol=1e-3 if dtype == np.float32 else 1e-9)


def test_document_without_words_keeps_its_prior():
    minibatch = make_minibatch(16, 0.1, 1.0, np.float64)
    out, _ = cvb0(minibatch)
    empty = np.diff(minibatch.batch.doc_ptr) == 0
    assert empty.any()
    assert_array_equal(out.gamma[empty], np.tile(minibatch.alpha, (empty.sum(), 1)))
    assert (out.sweeps[empty] == 0).all()
