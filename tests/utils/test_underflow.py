"""Where a caller makes underflow an error, models compute as ever: small numbers become 0."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TopicModel, load
from topictemper.datasets import make_lda_corpus
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.mixture import DPGaussianMixture, TwoGaussians
from topictemper.tempering import GlobalTemperature, GlobalTempering, LocalTemperature
from topictemper.topics import twin_topics

from ..small_lda import MODES, corpus, small_lda

BLOBS = np.random.default_rng(0).normal(size=(125, 2))
BLOBS[60:] += 8
BLOBS[120:] *= 30  # five that are far away
IMAGES = np.float64(np.random.default_rng(0).random((60, 25)) > 0.7)
PRIOR = GlobalTempering(normalizer="prior")


def gaps(images):
    missing = np.random.default_rng(0).random(images.shape) < 0.1
    return np.where(missing, np.nan, images)


def both_ways(results):
    """What a function returns as ever, and where errors of floating point are raised."""
    ever = results()
    with np.errstate(all="raise"):
        raised = results()
    for one, two in zip(ever, raised, strict=True):
        assert_array_equal(one, two)


@pytest.mark.parametrize("tempering", [*MODES, PRIOR], ids=str)
def test_topics(tempering, tmp_path):
    def results():
        settings = {"max_iter": 12, "batch_size": None, "learning_offset": None}
        lda = small_lda(tempering=tempering, doc_topic_prior=1e-3, **settings).fit(corpus())
        lda.save(tmp_path / "lda.npz")
        goes_on = load(tmp_path / "lda.npz").partial_fit(corpus())
        temperatures = lda.document_temperatures(corpus())
        theta = lda.transform(corpus())
        return lda.components_, goes_on.components_, theta, temperatures, lda.score(corpus())

    both_ways(results)


def test_topics_that_forget():
    texts = ["apples pears fruit", "boats water sea", "wheel road car", "fruit apples sea"] * 60

    def results():
        model = TopicModel(3, random_state=0).fit(texts)
        return model.lda_.components_, model.topics_.coherence, model.transform(texts)

    both_ways(results)


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize(
    ("model", "X"),
    [
        *((DPGaussianMixture(10, covariance_type=of), BLOBS) for of in ("full", "diag")),
        *((FactorialMixture(3, tempering=t), 20 * IMAGES) for t in ("vi", "avi", "vt", "lvt")),
        *((FactorialMixture(3, tempering=t), gaps(20 * IMAGES)) for t in ("vi", "vt", "lvt")),
        (BinarySparseCoding(3), 20 * IMAGES),
        (SigmoidBeliefNetwork(3), IMAGES),
    ],
    ids=lambda value: str(value) if hasattr(value, "fit") else "",
)
def test_other_models(model, X):
    def results():
        model.set_params(random_state=0, max_iter=30).fit(X)
        predict = getattr(model, "predict_proba", None) or model.transform
        return predict(X), model.score(X)

    both_ways(results)


def test_temperatures_by_themselves():
    grid = np.array([1.0, 2.0, 4.0])

    def of_all():
        temperature = GlobalTemperature(grid, np.zeros(3))
        temperature.update(-1e3 * np.e)
        return temperature.responsibilities, temperature.elbo_terms(-2830.0)

    def of_each():
        temperature, energies = LocalTemperature(1 / grid), np.array([-2830.0, -1.0])
        log_c = np.zeros(3)
        terms = temperature.elbo_terms(energies, log_c)
        found = temperature.update(energies, log_c)
        return found, temperature.responsibilities(energies, log_c), terms

    both_ways(of_all)
    both_ways(of_each)


def test_two_gaussians():
    model = TwoGaussians(np.array([-300.0, -200.0, 100.0, 400.0]))

    def results():
        path = model.ascend([0.0, 1.0], "avi", max_iter=20)
        means = np.array([[-250.0, 250.0], [0.0, 1e3]])
        return path, model.elbo(means), model.energy(means), model.optima()

    both_ways(results)


def test_topics_and_corpora_with_small_probabilities():
    topics = np.array([[1.0, 1e-60, 1e-300], [2.0, 1e-60, 1e-200], [1e-300, 1.0, 1.0]])
    both_ways(lambda: twin_topics(topics))
    priors = {"doc_topic_prior": 1e-4, "topic_word_prior": 1e-4, "random_state": 0}
    both_ways(lambda: make_lda_corpus(20, 30, 3, **priors).components)
