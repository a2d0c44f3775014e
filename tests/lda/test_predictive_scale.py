"""The multiple of alpha that topics which follow samples predict with."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from topictemper import TemperedLDA, load
from topictemper._core._workers import Workers
from topictemper.datasets import make_lda_corpus
from topictemper.lda._clock import StreamClock
from topictemper.lda._comparison import SampledComparison, peak, times
from topictemper.lda._e_step import cvb0, log_likelihood
from topictemper.lda._minibatch import Gatherer
from topictemper.lda._minibatch_halves import halves
from topictemper.lda._prior_scale import PredictiveScale
from topictemper.lda._topics import Topics
from topictemper.metrics import predictive_log_likelihood

from ..small_lda import ONE_THREAD, minibatch

# More topics than documents can tell apart are what this is for.
pytestmark = pytest.mark.filterwarnings("ignore:.* topics are nearly the same")


def learned(n_components=60, **parameters):
    """More topics than there are in 800 short documents, and 400 new documents."""
    made = make_lda_corpus(1200, 1000, 20, document_length=10, doc_topic_prior=0.5, random_state=0)
    settings = {"max_iter": 15, "batch_size": 40, "random_state": 0} | parameters
    return TemperedLDA(n_components, **settings).fit(made.counts[:800]), made.counts[800:]


def test_new_documents_are_predicted_better_with_it():
    lda, new = learned()
    alpha, scale = lda._trainer.alpha, lda._trainer.predictive_scale.scale
    assert 1.2 < scale <= 4.0
    assert_allclose(lda.doc_topic_prior_, alpha * scale, rtol=1e-6)
    assert lda.score(new) == pytest.approx(predictive_log_likelihood(lda, new), rel=1e-6)
    # Over seeds 0 to 7 the gain is 0.015 to 0.041 nats per token, mean 0.027, standard deviation
    # 0.009, of a mean of two 0.0064: the margin is more than three deviations below the mean.
    other, _ = learned(random_state=1)
    gains = [
        each.score(new) - predictive_log_likelihood(each, new, each._trainer.alpha)
        for each in (lda, other)
    ]
    assert np.mean(gains) > 0.005


def test_it_is_never_below_one():
    made = make_lda_corpus(600, 1000, 30, document_length=100, doc_topic_prior=0.1, random_state=0)
    settings = {"max_iter": 20, "batch_size": 20, "topic_word_prior": 0.05, "random_state": 0}
    lda = TemperedLDA(60, **settings).fit(made.counts[:400])
    scale = lda._trainer.predictive_scale
    assert scale._gains.argmax() == 0  # half of alpha
    assert scale.scale == 1.0


def test_topics_do_not_hang_on_it(monkeypatch):
    lda, _ = learned(max_iter=6)
    monkeypatch.setattr("topictemper.lda._prior_scale._SAMPLED_DOCUMENTS", 1)
    other, _ = learned(max_iter=6)
    assert lda._trainer.predictive_scale._gains.any()
    assert_array_equal(other.components_, lda.components_)


@pytest.mark.parametrize(
    "parameters", [{"doc_topic_prior": 0.05}, {"inference": "point"}, {"inference": "vb"}], ids=str
)
def test_elsewhere_it_is_one(parameters):
    lda, _ = learned(max_iter=6, **parameters)
    assert lda._trainer.predictive_scale.scale == 1.0
    assert not lda._trainer.predictive_scale._gains.any()


def test_it_is_the_same_for_any_number_of_threads_and_after_load(tmp_path):
    one, two = (learned(n_jobs=n) for n in (1, 2))
    new = one[1]
    assert one[0]._trainer.predictive_scale.scale == two[0]._trainer.predictive_scale.scale > 1.0
    one[0].save(tmp_path / "model.npz")
    loaded = load(tmp_path / "model.npz")
    assert loaded.score(new) == one[0].score(new)
    for lda in (one[0], loaded):
        lda.partial_fit(new)
    assert_array_equal(loaded.doc_topic_prior_, one[0].doc_topic_prior_)


@pytest.mark.parametrize("true_alpha", [0.05, 0.25])
def test_it_is_the_multiple_with_which_halves_of_documents_predict_the_others_best(true_alpha):
    made = make_lda_corpus(
        120, 60, 4, document_length=60, doc_topic_prior=true_alpha, random_state=0
    )
    alpha, scale = np.full(4, 0.2), PredictiveScale(True)
    topics = Topics(2000.0 * made.components.T, 0.05, point=True)
    sweeps = {"tol": 1e-6, "max_iter": 200, "workers": ONE_THREAD}
    exponents, gains = np.arange(-1.0, 3.0), np.zeros(4)
    for batch in (minibatch(made.counts[:60]), minibatch(made.counts[60:])):
        seen, unseen = halves(batch)
        gains *= 0.9  # of earlier documents
        for i, exponent in enumerate(exponents):
            theta = cvb0(topics, seen, 2.0**exponent * alpha, **sweeps).theta()
            gains[i] += log_likelihood(topics, unseen, theta, ONE_THREAD).sum()
        best = peak(exponents, gains)
        assert best == -1.0 if true_alpha == 0.05 else 0.3 < best < 1.9
        scale.update(topics, batch, alpha, StreamClock(60), **sweeps)
        assert scale.scale == pytest.approx(max(1.0, 2.0**best), rel=1e-9)
    found, fixed = scale.scale, PredictiveScale(False)
    for each in (scale, fixed):  # the third step is not compared before, and one is not to learn
        each.update(topics, minibatch(made.counts[:60]), alpha, StreamClock(60), **sweeps)
    assert (scale.scale, fixed.scale) == (found, 1.0)


def test_documents_are_compared_once_they_are_as_good_as_new():
    for only_new, wait in ((True, 0), (False, 20)):
        comparison, compared = SampledComparison(np.arange(3.0), 0.5), []
        for step in range(1, 100 + wait):
            clock = SimpleNamespace(
                documents_seen=100.0 + 10.0 * step, total_samples=200.0, only_new=only_new
            )
            if comparison._is_due_at(clock):
                compared.append(step - wait)
        assert compared == [1, 2, 4, 8, 16, 32, 48, 64, 80, 96]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_the_topics_serve_all_multiples_of_alpha(dtype):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.3, size=(30, 80)).astype(dtype))
    batch = Gatherer(X, dtype).rows(np.arange(30), by_word=False)
    topics = Topics(rng.gamma(0.3, size=(80, 37)).astype(dtype), 0.05, point=True)
    alpha = rng.gamma(1.0, 0.1, size=37).astype(dtype)
    settings = {"tol": 1e-3, "max_iter": 100, "workers": Workers()}
    again = None
    for multiple in (0.5, 1.0, 2.0, 4.0):
        scaled = times(alpha, multiple)
        again = cvb0(topics, batch, scaled, again=again, **settings)
        alone = cvb0(topics, batch, scaled, **settings)
        assert_array_equal(again.gamma, alone.gamma)
        assert_array_equal(again.sweeps, alone.sweeps)
