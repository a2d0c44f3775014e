from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import LatentDirichletAllocation

from topictemper import TemperedLDA
from topictemper.metrics import coherence, compare_n_components, match_topics, topic_diversity
from topictemper.metrics._n_components import _choice, _reason, _stability

from ..small_lda import corpus, small_lda

SIZES, TRAIN, TEST = [2, 4, 12], corpus(400)[:300], corpus(400)[300:]


@pytest.fixture(scope="module")
def comparison():
    lda = small_lda(max_iter=6)
    return compare_n_components(
        TRAIN, [12, 2, 4, 2], estimator=lda, n_seeds=2, validation_X=TEST, random_state=5
    )


def test_the_table_is_of_the_fits(comparison):
    columns = comparison.table_
    assert columns["n_components"].tolist() == SIZES
    for i, size in enumerate(SIZES):
        first, second = (
            small_lda(max_iter=6, n_components=size, random_state=seed).fit(TRAIN)
            for seed in (5, 6)
        )
        scores = [first.score(TEST), second.score(TEST)]
        assert_allclose(columns["score"][i], np.mean(scores), rtol=1e-6)
        assert columns["score_error"][i] > np.std(scores, ddof=1) / 2**0.5
        for name, measure in (
            ("coherence", lambda lda: coherence(lda, TRAIN)),
            ("diversity", topic_diversity),
        ):
            values = [measure(first), measure(second)]
            assert_allclose(columns[name][i], np.mean(values))
            assert_allclose(columns[f"{name}_error"][i], np.std(values, ddof=1) / 2**0.5)
        distance = match_topics(first, second).distance
        assert_allclose(columns["stability"][i], 1 - distance.mean())


def test_sizes_are_compared_by_their_differences(comparison):
    """All sizes score the same documents, which is most of the error of a score."""
    columns = comparison.table_
    assert list(columns.columns)[:5] == [
        "n_components", "score", "score_error", "below_best", "below_best_error",
    ]  # fmt: skip
    assert_allclose(columns["below_best"], columns["score"].max() - columns["score"], atol=1e-9)
    is_best = columns["below_best"] == 0
    assert (columns["below_best_error"][is_best] == 0).all()
    assert (columns["below_best_error"][~is_best] > 0).all()
    assert columns["below_best_error"][2] < 0.7 * columns["score_error"][2]  # 12 topics


def test_stability_is_the_mean_of_all_pairs():
    models = [np.random.default_rng(seed).dirichlet(np.full(40, 0.1), 6) for seed in range(3)]
    alike = [1 - match_topics(a, b).distance.mean() for a, b in combinations(models, 2)]
    # The jackknife of three models: without one, a single pair is left.
    assert_allclose(_stability(models), (np.mean(alike), np.std(alike, ddof=1) * (4 / 3) ** 0.5))


def test_it_takes_a_size_and_says_why(comparison):
    """The corpus has four topics."""
    assert comparison.n_components_ == 4
    assert comparison.reason_.startswith("Take 4 topics: no size has a higher held-out score (")
    assert "may predict" not in comparison.reason_  # there are fewer and more
    assert "2 " in str(comparison)
    assert str(comparison).endswith(comparison.reason_)


def test_the_smallest_of_equal_sizes():
    rng = np.random.default_rng(0)
    tokens = np.full(200, 10.0)
    scores = -30.0 + rng.normal(0, 1, size=(3, 4, 200))
    scores[0] -= 5.0
    scores[2, :, :] = scores[1] + rng.normal(0.01, 0.5, size=(4, 200))
    assert _choice(scores, tokens, 0.0)[0] == 1
    scores[2] += 1.0
    assert _choice(scores, tokens, 0.0)[0] == 2
    assert _choice(scores, tokens, 0.2)[0] == 1


def test_a_measure_that_is_higher_elsewhere_is_told_if_the_figures_differ():
    columns = {
        "n_components": [2, 4],
        "score": np.array([-6.0, -6.1]),
        "below_best": np.array([0.0, 0.1]),
        "below_best_error": np.array([0.0, 0.01]),
        "coherence": np.array([0.131, 0.134]),
        "stability": np.array([0.5, 0.7]),
    }
    reason = _reason(columns, 0, 50)
    assert "coherence" not in reason
    assert reason.endswith("The stability is highest with 4 (0.70; 0.50 with 2).")


@pytest.mark.parametrize(("second", "how"), [(-6.1, "still better"), (-5.995, "as well")])
def test_fewer_topics_can_predict_better_only_if_the_fewest_are_best(second, how):
    columns = {
        "n_components": [2, 4],
        "score": np.array([-6.0, second]),
        "below_best": np.array([max(second + 6.0, 0.0), 0.0]),
        "below_best_error": np.array([0.001, 0.0]),
        "coherence": np.full(2, np.nan),
        "stability": np.full(2, np.nan),
    }
    reason = _reason(columns, 0, 50)
    assert reason.endswith(f"Fewer topics than were tried may predict {how}.")


@pytest.mark.parametrize("columns", [[f"w{v}" for v in range(60)], range(1, 61)])
def test_names_of_data_frames(columns):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=columns)
    names = list(map(str, frame))
    settings = {"estimator": small_lda(topic_word_prior={"seeds": names[1:3]}), "n_seeds": 1}
    found = compare_n_components(frame, [2, 3], **settings)
    given = compare_n_components(corpus(), [2, 3], feature_names=names, **settings)
    assert_allclose(found.table_["score"], given.table_["score"])
    with pytest.raises(ValueError, match="validation_X has other columns than X"):
        compare_n_components(frame, [2, 3], validation_X=frame[frame.columns[::-1]], **settings)


def test_a_mixture_of_words_and_numbers_is_no_names():
    """As in scikit-learn."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    mixed = pandas.DataFrame(corpus().toarray(), columns=[*(f"w{v}" for v in range(59)), 2024])
    found, given = (
        compare_n_components(X, [2, 3], estimator=small_lda(), n_seeds=1) for X in (mixed, corpus())
    )
    assert_allclose(found.table_["score"], given.table_["score"])


def test_one_seed_and_another_library():
    lda = LatentDirichletAllocation(learning_method="online", max_iter=2)
    comparison = compare_n_components(corpus(), [2, 3], estimator=lda, n_seeds=1)
    assert np.isnan(comparison.table_["stability"]).all()
    assert (comparison.table_["score_error"] > 0).all()
    assert "stability" not in comparison.reason_


def test_topics_with_seeds_need_words():
    lda = small_lda(max_iter=2, topic_word_prior={"first": ["word3"]})
    with pytest.raises(ValueError, match="feature_names"):
        compare_n_components(TRAIN, [2, 4], estimator=lda, n_seeds=1, validation_X=TEST)
    words = [f"word{i}" for i in range(TRAIN.shape[1])]
    found = compare_n_components(
        TRAIN, [2, 4], estimator=lda, n_seeds=1, validation_X=TEST, feature_names=words
    )
    assert np.isfinite(found.table_["score"]).all()


def test_the_same_seed_gives_the_same_table():
    lda = small_lda(max_iter=2)
    first, again = (
        compare_n_components(corpus(), [2, 3], estimator=lda, n_seeds=2) for _ in range(2)
    )
    assert str(first) == str(again)


def test_validation_documents_as_lists():
    lda, test = small_lda(max_iter=1), corpus(30, seed=1).toarray()
    tables = [
        compare_n_components(corpus(), [2, 3], estimator=lda, n_seeds=1, validation_X=X).table_
        for X in (test, test.tolist())
    ]
    assert str(tables[0]) == str(tables[1])


@pytest.mark.parametrize(
    ("settings", "error", "match"),
    [
        ({"n_components": [4]}, ValueError, "two sizes"),
        ({"n_components": 4}, TypeError, "n_components must be several"),
        ({"n_top_words": 1}, ValueError, "n_top_words"),
        ({"n_components": [0, 4]}, ValueError, "n_components"),
        ({"tolerance": -0.1}, ValueError, "tolerance"),
        ({"n_seeds": 0}, ValueError, "n_seeds"),
        ({"validation_fraction": 1.0}, ValueError, "validation_fraction"),
        ({"validation_fraction": 0.001}, ValueError, "validation_fraction"),
        (
            {"validation_fraction": 0.1, "validation_X": TEST},
            ValueError,
            "with validation_X it must",
        ),
        ({"random_state": "a"}, TypeError, "random_state"),
        ({"X": ["text"]}, TypeError, "X holds text"),
        ({"validation_X": TEST[:, :9]}, ValueError, "validation_X has 9 features, but X has 60"),
        ({"validation_X": 0 * TEST}, ValueError, "validation_X has no document with two tokens"),
    ],
)
def test_refuses(settings, error, match):
    class Unfit(TemperedLDA):
        """Does not learn, as all of this is known before."""

        def fit(self, X, **words):
            raise AssertionError

    with pytest.raises(error, match=match):
        compare_n_components(
            **({"X": corpus(), "n_components": [2, 4], "estimator": Unfit()} | settings)
        )


def test_it_says_which_fit_is_running(capsys):
    lda = small_lda(max_iter=1, verbose=1)
    compare_n_components(corpus(), [2, 3], estimator=lda, n_seeds=2)
    said = [line for line in capsys.readouterr().err.splitlines() if "compare" in line]
    assert said[0] == "compare_n_components: fit 1 of 4, 2 topics, seed 0"
    assert said[-1] == "compare_n_components: fit 4 of 4, 3 topics, seed 1"


def test_one_document_to_score():
    lda = small_lda(max_iter=1)
    found = compare_n_components(
        TRAIN, [2, 3], estimator=lda, n_seeds=1, validation_X=TEST[:1], tolerance=10
    )
    assert found.n_components_ == 2
    assert np.isnan(found.table_["score_error"]).all()
    assert "But only 1 document could be scored" in found.reason_


def test_it_says_if_too_few_documents_are_scored():
    lda = small_lda(max_iter=1)
    settings = {"n_components": [2, 3], "estimator": lda, "n_seeds": 1}
    empty = np.zeros((3, TEST.shape[1]))  # which are not scored
    for n in (9, 10):
        X = np.vstack([TEST[:n].toarray(), empty])
        reason = compare_n_components(TRAIN, validation_X=X, **settings).reason_
        assert (f"only {n} documents could be scored, too few" in reason) == (n == 9)
    assert "random_state" in compare_n_components(TRAIN[:30], **settings).reason_


# Nine seeds had 1.51 to 1.64, and 1.19 to 1.29.
@pytest.mark.parametrize(("n_models", "least", "most"), [(3, 1.35, 1.8), (5, 1.08, 1.4)])
def test_the_error_of_the_stability_is_not_too_small(n_models, least, most):
    """The spread of pairs by the root of the number of models had 0.8 and 0.9 of the true error."""
    rng = np.random.default_rng(n_models)
    found = []
    for _ in range(600):
        words = rng.dirichlet(np.ones(3), n_models)
        found.append(_stability([topics[None] for topics in words]))
    means, errors = np.array(found).T
    assert least < (errors**2).mean() ** 0.5 / means.std() < most


def test_the_stability_of_two_models_has_no_error():
    mean, error = _stability([np.array([[1.0, 3.0]]), np.array([[3.0, 1.0]])])
    assert 0.0 < mean < 1.0
    assert np.isnan(error)
