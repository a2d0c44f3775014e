import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gammaln, psi

from topictemper.lda._e_step import infer
from topictemper.lda._topics import Topics

from ..small_lda import ONE_THREAD, corpus, minibatch, random_counts, random_topics, small_lda

PRECISION = {"float32": 2e-4, "float64": 1e-10}


def e_step(topics, batch, s=0.7, alpha=0.1):
    alphas = np.full(topics.n_components, alpha, dtype=topics.M.dtype)
    return infer(topics, batch, alphas, s, tol=1e-6, max_iter=200, workers=ONE_THREAD)


def dense_statistics(topics, batch, local, weights):
    """sum_d weight_d n_dv phi_dvk from the final gamma, (V, K)."""
    lambda_ = topics.base + topics.a * topics.M.astype(float)
    log_beta = psi(lambda_) - psi(lambda_.sum(axis=0))
    out = np.zeros(topics.M.shape)
    for d in range(batch.n_documents):
        span = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        words = batch.words[batch.word_of[span]]
        scores = float(local.s[d]) * (psi(local.gamma[d].astype(float)) + log_beta[words])
        phi = np.exp(scores - scores.max(axis=1, keepdims=True))
        phi /= phi.sum(axis=1, keepdims=True)
        np.add.at(out, words, weights[d] * batch.counts[span, None] * phi)
    return out


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("decay", [0.02, 0.5, 0.9])
def test_lazy_steps_are_the_dense_formula(dtype, decay):
    # 100 steps: with a decay of 0.5 and 0.9 the factor passes 1e-20 more than once.
    topics = random_topics(dtype=dtype)
    expected = topics.base + topics.M.astype(float)
    rescaled = 0
    for t in range(100):
        rng = np.random.default_rng(t)
        batch = minibatch(random_counts(seed=t), dtype)
        local = e_step(topics, batch, rng.uniform(0.2, 1.0))
        weights = rng.uniform(0.2, 1.0, batch.n_documents).astype(dtype)
        scale, offset = rng.uniform(0, 2), rng.uniform(0, 0.1)
        statistics = dense_statistics(topics, batch, local, weights)
        before = topics.a
        topics.step(
            batch, local, weights, decay=decay, scale=scale, offset=offset, workers=ONE_THREAD
        ).take()
        rescaled += topics.a > before
        expected = (1 - decay) * expected + scale * statistics + offset
        # Rounding does not add up: each step works from the state there is.
        assert_allclose(topics.components(), expected.T, rtol=10 * PRECISION[dtype])
        assert_allclose(topics.totals, expected.sum(axis=0), rtol=PRECISION[dtype])
        expected = topics.base + topics.a * topics.M.astype(float)
    assert (rescaled > 0) == (decay >= 0.5)
    assert topics.components().dtype == np.dtype(dtype)


@pytest.mark.parametrize("point", [False, True])
@pytest.mark.parametrize("dtype", PRECISION)
def test_totals_stay_the_sums_of_the_columns(dtype, point):
    topics = random_topics(dtype=dtype)
    topics.point = point
    for t in range(300):
        batch = minibatch(random_counts(seed=t), dtype)
        local = e_step(topics, batch)
        topics.step(
            batch, local, local.s, decay=0.3, scale=20.0, offset=0.02, workers=ONE_THREAD
        ).take()
    sums = (topics.base + topics.a * topics.M.astype(float)).sum(axis=0)
    assert_allclose(topics.totals, sums, rtol=1e-5 if dtype == "float32" else 1e-12)
    expected = np.log(topics.totals) if point else psi(topics.totals)
    assert_allclose(topics.log_totals(), expected, rtol=1e-14)


def test_decay_of_one_forgets_everything():
    topics = random_topics()
    batch = minibatch(random_counts())
    local = e_step(topics, batch)
    statistics = dense_statistics(topics, batch, local, np.ones(batch.n_documents))
    weights = np.ones(batch.n_documents)
    topics.step(batch, local, weights, decay=1.0, scale=2.0, offset=0.05, workers=ONE_THREAD).take()
    assert_allclose(topics.components(), 0.05 + 2 * statistics.T, rtol=1e-10)
    assert_allclose(topics.totals, (0.05 + 2 * statistics).sum(axis=0), rtol=1e-10)


def test_minibatch_without_words_only_decays():
    topics = random_topics()
    before = topics.components()
    batch = minibatch(sp.csr_matrix((3, 30)))
    local = e_step(topics, batch)
    topics.step(
        batch, local, np.ones(3), decay=0.1, scale=5.0, offset=0.005, workers=ONE_THREAD
    ).take()
    assert_allclose(topics.components(), 0.9 * before + 0.005, rtol=1e-14)


def test_mass_of_a_step():
    # Each token lies with the topics once: totals grow by its weight, whatever phi is.
    topics = random_topics()
    batch = minibatch(random_counts())
    local = e_step(topics, batch)
    weights = np.linspace(0.2, 1.0, batch.n_documents)
    before = topics.totals.sum()
    topics.step(batch, local, weights, decay=0.1, scale=3.0, offset=0.0, workers=ONE_THREAD).take()
    expected = 0.9 * before + 3.0 * (weights @ batch.tokens())
    assert topics.totals.sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("eta", [1e-3, 0.05, 2.0])
def test_log_fractional_moments_are_those_of_the_dirichlet(dtype, eta):
    topics = random_topics(400, 5, eta, dtype)
    topics.a = 0.37
    nodes = np.array([0.01, 0.1, 0.5, 0.99, 1.0])
    lambda_ = topics.base + topics.a * topics.M.astype(float)
    total, s = lambda_.sum(axis=0), nodes[:, None, None]
    log_ratios = gammaln(lambda_ + s) - gammaln(lambda_)
    expected = np.log(np.exp(log_ratios).sum(axis=1))
    expected += gammaln(total) - gammaln(total + nodes[:, None])
    # Logarithms near 0 for s near 1: an absolute tolerance, in nats.
    moments = topics.log_fractional_moments(nodes, ONE_THREAD)
    assert_allclose(moments, expected, rtol=0, atol=1e-4 if dtype == "float32" else 1.5e-5)
    assert_allclose(moments[-1], 0.0, atol=1e-4 if dtype == "float32" else 1e-10)


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("tokens", [1e10, 1e12, 1e15])
def test_log_fractional_moments_of_very_many_tokens(dtype, tokens):
    # There they are those of a point: G(x + s) / G(x) is x^s.
    topics = random_topics(20, 3, 1.0, dtype)
    topics.M += 1.0  # no word is rare
    topics.column_sums = topics.M.sum(axis=0, dtype=np.float64)
    topics.a = tokens
    nodes = np.array([0.01, 0.1, 0.5, 0.99, 1.0])
    shares = topics.rows(slice(None), np.float64) / topics.totals
    expected = np.log((shares ** nodes[:, None, None]).sum(axis=1))
    moments = topics.log_fractional_moments(nodes, ONE_THREAD)
    assert_allclose(moments, expected, rtol=0, atol=1.5e-5)


@pytest.mark.filterwarnings("ignore:.*topics are nearly the same")
def test_temperatures_of_a_model_of_very_many_topics():
    # From 256 KB on NumPy takes the memory of an intermediate result, 16 nodes by 2,100 topics.
    lda = small_lda(tempering="lvt", n_components=2100, max_iter=2).fit(corpus())
    assert (lda.document_temperatures(corpus()) >= 1).all()


def test_fractional_moments_of_samples():
    topics = random_topics(20, 2, 0.3)
    rng = np.random.default_rng(0)
    s = np.array([0.2, 0.6])
    lambda_ = topics.components()
    for k in range(2):
        beta = rng.dirichlet(lambda_[k], 20_000)
        sums = (beta[:, :, None] ** s).sum(axis=1)
        error = sums.std(axis=0) / np.sqrt(len(sums))
        found = np.exp(topics.log_fractional_moments(s, ONE_THREAD)[:, k])
        assert (np.abs(found - sums.mean(axis=0)) < 5 * error).all()


def test_start():
    rng = np.random.RandomState(0)
    topics = Topics.random(500, 3, 0.05, np.float32, rng)
    assert topics.M.dtype == np.float32
    assert (topics.n_features, topics.n_components) == (500, 3)
    assert_array_equal(topics.components(), (np.float32(0.05) + topics.M).T)
    # Gamma(100, 1/100): mean 1, standard deviation 0.1; 1,500 of them.
    assert abs(topics.M.mean() - 1) < 5 * 0.1 / np.sqrt(1500)
    assert 0.09 < topics.M.std() < 0.11


def test_components_are_a_copy():
    topics = random_topics()
    topics.components()[:] = 0
    assert (topics.M > 0).any()
