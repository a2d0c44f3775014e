"""Streams of which nobody knows the length, or of which it changes."""

import itertools
import pickle
from copy import deepcopy

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from topictemper import TemperedLDA, load
from topictemper._utils import _log
from topictemper.lda import _defaults
from topictemper.lda._config import OF_TRAINING
from topictemper.tempering import Annealing, LocalTempering, PosteriorAnnealing

from ..small_lda import MODES, corpus, learned_state, small_lda, streamed


@pytest.fixture
def short(monkeypatch):
    """Streams of unknown length are taken to have 200 documents."""
    monkeypatch.setattr(_defaults, "STREAM_SAMPLES", 200.0)


def statistics(lda):
    """What lambda has over its base, summed."""
    return float((lda.components_.astype(float) - lda._trainer.topics.base).sum())


@pytest.mark.parametrize("start", ["auto", 3.0])
@pytest.mark.parametrize("mode", MODES)
def test_unknown_length_is_a_guess_at_first(short, mode, start):
    unknown = streamed(small_lda(tempering=mode, max_temperature=start), 200)
    known = streamed(small_lda(tempering=mode, max_temperature=start, total_samples=200), 200)
    assert learned_state(unknown) == learned_state(known)


def test_guess_that_the_documentation_gives():
    lda = small_lda(max_temperature=3.0).partial_fit(corpus())
    known = small_lda(max_temperature=3.0, total_samples=20_000).partial_fit(corpus())
    assert learned_state(lda) == learned_state(known)


@pytest.mark.parametrize(
    "method",
    [
        *("transform", "score", "perplexity", "word_topics", "top_documents", "prepare_pyldavis"),
        *("topics_over_time", "topics_by_group", "report"),
    ],
)
def test_topics_that_are_still_hot_are_warned_of(method, tmp_path):
    years = [2020 + d % 2 for d in range(corpus().shape[0])]
    arguments = {
        "topics_over_time": {"dates": years},
        "topics_by_group": {"groups": years},
        "report": {"path": tmp_path / "report.html"},
    }
    words = [f"w{v}" for v in range(corpus().shape[1])]
    lda = small_lda(max_temperature=3.0).partial_fit(corpus(), feature_names=words)
    said = f"still hot .temperature {lda.temperature_:.4g}.*has seen {corpus().shape[0]} doc"
    with pytest.warns(UserWarning, match=said) as warned:
        getattr(lda, method)(corpus(), **arguments.get(method, {}))
    assert [warning.filename for warning in warned] == [__file__]


@pytest.mark.parametrize("settings", [{"total_samples": 20_000}, {"tempering": None}])
def test_no_warning_where_the_length_is_known_or_topics_are_cold(settings):
    lda = small_lda(**settings).partial_fit(corpus())
    lda.score(corpus())
    lda.fit(corpus()).score(corpus())


def test_a_model_that_was_saved_is_still_hot(tmp_path):
    small_lda(max_temperature=3.0).partial_fit(corpus()).save(tmp_path / "lda.npz")
    with pytest.warns(UserWarning, match="still hot"):
        load(tmp_path / "lda.npz").score(corpus())


def test_no_warning_of_a_stream_after_a_fit_that_ends_hot():
    hot = Annealing(max_temperature=3.0, length=30)
    with pytest.warns(ConvergenceWarning, match="fit ended at the temperature"):
        lda = small_lda(tempering=hot).fit(corpus())
    lda.partial_fit(corpus())
    assert lda.temperature_ > 1
    lda.score(corpus())  # no number of documents cools it


@pytest.mark.parametrize("mode", ["avi", "vt", "lvt"])
def test_longer_stream_goes_on_cold(short, mode):
    lda = streamed(small_lda(tempering=mode), 300)
    assert lda.temperature_ == 1.0
    assert (streamed(lda, 1000, 300).temperature_history_["temperature"][-15:] == 1.0).all()


def test_topics_stand_for_as_many_documents_as_there_have_been(short):
    lda = streamed(small_lda(tempering="svi", learning_decay=0.6, dtype="float64"), 1000)
    assert lda._trainer.clock.total_samples == 1000
    # lambda - eta is D times the tokens of a document. Of the start, whose 240 are scaled with
    # the rest, the product of 1 - rho over the 50 steps is left, and so of older minibatches.
    tokens = corpus(1000).sum()
    assert statistics(lda) == pytest.approx(tokens, rel=0.02)


def test_a_call_with_one_document_learns_from_it():
    lda = small_lda(total_samples=200).partial_fit(corpus()[:20])
    before = lda.components_
    trainer = lda.partial_fit(corpus()[20])._trainer
    assert (trainer.clock.n_updates, trainer.clock.documents_seen) == (2, 21)
    assert (lda.components_ != before).any()


def test_growth_is_the_same_as_a_new_total_at_every_call(short):
    lda = streamed(small_lda(tempering="svi", dtype="float64"), 400)
    other = small_lda(tempering="svi", dtype="float64", total_samples=200)
    for start in range(0, 400, 20):
        if start >= 200:
            other.set_params(total_samples=start + 20)
        other.partial_fit(corpus(1000)[start : start + 20])
    assert_allclose(other.components_, lda.components_, rtol=1e-12)


@pytest.mark.parametrize("kappa", [None, 0.9])
def test_new_total_weighs_all_statistics_anew(kappa):
    lda = small_lda(tempering="svi", inference="point", total_samples=200, dtype="float64")
    lda.set_params(learning_decay=kappa).partial_fit(corpus())
    before = lda.components_ - lda._trainer.topics.base
    # No document: nothing but the new total.
    lda.set_params(total_samples=500).partial_fit(np.zeros((20, 60)))
    topics = lda._trainer.topics
    rho = (10.0 + 11) ** -(kappa or 0.7)
    assert_allclose(lda.components_ - topics.base, (1 - rho) * 2.5 * before, rtol=1e-12)
    assert_allclose(topics.totals, lda.components_.sum(axis=1), rtol=1e-12)


def test_total_of_a_call_that_fails_is_forgotten():
    lda = small_lda(tempering="svi", total_samples=200).partial_fit(corpus())
    state = learned_state(lda)
    with pytest.raises(ValueError, match="n_jobs"):
        lda.set_params(total_samples=500, n_jobs=0).partial_fit(corpus())
    assert learned_state(lda) == state
    assert lda._trainer.clock.total_samples == 200


def test_clock_does_not_go_back_with_a_new_total():
    lda = small_lda(
        tempering="avi", total_samples=200, max_temperature=3.0, length=1.0
    ).partial_fit(corpus()[:100])
    assert lda.temperature_ == pytest.approx(2.0)
    lda.set_params(total_samples=400).partial_fit(corpus()[:100])
    assert lda.temperature_ == pytest.approx(1.5)
    lda.set_params(total_samples=100).partial_fit(corpus()[:20])
    assert lda.temperature_ == pytest.approx(1.1)


def test_documents_after_fit_are_new_ones():
    lda = small_lda(tempering="svi", max_iter=4).fit(corpus())
    assert lda._trainer.clock.total_samples == 200
    lda.partial_fit(corpus(300, seed=1))
    assert lda._trainer.clock.total_samples == 500
    lda.set_params(total_samples=200).partial_fit(corpus())
    assert lda._trainer.clock.total_samples == 200
    lda.set_params(total_samples=None).partial_fit(corpus(300, seed=1))
    assert lda._trainer.clock.total_samples == 500


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_components", 7),
        ("tempering", "svi"),
        ("tempering", LocalTempering(max_temperature=2.0)),
        ("inference", "vb"),
        ("doc_topic_prior", "auto"),
        ("topic_word_prior", [0.1] * 60),
        ("topic_word_prior", {"some": ["word1"]}),
        ("batch_size", 10),
        ("mean_change_tol", 0.5),
        ("dtype", "float64"),
    ],
)
def test_a_parameter_that_would_have_no_effect_is_refused(name, value):
    lda = small_lda(doc_topic_prior=0.1, total_samples=200).partial_fit(corpus()[:100])
    before, given = learned_state(lda), getattr(lda, name)
    with pytest.raises(ValueError, match=f"{name} is .*, but training began with"):
        lda.set_params(**{name: value}).partial_fit(corpus()[100:])
    assert learned_state(lda) == before
    lda.set_params(**{name: given}).partial_fit(corpus()[100:])
    assert lda.n_batch_iter_ > np.frombuffer(before["n_batch_iter"], np.int64)[0]


def test_another_tempering_of_the_same_settings_is_refused():
    assert Annealing().get_params() == PosteriorAnnealing().get_params()
    lda = small_lda(tempering=Annealing()).partial_fit(corpus())
    with pytest.raises(ValueError, match=r"tempering is PosteriorAnnealing.*began with Annealing"):
        lda.set_params(tempering=PosteriorAnnealing()).partial_fit(corpus())


def test_a_tempering_that_is_changed_in_place_is_refused():
    lda = small_lda(tempering=LocalTempering(max_temperature=2.0)).partial_fit(corpus())
    lda.tempering.max_temperature = 3.0
    with pytest.raises(ValueError, match=r"tempering is .*3\.0.*, but training began with .*2\.0"):
        lda.partial_fit(corpus())


@pytest.mark.parametrize(
    ("name", "prior"),
    [
        ("doc_topic_prior", np.full(4, 0.1)),
        ("doc_topic_prior", [0.1] * 4),
        ("topic_word_prior", np.full(60, 0.1)),
        ("topic_word_prior", np.full((4, 60), 0.1)),
    ],
)
def test_an_array_that_is_changed_in_place_is_refused(name, prior):
    prior = deepcopy(prior)
    lda = small_lda(**{name: prior}).partial_fit(corpus())
    before, was = learned_state(lda), deepcopy(prior[0])
    prior[0] = was + 0.1
    message = rf"{name} is an array of .*, but training began with other values.*set {name} back"
    with pytest.raises(ValueError, match=message):
        lda.partial_fit(corpus())
    assert learned_state(lda) == before
    prior[0] = was
    lda.partial_fit(corpus())


def test_every_parameter_is_one_of_training_or_one_that_may_change():
    of_fit = "max_iter learning_method tol init warm_start shuffle random_state".split()
    of_stopping = "early_stopping validation_fraction n_iter_no_change".split()
    of_calls = "total_samples n_jobs verbose".split()
    names = {*OF_TRAINING, *of_fit, *of_stopping, *of_calls}
    assert names == set(TemperedLDA().get_params(deep=False))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"tempering": LocalTempering(length=1)}, {"tempering": LocalTempering(length=1.0)}),
        ({"tempering": "lvt"}, {"tempering": LocalTempering()}),
        ({"tempering": "svi"}, {"tempering": None}),
        ({"inference": "auto"}, {"inference": "gibbs"}),
        ({"doc_topic_prior": np.full(4, 0.1)}, {"doc_topic_prior": [0.1] * 4}),
        ({"dtype": "float32"}, {"dtype": np.float32}),
        ({}, {"max_iter": 9, "n_jobs": 2, "verbose": 0, "total_samples": 1e4}),
    ],
)
def test_the_same_settings_in_other_words_are_no_change(before, after):
    lda = small_lda(**before).fit(corpus()).set_params(**after).partial_fit(corpus())
    assert lda.n_iter_ == 4


class Cooling:
    """A schedule that is an object, whose copies are other objects."""

    def __call__(self, passes):
        return max(1.0, 2.0 - passes)


def test_schedules_that_are_objects_go_on():
    tempering = LocalTempering(schedule=Cooling())
    lda = small_lda(tempering=tempering).partial_fit(corpus()).partial_fit(corpus())
    for again in (deepcopy(lda), pickle.loads(pickle.dumps(lda)), lda.merge_topics([0, 1])):
        again.partial_fit(corpus())


def test_a_call_that_learns_nothing_leaves_the_length_of_the_stream():
    lda = small_lda(total_samples=400).partial_fit(corpus())
    before, components = learned_state(lda), lda.components_
    lda.set_params(total_samples=5000)

    def chunks():
        yield corpus()[:5]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        lda.partial_fit(chunks())
    assert learned_state(lda) == before
    assert lda.components_ is components
    other = small_lda(total_samples=400).partial_fit(corpus()).set_params(total_samples=5000)
    assert learned_state(lda.partial_fit(corpus())) == learned_state(other.partial_fit(corpus()))


@pytest.mark.parametrize("mode", MODES)
def test_a_minibatch_without_words_teaches_no_temperature(mode):
    lda = small_lda(tempering=mode, max_temperature=3.0, total_samples=200)
    lda.partial_fit(np.zeros((20, 60))).partial_fit(corpus())
    assert np.isfinite(lda.temperature_)
    assert np.isfinite(lda.components_).all()


def test_words_of_a_stream():
    words = [f"word{v}" for v in range(60)]
    seeds = {"some": words[:3]}
    lda = small_lda(topic_word_prior=seeds).partial_fit(corpus()[:100], feature_names=words)
    assert lda.feature_names_in_.tolist() == words
    assert lda.labels_[0] == "some"
    lda.partial_fit(corpus()[100:]).partial_fit(corpus(), feature_names=words)
    assert lda.top_words(1)[0][0] in words
    before = learned_state(lda)
    with pytest.raises(ValueError, match="column 0 is 'word59', and was 'word0'"):
        lda.partial_fit(corpus(), feature_names=words[::-1])
    assert (learned_state(lda), lda.feature_names_in_.tolist()) == (before, words)
    chunks = iter([corpus()[:100], corpus()[100:]])
    assert small_lda().partial_fit(chunks, feature_names=words).feature_names_in_.tolist() == words
    with pytest.raises(TypeError, match="feature_names must hold strings, not 0"):
        small_lda().partial_fit(corpus(), feature_names=range(60))
    unnamed = small_lda().partial_fit(corpus())
    with pytest.raises(ValueError, match="total_samples"):
        unnamed.set_params(total_samples=-1).partial_fit(corpus(), feature_names=words)
    assert not hasattr(unnamed, "feature_names_in_")
    with pytest.raises(ValueError, match="partial_fit feature_names="):
        small_lda(topic_word_prior=seeds).partial_fit([corpus()[:50], corpus()[50:]])


def test_a_model_that_joblib_has_mapped_goes_on(tmp_path):
    lda, file = small_lda().partial_fit(corpus()[:100]), tmp_path / "model"
    joblib.dump(lda, file)
    mapped = joblib.load(file, mmap_mode="r")
    assert not mapped._trainer.topics.M.flags.writeable
    mapped.partial_fit(corpus()[100:])
    assert learned_state(mapped) == learned_state(lda.partial_fit(corpus()[100:]))


def test_alpha_waits_for_words(tmp_path):
    lda = small_lda(doc_topic_prior="auto", tempering=None, inference="vb", learning_offset=1.0)
    for _ in range(12):
        lda.partial_fit(np.zeros((64, 60)))
    assert (lda.doc_topic_prior_ == np.float32(0.1)).all()
    lda.save(tmp_path / "model")
    lda = load(tmp_path / "model").partial_fit(corpus())
    assert (lda.doc_topic_prior_ != np.float32(0.1)).all()


@pytest.mark.parametrize(
    ("total_samples", "in_chunks", "left"),
    [
        (1000, False, ["0:00:40", "0:00:20"]),
        (100, True, ["0:01:20", "0:01:00", "0:00:40"]),
        (None, True, []),
    ],
)
def test_log_of_a_long_call(caplog, monkeypatch, total_samples, in_chunks, left):
    """A matrix has an end, and a stream of known length, too."""
    moments = itertools.count(0, 10)  # seconds; a line looks twice at the clock
    monkeypatch.setattr(_log, "perf_counter", lambda: next(moments))
    X = corpus(60)
    lda = small_lda(verbose=1, batch_size=20, total_samples=total_samples)
    with caplog.at_level("INFO", "topictemper"):
        lda.partial_fit((X[d] for d in range(60)) if in_chunks else X)
    said = [line.partition(", about ") for line in caplog.messages]
    assert [documents for documents, _, _ in said] == [
        f"learning: {n} documents, 1 a second" for n in (20, 40, 60)
    ]
    assert [rest.removesuffix(" left") for _, _, rest in said if rest] == left
