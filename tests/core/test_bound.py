"""At fixed temperatures no update lowers the annealed ELBO (VT eq. 4): phi, gamma, batch lambda."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from topictemper._core._reference import elbo as _elbo
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special
from topictemper._utils._typing import Floats

from .minibatches import (
    TEMPERATURES,
    Minibatch,
    add_statistics,
    estep,
    reference_estep,
    reference_rows,
    token_assignments,
)

N_DOCUMENTS, N_FEATURES, N_TOPICS = 15, 40, 4
ALPHA, ETA = 0.2, 0.1


class Bound:
    """The annealed ELBO of a corpus, which complains when it goes down."""

    def __init__(self, counts: csr_array, s: Floats) -> None:
        self.counts, self.s = counts, s
        self.values: list[float] = []

    def evaluate(self, gamma: Floats, assigned: Floats, lam: Floats) -> float:
        """``assigned`` is ``n phi`` of the stored entries."""
        phi = np.split(assigned / self.counts.data[:, None], self.counts.indptr[1:-1])
        return _elbo.annealed_elbo(self.counts, ALPHA, ETA, gamma, phi, lam, self.s)

    def record(self, gamma: Floats, assigned: Floats, lam: Floats, update: str) -> None:
        value = self.evaluate(gamma, assigned, lam)
        # 1e-12: the bound is a sum of some thousand terms, each rounded
        if self.values and value < self.values[-1] - 1e-12 * abs(value):
            drop = self.values[-1] - value
            pytest.fail(f"{update} number {len(self.values)} lowered the bound by {drop:.3g}")
        self.values.append(value)


def make_corpus(s: float | str) -> tuple[csr_array, Minibatch]:
    """Random counts, among them an empty document, with a random start of lambda."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(N_FEATURES, 0.1), size=N_TOPICS)
    mixtures = rng.dirichlet(np.full(N_TOPICS, 0.3), size=N_DOCUMENTS)
    counts = rng.poisson(60 * mixtures @ topics).astype(np.float64)
    counts[4] = 0
    matrix = csr_array(counts)
    rows = np.arange(N_DOCUMENTS)
    batch = _reference.gather_rows(matrix.indptr, matrix.indices, matrix.data, rows)
    np.testing.assert_array_equal(batch.counts, matrix.data)
    if s == "documents":
        temperatures = rng.uniform(0.1, 1.0, N_DOCUMENTS)
    else:
        temperatures = np.full(N_DOCUMENTS, s)
    minibatch = Minibatch(
        alpha=np.full(N_TOPICS, ALPHA),
        s=temperatures,
        log_rows=s == "documents",
        M=rng.gamma(2.0, 5.0, (N_FEATURES, N_TOPICS)),
        a=1.0,
        base=ETA,
        log_total=np.empty(N_TOPICS),
        batch=batch,
    )
    return matrix, with_topics(minibatch, minibatch.M)


def with_topics(minibatch: Minibatch, M: Floats) -> Minibatch:
    return replace(minibatch, M=M, log_total=_special.psi((ETA + M).sum(axis=0)))


def lambda_of(minibatch: Minibatch) -> Floats:
    return minibatch.base + minibatch.a * minibatch.M


def reference_assignments(minibatch: Minibatch, gamma: Floats) -> Floats:
    """``n phi`` at a given gamma: an E-step of no sweep."""
    local = reference_estep(minibatch, 0.0, 0, gamma)
    B, *_ = reference_rows(minibatch)
    return token_assignments(minibatch, B, local.weights, local.ratio)


def batch_lambda(minibatch: Minibatch, assigned: Floats) -> Floats:
    """M of ``lambda = eta + sum_d s_d n phi``."""
    batch, M = minibatch.batch, np.zeros((N_FEATURES, N_TOPICS))
    weighted = minibatch.s[minibatch.document_of, None] * assigned
    np.add.at(M, batch.words[batch.word_of], weighted)
    return M


@pytest.mark.parametrize("s", TEMPERATURES)
def test_updates_of_the_twin(s: float | str) -> None:
    matrix, minibatch = make_corpus(s)
    bound = Bound(matrix, minibatch.s)
    gamma = np.random.default_rng(1).gamma(2.0, 1.0, (N_DOCUMENTS, N_TOPICS))
    for _ in range(10):
        for _ in range(3):
            assigned = reference_assignments(minibatch, gamma)
            bound.record(gamma, assigned, lambda_of(minibatch), "update of phi")
            gamma = reference_estep(minibatch, 0.0, 1, gamma).gamma
            bound.record(gamma, assigned, lambda_of(minibatch), "update of gamma")
        minibatch = with_topics(minibatch, batch_lambda(minibatch, assigned))
        bound.record(gamma, assigned, lambda_of(minibatch), "update of lambda")
    assert bound.values[-1] > bound.values[0] + 10


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("s", TEMPERATURES)
def test_updates_of_the_kernels(s: float | str) -> None:
    matrix, minibatch = make_corpus(s)
    for _ in range(10):
        bound = Bound(matrix, minibatch.s)
        for max_iter in (1, 2, 3, 10, 30):
            local = estep(minibatch, 0.0, max_iter)
            weights = local.dense_weights()
            assigned = token_assignments(minibatch, local.B, weights, local.ratio)
            bound.record(local.gamma, assigned, lambda_of(minibatch), "sweep")
        if minibatch.log_rows:  # of which the kernel has no statistics
            M = batch_lambda(minibatch, assigned)
        else:
            M = np.zeros((N_FEATURES, N_TOPICS))
            add_statistics(minibatch, local, minibatch.s, 1.0, M)
        minibatch = with_topics(minibatch, M)
        bound.record(local.gamma, assigned, lambda_of(minibatch), "update of lambda")


@pytest.mark.parametrize("s", TEMPERATURES)
def test_each_update_is_the_best_there_is(s: float | str) -> None:
    """Anything near what an update gives is worse, so the updates maximise this very bound."""
    matrix, minibatch = make_corpus(s)
    bound, rng = Bound(matrix, minibatch.s), np.random.default_rng(1)
    gamma = rng.gamma(2.0, 1.0, (N_DOCUMENTS, N_TOPICS))
    assigned = reference_assignments(minibatch, gamma)
    gamma_update = reference_estep(minibatch, 0.0, 1, gamma).gamma
    lambda_update = ETA + batch_lambda(minibatch, assigned)
    best_phi = bound.evaluate(gamma, assigned, lambda_of(minibatch))
    best_gamma = bound.evaluate(gamma_update, assigned, lambda_of(minibatch))
    best_lambda = bound.evaluate(gamma, assigned, lambda_update)
    for scale in (0.3, 0.01):
        for _ in range(10):
            near = assigned * np.exp(rng.normal(0, scale, assigned.shape))
            near *= matrix.data[:, None] / near.sum(axis=1, keepdims=True)
            assert bound.evaluate(gamma, near, lambda_of(minibatch)) < best_phi
            near = gamma_update * np.exp(rng.normal(0, scale, gamma.shape))
            assert bound.evaluate(near, assigned, lambda_of(minibatch)) < best_gamma
            near = lambda_update * np.exp(rng.normal(0, scale, lambda_update.shape))
            assert bound.evaluate(gamma, assigned, near) < best_lambda
