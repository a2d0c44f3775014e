"""Energies, normalizers and the updates of r: VT section 3 for LDA."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gammaln, logsumexp, psi

from topictemper.lda._clock import CorpusSize
from topictemper.lda._e_step import infer, log_likelihood
from topictemper.lda._normalizers import PosteriorNormalizer, PriorNormalizer, corpus_evidence
from topictemper.lda._topics import Topics
from topictemper.tempering import GlobalTemperature, LocalTemperature, inverse_temperature_grid

from ..small_lda import (
    ONE_THREAD,
    corpus,
    fitted,
    minibatch,
    random_counts,
    random_topics,
    small_lda,
)

ALPHA, ETA, K = 0.1, 0.05, 4
GRID = inverse_temperature_grid(100)


def e_step(topics, batch, s=0.5, alpha=ALPHA):
    alphas = np.full(topics.n_components, alpha, dtype=topics.M.dtype)
    return infer(
        topics, batch, alphas, s, tol=1e-10, max_iter=500, workers=ONE_THREAD, want_energy=True
    )


def posterior_normalizer(topics, grid=GRID, alpha=ALPHA, eta=ETA):
    alphas = np.full(topics.n_components, alpha, dtype=topics.M.dtype)
    normalizer = PosteriorNormalizer(grid, alphas, eta)
    normalizer.refresh(topics, ONE_THREAD)
    return normalizer


def document_inverse_temperatures(grid, normalizer, topics, batch, local, mean):
    evidence = normalizer.of_documents(topics, batch, local, ONE_THREAD, 0.0)
    s = LocalTemperature(grid).update(evidence.energy, evidence.log_c)
    return np.where(evidence.empty, mean, s)


def prior_normalizer(bound=None, n_features=60, grid=GRID, eta=ETA, n_components=K, alpha=ALPHA):
    alphas = np.full(n_components, alpha)
    return PriorNormalizer(grid, alphas, eta, n_features, bound, seed=0)


def dense_log_c(topics, gamma, s):
    """log sum_k E[theta_k^s] sum_v E[beta_kv^s] of every document and inverse temperature."""

    def log_moments(parameters):
        total = parameters.sum(axis=-1, keepdims=True)
        return gammaln(parameters + s) - gammaln(parameters) + (gammaln(total) - gammaln(total + s))

    lambda_ = topics.components().astype(float)
    log_s_k = logsumexp(log_moments(lambda_), axis=1)
    return logsumexp(log_moments(gamma.astype(float)) + log_s_k, axis=1)


@pytest.fixture(scope="module", params=["float32", "float64"])
def state(request):
    topics = random_topics(dtype=request.param)
    batch = minibatch(random_counts(), request.param)
    local = e_step(topics, batch)
    return topics, batch, local, 1e-4 if request.param == "float32" else 1e-10


# The posterior normalizer


def test_posterior_log_c_is_the_direct_sum(state):
    topics, batch, local, tolerance = state
    normalizer = posterior_normalizer(topics)
    energies, log_c = normalizer.documents(batch, local, ONE_THREAD)
    assert energies is local.energy
    tokens = batch.tokens()
    for j, s in enumerate(normalizer.nodes.nodes):
        expected = tokens * dense_log_c(topics, local.gamma, s)
        # The moments of the topics are interpolated.
        bound = max(tolerance, 1.5e-5) * (1 + tokens.max())
        assert_allclose(log_c[:, j], expected, rtol=0, atol=bound)


@pytest.mark.parametrize(("alpha", "eta"), [(0.1, 0.05), (1e-3, 1e-3), (2.0, 0.5)])
def test_interpolated_log_c_is_the_direct_sum(alpha, eta):
    topics = random_topics(eta=eta)
    batch = minibatch(random_counts())
    local = e_step(topics, batch, alpha=alpha)
    normalizer = posterior_normalizer(topics, alpha=alpha, eta=eta)
    _, log_c = normalizer.documents(batch, local, ONE_THREAD)
    expected = np.array([dense_log_c(topics, local.gamma, s) for s in GRID]).T
    # Nats a token. Measured: 1e-7 at the most, at priors of 0.001.
    found = log_c @ normalizer.nodes.matrix.T
    tokens = batch.tokens()[:, None]
    assert (np.abs(found - tokens * expected) <= 1e-5 * tokens).all()


def test_posterior_log_c_is_zero_at_one(state):
    topics, batch, local, tolerance = state
    normalizer = posterior_normalizer(topics)
    _, log_c = normalizer.documents(batch, local, ONE_THREAD)
    assert normalizer.nodes.nodes[-1] == 1.0
    assert normalizer.nodes.matrix[-1].tolist() == [0.0] * 15 + [1.0]
    assert (np.abs(log_c[:, -1]) <= tolerance * (1 + batch.tokens())).all()
    size = CorpusSize(100.0, 1000.0)
    _, corpus_log_c = normalizer.corpus(topics, batch, local, size, ONE_THREAD)
    assert abs(corpus_log_c[-1]) <= tolerance * 1000


def test_posterior_log_c_falls_with_s(state):
    # log sum p^s is convex in s and p is at most 1.
    topics, batch, local, _ = state
    _, log_c = posterior_normalizer(topics).documents(batch, local, ONE_THREAD)
    busy = batch.tokens() > 0
    assert (np.diff(log_c[busy], axis=1) < 0).all()
    assert (log_c[~busy] == 0).all()


def test_posterior_log_c_is_an_upper_bound_and_the_log_of_a_mean():
    # By Jensen E_q log sum (theta beta)^s <= log E_q sum (theta beta)^s, which is what is worked
    # out: 5 standard errors of 20,000 samples.
    topics = random_topics(12, 3, 0.3)
    batch = minibatch(random_counts(6, 12))
    local = e_step(topics, batch, alpha=0.3)
    normalizer = posterior_normalizer(topics, alpha=0.3, eta=0.3)
    _, log_c = normalizer.documents(batch, local, ONE_THREAD)
    rng = np.random.default_rng(0)
    n = 20_000
    beta = np.stack([rng.dirichlet(row, n) for row in topics.components()], axis=1)
    tokens = batch.tokens()
    for d in np.flatnonzero(tokens):
        theta = rng.dirichlet(local.gamma[d], n)
        for j in (0, 5, 10, 14):
            s = normalizer.nodes.nodes[j]
            sums = (theta**s * (beta**s).sum(axis=2)).sum(axis=1)
            bound = log_c[d, j] / tokens[d]
            error = sums.std() / sums.mean() / np.sqrt(n)
            assert abs(np.log(sums.mean()) - bound) < 5 * error
            assert np.log(sums).mean() < bound + 5 * np.log(sums).std() / np.sqrt(n)


def test_energy_is_that_of_the_assignments(state):
    topics, batch, local, tolerance = state
    lambda_ = topics.components().astype(float)
    log_beta = psi(lambda_) - psi(lambda_.sum(axis=1, keepdims=True))
    for d in range(batch.n_documents):
        span = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        gamma = local.gamma[d].astype(float)
        words = batch.words[batch.word_of[span]]
        scores = log_beta[:, words].T + psi(gamma) - psi(gamma.sum())
        phi = np.exp(0.5 * scores - logsumexp(0.5 * scores, axis=1, keepdims=True))
        expected = (batch.counts[span, None] * phi * scores).sum()
        assert local.energy[d] == pytest.approx(expected, rel=10 * tolerance, abs=10 * tolerance)


def test_corpus_is_scaled_by_tokens(state):
    topics, batch, local, _ = state
    normalizer = posterior_normalizer(topics)
    energies, log_c = normalizer.documents(batch, local, ONE_THREAD)
    tokens = batch.tokens().sum()
    energy, total = normalizer.corpus(topics, batch, local, CorpusSize(1e3, 7 * tokens), ONE_THREAD)
    assert energy == pytest.approx(7 * energies.sum(), rel=1e-12)
    assert_allclose(total, 7 * log_c.sum(axis=0), rtol=1e-12)


def test_tokens_do_not_depend_on_the_neighbors():
    counts = random_counts().toarray() * 0.37
    alone = [minibatch(row[None]).tokens()[0] for row in counts]
    assert minibatch(counts).tokens().tolist() == alone
    counts[0, 0] = 1e17
    assert minibatch(counts).tokens()[1:].tolist() == alone[1:]


# The prior normalizer


@pytest.mark.parametrize("eta", [0.01, 0.05, 1.0])
def test_prior_normalizers_are_in_order(eta):
    batch, topics = minibatch(corpus()), Topics(np.ones((60, K)), eta)
    local = e_step(topics, batch)
    size = CorpusSize(200.0, 6000.0)
    lower, upper, estimate = (
        prior_normalizer(bound, eta=eta).corpus(topics, batch, local, size, ONE_THREAD)[1]
        for bound in ("lower", "upper", None)
    )
    slack = 1e-9 * np.abs(estimate)
    assert (lower <= upper + slack).all()
    assert (upper <= estimate + slack).all()
    assert lower[-1] == upper[-1] == estimate[-1] == 0.0
    assert (np.diff(lower) < 0).all()


def test_prior_samples_have_the_mean_they_should():
    grid = inverse_temperature_grid(10)
    eta, n_features = 0.3, 40
    normalizer = prior_normalizer("lower", n_features, grid, eta)
    batch, topics = minibatch(random_counts(5, n_features)), random_topics(n_features, K, eta)
    local = e_step(topics, batch)
    size = CorpusSize(1.0, 1.0)
    _, found = normalizer.corpus(topics, batch, local, size, ONE_THREAD)  # mean of c(s)
    rng = np.random.default_rng(1)
    means = []
    for _ in range(300):
        beta = rng.dirichlet(np.full(n_features, eta), K)
        p = rng.dirichlet(np.full(K, ALPHA), 50) @ beta
        sums = (p[:, :, None] ** normalizer.nodes.nodes).sum(axis=1)
        means.append(np.log(sums).mean(axis=0))
    # Ten samples of topics there, 300 here: 5 standard errors of the difference.
    error = np.std(means, axis=0) * np.sqrt(1 / 10 + 1 / 300)
    assert (np.abs(found - np.mean(means, axis=0)) <= 5 * error + 1e-4).all()


@pytest.mark.parametrize("n_components", [1, 3])
@pytest.mark.parametrize(("alpha", "eta"), [(1e-3, 0.3), (1e-5, 0.3), (0.1, 1e-4), (1e-5, 1e-5)])
def test_prior_samples_of_small_priors_are_distributions(alpha, eta, n_components):
    # Gamma variates of so small a shape underflow, and rows of them have no proportions. The sum
    # of p^s is between 1 and V^(1 - s) where p is a distribution.
    grid, n_features = inverse_temperature_grid(10), 40
    normalizer = prior_normalizer("lower", n_features, grid, eta, n_components, alpha=alpha)
    batch = minibatch(random_counts(5, n_features))
    topics = random_topics(n_features, n_components, 0.3)
    local = e_step(topics, batch)
    size = CorpusSize(1.0, 1.0)
    _, mean_c = normalizer.corpus(topics, batch, local, size, ONE_THREAD)
    largest = (1 - normalizer.nodes.nodes) * np.log(n_features)
    assert ((mean_c >= -1e-5) & (mean_c <= largest + 1e-5)).all()


def test_prior_energy_has_the_assignments_summed_out():
    topics, batch = random_topics(), minibatch(random_counts())
    local = e_step(topics, batch)
    normalizer = prior_normalizer(n_features=30)
    tokens = batch.tokens().sum()
    theta = local.gamma / local.gamma.sum(axis=1, keepdims=True)
    expected = 3 * log_likelihood(topics, batch, theta, ONE_THREAD).sum()
    size = CorpusSize(100.0, 3 * tokens)
    energy, log_c = normalizer.corpus(topics, batch, local, size, ONE_THREAD)
    assert energy == pytest.approx(expected, rel=1e-12)
    other = Topics(np.ones((30, K)), ETA)
    again = normalizer.corpus(other, batch, e_step(other, batch), size, ONE_THREAD)[1]
    assert_array_equal(again, log_c)  # of D and N only


# The updates of r


def test_document_inverse_temperatures_are_equation_10(state):
    topics, batch, local, tolerance = state
    normalizer = posterior_normalizer(topics)
    s = document_inverse_temperatures(GRID, normalizer, topics, batch, local, 0.123)
    log_c = np.array([dense_log_c(topics, local.gamma, s_m) for s_m in GRID]).T
    log_r = GRID * local.energy[:, None] - batch.tokens()[:, None] * log_c
    r = np.exp(log_r - logsumexp(log_r, axis=1, keepdims=True))
    expected = np.where(batch.tokens() > 0, r @ GRID, 0.123)
    # Interpolation: 1e-7 nats per token.
    assert_allclose(s, expected, rtol=max(1e-4, 10 * tolerance))
    assert ((s > 0) & (s <= 1)).all()


def test_document_temperatures_of_an_estimator_are_equation_10():
    lda = fitted("lvt", "float64")
    trainer = lda._trainer
    batch = minibatch(corpus())
    local = infer(
        trainer.topics,
        batch,
        trainer.mean_field_alpha,
        trainer.control.learned,
        tol=1e-3,
        max_iter=100,
        workers=ONE_THREAD,
        want_energy=True,
    )
    log_c = np.array([dense_log_c(trainer.topics, local.gamma, s) for s in GRID]).T
    log_r = GRID * local.energy[:, None] - batch.tokens()[:, None] * log_c
    r = np.exp(log_r - logsumexp(log_r, axis=1, keepdims=True))
    assert_allclose(lda.document_temperatures(corpus()), 1 / (r @ GRID), rtol=1e-4)


@pytest.mark.parametrize("normalizer", ["posterior", "prior"])
def test_temperature_that_an_estimator_learns_is_equation_9(normalizer):
    lda = small_lda(tempering="vt", normalizer=normalizer, dtype="float64").fit(corpus())
    trainer, batch = lda._trainer, minibatch(corpus()[:2])
    local = infer(
        trainer.topics,
        batch,
        trainer.alpha,
        0.5,
        tol=1e-6,
        max_iter=100,
        workers=ONE_THREAD,
        want_energy=True,
    )
    nodes, size = trainer.normalizer.nodes, CorpusSize(2.0, 60.0)
    energy, log_c = trainer.normalizer.corpus(trainer.topics, batch, local, size, ONE_THREAD)
    evidence = corpus_evidence(nodes, energy, log_c)
    log_r = GRID * energy - nodes.matrix @ log_c
    posterior = GlobalTemperature(trainer.control.posterior.temperatures, None)
    s = posterior.update(evidence.energy, evidence.log_c)
    assert s == pytest.approx(np.exp(log_r - logsumexp(log_r)) @ GRID, rel=1e-9)


@pytest.mark.parametrize("tokens", [0.5, 30.0])
@pytest.mark.parametrize("documents", [1e-3, 2.0])
def test_prior_normalizer_of_weighted_counts(documents, tokens):
    # Of the lower bound, which is linear in tokens, a token has the same wherever it stands.
    normalizer = PriorNormalizer(GRID, np.full(4, ALPHA, "float32"), ETA, 60, "lower", 0)
    topics, batch = random_topics(60, 4), minibatch(corpus()[:2])
    local = e_step(topics, batch)

    def log_c_of_a_token(size):
        return normalizer.corpus(topics, batch, local, size, ONE_THREAD)[1] / size.tokens

    usual = log_c_of_a_token(CorpusSize(2.0, 60.0))
    found = log_c_of_a_token(CorpusSize(documents, documents * tokens))
    assert_allclose(found, usual, rtol=1e-10)
