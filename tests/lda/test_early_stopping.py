"""Stopping by held-out documents: when, with which model, and who is held out."""

from itertools import cycle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from topictemper.lda._monitor import _split_rows

from ..small_lda import ESTIMATES, MODES, corpus, learned_state, small_lda, streamed

# More topics than there are, so that held-out documents are soon predicted worse again. Over the
# modes the best pass is the 2nd ("svi") to 21st of 30, and the 2nd to 49th of 60.
TOO_MANY = {"n_components": 20, "max_iter": 30}

# All that depends on `max_iter` otherwise, so that fits of more and fewer passes begin alike.
FIXED = {
    "max_temperature": 3.0,
    "length": 4.0,
    "inertia": 1.0,
    "inference": "point",
}


def documents():
    """Documents to learn from, and others of the same topics."""
    return corpus(300)[:200], corpus(300)[200:]


def misleading():
    """Documents of other topics: predicted worse and worse while those of `corpus` are learned."""
    return corpus(50, seed=1)


def not_expected(estimator):
    """Rows are held out at random: of documents with weights others than of repetitions."""
    checks = ("dense_data", "sparse_data")
    return {
        f"check_sample_weight_equivalence_on_{check}": "other documents are held out"
        for check in checks
    }


@parametrize_with_checks(
    [
        small_lda(
            n_components=2,
            max_iter=2,
            batch_size=10,
            early_stopping=True,
            validation_fraction=0.5,  # of ten rows of fractions few have two tokens
        )
    ],
    expected_failed_checks=not_expected,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# When


@pytest.mark.parametrize("patience", [1, 3])
@pytest.mark.parametrize("mode", MODES)
def test_stops_after_so_many_evaluations_without_a_new_best(mode, patience):
    X, validation_X = documents()
    # Averaged topics get better for longer than these passes.
    parameters = TOO_MANY | {"max_iter": 60, "inference": "point"}
    lda = small_lda(tempering=mode, early_stopping=True, n_iter_no_change=patience, **parameters)
    lda.fit(X, validation_X=validation_X)
    history = lda.score_history_
    assert len(history) < 60
    assert_array_equal(history["pass"], np.arange(1, len(history) + 1))
    assert lda.n_iter_ == len(history) - patience
    assert history["score"][lda.n_iter_ - 1] > history["score"][lda.n_iter_ :].max()


def test_goes_on_to_the_end_while_scores_rise():
    X, validation_X = documents()
    # With sampled documents, or a prior of prediction that is found, they go up and down a little.
    parameters = {"inference": "point", "doc_topic_prior": 0.1, "max_iter": 12}
    lda = small_lda(tempering="avi", early_stopping=True, n_iter_no_change=1, **parameters)
    lda.fit(X, validation_X=validation_X)
    assert lda.n_iter_ == len(lda.score_history_) == 12


@pytest.mark.parametrize("start", ["auto", 3.0])
@pytest.mark.parametrize("mode", ["avi", "vt", "lvt", "dasvi"])
def test_never_stops_while_it_is_hot(mode, start):
    lda = small_lda(
        tempering=mode,
        max_temperature=start,
        length=8.0,
        max_iter=20,
        early_stopping=True,
        n_iter_no_change=1,
    )
    lda.fit(corpus(), validation_X=misleading())
    assert lda.temperature_ == 1.0
    scores = lda.score_history_["score"]
    hot = lda.temperature_history_["pass"][lda.temperature_history_["temperature"] > 1.0].max()
    assert (np.diff(scores[: int(hot)]) < 0).any()  # there it would have stopped
    assert hot <= lda.n_iter_ < len(scores) < 20


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_fit_that_stays_hot_keeps_its_last_model():
    parameters = {"tempering": "avi", "schedule": lambda passes: 1.1, "max_iter": 4}
    lda = small_lda(early_stopping=True, n_iter_no_change=1, **parameters)
    lda.fit(corpus(), validation_X=misleading())
    assert len(lda.score_history_) == 4
    assert learned_state(lda) == learned_state(small_lda(**parameters).fit(corpus()))


# Which model


@pytest.mark.parametrize("mode", MODES)
def test_best_model_is_the_one_of_a_fit_of_as_many_passes(mode):
    X, validation_X = documents()
    parameters = TOO_MANY | FIXED | {"tempering": mode}
    lda = small_lda(early_stopping=True, **parameters).fit(X, validation_X=validation_X)
    assert lda.score(validation_X) == lda.score_history_["score"][lda.n_iter_ - 1]
    shorter = small_lda(**(parameters | {"max_iter": lda.n_iter_})).fit(X)
    assert learned_state(lda) == learned_state(shorter)
    # It goes on from there, too.
    assert learned_state(lda.partial_fit(X)) == learned_state(shorter.partial_fit(X))


def test_best_model_is_kept_when_passes_run_out():
    X, validation_X = documents()
    lda = small_lda(early_stopping=True, n_iter_no_change=30, **TOO_MANY, **FIXED)
    lda.fit(X, validation_X=validation_X)
    scores = lda.score_history_["score"]
    assert len(scores) == 30
    assert lda.n_iter_ == scores.argmax() + 1 < 30
    assert lda.score(validation_X) == scores.max()


def test_same_bits_for_any_number_of_threads():
    results = []
    for n_jobs in (1, 2):
        lda = small_lda(early_stopping=True, n_jobs=n_jobs, **TOO_MANY).fit(corpus())
        results.append((learned_state(lda), lda.score_history_.tobytes()))
    assert results[0] == results[1]


@pytest.mark.parametrize(("mode", "estimate"), list(zip(MODES, cycle(ESTIMATES), strict=False)))
def test_weights_are_repeated_rows_where_held_out_documents_are_given(mode, estimate):
    # Every pass is a step of all documents: weights are as good as repetitions but for rounding.
    X, validation_X = documents()
    weight = np.random.default_rng(3).integers(0, 4, 200)
    lda = small_lda(
        tempering=mode,
        learning_method="batch",
        early_stopping=True,
        dtype="float64",
        mean_change_tol=1e-9,
        max_doc_update_iter=1000,
        tol=0.0,
        **TOO_MANY | FIXED | {"inference": estimate},
    )
    weighted = lda.fit(X, sample_weight=weight, validation_X=validation_X)
    repeated = clone(lda).fit(X[np.repeat(np.arange(200), weight)], validation_X=validation_X)
    assert weighted.n_iter_ == repeated.n_iter_ < len(weighted.score_history_)
    assert_allclose(weighted.components_, repeated.components_, rtol=1e-6)
    assert_allclose(weighted.score_history_["score"], repeated.score_history_["score"], rtol=1e-9)


# Who is held out


@pytest.mark.parametrize("fraction", [0.1, 0.33])
def test_a_share_of_the_documents_is_held_out(fraction):
    learned, held_out = _split_rows(
        np.arange(corpus().shape[0]), fraction, np.random.RandomState(0)
    )
    assert len(held_out) == 200 * fraction
    assert_array_equal(np.sort(np.r_[learned, held_out]), np.arange(200))
    assert_array_equal(learned, np.sort(learned))
    lda = small_lda(early_stopping=True, validation_fraction=fraction).fit(corpus())
    other = small_lda(early_stopping=True)
    other.fit(corpus()[learned], validation_X=corpus()[held_out])
    assert learned_state(lda) == learned_state(other)
    assert_array_equal(lda.score_history_, other.score_history_)


def test_seed_chooses_who_is_held_out():
    splits = {
        tuple(_split_rows(np.arange(200), 0.1, np.random.RandomState(i))[1]) for i in range(5)
    }
    assert len(splits) == 5


def test_nobody_is_held_out_without_early_stopping():
    assert not hasattr(small_lda().fit(corpus()), "score_history_")


def test_search_stops_each_fit_by_itself():
    lda = small_lda(early_stopping=True, max_iter=60)
    search = GridSearchCV(lda, {"n_components": [15, 20]}, cv=2).fit(corpus())
    assert len(search.best_estimator_.score_history_) < 60


# Bad input


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"early_stopping": "yes"}, "early_stopping"),
        ({"validation_fraction": np.nan}, "validation_fraction"),
        ({"validation_fraction": "0.1"}, "validation_fraction"),
        ({"n_iter_no_change": 1.5}, "n_iter_no_change"),
    ],
)
def test_bad_parameters(parameters, match):
    lda = small_lda(**{"early_stopping": True, **parameters})
    before = vars(lda).copy()
    with pytest.raises((TypeError, ValueError), match=match):
        lda.fit(corpus())
    assert vars(lda) == before


def test_documents_that_cannot_be_split():
    lda = small_lda(early_stopping=True)
    one_word_each = np.eye(60, dtype=int)
    for X, match in [
        (corpus()[:1], "validation_fraction=0.1 of n_samples=1 leaves no document"),
        (one_word_each, "the validation_fraction=0.1 of X has no document with two tokens"),
    ]:
        with pytest.raises(ValueError, match=match):
            lda.fit(X)
    lda.fit(one_word_each, validation_X=corpus())
    # Words in the held-out half only.
    held_out = _split_rows(np.arange(one_word_each.shape[0]), 0.5, np.random.RandomState(0))[1]
    X = np.zeros((60, 60), dtype=int)
    X[held_out] = 2
    with pytest.raises(ValueError, match="X without the documents held out has no words"):
        small_lda(early_stopping=True, validation_fraction=0.5).fit(X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"shuffle": False}, {"learning_method": "batch"}, {"topic_word_prior": {"a": ["w3"]}}],
    ids=str,
)
def test_the_other_documents_are_learned_from_as_if_they_were_alone(parameters, weighted):
    X, names = corpus(300), [f"w{v}" for v in range(60)]
    weight = np.random.default_rng(0).integers(0, 4, 300) / 2 if weighted else np.ones(300)
    rows, held_out = _split_rows(np.flatnonzero(weight), 0.5, np.random.RandomState(0))
    patient = {"n_iter_no_change": 9, "max_iter": 2, **parameters}
    lda = small_lda(early_stopping=True, validation_fraction=0.5, **patient)
    lda.fit(X, sample_weight=weight, feature_names=names)
    alone = small_lda(early_stopping=True, **patient)
    alone.fit(X[rows], None, weight[rows], validation_X=X[held_out], feature_names=names)
    assert_array_equal(lda.components_, alone.components_)
    assert lda.temperature_ == alone.temperature_


def test_held_out_documents_count_by_their_weights():
    X = corpus(300)
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    lda = small_lda(early_stopping=True, validation_fraction=0.5, inference="point", max_iter=1)
    lda.fit(X, sample_weight=weight)
    _, held_out = _split_rows(np.arange(300), 0.5, np.random.RandomState(0))
    score = lda.score(X[held_out], sample_weight=weight[held_out])
    assert_allclose(lda.score_history_["score"][-1], score, rtol=1e-6)
    assert abs(lda.score(X[held_out]) - score) > 1e-4


def test_no_share_of_documents_beside_others():
    X, other = documents()
    with pytest.raises(ValueError, match="validation_fraction is a share of X"):
        small_lda(early_stopping=True, validation_fraction=0.2).fit(X, validation_X=other)


@pytest.mark.parametrize(("inference", "at_once"), [("gibbs", False), ("point", True)])
def test_fits_are_judged_once_they_learn_as_they_will_to_the_end(inference, at_once):
    lda = small_lda(tempering="svi", inference=inference, total_samples=1000)
    assert lda.partial_fit(corpus())._trainer.settled == at_once
    assert streamed(lda, 800, 200)._trainer.settled  # sampled, if at all
