import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from topictemper import load
from topictemper._utils._distances import distributions
from topictemper.lda import _word_topics

from ..small_lda import corpus, fitted, small_lda


def names():
    return [f"w{v:02d}" for v in range(60)]


# Documents


def test_top_documents_have_the_largest_proportions():
    theta = fitted().transform(corpus())
    rows = fitted().top_documents(corpus(), 7)
    assert_array_equal(rows, np.argsort(-theta, axis=0, kind="stable")[:7].T)
    assert fitted().top_documents(corpus()).shape == (4, 10)
    assert fitted().top_documents(corpus()[:3]).shape == (4, 3)


def test_documents_without_words_are_the_last_ones():
    """A topic that no document is about has its largest proportion in them."""
    lda = fitted()
    about_one = sp.csr_array((lda.components_[:1] > np.median(lda.components_[0])).astype(int))
    X = sp.vstack([0 * about_one, 9 * about_one, 8 * about_one])
    theta = lda._proportions(sp.csr_matrix(X))
    assert (theta.argmax(axis=0) == 0).any()
    assert_array_equal(lda.top_documents(X, 3)[:, 2], 0)


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (2.5, TypeError)])
def test_top_documents_refuses(n, error):
    with pytest.raises(error, match="n"):
        fitted().top_documents(corpus(), n)


# Words of documents


def test_word_topics_have_the_largest_phi(monkeypatch):
    monkeypatch.setattr(_word_topics, "_WEIGHTS_AT_ONCE", 30)  # several blocks
    lda, X = fitted(), sp.csr_array(corpus()[:9])
    table = lda.word_topics([X[:4], X[4:]], names())
    phi = distributions(lda.components_).T[X.indices] * np.repeat(
        lda.transform(X), np.diff(X.indptr), axis=0
    )
    phi /= phi.sum(axis=1, keepdims=True)
    assert list(table.columns) == ["document", "word", "count", "topic", "label", "probability"]
    assert_array_equal(table["document"], np.repeat(np.arange(9), np.diff(X.indptr)))
    assert list(table["word"]) == [names()[v] for v in X.indices]
    assert_array_equal(table["count"], X.data)
    assert_array_equal(table["topic"], phi.argmax(axis=1))
    assert list(table["label"]) == [f"topic {k}" for k in table["topic"]]
    assert_allclose(table["probability"], phi.max(axis=1), rtol=1e-5)


def test_documents_without_words_have_no_word_topics():
    X = corpus()[:2]
    table = fitted().word_topics(sp.vstack([X[0], 0 * X[0], X[1]]), names())
    assert set(table["document"]) == {0, 2}
    assert len(fitted().word_topics(0 * X, names())) == 0


# pyLDAvis


def test_pyldavis_arrays_are_the_model():
    X, lda = corpus(), fitted()
    arrays = lda.prepare_pyldavis(X, names())
    beta = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    assert_allclose(arrays["topic_term_dists"], beta, rtol=1e-5)
    assert_allclose(arrays["doc_topic_dists"], lda.transform(X), rtol=1e-6)
    for rows in (arrays["topic_term_dists"], arrays["doc_topic_dists"]):
        assert rows.dtype == np.float64
        assert_allclose(rows.sum(axis=1), 1, rtol=1e-12)
    assert_array_equal(arrays["doc_lengths"], X.toarray().sum(axis=1))
    assert_array_equal(arrays["term_frequency"], X.toarray().sum(axis=0))
    assert arrays["vocab"].tolist() == names()


def test_data_frames_give_names_and_set_output_changes_nothing():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=names())
    lda = small_lda().fit(frame)
    rows = lda.top_documents(frame)
    lda.set_output(transform="pandas")
    assert lda.prepare_pyldavis(frame)["vocab"].tolist() == names()
    assert_array_equal(lda.top_documents(frame), rows)
    with pytest.warns(UserWarning, match="the model has no names"):
        numbers = fitted().prepare_pyldavis(corpus())["vocab"]
    assert numbers.tolist() == [str(v) for v in range(60)]


def test_names_for_pyldavis_are_checked_before_documents(monkeypatch):
    lda = fitted()
    monkeypatch.setattr(lda, "_proportions", lambda X: pytest.fail("inferred before the check"))
    with pytest.raises(ValueError, match="feature_names must have"):
        lda.prepare_pyldavis(corpus(), ["one"])


@pytest.mark.parametrize("empty", [False, True])
def test_pyldavis_runs(empty):
    X = corpus().toarray()
    if empty:  # a document without words, and a word that occurs in none
        X[3], X[:, 5] = 0, 0
    X = sp.csr_matrix(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pyLDAvis and what it imports
        pyldavis = pytest.importorskip("pyLDAvis", reason="pyLDAvis is not installed")
        # Its own layout of topics makes complex numbers with NumPy 2.5.
        arrays = fitted().prepare_pyldavis(X, names())
        prepared = pyldavis.prepare(**arrays, mds="mmds", n_jobs=1)
        page = pyldavis.prepared_data_to_html(prepared)
    assert len(prepared.topic_coordinates) == 4
    assert prepared.topic_order == [1, 2, 3, 4]
    assert set(prepared.topic_info["Term"]) <= set(names())
    assert np.isfinite(prepared.topic_info[["logprob", "loglift"]].to_numpy(float)).all()
    assert "w00" in page


# Names that are given to fit


def test_names_given_to_fit_are_kept(tmp_path):
    words = names()
    lda = small_lda().fit(corpus(), feature_names={name: v for v, name in enumerate(words)})
    assert lda.feature_names_in_.tolist() == words
    lda.save(tmp_path / "model.npz")
    assert load(tmp_path / "model.npz").top_words(3) == lda.top_words(3, words)
    # As in scikit-learn: nothing tells whether the columns of other counts are the same words.
    assert not hasattr(lda.fit(corpus()), "feature_names_in_")
    lda = lda.fit([corpus()], feature_names=words)
    assert lda.partial_fit(corpus()).top_words(3) == lda.top_words(3, words)
    # The columns of topics that are learned further keep their words.
    assert lda.set_params(warm_start=True).fit(corpus()).feature_names_in_.tolist() == words


def test_names_do_not_change_with_the_array_that_was_given():
    given = np.array(names(), dtype=object)
    lda = small_lda().fit(corpus(), feature_names=given)
    given[:] = "other"
    assert lda.feature_names_in_.tolist() == names()


def test_names_of_a_vectorizer_in_a_pipeline():
    texts = [" ".join(row) for row in corpus_of_words()]
    pipeline = make_pipeline(CountVectorizer(), small_lda())
    pipeline.fit(texts, temperedlda__feature_names=pipeline[0])
    assert pipeline[-1].top_words(2) == pipeline[-1].top_words(2, pipeline[0])


def corpus_of_words():
    return np.array(names())[np.random.default_rng(0).integers(0, 60, (50, 20))]


def test_names_that_contradict_a_data_frame_are_refused():
    pandas = pytest.importorskip("pandas")
    words = names()
    frame = pandas.DataFrame(corpus().toarray(), columns=words)
    for learn in (small_lda().fit, small_lda().partial_fit):
        assert learn(frame, feature_names=words).feature_names_in_.tolist() == words
    for learn in (small_lda().fit, small_lda().partial_fit):
        with pytest.raises(ValueError, match=r"already have, but column 0 is 'w59', and was 'w00'"):
            learn(frame, feature_names=words[::-1])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (["a", "b"], ValueError, "must have 60 names"),
        (range(60), TypeError, "must hold strings"),
        ("words", TypeError, "must be a sequence of names"),
    ],
)
def test_names_that_fit_refuses(given, error, message):
    lda = small_lda()
    with pytest.raises(error, match=message):
        lda.fit(corpus(), feature_names=given)
    assert not hasattr(lda, "n_features_in_")
