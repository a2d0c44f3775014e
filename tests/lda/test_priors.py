"""Priors: vectors and matrices, learned ones, given topics to start from."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gammaln, psi

from topictemper import TemperedLDA
from topictemper._core._reference import lda as _reference
from topictemper._core._reference import special as _special
from topictemper.datasets import make_lda_corpus
from topictemper.lda._assembly import new_trainer
from topictemper.lda._config import Config
from topictemper.lda._e_step import infer, log_likelihood
from topictemper.lda._elbo import topics_kl
from topictemper.lda._normalizers import PosteriorNormalizer
from topictemper.lda._plan import Plan
from topictemper.lda._priors import PriorLearner
from topictemper.lda._topics import Topics
from topictemper.tempering import GlobalTempering, inverse_temperature_grid

from ..small_lda import (
    ESTIMATES,
    MODES,
    ONE_THREAD,
    corpus,
    distances,
    fitted,
    learned_state,
    minibatch,
    plan_of,
    random_counts,
    set_tempering,
    small_lda,
)

AUTO = {"doc_topic_prior": "auto", "topic_word_prior": "auto"}
OF_PRIOR = GlobalTempering(normalizer="prior")


def uneven(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.05, 2.0, shape)


# Topics whose prior is not one number


@pytest.fixture(params=[1, 4], ids=["by words", "by words and topics"])
def prior(request):
    return uneven(30, request.param)


@pytest.fixture
def topics(prior):
    result = Topics(np.random.default_rng(7).gamma(0.2, 20.0, size=(30, 4)), prior)
    batch = minibatch(random_counts())
    for _ in range(3):  # so that base, a and b are not what they were
        local = infer(result, batch, np.full(4, 0.1), 1.0, tol=1e-8, max_iter=9, workers=ONE_THREAD)
        result.step(
            batch,
            local,
            local.s,
            decay=0.3,
            scale=0.7,
            offset=0.3 * (prior.min() + 0.5),
            rate=0.3,
            workers=ONE_THREAD,
        ).take()
    return result


def test_step_adds_the_prior_of_every_word(prior):
    batch = minibatch(random_counts())
    topics = Topics(np.random.default_rng(7).gamma(0.2, 20.0, size=(30, 4)), prior)
    plain = Topics(topics.components().T - prior.min(), prior.min())
    assert_allclose(plain.components(), topics.components(), rtol=1e-12)
    local = infer(topics, batch, np.full(4, 0.1), 0.7, tol=1e-8, max_iter=9, workers=ONE_THREAD)
    shared = {"decay": 0.4, "scale": 2.0, "offset": 0.4 * prior.min(), "workers": ONE_THREAD}
    topics.step(batch, local, local.s, rate=0.4, **shared).take()
    plain.step(batch, local, local.s, **shared).take()
    expected = plain.components() + 0.4 * (prior - prior.min()).T
    assert_allclose(topics.components(), expected, rtol=1e-12)
    assert_allclose(topics.totals, expected.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("s", [1.0, 0.6])
def test_kernels_see_the_prior(topics, prior, s):
    X, lambda_ = random_counts(), topics.components().T
    batch, alpha = minibatch(X), uneven(4, seed=1)
    local = infer(topics, batch, alpha, s, tol=1e-12, max_iter=500, workers=ONE_THREAD)
    psi_totals = psi(lambda_.sum(axis=0))
    rows, shift = _reference.topic_rows(lambda_, 1.0, 0.0, psi_totals, False, batch.words, s, False)
    expected = _reference.estep(
        batch.doc_ptr, batch.word_of, batch.counts, alpha, np.full(12, s), False, rows, shift,
        1e-12, 500,
    )  # fmt: skip
    assert_allclose(local.gamma, expected.gamma, rtol=1e-7)

    theta = np.random.default_rng(0).dirichlet(np.ones(4), 12)
    beta = lambda_ / lambda_.sum(axis=0)
    found = log_likelihood(topics, batch, theta, ONE_THREAD)
    assert_allclose(found, (X.toarray() * np.log(theta @ beta.T)).sum(axis=1), rtol=1e-12)

    nodes = np.array([0.2, 0.7, 1.0])
    moments = _reference.interpolated_moments(lambda_, 1.0, 0.0, nodes)
    totals = lambda_.sum(axis=0)
    expected = np.log(moments / _special.gamma_ratio(totals, nodes[:, None]))
    assert_allclose(topics.log_fractional_moments(nodes, ONE_THREAD), expected, atol=1e-10)

    eta = np.broadcast_to(prior, (30, 4))
    kl = gammaln(totals) - gammaln(lambda_).sum(axis=0) - gammaln(eta.sum(axis=0))
    kl += gammaln(eta).sum(axis=0) + ((lambda_ - eta) * (psi(lambda_) - psi(totals))).sum(axis=0)
    assert topics_kl(topics, prior) == pytest.approx(kl.sum(), rel=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_array_of_one_value_is_that_value(mode):
    parameters = {"tempering": mode, "dtype": "float64", "max_temperature": 3.0}
    plain = small_lda(**parameters, topic_word_prior=0.2, doc_topic_prior=0.3).fit(corpus())
    for shape in ((60,), (4, 60)):
        lda = small_lda(
            **parameters,
            topic_word_prior=np.full(shape, 0.2).tolist(),
            doc_topic_prior=np.full(4, 0.3),
        ).fit(corpus())
        assert_allclose(lda.components_, plain.components_, rtol=1e-6)
        assert lda.score(corpus()) == pytest.approx(plain.score(corpus()), rel=1e-8)
        assert lda.elbo(corpus()) == pytest.approx(plain.elbo(corpus()), rel=1e-8)
        assert_allclose(
            lda.document_temperatures(corpus()), plain.document_temperatures(corpus()), rtol=1e-6
        )
        assert lda.topic_word_prior_.shape == shape
        assert_array_equal(lda.topic_word_prior_, np.full(shape, 0.2))


@pytest.mark.parametrize("normalizer", ["posterior", "prior", "prior_lower"])
@pytest.mark.parametrize("shape", [(60,), (4, 60)])
def test_every_normalizer_takes_arrays(normalizer, shape):
    lda = small_lda(tempering="vt", normalizer=normalizer, topic_word_prior=uneven(*shape))
    assert np.isfinite(lda.fit(corpus()).components_).all()


@pytest.mark.filterwarnings("ignore:.* no word of the vocabulary")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_asymmetric_alpha_is_the_prior_of_documents(mode, dtype):
    alpha = np.array([0.5, 0.05, 0.2, 0.05])
    lda = small_lda(tempering=mode, doc_topic_prior=alpha, dtype=dtype).fit(corpus())
    assert_allclose(lda.doc_topic_prior_, alpha, rtol=1e-6)
    empty = lda.transform(np.zeros((2, 60)))
    assert_allclose(empty, np.tile(alpha / alpha.sum(), (2, 1)), rtol=1e-6)
    many = lda.transform(corpus())
    assert_array_equal(lda.transform(corpus()[17]), many[17:18])


@pytest.mark.parametrize("mode", ["svi", "lvt", "dasvi"])
def test_seeded_topics_take_their_words(mode):
    train = make_lda_corpus(400, 100, 4, document_length=60, random_state=0)
    order = [2, 0, 3, 1]
    eta = np.full((4, 100), 0.1)
    for k, topic in enumerate(order):
        eta[k, np.argsort(-train.components[topic])[:8]] = 20.0
    lda = small_lda(tempering=mode, topic_word_prior=eta, max_iter=10, max_temperature=1.5)
    lda.fit(train.counts)
    assert_array_equal(distances(lda, train.components).argmin(axis=1), order)


# Learned priors


def polya_likelihood(n, alpha):
    """Of counts (n_documents, n_components), which may be fractions."""
    value = gammaln(alpha.sum()) - gammaln(alpha.sum() + n.sum(axis=1))
    return float((value + (gammaln(n + alpha) - gammaln(alpha)).sum(axis=1)).sum())


def prior_learner(*, of_alpha=False, of_eta=False):
    return PriorLearner(of_alpha, of_eta, 1e-3, 0.1, of_samples=False, plan=plan_of(1000))


@pytest.mark.parametrize("name", ["doc_topic_prior", "topic_word_prior"])
def test_a_given_prior_may_be_changed_after_the_fit(name):
    n = 4 if name == "doc_topic_prior" else corpus().shape[1]
    given = uneven(n)
    lda = small_lda(dtype="float64", max_iter=1, **{name: given}).fit(corpus())
    before = np.array(getattr(lda, f"{name}_"))
    given *= 2
    assert_array_equal(getattr(lda, f"{name}_"), before)


def test_learned_alpha_raises_the_likelihood_to_its_maximum():
    rng = np.random.default_rng(0)
    truth = np.array([0.8, 0.1, 0.3, 0.05])
    n = np.array([rng.multinomial(50, theta) for theta in rng.dirichlet(truth, 3000)]).astype(float)
    batch = minibatch(np.ones((3000, 2)))
    learner, alpha = prior_learner(of_alpha=True), np.full(4, 0.5)
    values = [polya_likelihood(n, alpha)]
    for _ in range(300):
        local = SimpleNamespace(gamma=n + alpha, drawn=n[:0])
        alpha = learner.alpha(batch, local, alpha, 1.0)
        values.append(polya_likelihood(n, alpha))
    assert (np.diff(values) > -1e-9 * abs(values[0])).all()
    # Standard errors of the estimate are about 3% here.
    assert_allclose(alpha, truth, rtol=0.15)
    for k in range(4):
        for factor in (0.99, 1.01):
            other = alpha.copy()
            other[k] *= factor
            assert polya_likelihood(n, other) < values[-1]


def test_learned_eta_raises_the_likelihood_to_its_maximum():
    rng = np.random.default_rng(0)
    counts = np.array([rng.multinomial(2000, p) for p in rng.dirichlet(np.full(300, 0.4), 10)])
    topics, eta = Topics(counts.T.astype(float), 1.5), 1.5
    learner = prior_learner(of_eta=True)
    values = [polya_likelihood(counts, np.full(300, eta))]
    for _ in range(100):
        eta = learner.eta(topics, eta, 1.0)
        values.append(polya_likelihood(counts, np.full(300, eta)))
    assert (np.diff(values) > -1e-9 * abs(values[0])).all()
    assert eta == pytest.approx(0.4, rel=0.1)
    # Counts of few words ask for less than the floor.
    learner, eta = prior_learner(of_eta=True), 0.1
    assert [learner.eta(Topics(500 * np.eye(300, 10), eta), eta, 1.0) for _ in range(5)] == [
        0.1
    ] * 5


# At T = 1 the other modes have the bits of one of these.
@pytest.mark.parametrize("mode", ["lvt", "dasvi"])
@pytest.mark.parametrize("alpha", [0.5, "auto"])
def test_learned_priors_raise_the_bound(mode, alpha):
    # Flat topics, so that eta has somewhere to go.
    X = make_lda_corpus(100, 60, 4, topic_word_prior=1.0, document_length=30, random_state=0).counts
    lda = small_lda(
        tempering=mode,
        inference="vb",
        learning_method="batch",
        max_temperature=1.0,
        max_iter=30,
        tol=0.0,
        dtype="float64",
        mean_change_tol=1e-12,
        max_doc_update_iter=3000,
        doc_topic_prior=alpha,
        topic_word_prior="auto",
    ).fit(X)
    bound, eta = lda.elbo_history_["elbo"], lda.topic_word_prior_
    if alpha == "auto":  # so small that a document may leave one fixed point for another
        assert lda.doc_topic_prior_.std() > 0.001
        lda.set_params(doc_topic_prior=None)
    else:
        assert (np.diff(bound) > -1e-9).all()
    assert isinstance(eta, float)
    assert eta > 0.11
    fixed = lda.set_params(topic_word_prior=None).fit(X)
    assert fixed.elbo_history_["elbo"][-1] < bound[-1]


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_learned_alpha_never_lowers_the_bound(estimate):
    # From the true topics: no document has to leave one fixed point for another.
    train = make_lda_corpus(200, 60, 4, document_length=30, random_state=0)
    lda = small_lda(
        inference=estimate,
        learning_method="batch",
        init=1500 * train.components,
        max_iter=60,
        tol=0.0,
        dtype="float64",
        mean_change_tol=1e-12,
        max_doc_update_iter=3000,
        doc_topic_prior="auto",
    ).fit(train.counts)
    bound = lda.elbo_history_["elbo"]
    assert (np.diff(bound) > -1e-9).all()
    assert lda.doc_topic_prior_.std() > 0.001
    fixed = lda.set_params(doc_topic_prior=None).fit(train.counts)
    assert fixed.elbo_history_["elbo"][-1] < bound[-1]


def test_bound_of_topics_that_are_a_point_may_fall_as_eta_rises():
    # Of which there is no warning: warnings are errors. Its prior has no normalizer; the evidence
    # lower bound, which has one, gains.
    X = make_lda_corpus(200, 60, 4, topic_word_prior=1.0, document_length=30, random_state=0).counts
    lda = small_lda(tempering="svi", learning_method="batch", max_iter=60, tol=0.0)
    fixed = lda.fit(X).elbo(X)
    lda.set_params(topic_word_prior="auto").fit(X)
    assert np.diff(lda.elbo_history_["elbo"]).min() < -0.01
    assert lda.topic_word_prior_ > 0.5
    assert lda.elbo(X) > fixed


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("dtype", "estimate"), [("float32", "auto"), ("float64", "vb")])
def test_learned_priors_are_positive_and_finite(mode, dtype, estimate):
    for X in (corpus(), 1000 * corpus()[:30], np.eye(60), np.tile(np.arange(60) % 3, (40, 1))):
        lda = small_lda(tempering=mode, dtype=dtype, max_iter=20, max_temperature=1.5, **AUTO)
        lda.set_params(inference=estimate).fit(X)
        assert lda.doc_topic_prior_.dtype == dtype
        assert np.isfinite(lda.doc_topic_prior_).all()
        # Of samples there is no floor but a number that serves arithmetic.
        assert (lda.doc_topic_prior_ > (0.9e-4 if estimate == "auto" else 0.0249)).all()
        assert (0.05 if estimate == "auto" else 0.1) <= lda.topic_word_prior_ <= 1e3
        assert np.isfinite(lda.components_).all()
        assert np.isfinite(lda.elbo(X))


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("mode", ["avi", "dasvi"])
def test_priors_stay_while_it_is_hot(mode, estimate):
    lda = small_lda(tempering=mode, schedule=lambda passes: 1.2, max_iter=20, **AUTO)
    lda.set_params(inference=estimate).fit(corpus())
    assert_allclose(lda.doc_topic_prior_, 0.1, rtol=1e-6)
    assert lda.topic_word_prior_ == (0.05 if estimate == "auto" else 0.1)
    lda.set_params(tempering__schedule=lambda passes: 1.0).fit(corpus())
    assert lda.doc_topic_prior_.std() > 1e-4


@pytest.mark.parametrize("mode", MODES)
def test_learning_priors_has_the_same_bits(mode):
    parameters = {"tempering": mode, "max_temperature": 1.5, "total_samples": 2000, **AUTO}
    lda, other = small_lda(**parameters, n_jobs=2), small_lda(**parameters)
    for _ in range(8):
        lda.partial_fit(corpus())
    for _ in range(4):
        other.partial_fit(corpus())
    other = pickle.loads(pickle.dumps(other))
    for _ in range(4):
        other.partial_fit(corpus())
    assert lda.temperature_ == 1
    assert learned_state(other) == learned_state(lda)
    assert_array_equal(other.doc_topic_prior_, lda.doc_topic_prior_)
    assert other.topic_word_prior_ == lda.topic_word_prior_
    assert_array_equal(other.document_temperatures(corpus()), lda.document_temperatures(corpus()))


def test_normalizer_follows_alpha():
    grid, topics, batch = inverse_temperature_grid(20), Topics(uneven(30, 4), 0.1), random_counts()
    batch = minibatch(batch)
    old, new = np.full(4, 0.05), uneven(4)
    normalizer, fresh = (PosteriorNormalizer(grid, alpha, 0.1) for alpha in (old, new))
    # The places of the nodes hang on the first alpha; the values at them must not.
    fresh.nodes = normalizer.nodes
    fresh._set_alpha(new)
    for each in (normalizer, fresh):
        each.refresh(topics, ONE_THREAD)
    for alpha in (old, new):
        local = infer(topics, batch, alpha, 0.5, tol=1e-9, max_iter=99, workers=ONE_THREAD)
        found = normalizer.documents(batch, local, ONE_THREAD)[1]
    assert_array_equal(found, fresh.documents(batch, local, ONE_THREAD)[1])


def test_learned_alpha_tells_a_common_topic_from_a_rare_one():
    # One topic in nine documents of ten, the others in few.
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(100, 0.05), 3)
    theta = rng.dirichlet([1.5, 0.05, 0.05], 400)
    X = np.array([rng.multinomial(40, p) for p in theta @ topics])
    lda = small_lda(n_components=3, max_iter=30, init=200 * topics, **AUTO).fit(X)
    alpha = lda.doc_topic_prior_
    assert alpha[0] > 5 * alpha[1:].max()


# Given topics


def test_starts_from_given_topics():
    start = 10 * uneven(4, 60)
    lda = small_lda(init=start.tolist(), topic_word_prior=0.3, dtype="float64")
    config = Config.of(lda.get_params(deep=False), 60)
    found = new_trainer(config, Plan.of(config, 200.0, 3)).topics.components()
    assert_allclose(found, np.maximum(start, 0.3), rtol=1e-12)
    lda.fit(corpus())
    assert lda.max_temperature_ == 1.0
    assert (lda.temperature_history_["temperature"] == 1.0).all()
    set_tempering(lda, max_temperature=2.0).fit(corpus())
    assert lda.temperature_history_["temperature"][0] == 2.0


@pytest.mark.parametrize("mode", MODES)
def test_given_topics_keep_their_places(mode):
    train = make_lda_corpus(400, 100, 5, document_length=60, random_state=0)
    start = 400 * 60 / 5 * train.components
    for method in ("fit", "partial_fit"):
        lda = small_lda(n_components=5, tempering=mode, init=start, total_samples=400, max_iter=5)
        getattr(lda, method)(train.counts)
        assert_array_equal(distances(lda, train.components).argmin(axis=1), np.arange(5))


@pytest.mark.parametrize("priors", [{}, AUTO], ids=["fixed", "learned"])
def test_warm_start_goes_on_with_the_topics(priors):
    parameters = {
        "tempering": "svi",
        "learning_method": "batch",
        "dtype": "float64",
        "tol": 0.0,
        "mean_change_tol": 1e-9,
        **({"doc_topic_prior": "auto"} if priors else {}),
    }
    whole = small_lda(max_iter=8, **parameters).fit(corpus())
    warm = small_lda(max_iter=4, warm_start=True, **parameters).fit(corpus()).fit(corpus())
    assert_allclose(warm.components_, whole.components_, rtol=1e-6)
    assert_allclose(warm.doc_topic_prior_, whole.doc_topic_prior_, rtol=1e-6)
    assert warm.n_iter_ == 4
    cold = small_lda(max_iter=4, **parameters).fit(corpus()).fit(corpus())
    assert not np.allclose(cold.components_, whole.components_, rtol=1e-2)


def test_first_warm_start_is_a_cold_one():
    lda = small_lda(warm_start=True, max_temperature=3.0).fit(corpus())
    assert learned_state(lda) == learned_state(fitted())


def test_warm_start_needs_topics_of_the_same_shape():
    lda = small_lda(warm_start=True).fit(corpus())
    before = learned_state(lda)
    with pytest.raises(ValueError, match="warm_start"):
        lda.set_params(n_components=5).fit(corpus())
    lda.set_params(n_components=4)
    with pytest.raises(ValueError, match="warm_start"):
        lda.fit(corpus()[:, :50])
    assert learned_state(lda) == before
    assert lda.n_features_in_ == 60


def test_warm_start_needs_topics_of_the_same_words():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=[f"w{v}" for v in range(60)])
    lda = small_lda(warm_start=True).fit(frame)
    before = learned_state(lda)
    with pytest.raises(ValueError, match="other words: column 0 is 'w59', and was 'w0'; fit with"):
        lda.fit(frame[frame.columns[::-1]])
    assert learned_state(lda) == before
    assert lda.feature_names_in_[0] == "w0"
    lda.set_params(warm_start=False).fit(frame[frame.columns[::-1]])
    assert lda.feature_names_in_[0] == "w59"


# Errors


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"doc_topic_prior": "learn"}, "doc_topic_prior"),
        ({"doc_topic_prior": np.ones(3)}, r"doc_topic_prior must be of shape \(4,\)"),
        ({"doc_topic_prior": np.ones((4, 60))}, "doc_topic_prior"),
        ({"doc_topic_prior": [1.0, np.nan, 1.0, 1.0]}, "doc_topic_prior"),
        ({"doc_topic_prior": ["a", "b", "c", "d"]}, "doc_topic_prior"),
        ({"doc_topic_prior": [1.0, [2.0], 1.0, 1.0]}, "doc_topic_prior"),
        ({"topic_word_prior": "asymmetric"}, "topic_word_prior"),
        ({"topic_word_prior": np.ones(59)}, r"topic_word_prior must be of shape \(60,\) or \(4"),
        ({"topic_word_prior": np.ones((60, 4))}, "topic_word_prior"),
        ({"topic_word_prior": np.full((4, 60), np.inf)}, "topic_word_prior"),
        ({"tempering": OF_PRIOR, "doc_topic_prior": "auto"}, "normalizer='prior' is computed once"),
        (
            {"tempering": OF_PRIOR, "topic_word_prior": "auto"},
            "normalizer='prior' is computed once",
        ),
        ({"init": np.ones((3, 60))}, "init"),
        ({"init": np.full((4, 60), np.nan)}, "init"),
        ({"init": "random"}, "init"),
        ({"warm_start": "yes"}, "warm_start"),
    ],
)
def test_bad_parameters(parameters, match):
    lda = TemperedLDA(4, **parameters)
    for method in ("fit", "partial_fit"):
        with pytest.raises((TypeError, ValueError), match=match):
            getattr(lda, method)(corpus())
        assert not hasattr(lda, "n_features_in_")


def test_warm_start_keeps_what_was_learned_from_samples():
    lda = small_lda(warm_start=True, max_iter=9).fit(corpus())
    alpha, eta = lda._trainer.alpha, lda._trainer.eta
    first = lda.set_params(max_iter=1).fit(corpus())._trainer
    assert_array_equal(first.first_alpha, alpha)
    assert first.first_eta == eta


@pytest.mark.parametrize("inference", ["gibbs", "point", "vb"])
def test_warm_start_forgets_what_was_given(inference):
    given = {"doc_topic_prior": 2.0, "topic_word_prior": 1.0}
    lda = small_lda(warm_start=True, inference=inference, **given).fit(corpus())
    lda.set_params(doc_topic_prior=None, topic_word_prior=None).fit(corpus())
    usual = small_lda(inference=inference).fit(corpus())._trainer
    assert_array_equal(lda._trainer.first_alpha, usual.first_alpha)
    assert lda._trainer.first_eta == usual.first_eta
