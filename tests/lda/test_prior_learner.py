"""How far one step moves a learned prior, and how often there is one."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import psi

from topictemper.lda._priors import PriorLearner
from topictemper.lda._topics import Topics

from ..small_lda import minibatch, plan_of


def learner(of_alpha=False, of_eta=False, of_samples=False):
    return PriorLearner(of_alpha, of_eta, 1e-3, 0.1, of_samples=of_samples, plan=plan_of(1000))


def documents(n_documents, n_tokens, seed=0):
    """A minibatch of documents of so many tokens, and their counts of three topics."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_tokens, [0.5, 0.3, 0.2], n_documents).astype(float)
    return minibatch(np.tile([float(n_tokens), 0.0], (n_documents, 1))), counts


def statistics(counts, alpha):
    """Numerators and denominator of Minka's fixed point, means over documents."""
    found = (alpha * (psi(counts + alpha) - psi(alpha))).mean(axis=0)
    return found, (psi(counts.sum(axis=1) + alpha.sum()) - psi(alpha.sum())).mean()


# Of expected counts


@pytest.mark.parametrize("n_tokens", [2, 100])
def test_alpha_is_renewed_once_a_quarter_of_the_documents_is_new(n_tokens):
    batch, counts = documents(50, n_tokens)
    each, alpha, renewed = learner(of_alpha=True), np.full(3, 2.0), []
    for step in range(1, 13):
        local = SimpleNamespace(gamma=counts + alpha, drawn=counts[:0])
        new = each.alpha(batch, local, alpha, 1 / 16)
        renewed += [step] if new is not alpha else []
        alpha = new
    assert renewed == [4, 8, 12]


def test_alpha_follows_running_means_at_the_learning_rate():
    (batch, some), (_, others) = documents(50, 10), documents(50, 30, seed=1)
    alpha = np.array([0.5, 0.4, 0.3])
    each = learner(of_alpha=True)
    for counts in (some, others):
        local = SimpleNamespace(gamma=counts + alpha, drawn=counts[:0])
        found = each.alpha(batch, local, alpha, 0.125)
    (a, b), (c, d) = statistics(some, alpha), statistics(others, alpha)
    assert_allclose(found, (a + 0.125 * (c - a)) / (b + 0.125 * (d - b)), rtol=1e-9)


def test_alpha_of_documents_that_are_all_alike_has_a_bound():
    batch, counts = documents(50, 10)
    counts[:] = [5.0, 3.0, 2.0]
    each, alpha = learner(of_alpha=True), np.array([1001.0, 600.0, 400.0])
    for _ in range(3):
        local = SimpleNamespace(gamma=counts + alpha, drawn=counts[:0])
        alpha = each.alpha(batch, local, alpha, 1.0)
    assert alpha[0] == 1000.0
    assert 600.0 < alpha[1] < 1000.0


def test_documents_without_words_are_no_reason_to_renew_alpha_more_often():
    (empty, nothing), (batch, counts) = documents(50, 0), documents(50, 10)
    each, alpha = learner(of_alpha=True), np.full(3, 0.5)
    for _ in range(20):
        local = SimpleNamespace(gamma=nothing + alpha, drawn=nothing[:0])
        assert each.alpha(empty, local, alpha, 1 / 16) is alpha
    renewed = []
    for step in range(1, 10):
        local = SimpleNamespace(gamma=counts + alpha, drawn=counts[:0])
        new = each.alpha(batch, local, alpha, 1 / 16)
        renewed += [step] if new is not alpha else []
        alpha = new
    assert renewed == [1, 5, 9]


def test_eta_waits_for_three_passes_and_is_renewed_in_each_from_then_on():
    topics = Topics(np.random.default_rng(0).gamma(0.3, 20.0, (50, 3)), 1.0)
    each, eta, renewed = learner(of_eta=True), 1.0, []
    for step in range(1, 21):
        new = each.eta(topics, eta, 0.25)
        renewed += [step] if new is not eta else []
        eta = new
    assert renewed == [12, 16, 20]


def test_eta_that_is_not_to_be_learned_stays():
    topics = Topics(np.random.default_rng(0).gamma(0.3, 20.0, (50, 3)), 1.0)
    assert learner().eta(topics, 1.0, 5.0) == 1.0
    of_words = np.ones((50, 1))
    assert learner(of_eta=True).eta(topics, of_words, 5.0) is of_words


def test_eta_has_a_bound():
    alike = Topics(np.full((50, 3), 20.0), 998.0)
    each, eta = learner(of_eta=True), 998.0
    for _ in range(30):
        eta = each.eta(alike, eta, 3.0)
    assert eta == 1000.0


# Of samples


@pytest.mark.parametrize(
    ("n_documents", "n_tokens", "rho", "of_sum", "of_shares"),
    [
        (300, 5, 0.1, 0.5, 0.05),
        (100, 20, 0.1, 0.25, 0.08),
        (1, 20, 0.1, 0.1, 0.08),
        (100, 20, 0.6, 0.6, 0.48),  # no less than the learning rate
    ],
)
def test_a_step_of_samples(n_documents, n_tokens, rho, of_sum, of_shares):
    batch, counts = documents(n_documents, n_tokens)
    alpha = np.array([0.2, 0.3, 0.1])
    local = SimpleNamespace(gamma=counts + alpha, drawn=counts)
    found, below = statistics(counts, alpha)
    new = learner(of_samples=True).alpha(batch, local, alpha, rho)
    em = found.sum() / below  # to where a step of EM takes the sum
    assert new.sum() == pytest.approx(0.6 * (em / 0.6) ** of_sum, rel=1e-9)
    shares = alpha / 0.6
    shares += of_shares * (found / found.sum() - shares)
    assert_allclose(new / new.sum(), shares, rtol=1e-9)


def test_the_share_of_a_topic_without_tokens_has_a_bound():
    batch, counts = documents(50, 20)
    counts[:, 0] += counts[:, 2]
    counts[:, 2] = 0.0
    each, alpha = learner(of_samples=True), np.full(3, 0.5)
    for _ in range(100):
        local = SimpleNamespace(gamma=counts + alpha, drawn=counts)
        alpha = each.alpha(batch, local, alpha, 0.5)
    assert alpha[2] == 1e-4


def test_a_step_of_samples_has_the_shortest_documents():
    batch, counts = documents(50, 1)
    alpha = np.full(3, 1.0)
    local = SimpleNamespace(gamma=counts + alpha, drawn=counts)
    assert (learner(of_samples=True).alpha(batch, local, alpha, 0.1) != alpha).all()


@pytest.mark.parametrize("n_documents", [300, 1000])
def test_samples_of_documents_without_words_leave_alpha(n_documents):
    # Means over so many are not 0, by rounding.
    batch, counts = documents(n_documents, 0)
    alpha = np.random.default_rng(0).gamma(1.0, 0.3, 3).astype(np.float32)
    local = SimpleNamespace(gamma=counts + alpha, drawn=counts.astype(np.float32))
    assert learner(of_samples=True).alpha(batch, local, alpha, 0.1) is alpha


@pytest.mark.parametrize("n_tokens", [1e-30, 1e-12])
def test_samples_of_nearly_no_token_leave_alpha(n_tokens):
    batch = minibatch(np.full((50, 1), n_tokens))
    alpha, counts = np.array([0.5, 0.3, 0.2], np.float32), np.zeros((50, 3), np.float32)
    counts[:, 1] = n_tokens
    local = SimpleNamespace(gamma=counts + alpha, drawn=counts)
    assert_allclose(learner(of_samples=True).alpha(batch, local, alpha, 0.1), alpha, rtol=1e-6)


def test_documents_of_which_alpha_is_no_longer_learned_are_counted_by_their_weights():
    batch, counts = documents(50, 10)
    local = SimpleNamespace(gamma=counts + 0.5, drawn=counts)
    each = learner(of_samples=True)
    each.alpha(batch._replace(weight=np.full(50, 3.0)), local, np.full(3, 0.5), 0.1)
    assert each._n_sampled == 150
