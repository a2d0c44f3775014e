"""The twin itself, against what others compute: the annealed ELBO and the moments."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import dirichlet
from sklearn.decomposition import LatentDirichletAllocation

from topictemper._core._reference import elbo as _elbo
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special

from .minibatches import make_minibatch, reference_estep, reference_rows, token_assignments


def test_annealed_elbo_at_temperature_one_is_the_bound_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.3, (12, 30)).astype(np.float64)
    alpha, eta = 0.3, 0.2
    model = LatentDirichletAllocation(
        4,
        doc_topic_prior=alpha,
        topic_word_prior=eta,
        max_iter=3,
        max_doc_update_iter=1000,
        mean_change_tol=1e-12,
        random_state=0,
    ).fit(counts)
    lam = np.ascontiguousarray(model.components_.T)

    matrix = csr_array(counts)
    batch = _reference.gather_rows(matrix.indptr, matrix.indices, matrix.data, np.arange(12))
    psi_total = _special.psi(lam.sum(axis=0))
    B, shift = _reference.topic_rows(lam, 1.0, 0.0, psi_total, False, batch.words, 1.0, False)
    # scikit-learn evaluates its bound from gamma = 1, and so do we.
    local = _reference.estep(
        batch.doc_ptr,
        batch.word_of,
        batch.counts,
        np.full(4, alpha),
        np.ones(12),
        False,
        B,
        shift,
        1e-12,
        1000,
        np.ones((12, 4)),
    )
    document = np.repeat(np.arange(12), np.diff(batch.doc_ptr))
    assigned = local.ratio[:, None] * local.weights[document] * B[batch.word_of]
    phi = np.split(assigned / batch.counts[:, None], batch.doc_ptr[1:-1])
    bound = _elbo.annealed_elbo(counts, alpha, eta, local.gamma, phi, lam, 1.0)
    assert bound == pytest.approx(model.score(counts), rel=1e-9)


def test_annealed_elbo_takes_dense_and_sparse_counts() -> None:
    counts = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    gamma, lam = np.array([[0.5, 2.5], [0.1, 0.3]]), np.array([[1.0, 2.0], [0.3, 0.2], [4.0, 0.1]])
    phi = [np.array([[0.2, 0.8], [0.5, 0.5]]), np.empty((0, 2))]
    bounds = [
        _elbo.annealed_elbo(matrix, 0.1, 0.2, gamma, phi, lam, [0.5, 0.7])
        for matrix in (counts, csr_array(counts))
    ]
    assert bounds[0] == bounds[1]


def test_annealed_elbo_of_the_prior_without_words_is_zero() -> None:
    alpha, eta = np.array([0.1, 0.7]), 0.2
    gamma, lam = np.tile(alpha, (3, 1)), np.full((5, 2), eta)
    phi = [np.empty((0, 2))] * 3
    bound = _elbo.annealed_elbo(np.zeros((3, 5)), alpha, eta, gamma, phi, lam, 0.5)
    assert bound == pytest.approx(0, abs=1e-12)


def test_log_partition_is_above_its_monte_carlo_value() -> None:
    """It is the logarithm of an expectation; the expectation itself can be sampled."""
    rng = np.random.default_rng(0)
    gamma, lam = np.array([0.5, 3.0, 1.0]), rng.gamma(1.0, 2.0, (6, 3))
    nodes = np.array([0.2, 0.6, 1.0])
    ratios = _reference.fractional_moments(lam, 1.0, 0.0, nodes)
    total = np.array([_special.gamma_ratio(lam.sum(axis=0), s) for s in nodes])
    result = _reference.log_partition(gamma[None], ratios / total, nodes)[0]

    theta = dirichlet(gamma).rvs(40_000, random_state=rng)
    beta = np.stack([dirichlet(column).rvs(40_000, random_state=rng) for column in lam.T], axis=1)
    for s, value in zip(nodes, result, strict=True):
        normalizer = (theta**s * (beta**s).sum(axis=2)).sum(axis=1)
        assert value == pytest.approx(np.log(normalizer.mean()), abs=0.01)
        assert np.log(normalizer).mean() <= value + 1e-9


@pytest.mark.parametrize("s", [1.0, 0.4, "documents"])
def test_energy_is_what_the_assignments_say(s: float | str) -> None:
    minibatch = make_minibatch(5, 0.3, s)
    local = reference_estep(minibatch, 1e-6, 200)
    B, *_ = reference_rows(minibatch)
    assigned = token_assignments(minibatch, B, local.weights, local.ratio)
    batch = minibatch.batch
    lam = minibatch.base + minibatch.a * minibatch.M
    expected_log_beta = _special.psi(lam) - minibatch.log_total
    for d in range(minibatch.n_documents):
        span = minibatch.span(d)
        gamma = local.gamma[d]
        expected_log_theta = _special.psi(gamma) - _special.psi(gamma.sum())
        log_joint = expected_log_theta + expected_log_beta[batch.words[batch.word_of[span]]]
        energy = (assigned[span] * log_joint).sum()
        assert local.energy[d] == pytest.approx(energy, rel=1e-10)
