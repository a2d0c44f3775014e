import pickle
import sys
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import check_random_state

from topictemper import TemperedLDA, TopicModel, load
from topictemper.datasets import make_lda_corpus
from topictemper.tempering import (
    ConstantSchedule,
    ExponentialSchedule,
    InverseLinearSchedule,
    LinearSchedule,
    LocalTempering,
)

from ..small_lda import MODES, corpus, learned_state, small_lda, with_tempering

COUNTS = make_lda_corpus(120, 40, 3, random_state=0).counts
WORDS = [f"wört{v}" for v in range(40)]


COMPONENTS = np.random.RandomState(1).gamma(1.0, size=(4, 60)) + 0.1
PRIORS = {
    "learned": {"doc_topic_prior": "auto", "topic_word_prior": "auto"},
    "arrays": {"doc_topic_prior": [0.1, 0.2, 0.3, 0.1], "topic_word_prior": COMPONENTS},
}


def _fitted(**parameters):
    settings = {"max_iter": 3, "batch_size": 20, "random_state": 0, **parameters}
    return TemperedLDA(3, **with_tempering(settings)).fit(COUNTS)


@pytest.fixture(scope="module")
def model():
    return _fitted()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


def saved(lda, path):
    """The model once it has been through a file."""
    lda.save(path)
    return load(path)


# All that learning has made


# Both precisions with every mode, and with all priors. Those that are given are no state of a mode.
@pytest.mark.parametrize(
    ("mode", "more"),
    [
        *product(MODES, [{}, {"max_temperature": 3.0, "dtype": "float64"}]),
        ("vt", {"normalizer": "prior", "max_temperature": 3.0}),
        *product(MODES, [PRIORS["learned"]]),
        ("vt", PRIORS["arrays"] | {"dtype": "float64"}),
        ("lvt", PRIORS["learned"] | {"dtype": "float64"}),
        ("lvt", PRIORS["arrays"]),
        ("lvt", {"init": COMPONENTS, "max_temperature": 2.0}),
        ("lvt", {"inference": "vb", "max_temperature": 3.0, "dtype": "float64"}),
        ("dasvi", {"inference": "vb", **PRIORS["learned"]}),
    ],
)
def test_learning_goes_on_with_the_same_bits(path, mode, more):
    parameters = {"tempering": mode, "total_samples": 200} | more
    never_stopped, stopped = small_lda(**parameters), small_lda(**parameters)
    phases = set()
    for first in range(0, 300, 20):
        batch = corpus(400)[first : first + 20]
        never_stopped.partial_fit(batch)
        phases.add(never_stopped.temperature_ > 1)
        stopped = saved(stopped.partial_fit(batch), path)
        assert learned_state(stopped) == learned_state(never_stopped)
    # The same object throughout, in a sense that also sees what only later steps will need.
    again = stopped._trainer.get_state(), never_stopped._trainer.get_state()
    assert _plain(again[0]) == _plain(again[1])
    assert phases == ({False} if mode == "svi" else {False, True})


def _plain(tree):
    if isinstance(tree, dict):
        return {name: _plain(value) for name, value in tree.items()}
    return (tree.dtype.str, tree.tobytes()) if isinstance(tree, np.ndarray) else tree


@pytest.mark.parametrize("mode", MODES)
def test_a_fitted_model_comes_back(path, mode):
    lda = small_lda(tempering=mode, doc_topic_prior=0.3).fit(corpus(), validation_X=corpus(50))
    loaded = saved(lda, path)
    assert loaded.get_params() == lda.get_params()
    assert learned_state(loaded) == learned_state(lda)
    assert vars(loaded).keys() - {"_trained_with"} == vars(lda).keys() - {"_trained_with"}
    assert_array_equal(loaded.score_history_, lda.score_history_)
    assert_array_equal(loaded.doc_topic_prior_, lda.doc_topic_prior_)
    assert loaded.topic_word_prior_ == lda.topic_word_prior_
    assert loaded.max_temperature_ == lda.max_temperature_
    assert_array_equal(loaded.transform(corpus()), lda.transform(corpus()))
    assert loaded.elbo(corpus()) == lda.elbo(corpus())
    assert_array_equal(loaded.document_temperatures(corpus()), lda.document_temperatures(corpus()))


def test_batch_learning_with_learned_priors_comes_back(path):
    lda = small_lda(learning_method="batch", **PRIORS["learned"]).fit(corpus())
    loaded = saved(lda, path)
    assert_array_equal(loaded.elbo_history_, lda.elbo_history_)
    assert_array_equal(loaded.doc_topic_prior_, lda.doc_topic_prior_)
    assert loaded.topic_word_prior_ == lda.topic_word_prior_
    assert loaded.elbo(corpus()) == lda.elbo(corpus())


def test_a_fit_without_a_limit_of_passes_comes_back(path):
    lda = _fitted(learning_method="batch", batch_size=None, tempering=None, max_iter=sys.maxsize)
    assert_array_equal(saved(lda, path).components_, lda.components_)


def test_a_single_word(path):
    X = np.arange(1, 121)[:, None] % 5 + 1
    lda = TemperedLDA(2, tempering="svi", max_iter=4, random_state=0).fit(X)
    lda.save(path)
    assert_array_equal(load(path).components_, lda.components_)


def test_names_of_columns(path, model):
    model.save(path, feature_names=np.array(WORDS))
    loaded = load(path)
    assert loaded.feature_names_in_.tolist() == WORDS
    assert loaded.top_words(5) == model.top_words(5, WORDS)
    # Sparse matrices have no names to be missed, and warnings are errors.
    assert_array_equal(loaded.transform(COUNTS), model.transform(COUNTS))
    assert saved(loaded, path).feature_names_in_.tolist() == WORDS
    assert not hasattr(saved(model, path), "feature_names_in_")


def test_names_of_a_data_frame(path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COUNTS.toarray(), columns=WORDS)
    loaded = saved(small_lda(n_components=3).fit(frame), path)
    assert loaded.feature_names_in_.tolist() == WORDS
    with pytest.raises(ValueError, match="feature names"):
        loaded.transform(frame[WORDS[::-1]])


def test_parameters_changed_since_the_fit(path):
    lda = small_lda(total_samples=200, max_temperature=3.0).partial_fit(corpus()[:100])
    lda.set_params(n_components=7, tempering="svi", batch_size=30)
    loaded = saved(lda, path)
    assert loaded.get_params() == lda.get_params()
    assert loaded.components_.shape == (4, 60)
    for either in (lda, loaded):
        with pytest.raises(ValueError, match="n_components is 7, but training began with 4"):
            either.partial_fit(corpus()[100:])
        either.set_params(n_components=4, tempering=LocalTempering(max_temperature=3.0))
        with pytest.raises(ValueError, match="batch_size is 30, but"):
            either.partial_fit(corpus()[100:])
        either.set_params(batch_size=20).partial_fit(corpus()[100:])
    assert learned_state(loaded) == learned_state(lda)
    assert learned_state(saved(loaded, path)) == learned_state(lda)


def test_numpy_parameters_become_plain(path):
    lda = _fitted(doc_topic_prior=np.float32(0.5), batch_size=np.int64(20), dtype=np.float64)
    loaded = saved(lda, path)
    assert loaded.dtype == "float64"
    assert (type(loaded.doc_topic_prior), loaded.doc_topic_prior) == (float, 0.5)
    assert (type(loaded.batch_size), loaded.batch_size) == (int, 20)


@pytest.mark.parametrize("source", ["MT19937", "PCG64", "Philox"])
def test_source_of_random_numbers_as_a_parameter(path, source):
    random_state = np.random.RandomState(getattr(np.random, source)(5))
    lda = small_lda(random_state=random_state).fit(corpus())
    loaded = saved(lda, path)
    # What is left of it, as scikit-learn has it: the next fit is another.
    assert loaded.random_state.random_sample() == random_state.random_sample()


@pytest.mark.parametrize("parameters", [{}, {"tempering": "vt", "normalizer": "prior"}])
def test_the_shared_source_of_random_numbers_stays_as_it_is(path, parameters):
    lda = small_lda(random_state=None, **parameters).fit(corpus())
    lda.save(path)
    shared = check_random_state(None)
    before = pickle.dumps(shared.get_state())
    load(path).partial_fit(corpus())
    assert pickle.dumps(shared.get_state()) == before


@pytest.mark.parametrize(
    "schedule",
    [
        ConstantSchedule(1.0),
        LinearSchedule(3.0, 1.0),
        ExponentialSchedule(3.0, 1.0),
        InverseLinearSchedule(3.0, 1.0),
    ],
    ids=repr,
)
def test_schedules_of_the_package_are_saved(path, schedule):
    lda = _fitted(schedule=schedule)
    loaded = saved(lda, path)
    assert loaded.tempering.schedule == schedule
    loaded.partial_fit(COUNTS)
    assert learned_state(loaded) == learned_state(lda.partial_fit(COUNTS))


def _one_temperature(passes):
    return 1.0


def test_parameters_of_pandas_become_arrays(path):
    pandas = pytest.importorskip("pandas")
    init = np.random.default_rng(0).random((4, 60)) + 1
    parameters = {"init": pandas.DataFrame(init), "doc_topic_prior": pandas.Series([0.1] * 4)}
    model = small_lda(**parameters).fit(corpus())
    model.save(path)
    loaded = load(path)
    assert learned_state(loaded) == learned_state(model)
    assert_array_equal(loaded.init, init)
    assert_array_equal(loaded.doc_topic_prior, np.full(4, 0.1))
    words = pandas.Series(["word"] * 1000)
    with pytest.raises(ValueError, match=r"(?s)doc_topic_prior=.{60} cannot be written"):
        model.set_params(doc_topic_prior=words).save(path)


def test_parameters_that_no_file_can_hold(path):
    lda = _fitted(schedule=_one_temperature)
    with pytest.raises(ValueError, match=r"schedule=.* cannot be written"):
        lda.save(path)
    # It is what the next `partial_fit` goes by.
    with pytest.raises(ValueError, match=r"schedule=.* cannot be written"):
        lda.set_params(tempering="lvt").save(path)
    assert not path.exists()


def test_wrong_arguments(model, path):
    with pytest.raises(NotFittedError):
        TemperedLDA().save(path)
    with pytest.raises(ValueError, match="feature_names must have 40 names"):
        model.save(path, feature_names=WORDS[:3])
    with pytest.raises(TypeError, match=r"feature_names must be a sequence of names.* got str"):
        model.save(path, feature_names="w" * 40)
    with pytest.raises(TypeError, match="must hold strings, not 0"):
        model.save(path, feature_names=range(40))

    class Other(TemperedLDA):
        pass

    with pytest.raises(TypeError, match="Other is not an estimator of topictemper"):
        Other(3, max_iter=1).fit(COUNTS).save(path)
    assert not path.exists()


def test_a_part_of_another_class_is_not_saved_as_one_of_its_name(path):
    other = type("TemperedLDA", (TemperedLDA,), {})
    model = TopicModel(lda=other(2, max_iter=1), vectorizer=CountVectorizer())
    model.fit(["red blue", "blue sky", "red sky"])
    with pytest.raises(ValueError, match=r"lda=.* cannot be written"):
        model.save(path)
    assert not path.exists()


def test_a_mode_of_another_class_is_not_saved_as_its_parent(path):
    other = type("Slower", (LocalTempering,), {})
    with pytest.raises(ValueError, match=r"tempering=.* cannot be written"):
        _fitted(tempering=other()).save(path)
    assert not path.exists()


@pytest.mark.parametrize("stop_word", [("a", "b"), b"a"])
def test_a_vectorizer_that_could_not_be_loaded_is_not_saved(path, stop_word):
    model = TopicModel(2, lda=TemperedLDA(max_iter=1), vectorizer=CountVectorizer())
    model.set_params(vectorizer__stop_words=["the", stop_word])
    model.fit(["red blue", "blue sky", "red sky"])
    with pytest.raises(ValueError, match=r"^stop_words=\['the', .* of the vectorizer cannot be"):
        model.save(path)
    assert not path.exists()


def test_file_holds_little_beside_the_topics(tmp_path):
    lda = TemperedLDA(20, max_iter=1, random_state=0).fit(make_lda_corpus(300, 5000, 20).counts)
    lda.save(tmp_path / "model.npz")
    assert (tmp_path / "model.npz").stat().st_size < lda.components_.nbytes + 10_000
