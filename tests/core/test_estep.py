"""`estep` against its twin, and what must hold whatever the minibatch is.

Both stop at rounding (the tolerance asked for is below it), so that they are compared at the fixed
point itself, from rows that are the same to the bit. `make_minibatch` says which documents are the
odd ones.

Errors of gamma are relative to the largest gamma of the document, and those of the assignments to
its largest count. Gamma is a sum of tokens, which rounding spreads over all topics: of a million
tokens in float32 each sum is exact to 0.06 only, whatever the topic's own share. And where several
topics explain the same words sweeps converge slowly, by 1% each say, so that a change lost in
rounding stands for a hundred times as much. In float64 there are digits enough for every element
of gamma by itself, a million tokens aside.
"""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import special

from topictemper._core import _lda as _kernels
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special
from topictemper._utils._typing import Floats

from .minibatches import (
    DTYPES,
    RTOL,
    TEMPERATURES,
    Minibatch,
    Outputs,
    Real,
    alone,
    estep,
    make_minibatch,
    outputs,
    reference_estep,
    reference_rows,
    token_assignments,
    topic_rows,
)

CONVERGED = (1e-15, 3000)  # tolerance, sweeps
SLOW = 200

pytestmark = pytest.mark.usefixtures("isa")


@cache
def reference(n_topics: int, alpha: float, s: float | str, dtype: Real) -> _reference.EStep:
    return reference_estep(make_minibatch(n_topics, alpha, s, dtype), *CONVERGED)


def document_elbo(minibatch: Minibatch, d: int, gamma: NDArray[Any]) -> float:
    """What document d adds to the annealed ELBO (VT eq. 4) with the best phi for its gamma."""
    span = minibatch.span(d)
    lam = minibatch.base + minibatch.a * minibatch.M.astype(np.float64)
    expected_log_beta = _special.psi(lam) - minibatch.log_total
    rows = expected_log_beta[minibatch.batch.words[minibatch.batch.word_of[span]]]
    gamma, alpha = gamma.astype(np.float64), minibatch.alpha.astype(np.float64)
    expected_log_theta = _special.psi(gamma) - _special.psi(gamma.sum())
    log_p = special.logsumexp(float(minibatch.s[d]) * (expected_log_theta + rows), axis=1)
    prior = special.gammaln(gamma.sum()) - special.gammaln(gamma).sum()
    prior -= special.gammaln(alpha.sum()) - special.gammaln(alpha).sum()
    divergence = prior + ((gamma - alpha) * expected_log_theta).sum()
    return float(minibatch.batch.counts[span].astype(np.float64) @ log_p - divergence)


def assert_same_gamma(
    gamma: NDArray[Any], other: NDArray[Any], tokens: Floats, rtol: float
) -> None:
    largest = other.max(axis=1, keepdims=True)
    assert_allclose(gamma / largest, other / largest, rtol=0, atol=rtol)
    if gamma.dtype == np.float64:
        few = tokens < 1000
        assert_allclose(gamma[few], other[few], rtol=rtol)


def check(minibatch: Minibatch, result: Outputs, twin: _reference.EStep) -> None:
    """Compare what callers see: gamma, the energy and ``n phi``.

    In float32 documents that the twin needed over `SLOW` sweeps for are compared by the energy and
    the bound that they reach: along the valley of such a document sweeps move gamma by less than
    rounding before they are at its end, and all points there are as good.
    """
    dtype = minibatch.M.dtype.type
    rtol = RTOL[dtype]
    settled = (twin.sweeps <= SLOW) | (dtype == np.float64)
    assert_same_gamma(result.gamma[settled], twin.gamma[settled], minibatch.tokens[settled], rtol)
    assert_allclose(result.energy, twin.energy, rtol=rtol)
    for d in np.flatnonzero(~settled):
        reached = document_elbo(minibatch, int(d), result.gamma[d])
        assert reached == pytest.approx(document_elbo(minibatch, int(d), twin.gamma[d]), rel=1e-5)

    counts, document = minibatch.batch.counts, minibatch.document_of
    weights = result.dense_weights()
    assigned = token_assignments(minibatch, result.B, weights, result.ratio)
    twin_rows, *_ = reference_rows(minibatch)  # on their own scale
    expected = token_assignments(minibatch, twin_rows, twin.weights, twin.ratio)
    largest = np.array([counts[minibatch.span(d)].max() for d in document])[:, None]
    comparable = settled[document]
    difference = (assigned - expected)[comparable] / largest[comparable]
    assert np.abs(difference).max() <= rtol
    assert_allclose(assigned.sum(axis=1), counts, rtol=rtol)


# Every alpha at T = 1, and with one of the other temperatures.
@pytest.mark.parametrize(
    ("alpha", "s"),
    [
        *product([1e-3, 0.05, 1.0, 10.0], [1.0]),
        *[(1e-3, "documents"), (0.05, 0.4), (0.05, "documents"), (1.0, 0.1), (10.0, 0.4)],
    ],
)
@pytest.mark.parametrize("n_topics", [1, 2, 16, 37, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_fixed_point(dtype: Real, n_topics: int, alpha: float, s: float | str) -> None:
    minibatch = make_minibatch(n_topics, alpha, s, dtype)
    result = estep(minibatch, *CONVERGED, rows=reference_rows(minibatch))
    check(minibatch, result, reference(n_topics, alpha, s, dtype))


@pytest.mark.parametrize("s", TEMPERATURES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_fixed_point_from_the_rows_of_the_kernel(dtype: Real, s: float | str) -> None:
    minibatch = make_minibatch(37, 0.1, s, dtype)
    result = estep(minibatch, *CONVERGED)
    check(minibatch, result, reference(37, 0.1, s, dtype))


@pytest.mark.parametrize("s", TEMPERATURES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_prior_that_differs_between_topics(dtype: Real, s: float | str) -> None:
    minibatch = make_minibatch(37, 0.1, s, dtype)
    alpha: NDArray[Any] = np.geomspace(1e-2, 2.0, 37).astype(dtype)
    minibatch = replace(minibatch, alpha=alpha)
    result = estep(minibatch, *CONVERGED, rows=reference_rows(minibatch))
    check(minibatch, result, reference_estep(minibatch, *CONVERGED))


@pytest.mark.parametrize("s", TEMPERATURES)
@pytest.mark.parametrize("max_iter", [1, 2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_first_sweeps(dtype: Real, max_iter: int, s: float | str) -> None:
    minibatch = make_minibatch(37, 0.5, s, dtype)
    rows = reference_rows(minibatch)
    result = estep(minibatch, 0.0, max_iter, rows)
    check(minibatch, result, reference_estep(minibatch, 0.0, max_iter, rows=rows))
    assert_array_equal(result.sweeps, np.where(minibatch.tokens > 0, max_iter, 0))


@pytest.mark.parametrize("s", TEMPERATURES)
@pytest.mark.parametrize("n_topics", [1, 37, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gamma_holds_the_prior_and_the_tempered_tokens(
    dtype: Real, n_topics: int, s: float | str
) -> None:
    minibatch = make_minibatch(n_topics, 0.05, s, dtype)
    result = estep(minibatch, 1e-3, 100)
    total = minibatch.alpha.sum(dtype=np.float64) + minibatch.s * minibatch.tokens
    assert_allclose(result.gamma.sum(axis=1, dtype=np.float64), total, rtol=RTOL[dtype] / 10)
    assert np.all(result.gamma >= minibatch.alpha)
    assert np.all(result.sweeps <= 100)


@pytest.mark.parametrize("s", TEMPERATURES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_document_without_words_is_its_prior(dtype: Real, s: float | str) -> None:
    minibatch = make_minibatch(37, 0.05, s, dtype)
    empty = np.flatnonzero(minibatch.tokens == 0)
    assert len(empty) == 2
    result = estep(minibatch, 1e-3, 100)
    assert_array_equal(result.gamma[empty], np.tile(minibatch.alpha, (2, 1)))
    for filled in (result.energy, result.n_active, result.sweeps, result.log_scale):
        assert_array_equal(filled[empty], 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_of_documents_without_words(dtype: Real) -> None:
    minibatch = make_minibatch(37, 0.05, 1.0, dtype)
    empty = [int(d) for d in np.flatnonzero(minibatch.tokens == 0)]
    batch = _reference.gather_rows([0, 0, 0], [], [], [0, 1])
    minibatch = replace(
        minibatch.part(empty), batch=batch._replace(counts=batch.counts.astype(dtype))
    )
    assert_array_equal(estep(minibatch, 1e-3, 100).gamma, np.tile(minibatch.alpha, (2, 1)))


@pytest.mark.parametrize("n_topics", [1, 37, 1000])
@pytest.mark.parametrize("s", [1.0, 0.4, 0.1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_both_kinds_of_rows_give_the_same(dtype: Real, s: float, n_topics: int) -> None:
    minibatch = make_minibatch(n_topics, 0.05, s, dtype)
    plain = estep(minibatch, *CONVERGED)
    logarithms = estep(replace(minibatch, log_rows=True), *CONVERGED)
    assert_same_gamma(logarithms.gamma, plain.gamma, minibatch.tokens, RTOL[dtype])
    assert_allclose(logarithms.energy, plain.energy, rtol=RTOL[dtype])


@pytest.mark.parametrize("max_iter", [1, 50])
@pytest.mark.parametrize("dtype", DTYPES)
def test_topics_that_cannot_have_a_word(dtype: Real, max_iter: int) -> None:
    # Documents are filled up with words of no tokens: 0 times log 0 would be no number.
    minibatch = make_minibatch(16, 0.1, "documents", dtype)
    B, shift, mass = reference_rows(minibatch)
    B[:, ::3] = -np.inf
    out = estep(minibatch, 0.0, max_iter, (B, shift, mass))
    assert set(np.diff(minibatch.batch.doc_ptr) % 8) >= {0, 1, 3, 5}
    assert_array_equal(out.gamma[:, ::3], np.broadcast_to(minibatch.alpha[::3], (20, 6)))
    assert np.isfinite(out.gamma).all()


def assert_same_bits(one: Outputs, other: Outputs, entries: NDArray[Any]) -> None:
    """`entries` are the places of the CSR arrays of `other` that `one` has."""
    assert_array_equal(one.gamma, other.gamma)
    assert_array_equal(one.energy, other.energy)
    assert_array_equal(one.sweeps, other.sweeps)
    assert_array_equal(one.n_active, other.n_active)
    assert_array_equal(one.dense_weights(), other.dense_weights())
    assert_array_equal(one.ratio, other.ratio[entries])


def rows_of(out: Outputs, documents: list[int]) -> Outputs:
    """Some of the documents; the CSR arrays stay as they are."""
    return replace(
        out,
        gamma=out.gamma[documents],
        topics=out.topics[documents],
        weights=out.weights[documents],
        n_active=out.n_active[documents],
        energy=out.energy[documents],
        sweeps=out.sweeps[documents],
    )


@pytest.mark.parametrize("s", [1.0, "documents"])
@pytest.mark.parametrize("n_topics", [37, 200])
@pytest.mark.parametrize("dtype", DTYPES)
def test_documents_do_not_depend_on_their_neighbors(
    dtype: Real, n_topics: int, s: float | str
) -> None:
    minibatch = make_minibatch(n_topics, 0.05, s, dtype, n_documents=40)
    together = estep(minibatch, 1e-3, 100)
    rows, ptr = (together.B, together.shift, together.mass), minibatch.batch.doc_ptr
    for d in range(minibatch.n_documents):
        alone = estep(minibatch.part([d]), 1e-3, 100, rows=rows)
        assert_same_bits(alone, rows_of(together, [d]), np.arange(ptr[d], ptr[d + 1]))

    backwards = list(range(minibatch.n_documents))[::-1]
    reversed_batch = estep(minibatch.part(backwards), 1e-3, 100, rows=rows)
    entries = np.concatenate([np.arange(ptr[d], ptr[d + 1]) for d in backwards])
    assert_same_bits(reversed_batch, rows_of(together, backwards), entries)


@pytest.mark.parametrize("s", [1.0, "documents"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_threads_of_a_team_give_the_same_bits(dtype: Real, s: float | str) -> None:
    minibatch = make_minibatch(37, 0.05, s, dtype, n_documents=300)
    alone = estep(minibatch, 1e-3, 100)
    everything = np.arange(len(minibatch.batch.counts))
    for n_threads in (2, 2, 2, 3):
        shared = estep(minibatch, 1e-3, 100, n_threads=n_threads)
        assert_same_bits(shared, alone, everything)


@pytest.mark.parametrize("dtype", DTYPES)
def test_energy_weights_and_topics_are_optional(dtype: Real) -> None:
    minibatch = make_minibatch(37, 0.05, 1.0, dtype)
    complete = estep(minibatch, 1e-3, 100)
    out = outputs(minibatch, (complete.B, complete.shift, complete.mass))
    out = replace(
        out,
        energy=np.empty(0),
        weights=np.empty((0, 48), dtype),
        topics=np.empty((0, 37), np.int32),
    )
    _kernels.estep(minibatch.batch, out, 1e-3, 100, alone())
    assert_array_equal(out.gamma, complete.gamma)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("alpha", [1e-4, 0.05])
def test_log_scale_completes_the_weights(alpha: float, dtype: Real) -> None:
    minibatch = make_minibatch(1000, alpha, 1.0, dtype)
    result = estep(minibatch, 1e-3, 100)
    for d in np.flatnonzero(result.n_active > 0):
        k = int(result.dense_weights()[d].argmax())
        log_weight = np.log(float(result.weights[d, k])) + float(result.log_scale[d])
        expected = _special.psi(result.gamma[d, k])
        assert log_weight == pytest.approx(float(expected), rel=RTOL[dtype], abs=RTOL[dtype])


def test_documents_under_many_flat_topics_are_scaled() -> None:
    flat = {"M": np.zeros((150, 1000)), "log_total": np.zeros(1000)}
    minibatch = replace(make_minibatch(1000, 1e-3), **flat)
    result = estep(minibatch, 1e-3, 1)
    assert np.all(result.log_scale[minibatch.tokens == 1] < -100)


@pytest.mark.parametrize("dtype", DTYPES)
def test_of_many_topics_those_of_little_weight_leave_after_the_first_sweep(dtype: Real) -> None:
    n_active = estep(make_minibatch(1000, 1e-3, 1.0, dtype), 1e-15, 1).n_active
    assert np.any((n_active > 0) & (n_active <= 250))  # compacted


@pytest.mark.parametrize("name", ["gamma", "topics", "weights", "energy"])
def test_arrays_of_another_type_are_refused(name: str) -> None:
    minibatch = make_minibatch(5)
    out = outputs(minibatch, topic_rows(minibatch))
    wrong = replace(out, **{name: getattr(out, name).astype(np.float16)})
    with pytest.raises(ValueError, match=f"{name} has the wrong type, float16"):
        _kernels.estep(minibatch.batch, wrong, 1e-3, 100, alone())


@pytest.mark.parametrize("alpha", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("base", [1e-2, 1e-3])
@pytest.mark.parametrize("n_topics", [37, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sparse_priors_leave_no_word_without_a_topic(
    dtype: Real, n_topics: int, base: float, alpha: float
) -> None:
    """At 0.001 a topic weighs exp(psi) = 1e-435: phi must stay a distribution all the same."""
    minibatch = replace(make_minibatch(n_topics, alpha, 1.0, dtype), base=base)
    result = estep(minibatch, 1e-6, 500)
    weights, counts = result.dense_weights(), minibatch.batch.counts
    assigned = token_assignments(minibatch, result.B, weights, result.ratio).sum(axis=1)
    assert_allclose(assigned, counts, rtol=RTOL[dtype])
    total = minibatch.alpha.sum(dtype=np.float64) + minibatch.s * minibatch.tokens
    assert_allclose(result.gamma.sum(axis=1, dtype=np.float64), total, rtol=RTOL[dtype])
    assert np.all(np.isfinite(result.energy))


def test_extrapolation_never_lowers_the_bound() -> None:
    """At the same tight tolerance every document is at least where plain sweeps bring it."""
    fewer = 0
    for n_topics, alpha in [(37, 0.05), (37, 1e-3), (1000, 0.05)]:
        minibatch = make_minibatch(n_topics, alpha, 1.0, np.float64)
        result = estep(minibatch, 1e-8, 3000, rows=reference_rows(minibatch))
        plain = reference_estep(minibatch, 1e-8, 3000)
        fewer += plain.sweeps.sum() - result.sweeps.sum()
        for d in range(minibatch.n_documents):
            reached = document_elbo(minibatch, d, result.gamma[d])
            least = document_elbo(minibatch, d, plain.gamma[d])
            assert reached >= least - 1e-7 * (1.0 + abs(least))
    assert fewer > 0


@pytest.mark.parametrize("max_iter", [1, 2, 3, 7, 500])
@pytest.mark.parametrize(("n_topics", "n_sharing"), [(40, 1), (40, 20), (600, 420)])
@pytest.mark.parametrize("counts", [(10.0, 0.01), (1e5, 0.04), (1000.0, 1.0)])
@pytest.mark.parametrize(
    ("dtype", "alpha", "base"),  # with the first base, B is 0 where M is
    [
        (np.float32, 0.05, 1e-3),
        (np.float32, 0.05, 0.02),
        (np.float64, 0.01, 1e-3),
        (np.float64, 0.01, 5e-3),
    ],
)
def test_a_word_whose_topics_all_have_little_of_it_keeps_them(
    dtype: Real,
    alpha: float,
    base: float,
    counts: tuple[float, float],
    n_topics: int,
    n_sharing: int,
    max_iter: int,
) -> None:
    """All of them leave the document, which the topic of the other word fills, and come back."""
    M: NDArray[Any] = np.zeros((2, n_topics), dtype)
    M[0, 0] = M[1, -n_sharing:] = 1000.0
    batch = _reference.gather_rows([0, 2], [0, 1], counts, [0])
    minibatch = Minibatch(
        alpha=np.full(n_topics, alpha, dtype),
        s=np.ones(1, dtype),
        log_rows=False,
        M=M,
        a=1.0,
        base=base,
        log_total=_special.psi((base + M.astype(np.float64)).sum(axis=0)),
        batch=batch._replace(counts=batch.counts.astype(dtype)),
    )
    result = estep(minibatch, 0.0, max_iter)
    weights = result.dense_weights()
    assigned = token_assignments(minibatch, result.B, weights, result.ratio).sum(axis=1)
    assert_allclose(assigned, minibatch.batch.counts, rtol=RTOL[dtype])
    total = (result.gamma - minibatch.alpha).sum(dtype=np.float64)
    assert_allclose(total, sum(counts), rtol=RTOL[dtype])
    share = float(result.gamma[0, -n_sharing:].sum(dtype=np.float64)) - n_sharing * alpha
    assert share == pytest.approx(counts[1], rel=0.01)
    assert result.sweeps[0] <= max_iter
