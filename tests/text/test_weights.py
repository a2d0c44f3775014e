import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, KFold

from topictemper import TemperedLDA, TopicModel

TEXTS = [
    ("river boat water fish", "engine wheel road driver")[d % 2] + " harbour" * (d % 3)
    for d in range(60)
]
WEIGHTS = np.where(np.arange(60) < 20, 2.0, 1.0)


def model():
    return TopicModel(2, lda=TemperedLDA(2, max_iter=5, batch_size=20), random_state=0)


def of_counts():
    """The topics of the counts of the same texts, with the same weights."""
    counts = model().fit(TEXTS).vectorizer_.transform(TEXTS)
    return TemperedLDA(2, max_iter=5, batch_size=20, random_state=0).fit(counts, None, WEIGHTS)


def test_weights_are_those_of_the_counts():
    weighted = model().fit(TEXTS, sample_weight=WEIGHTS)
    expected = of_counts()
    assert_array_equal(weighted.lda_.components_, expected.components_)
    assert not np.array_equal(model().fit(TEXTS).lda_.components_, expected.components_)
    assert weighted.topics_.documents.sum() == len(TEXTS)


def test_weights_of_a_stream_and_of_counts_in_a_folder(tmp_path):
    expected = of_counts().components_
    of_stream = model().fit(iter(TEXTS), sample_weight=WEIGHTS)
    assert_array_equal(of_stream.lda_.components_, expected)
    of_folder = model()
    theta = of_folder.fit_transform(TEXTS, None, WEIGHTS, corpus_folder=tmp_path / "counts")
    assert_array_equal(of_folder.lda_.components_, expected)
    assert_array_equal(theta, of_folder.transform(TEXTS))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(59), "sample_weight must have one weight for each of the 60 rows"),
        (np.full(60, np.nan), "sample_weight must be finite, got nan for row 0; 0 leaves a row"),
        (-np.ones(60), "sample_weight must be >= 0, got -1.0 for row 0"),
    ],
)
def test_weights_are_checked_before_texts_are_counted(weights, message, tmp_path):
    folder = tmp_path / "counts"
    unfitted = model()
    with pytest.raises(ValueError, match=message):
        unfitted.fit(TEXTS, sample_weight=weights, corpus_folder=folder)
    assert not folder.exists()
    with pytest.raises(ValueError, match=message):
        unfitted.fit(iter(TEXTS), sample_weight=weights)
    assert not hasattr(unfitted, "vectorizer_")


def test_weights_of_a_stream_are_checked_before_it_is_read():
    stream = iter(TEXTS)
    next(stream)
    with pytest.raises(ValueError, match="sample_weight must be >= 0"):
        model().fit(stream, sample_weight=-np.ones(59))
    assert len(list(stream)) >= 58  # one is read to see whether it is text


def test_updates_with_weights_are_those_of_the_counts():
    weighted, plain = model().fit(TEXTS), model().fit(TEXTS)
    expected = model().fit(TEXTS).lda_
    counts = weighted.vectorizer_.transform(TEXTS)
    assert weighted.update(TEXTS, sample_weight=WEIGHTS) is weighted
    assert_array_equal(
        weighted.lda_.components_, expected.partial_fit(counts, None, WEIGHTS).components_
    )
    assert not np.array_equal(weighted.lda_.components_, plain.update(TEXTS).lda_.components_)
    # Tables count every document once.
    assert weighted.topics_.documents.sum() == plain.topics_.documents.sum() == 2 * len(TEXTS)


@pytest.mark.parametrize(
    ("texts", "weights", "message"),
    [
        (TEXTS, np.ones(59), "sample_weight must have one weight for each of the 60 rows"),
        (TEXTS, -np.ones(60), "sample_weight must be >= 0, got -1.0 for row 0"),
        (iter(TEXTS), np.ones(60), "sample_weight must be None where texts is a stream"),
    ],
)
def test_weights_of_an_update_are_checked_first(texts, weights, message):
    fitted = model().fit(TEXTS)
    before = fitted.lda_.components_.copy(), fitted.unknown_share_
    with pytest.raises(ValueError, match=message):
        fitted.update(texts, sample_weight=weights)
    assert_array_equal(fitted.lda_.components_, before[0])
    assert fitted.unknown_share_ == before[1]


def test_dates_are_not_taken_for_weights_of_an_update():
    with pytest.raises(TypeError, match="positional argument"):
        model().fit(TEXTS).update(TEXTS, np.arange(2000, 2060))


def test_scores_with_weights_are_those_of_repeated_documents():
    fitted = model().fit(TEXTS)
    weights = np.where(np.arange(60) % 2, 2.0, 1.0)  # of texts about roads
    repeated = TEXTS[1::2] + TEXTS
    score = fitted.score(TEXTS, sample_weight=weights)
    assert score == pytest.approx(fitted.score(repeated), rel=1e-12)
    assert score != fitted.score(TEXTS)
    assert fitted.score(iter(TEXTS), None, weights) == score
    assert fitted.perplexity(TEXTS, None, weights) == np.exp(-score)
    with pytest.raises(ValueError, match="sample_weight must have one weight for each of the 60"):
        fitted.score(TEXTS, None, weights[1:])
    with pytest.raises(ValueError, match="sample_weight must be >= 0"):
        fitted.score(iter(TEXTS), None, -weights)


def test_score_without_known_words():
    unknown = ["quite unknown words"]
    for method in (model().fit(TEXTS).score, model().fit(TEXTS).perplexity):
        with pytest.raises(ValueError, match="texts, without unknown words, has no doc"):
            method(unknown)


def test_texts_are_not_metadata():
    routing = TopicModel().get_metadata_routing()
    assert set(routing.fit.requests) == {"sample_weight", "corpus_folder", "on_interrupt"}
    assert set(routing.score.requests) == {"sample_weight"}
    assert not routing.transform.requests


def test_search_scores_with_weights():
    with config_context(enable_metadata_routing=True):
        asked = model().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(asked, {"n_components": [2]}, cv=KFold(2))
        search.fit(TEXTS, sample_weight=WEIGHTS)
    fitted = model().fit(TEXTS[30:], sample_weight=WEIGHTS[30:])
    expected = fitted.score(TEXTS[:30], None, WEIGHTS[:30])
    assert search.cv_results_["split0_test_score"][0] == expected
