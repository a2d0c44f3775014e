"""eta that is learned from how well topics predict documents."""

import numpy as np
import pytest

from topictemper import TemperedLDA, load
from topictemper.datasets import make_lda_corpus
from topictemper.lda._clock import CorpusSize, StreamClock
from topictemper.lda._comparison import peak
from topictemper.lda._e_step import infer, log_likelihood
from topictemper.lda._minibatch_halves import halves
from topictemper.lda._predictive_eta import PredictiveEta, first_eta, largest_eta, unlearned_eta
from topictemper.lda._topics import Topics
from topictemper.tempering import GlobalTempering

from ..small_lda import ONE_THREAD, minibatch


def corpus(eta, n_samples=1000):
    return make_lda_corpus(
        n_samples, 300, 5, topic_word_prior=eta, document_length=60, random_state=0
    ).counts


def fitted(X, **parameters):
    settings = {"n_components": 5, "random_state": 0} | parameters
    return TemperedLDA(**settings).fit(X)


def test_eta_follows_the_topics_of_the_corpus():
    sharp, even = (fitted(corpus(eta)).topic_word_prior_ for eta in (0.005, 0.5))
    assert sharp < 0.02 < even <= 0.125


@pytest.mark.parametrize(
    ("parameters", "eta"),
    [
        ({"topic_word_prior": 0.02}, 0.02),
        ({"learning_decay": 0.7}, 0.05),
        ({"inference": "point"}, 0.05),
        ({"inference": "vb"}, 0.1),
        ({"tempering": GlobalTempering(normalizer="prior")}, 0.05),
    ],
)
def test_otherwise_it_is_fixed(parameters, eta):
    assert fitted(corpus(0.1, 200), max_iter=3, **parameters).topic_word_prior_ == eta


def test_it_waits_until_documents_are_forgotten():
    X = corpus(0.01)
    # Of four passes, documents are sampled from the third one on.
    tokens, n_features = X.sum(), X.shape[1]
    first = first_eta(tokens, n_features, 5)
    assert fitted(X, max_iter=3).topic_word_prior_ == pytest.approx(first)
    assert fitted(X, max_iter=6).topic_word_prior_ != pytest.approx(first, rel=0.01)


def test_it_is_the_value_with_which_halves_of_documents_predict_the_others_best():
    rng = np.random.default_rng(0)
    beta, alpha = rng.dirichlet(np.full(300, 0.02), 3), np.full(3, 0.2)
    X = np.array([rng.multinomial(60, theta @ beta) for theta in rng.dirichlet(np.ones(3), 100)])
    topics = Topics(rng.poisson(100 * beta.T).astype(float), 0.02, point=True)
    sweeps = {"tol": 1e-6, "max_iter": 100, "workers": ONE_THREAD}
    exponents, gains = np.arange(-9.0, -2.0), np.zeros(7)
    others = [Topics(topics.M, 2.0**exponent, point=True) for exponent in exponents]
    eta = PredictiveEta()
    for batch in (minibatch(X[:50]), minibatch(X[50:])):
        seen, unseen = halves(batch)
        theta = infer(topics, seen, alpha, 1.0, **sweeps).theta()
        gains *= 0.8  # of earlier documents
        gains += [log_likelihood(other, unseen, theta, ONE_THREAD).sum() for other in others]
        assert 0 < np.argmax(gains) < 6
        found = eta.update(topics, batch, alpha, 0.02, StreamClock(50), **sweeps)
        assert found == pytest.approx(2.0 ** peak(exponents, gains), rel=1e-9)


def long(tokens):
    """The size of a corpus of long documents."""
    return CorpusSize(tokens / 1000, tokens)


def test_topics_of_few_tokens_get_less_if_words_have_many():
    assert largest_eta(long(1e8), 10_000, 100) == 0.05
    assert largest_eta(long(1e8), 10_000, 30_000) == pytest.approx(0.05 / 9)
    assert largest_eta(long(1e8), 10_000, 10**6) == 0.003
    # Words of few tokens.
    assert largest_eta(long(2e6), 10_000, 1000) == pytest.approx(0.04 * 2000 / 10_000)
    assert largest_eta(long(1e7), 30_000, 1400) == pytest.approx(0.009)
    assert largest_eta(long(1e6), 10_000, 10**6) == 0.003
    assert largest_eta(long(50_000), 10_000, 20) == pytest.approx(4 / 20)
    assert largest_eta(long(50_000), 10_000, 5) == pytest.approx(0.6)
    # Documents of few tokens.
    assert largest_eta(CorpusSize(2500, 50_000), 10_000, 20) == pytest.approx(0.2 * 0.25)
    assert largest_eta(CorpusSize(25_000, 50_000), 10_000, 20) == pytest.approx(0.101 * 0.25)
    assert first_eta(1e8, 10_000, 100) == 0.05
    assert first_eta(1e8, 10_000, 10_000) == pytest.approx(0.01)
    assert first_eta(1e6, 10_000, 10**6) == 0.003


@pytest.mark.parametrize("prior", [None, "auto"])
def test_topics_have_the_eta_that_is_learned(prior):
    settings = {"tempering": "svi", "batch_size": 20, "random_state": 0}
    lda = TemperedLDA(5, topic_word_prior=prior, total_samples=200, **settings)
    X, found = corpus(0.5, 200), []
    for _ in range(6):
        trainer = lda.partial_fit(X)._trainer
        found.append(trainer.eta)
        assert trainer.topics.base == pytest.approx(trainer.eta)
    assert len(set(found)) > 3


def test_it_is_the_same_for_any_number_of_threads_and_after_load(tmp_path):
    X = corpus(0.1)
    one, two = (fitted(X, max_iter=6, n_jobs=n) for n in (1, 2))
    assert one.topic_word_prior_ == two.topic_word_prior_
    one.save(tmp_path / "model.npz")
    loaded = load(tmp_path / "model.npz")
    for lda in (one, loaded):
        lda.partial_fit(X)
    assert loaded.topic_word_prior_ == one.topic_word_prior_
    np.testing.assert_array_equal(loaded.components_, one.components_)


@pytest.mark.parametrize("mode", ["svi", "lvt"])
def test_priors_are_not_learned_if_each_minibatch_is_the_whole_corpus(mode):
    # Documents that no topic has ever forgotten seem to want very few topics, of very few words.
    X = corpus(0.1, 60)
    lda = fitted(X, tempering=mode)
    assert lda.topic_word_prior_ == 0.15
    assert not lda._trainer.predictive_scale._gains.any()
    assert lda.doc_topic_prior_.tolist() == [np.float32(0.1)] * 5
    assert fitted(X, tempering=mode, batch_size=59).doc_topic_prior_[0] != np.float32(0.1)


def test_eta_that_is_not_learned():
    assert unlearned_eta(6000, 10_000, 5) == 0.06
    assert unlearned_eta(6000, 10_000, 5000) == 0.003
    assert unlearned_eta(6000, 100, 5) == 0.15
    assert unlearned_eta(0.0, 100, 5) == 0.003


def test_a_stream_without_words():
    lda = TemperedLDA(3, total_samples=30, tempering="svi", batch_size=10, random_state=0)
    for _ in range(8):
        lda.partial_fit(np.zeros((30, 10)))
    assert lda._trainer.has_sampled
    assert np.isfinite([lda.topic_word_prior_, *lda.doc_topic_prior_]).all()
