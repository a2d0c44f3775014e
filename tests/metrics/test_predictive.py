import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import NMF, LatentDirichletAllocation

from topictemper.lda._held_out import split_tokens
from topictemper.metrics import coherence, perplexity, predictive_log_likelihood

from ..small_lda import ESTIMATES, MODES, corpus, fitted, random_counts, small_lda

# The E-step stops when gamma changes by 1e-3: halves of about 15 tokens, so 1e-4 of a proportion.
CLOSE = {"rel": 1e-3}


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_is_the_score_of_tempered_lda(mode, dtype, estimate):
    lda = fitted(mode, dtype, estimate)
    rel = 1e-5 if dtype == "float32" else 1e-12
    expected = lda.score(corpus())
    assert predictive_log_likelihood(lda, corpus()) == pytest.approx(expected, rel=rel)
    assert perplexity(lda, corpus()) == pytest.approx(lda.perplexity(corpus()), rel=10 * rel)
    # An array says by its sums what documents see: parameters of a Dirichlet, or probabilities.
    topics = lda.components_
    if estimate == "auto":
        topics = topics / topics.sum(axis=1, keepdims=True)
    way = "collapsed" if lda._trainer.has_sampled else "mean_field"
    found = predictive_log_likelihood(topics, corpus(), lda.doc_topic_prior_, inference=way)
    assert found == pytest.approx(expected, rel=rel)


def test_sweeps_are_those_of_the_estimator():
    lda = small_lda(max_doc_update_iter=2, inference="vb").fit(corpus())
    expected = pytest.approx(lda.score(corpus()), rel=1e-5)
    assert predictive_log_likelihood(lda, corpus()) == expected
    assert predictive_log_likelihood(lda, corpus(), max_doc_update_iter=100) != expected


@pytest.mark.parametrize("score", [coherence, predictive_log_likelihood])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_in_another_order_are_refused(score, library):
    """The methods of the estimator refuse them; the scores were wrong without a word."""
    frames = pytest.importorskip(library)
    words = [f"w{v}" for v in range(60)]
    frame = frames.DataFrame(corpus().toarray(), **{NAMES[library]: words})
    ours, theirs = small_lda().fit(frame), LatentDirichletAllocation(2, max_iter=1).fit(frame)
    turned = frame[words[::-1]]
    for model in (ours, theirs):
        for X in (turned, iter([frame, turned])):
            with pytest.raises(ValueError, match=r"X has other columns .* is 'w59', not 'w0'"):
                score(model, X)
        assert score(model, frame) == score(model, corpus())
    with pytest.raises(ValueError, match="59 features"):
        score(ours, frame[words[1:]])


@pytest.mark.parametrize("score", [coherence, predictive_log_likelihood])
@pytest.mark.parametrize("first", [0, 1])
def test_numbered_columns_in_another_order_are_refused(score, first):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    numbers = np.roll(np.arange(first, first + 60), 1)
    frame = pandas.DataFrame(corpus().toarray(), columns=numbers)
    lda = small_lda().fit(frame)
    with pytest.raises(ValueError, match="X has other columns"):
        score(lda, frame[sorted(numbers)])
    titled = small_lda().fit(frame, feature_names=[f"title {v}" for v in numbers])
    assert score(titled, frame) == score(lda, frame) == score(lda, corpus())


@pytest.mark.parametrize("score", [coherence, predictive_log_likelihood])
def test_columns_that_are_not_all_strings_are_not_compared(score):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=[*(f"w{v}" for v in range(59)), 2024])
    assert score(fitted(), frame) == score(fitted(), corpus())


NAMES = {"pandas": "columns", "polars": "schema"}


def test_scikit_learn_is_scored_alike():
    lda = LatentDirichletAllocation(4, doc_topic_prior=0.1, max_iter=5, random_state=0)
    lda.fit(corpus())
    observed, held_out = split_tokens(corpus())
    beta = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    log_p = np.log(lda.transform(observed) @ beta)
    expected = held_out.multiply(log_p).sum() / held_out.sum()
    assert predictive_log_likelihood(lda, corpus()) == pytest.approx(expected, **CLOSE)


def known_topics_gamma(x, beta, alpha):
    """The fixed point of gamma of one document where the topics are known."""
    from scipy.special import psi

    gamma = alpha + x.sum() / len(beta) * np.ones(len(beta))
    for _ in range(1000):
        phi = np.exp(psi(gamma))[:, None] * beta
        gamma = alpha + (phi / phi.sum(axis=0)) @ x
    return gamma


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_probabilities_are_known_topics(dtype):
    rng = np.random.default_rng(3)
    beta = 0.999 * rng.dirichlet(np.full(30, 0.05), 4) + 0.001 / 30
    X, alpha = random_counts(), np.array([0.1, 0.2, 0.3, 0.4])
    observed, held_out = split_tokens(X.astype(float))
    gamma = np.array([known_topics_gamma(x, beta, alpha) for x in observed.toarray()])
    log_p = np.log(gamma / gamma.sum(axis=1, keepdims=True) @ beta)
    tokens = np.asarray(held_out.sum(axis=1)).ravel()
    found = predictive_log_likelihood(
        beta.astype(dtype),
        X,
        alpha,
        per_document=True,
        mean_change_tol=1e-7,
        max_doc_update_iter=1000,
    )
    assert_array_equal(np.isnan(found), tokens == 0)
    full = tokens > 0
    expected = (held_out.toarray() * log_p).sum(axis=1)[full] / tokens[full]
    assert_allclose(found[full], expected, rtol=1e-4 if dtype == "float32" else 1e-6)


def test_documents_add_up_to_the_mean():
    X = random_counts()
    beta = np.random.default_rng(0).gamma(1.0, 1.0, (3, 30))
    tokens = np.asarray(split_tokens(X.astype(float))[1].sum(axis=1)).ravel()
    scores = predictive_log_likelihood(beta, X, 0.1, per_document=True)
    assert np.isnan(scores[2])
    assert np.isnan(scores[4])
    mean = np.nansum(scores * tokens) / tokens.sum()
    assert predictive_log_likelihood(beta, X, 0.1) == pytest.approx(mean, rel=1e-12)
    assert_allclose(perplexity(beta, X, 0.1, per_document=True), np.exp(-scores))


def test_threads_and_neighbors_change_nothing():
    lda, X = fitted(), corpus()
    scores = predictive_log_likelihood(lda, X, per_document=True)
    assert_array_equal(predictive_log_likelihood(lda, X, per_document=True, n_jobs=3), scores)


def test_prior_given_goes_before_the_estimators():
    lda, X = fitted(inference="vb"), corpus()
    expected = predictive_log_likelihood(lda.components_, X, 2.0)
    assert predictive_log_likelihood(lda, X, 2.0) == expected
    assert predictive_log_likelihood(lda, X, np.full(4, 2.0)) == expected
    assert predictive_log_likelihood(lda, X) != expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc_topic_prior": None}, "doc_topic_prior must be given"),
        ({"doc_topic_prior": 0.0}, "doc_topic_prior must be > 0, one number or 2"),
        ({"doc_topic_prior": np.ones(3)}, "doc_topic_prior must be > 0, one number or 2"),
        ({"doc_topic_prior": np.nan}, "doc_topic_prior must be > 0"),
        ({"doc_topic_prior": "auto"}, "doc_topic_prior must hold numbers"),
        ({"per_document": True, "standard_error": True}, "per_document must be False"),
        ({"model": np.eye(2, 60) + np.eye(2, 60, 2)}, r"zeros \(row 0, column 1\)"),
        ({"model": np.ones((2, 61))}, "X has 60 features, but the topics have 61"),
        ({"X": np.eye(60)}, "no document with two tokens"),
        ({"X": -corpus()}, "Negative values in data passed to X"),
        ({"mean_change_tol": -1.0}, "mean_change_tol"),
        ({"max_doc_update_iter": 0}, "max_doc_update_iter"),
        ({"inference": "gibbs", "mean_change_tol": 1e-3}, "mean_change_tol and .* must be None"),
        ({"inference": "gibbs", "max_doc_update_iter": 100}, "max_doc_update_iter must be None"),
        ({"per_document": None}, "per_document"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_input(change, message):
    arguments = {"model": np.ones((2, 60)), "X": corpus(), "doc_topic_prior": 0.1} | change
    with pytest.raises((ValueError, TypeError), match=message):
        predictive_log_likelihood(**arguments)


def test_estimators_without_a_prior_need_one():
    X = corpus()
    nmf = NMF(3, init="nndsvda", max_iter=500, random_state=0).fit(X)
    nmf.components_ += 1e-3
    with pytest.raises(ValueError, match="doc_topic_prior must be given"):
        predictive_log_likelihood(nmf, X)


@pytest.mark.parametrize("n_documents", [3, 40])
def test_standard_error_is_that_of_drawing_documents_again(n_documents):
    """The variance over all draws of the bootstrap is smaller by a factor of (n - 1) / n."""
    X = corpus(n_documents, seed=3)
    empty = 0 * X
    lda, rng = fitted(), np.random.default_rng(0)
    _, error = predictive_log_likelihood(lda, X, standard_error=True)
    both = sp.vstack([X, empty]).tocsr()
    assert predictive_log_likelihood(lda, both, standard_error=True)[1] == pytest.approx(error)
    tokens = np.asarray(split_tokens(X)[1].sum(axis=1)).ravel()
    totals = predictive_log_likelihood(lda, X, per_document=True) * tokens
    drawn = rng.integers(n_documents, size=(20_000, n_documents))
    draws = totals[drawn].sum(axis=1) / tokens[drawn].sum(axis=1)
    expected = draws.std() * (n_documents / (n_documents - 1)) ** 0.5
    assert error == pytest.approx(expected, rel=0.1)


def test_standard_error_is_that_of_leaving_documents_out():
    """Long documents move the score most: their own pull on it must not make the error small."""
    X = sp.vstack([corpus(8, seed=3), 20 * corpus(1, seed=4)]).tocsr()
    score, error = predictive_log_likelihood(fitted(), X, standard_error=True)
    n = X.shape[0]
    others = [np.delete(np.arange(n), left_out) for left_out in range(n)]
    moves = [predictive_log_likelihood(fitted(), X[rows]) - score for rows in others]
    assert error == pytest.approx(((n - 1) / n * np.square(moves).sum()) ** 0.5)


def test_standard_error_of_the_perplexity_is_that_of_a_small_change_of_the_score():
    score, error = predictive_log_likelihood(fitted(), corpus(), standard_error=True)
    expected = np.exp(-score), (np.exp(-score + 1e-6 * error) - np.exp(-score)) / 1e-6
    found = perplexity(fitted(), corpus(), standard_error=True)
    assert found == pytest.approx(expected, rel=1e-4)


def test_one_document_has_no_standard_error():
    score, error = predictive_log_likelihood(fitted(), corpus()[:1], standard_error=True)
    assert np.isfinite(score)
    assert np.isnan(error)
