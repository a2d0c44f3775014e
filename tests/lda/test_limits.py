"""The limits of parameters: they are allowed themselves, and nothing beyond them is."""

import numpy as np
import pytest

from topictemper import TemperedLDA
from topictemper.lda._config import Config
from topictemper.tempering import GlobalTempering, LocalTempering

BATCH = {"learning_method": "batch"}
STOPS = {"early_stopping": True}


def checked(**parameters):
    return Config.of(TemperedLDA(3, **parameters).get_params(deep=False), 5)


def one_low(value, *shape):
    """An array of ones but for one value."""
    table = np.ones(shape)
    table.flat[1] = value
    return table


@pytest.mark.parametrize(
    ("name", "limit", "beyond", "others"),
    [
        ("max_iter", 1, 0, {}),
        ("max_iter", 2**63, 2**63 + 1, {}),
        ("batch_size", 1, 0, {}),
        ("batch_size", 2**63, 2**63 + 1, {}),
        ("learning_decay", 0.5, 0.499, {}),
        ("learning_decay", 1.0, 1.001, {}),
        ("learning_offset", 1.0, 0.999, {}),
        ("tol", 0.0, -1e-9, BATCH),
        ("mean_change_tol", 0.0, -1e-9, {}),
        ("max_doc_update_iter", 1, 0, {}),
        ("max_doc_update_iter", 10**6, 10**6 + 1, {}),
        ("doc_topic_prior", 1e-5, 0.99e-5, {}),
        ("doc_topic_prior", 1e5, 1.01e5, {}),
        ("doc_topic_prior", one_low(1e-5, 3), one_low(0.99e-5, 3), {}),
        ("topic_word_prior", 1e-5, 0.99e-5, {}),
        ("topic_word_prior", 1e5, 1.01e5, {}),
        ("topic_word_prior", one_low(1e-5, 5), one_low(0.99e-5, 5), {}),
        ("init", one_low(0.0, 3, 5), one_low(-1e-9, 3, 5), {}),
        ("init", np.full((3, 5), 1e15), np.full((3, 5), 1.1e15), {}),
        ("validation_fraction", 1e-9, 0.0, STOPS),
        ("validation_fraction", 1 - 1e-9, 1.0, STOPS),
        ("n_iter_no_change", 1, 0, STOPS),
        ("total_samples", 1, 0, {}),
        ("n_jobs", -1, 0, {}),
        ("verbose", 0, -1, {}),
    ],
)
def test_limits(name, limit, beyond, others):
    checked(**{name: limit}, **others)
    with pytest.raises(ValueError, match=name):
        checked(**{name: beyond}, **others)


@pytest.mark.parametrize(("name", "most"), [("n_temperatures", 10_000), ("updates", 10**6)])
@pytest.mark.parametrize("mode", [GlobalTempering, LocalTempering])
def test_settings_of_which_memory_is_needed_for_each(mode, name, most):
    checked(tempering=mode(**{name: most}))
    with pytest.raises(ValueError, match=f"{name} must be at most {most}, got {most + 1}"):
        checked(tempering=mode(**{name: most + 1}))


@pytest.mark.parametrize("inference", ["auto", "gibbs", "point", "vb"])
def test_what_topics_are_and_whether_documents_are_sampled(inference):
    config = checked(inference=inference)
    assert (config.point, config.sampling) == (inference != "vb", inference in ("auto", "gibbs"))
    if inference != "gibbs":
        config = checked(inference=inference, **BATCH)
        assert (config.point, config.sampling) == (inference != "vb", False)


def test_early_stopping_has_settings_of_its_own():
    assert checked().patience(100) is None
    config = checked(**STOPS)
    assert config.validation_fraction == 0.1
    assert [config.patience(passes) for passes in (1, 30, 45, 70, 120)] == [3, 3, 4, 7, 12]
    config = checked(**STOPS, n_iter_no_change=7, validation_fraction=0.25)
    assert config.validation_fraction == 0.25
    assert config.patience(1) == config.patience(200) == 7


def test_documents_are_shuffled_unless_they_are_not_to_be():
    assert checked().shuffle
    assert not checked(shuffle=False).shuffle
    assert checked(**BATCH).shuffle
    with pytest.raises(ValueError, match="shuffle=False is for learning_method='online'"):
        checked(shuffle=False, **BATCH)


@pytest.mark.parametrize("given", [None, "auto"])
@pytest.mark.parametrize(
    ("n_components", "alpha"), [(1, 0.1), (30, 0.1), (60, 0.05), (400_000, 1e-5)]
)
def test_alpha_to_begin_with(n_components, alpha, given):
    lda = TemperedLDA(n_components, doc_topic_prior=given)
    config = Config.of(lda.get_params(deep=False), 5)
    np.testing.assert_allclose(config.alpha.value, np.full(n_components, alpha), rtol=1e-6)
    assert config.alpha.floor == pytest.approx(0.5 * alpha)
    assert (config.alpha.learned, config.alpha_is_default) == (given == "auto", given is None)


@pytest.mark.parametrize(("inference", "eta"), [("gibbs", 0.05), ("point", 0.05), ("vb", 0.1)])
def test_eta_to_begin_with(inference, eta):
    config = checked(inference=inference)
    predicts = inference == "gibbs"
    assert (config.predicts_eta, config.eta.learned) == (predicts, False)
    assert (config.eta.value, config.eta.floor) == (0.003 if predicts else eta, eta)
    learned = checked(inference=inference, topic_word_prior="auto").eta
    assert (learned.value, learned.learned, learned.floor) == (eta, True, eta)
