"""TemperedLDA among scikit-learn's tools: its checks, pipelines, searches, weights, routing."""

import gc
import weakref

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from topictemper import TemperedLDA, load
from topictemper.lda._held_out import split_tokens

from ..small_lda import LEARNED, MODES, corpus, fitted, learned_state, noise, small_lda

TEXTS = ["cats and dogs", "dogs and wolves", "stars and planets", "a planet and its star"] * 10


# Of a few documents of noise.
@pytest.mark.filterwarnings("ignore:.*topics are nearly the same", "ignore:documents say little")
@parametrize_with_checks(
    # Of its many passes over a few documents the first are enough. This is the last mode.
    [TemperedLDA(max_iter=10)]
    + [
        # One minibatch: what a weight means is said of minibatches.
        small_lda(n_components=2, max_iter=2, batch_size=128, tempering=mode, dtype=dtype)
        for mode, dtype in zip(MODES[:-1], ["float32", "float64"] * 2, strict=True)
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# Pipelines and searches


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(),
        HashingVectorizer(n_features=64, alternate_sign=False, norm=None),
    ],
    ids=["count", "hashing"],
)
def test_pipeline_from_text(vectorizer):
    pipeline = make_pipeline(vectorizer, small_lda(n_components=2))
    theta = pipeline.fit_transform(TEXTS)
    assert theta.shape == (40, 2)
    assert_allclose(theta.sum(axis=1), 1.0, rtol=1e-6)
    assert list(pipeline[-1].get_feature_names_out()) == ["temperedlda0", "temperedlda1"]
    # CountVectorizer gives a document's words in another order when it fits: other roundings.
    many = pipeline.transform(TEXTS)
    assert_allclose(many, theta, rtol=1e-6)
    assert_array_equal(pipeline.transform(TEXTS[:4]), many[:4])
    if isinstance(vectorizer, CountVectorizer):
        vocabulary = pipeline[0].get_feature_names_out()
        top = pipeline[1].top_words(3, vocabulary)
        assert all(word in vocabulary for topic in top for word in topic)


@pytest.mark.parametrize(
    "fit",
    [
        lambda counts: small_lda().fit(counts),
        lambda counts: small_lda().fit([counts]),
        lambda counts: small_lda().partial_fit(counts),
        lambda counts: small_lda().partial_fit([counts]),
        lambda counts: make_pipeline(Normalizer(), small_lda()).fit_transform(counts),
        lambda counts: GridSearchCV(small_lda(), {"max_iter": [1]}, cv=2).fit(counts),
    ],
    ids=["fit", "chunks", "partial_fit", "stream", "pipeline", "search"],
)
def test_warnings_are_of_the_line_of_the_caller(fit):
    # Python shows a warning once for each line: a second fit elsewhere would not warn.
    weights = TfidfVectorizer().fit_transform(TEXTS)
    with pytest.warns(UserWarning, match="norm 1") as found:
        fit(weights)
    assert {warning.filename for warning in found} == {__file__}


def test_data_frame_of_a_pipeline():
    pandas = pytest.importorskip("pandas")
    pipeline = make_pipeline(CountVectorizer(), small_lda(n_components=2))
    expected = pipeline.fit(TEXTS).transform(TEXTS)
    # Only the last step: a frame of sparse counts is not made by CountVectorizer.
    pipeline[-1].set_output(transform="pandas")
    frame = pipeline.transform(TEXTS)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["temperedlda0", "temperedlda1"]
    assert_array_equal(frame.to_numpy(), expected)


def test_grid_search_by_score():
    grid = {"n_components": [2, 4], "tempering__max_temperature": [1.0, 3.0]}
    search = GridSearchCV(small_lda(max_temperature=2.0), grid, cv=KFold(2), refit=True)
    search.fit(corpus())
    results = search.cv_results_["mean_test_score"]
    assert results.shape == (4,)
    assert np.isfinite(results).all()
    for parameters, found in zip(search.cv_results_["params"], results, strict=True):
        model = small_lda(max_temperature=2.0).set_params(**parameters)
        assert cross_val_score(model, corpus(), cv=KFold(2)).mean() == found
    again = small_lda(max_temperature=2.0).set_params(**search.best_params_).fit(corpus())
    assert learned_state(search.best_estimator_) == learned_state(again)
    assert search.score(corpus()) == again.score(corpus())


@pytest.mark.parametrize("mode", MODES)
def test_joblib_and_html(mode, tmp_path):
    lda = fitted(mode)
    joblib.dump(lda, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib")
    assert learned_state(loaded) == learned_state(lda)
    assert_array_equal(loaded.transform(corpus()), lda.transform(corpus()))
    for estimator in (lda, clone(lda)):
        html = estimator._repr_html_()
        assert "TemperedLDA" in html
        assert "tempering" in html


@pytest.mark.parametrize("mode", MODES)
def test_memory_is_free_once_a_model_is_gone(mode, tmp_path):
    gc.disable()  # as servers do that fork; then nothing finds circles of references
    try:
        lda = small_lda(tempering=mode).fit(corpus())
        lda.partial_fit(corpus())
        lda.save(tmp_path / "model.npz")
        first, lda = weakref.ref(lda._trainer.topics), load(tmp_path / "model.npz")
        lda.partial_fit(corpus())
        second = weakref.ref(lda._trainer.topics)
        del lda
        assert (first(), second()) == (None, None)
    finally:
        gc.enable()


# Weights of documents


def weights():
    return np.random.default_rng(3).integers(0, 4, 200)


def repeated(X, sample_weight):
    return sp.csr_matrix(X)[np.repeat(np.arange(X.shape[0]), sample_weight)]


def precise(**parameters):
    """Float64, and documents at their fixed points: rounding does not decide about sweeps."""
    return small_lda(dtype="float64", mean_change_tol=1e-6, max_temperature=3.0, **parameters)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [np.asarray, list, np.float32])
def test_weight_of_one_changes_nothing(mode, kind):
    lda = small_lda(tempering=mode, max_temperature=3.0)
    lda.fit(corpus(), sample_weight=kind(np.ones(200)))
    assert learned_state(lda) == learned_state(fitted(mode))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", MODES)
def test_row_of_weight_zero_is_absent(mode, dtype):
    weight = np.where(weights() > 0, 1.0, 0.0)
    lda = small_lda(tempering=mode, dtype=dtype, max_temperature=3.0)
    lda.fit(corpus(), sample_weight=weight)
    absent = small_lda(tempering=mode, dtype=dtype, max_temperature=3.0).fit(corpus()[weight > 0])
    assert learned_state(lda) == learned_state(absent)

    lda = small_lda(tempering=mode, dtype=dtype, total_samples=200)
    lda.partial_fit(corpus(), sample_weight=weight)
    absent = small_lda(tempering=mode, dtype=dtype, total_samples=200)
    assert learned_state(lda) == learned_state(absent.partial_fit(corpus()[weight > 0]))


@pytest.mark.parametrize("seed", [0, 3])
def test_rows_of_weight_zero_do_not_change_the_rounding_of_the_others(seed):
    """Their sum is the number of documents, which depends on the order of addition."""
    rng = np.random.default_rng(seed)
    weight = rng.random(200) * (rng.random(200) < 0.6)
    lda = small_lda(dtype="float64").fit(corpus(), sample_weight=weight)
    absent = small_lda(dtype="float64")
    absent.fit(corpus()[weight > 0], sample_weight=weight[weight > 0])
    assert learned_state(lda) == learned_state(absent)


@pytest.mark.parametrize("mode", MODES)
def test_weighted_corpus_in_one_minibatch_is_the_repeated_one(mode):
    weighted = precise(tempering=mode, batch_size=1000, shuffle=False)
    weighted.fit(corpus(), sample_weight=weights())
    other = precise(tempering=mode, batch_size=1000, shuffle=False)
    other.fit(repeated(corpus(), weights()))
    assert_allclose(weighted.components_, other.components_, rtol=1e-9)
    assert_allclose(weighted.temperature_, other.temperature_, rtol=1e-9)
    assert weighted.n_iter_ == other.n_iter_ == 3


@pytest.mark.parametrize("mode", MODES)
def test_weighted_minibatch_is_the_repeated_one(mode):
    # What the weight means step by step: statistics, temperature, clock and learning rate of a
    # minibatch are those of the minibatch with its rows repeated.
    weighted = precise(tempering=mode, batch_size=100, total_samples=500)
    other = precise(tempering=mode, batch_size=100, total_samples=500)
    weight = weights()
    for start in range(0, 200, 25):
        rows = slice(start, start + 25)
        weighted.partial_fit(corpus()[rows], sample_weight=weight[rows])
        other.partial_fit(repeated(corpus()[rows], weight[rows]))
        assert_allclose(weighted.components_, other.components_, rtol=1e-9)
        assert_allclose(weighted.temperature_, other.temperature_, rtol=1e-9)
        assert weighted.n_iter_ == other.n_iter_
        assert weighted.n_batch_iter_ == other.n_batch_iter_


@pytest.mark.parametrize("normalizer", ["posterior", "prior"])
def test_weights_count_for_a_learned_temperature(normalizer):
    parameters = {"tempering": "vt", "normalizer": normalizer, "batch_size": 1000}
    parameters["inertia"] = 5.0
    weighted = precise(**parameters, shuffle=False).fit(corpus(), sample_weight=weights())
    other = precise(**parameters, shuffle=False).fit(repeated(corpus(), weights()))
    learned = weighted._trainer.control.learned
    assert learned == pytest.approx(other._trainer.control.learned, rel=1e-9)
    assert learned != pytest.approx(1.0, abs=1e-3)


def test_fractional_weights_scale_the_statistics():
    # Twice the weights of all documents: twice the corpus, so twice what lambda has over eta.
    parameters = {"tempering": "svi", "batch_size": 200, "learning_offset": 1.0, "max_iter": 1}
    parameters |= {"topic_word_prior": 0.1, "init": 0.1 + noise()}
    single = precise(**parameters).fit(corpus(), sample_weight=np.full(200, 0.7))
    double = precise(**parameters).fit(corpus(), sample_weight=np.full(200, 1.4))
    rho = 2**-0.7
    start = (single.components_ - 0.1 - (double.components_ - 0.1) / 2) * 2 / (1 - rho)
    assert_allclose(start, noise(), rtol=1e-9)  # what is left is the start


@pytest.mark.parametrize("tempered", [False, True])
@pytest.mark.parametrize("mode", LEARNED)
def test_weighted_score_is_a_weighted_mean_over_tokens(mode, tempered):
    lda, X, weight = fitted(mode), corpus(), weights().astype(float)
    assert lda.score(X, sample_weight=np.full(200, 3.0), tempered=tempered) == pytest.approx(
        lda.score(X, tempered=tempered), rel=1e-12
    )
    parts = [lda.score(X, sample_weight=weight == w, tempered=tempered) for w in range(4)]
    held_out = np.asarray(split_tokens(X)[1].sum(axis=1)).ravel()
    tokens = np.array([w * held_out[weight == w].sum() for w in range(4)])
    expected = (tokens * parts).sum() / tokens.sum()
    assert lda.score(X, sample_weight=weight, tempered=tempered) == pytest.approx(expected)
    assert lda.perplexity(X, sample_weight=weight, tempered=tempered) == pytest.approx(
        np.exp(-expected)
    )


BAD_WEIGHTS = {
    "too few": np.ones(199),
    "a table": np.ones((200, 1)),
    "a number": 1.0,
    "negative": np.r_[np.ones(199), -1.0],
    "nan": np.r_[np.ones(199), np.nan],
    "infinite": np.r_[np.ones(199), np.inf],
    "zeros": np.zeros(200),
    "words": ["one"] * 200,
}


@pytest.mark.parametrize("weight", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "score", "perplexity"])
def test_bad_weights(method, weight):
    lda = small_lda(max_temperature=3.0).fit(corpus())
    before = learned_state(lda)
    with pytest.raises((TypeError, ValueError), match="sample_weight"):
        getattr(lda, method)(corpus(), sample_weight=weight)
    assert learned_state(lda) == before


def test_weights_that_leave_no_words():
    X = corpus().toarray()
    X[7] = 0
    only = np.arange(200) == 7
    with pytest.raises(ValueError, match="no words"):
        small_lda().fit(X, sample_weight=only)
    with pytest.raises(ValueError, match="two tokens"):
        fitted().score(X, sample_weight=only)


# Metadata routing


def test_weights_are_routed_through_searches_and_pipelines():
    weight = weights().astype(float)
    with config_context(enable_metadata_routing=True):
        lda = small_lda(max_temperature=3.0)
        lda.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(lda, {"n_components": [2, 4]}, cv=KFold(2))
        search.fit(corpus(), sample_weight=weight)
        folds = []
        for train, test in KFold(2).split(corpus()):
            model = small_lda(max_temperature=3.0, n_components=4)
            model.fit(corpus()[train], sample_weight=weight[train])
            folds.append(model.score(corpus()[test], sample_weight=weight[test]))
        assert search.cv_results_["mean_test_score"][1] == np.mean(folds)

        pipeline = make_pipeline(small_lda(max_temperature=3.0))
        pipeline[0].set_fit_request(sample_weight=True)
        pipeline.fit(corpus(), sample_weight=weight)
        direct = small_lda(max_temperature=3.0).fit(corpus(), sample_weight=weight)
        assert learned_state(pipeline[0]) == learned_state(direct)


@pytest.mark.parametrize("method", ["fit", "partial_fit", "score"])
def test_weights_can_be_requested_everywhere(method):
    with config_context(enable_metadata_routing=True):
        lda = getattr(small_lda(), f"set_{method}_request")(sample_weight=True)
        assert lda.get_metadata_routing().consumes(method, ["sample_weight"]) == {"sample_weight"}


def test_arguments_of_transform_go_through_fit_transform():
    lda = fitted()
    ours = small_lda(max_temperature=3.0)
    found = ours.fit_transform(corpus(), inference="mean_field", sample_weight=np.ones(200))
    assert_array_equal(found, lda.transform(corpus(), inference="mean_field"))
    assert (found != lda.transform(corpus(), inference="collapsed")).any()
    unfitted = small_lda()
    with pytest.raises(ValueError, match="inference must be one of"):
        unfitted.fit_transform(corpus(), inference="unknown")
    assert not hasattr(unfitted, "components_")


def test_arguments_of_transform_are_routed_to_the_steps_of_a_pipeline():
    with config_context(enable_metadata_routing=True):
        lda = small_lda().set_transform_request(inference=True)
        pipeline = make_pipeline(lda.set_fit_request(sample_weight=True), Normalizer())
        how = {"inference": "mean_field"}
        fitting = pipeline.fit_transform(corpus(), sample_weight=weights(), **how)
        assert_allclose(pipeline.transform(corpus(), **how), fitting, rtol=1e-6)
        assert (pipeline.transform(corpus(), inference="collapsed") != fitting).any()


# Subclasses


class Plain(TemperedLDA):
    """An estimator with few parameters of its own."""

    def __init__(self, n_components=4, note=""):
        super().__init__(n_components, tempering="svi", max_iter=3, random_state=0)
        self.note = note


def test_a_subclass_may_have_other_parameters():
    theirs = TemperedLDA(4, tempering="svi", max_iter=3, random_state=0).fit(corpus())
    ours = clone(Plain(note="mine")).fit(corpus())
    assert learned_state(ours) == learned_state(theirs)
    assert list(ours.get_params()) == ["n_components", "note"]
    assert_array_equal(
        ours.partial_fit(corpus()).components_, theirs.partial_fit(corpus()).components_
    )
    reduced = ours.reduce_to(2)
    assert isinstance(reduced, Plain)
    assert (reduced.note, reduced.tempering, reduced.n_components) == ("mine", "svi", 2)
    assert reduced.partial_fit(corpus()).components_.shape == (2, 60)
