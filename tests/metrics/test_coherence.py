import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline

from topictemper import TemperedLDA
from topictemper.datasets import from_gensim
from topictemper.metrics import coherence
from topictemper.metrics._coherence import _MEASURES

from ..small_lda import corpus, fitted, random_counts

MEASURES = tuple(_MEASURES)


def seen(X, *words):
    """Share of the documents with all of some words."""
    return (X.toarray()[:, list(words)] > 0).all(axis=1).mean()


def direct_npmi(X, v, w):
    both = seen(X, v, w) + 1e-12
    return np.log(both / (seen(X, v) * seen(X, w))) / -np.log(both)


def direct(measure, X, top):
    """Röder et al. (2015), pair by pair."""
    if measure == "umass":
        terms = [
            np.log((seen(X, v, w) + 1e-12) / seen(X, w)) for i, v in enumerate(top) for w in top[:i]
        ]
        return np.mean(terms)
    if measure == "npmi":
        return np.mean([direct_npmi(X, v, w) for i, v in enumerate(top) for w in top[:i]])
    assert measure == "cv"
    vectors = np.array([[direct_npmi(X, v, w) for w in top] for v in top])
    total = vectors.sum(axis=0)
    return np.mean([v @ total / np.linalg.norm(v) / np.linalg.norm(total) for v in vectors])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("n", [2, 5, 10])
def test_is_the_direct_sum(measure, n):
    X, topics = corpus(), fitted().components_
    expected = [direct(measure, X, np.argsort(-topic, kind="stable")[:n]) for topic in topics]
    found = coherence(topics, X, measure, n_top_words=n, per_topic=True)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert coherence(fitted(), X, measure, n_top_words=n) == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(("measure", "best"), [("npmi", 1.0), ("umass", 0.0), ("cv", 1.0)])
def test_words_that_always_occur_together_are_not_above_the_best(measure, best):
    X = np.repeat([[1, 1], [0, 0]], [999, 1], axis=0)
    value = coherence([[2, 1]], X, measure, n_top_words=2)
    assert best - 1e-9 < value <= best


GENSIM = {"umass": "u_mass", "npmi": "c_npmi", "cv": "c_v"}


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("measure", MEASURES)
def test_is_what_gensim_says(measure, n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of gensim and what it imports
        models = pytest.importorskip("gensim.models", reason="gensim is not installed")
        from gensim.corpora import Dictionary

        X, topics = corpus(), fitted().components_
        names = np.array([f"w{v:02d}" for v in range(X.shape[1])])
        texts = [list(np.repeat(names, row)) for row in X.toarray()]
        dictionary = Dictionary([list(names), *texts])
        model = models.CoherenceModel(
            topics=[list(names[np.argsort(-topic, kind="stable")]) for topic in topics],
            texts=texts,
            corpus=[dictionary.doc2bow(text) for text in texts],
            dictionary=dictionary,
            coherence=GENSIM[measure],
            topn=n,
            window_size=None if measure == "umass" else 1000,  # longer than any document
            processes=1,
        )
        expected = model.get_coherence_per_topic()
    assert min(map(len, texts)) > 0
    found = coherence(topics, X, measure, n_top_words=n, per_topic=True)
    assert_allclose(found, expected, rtol=1e-7)


def test_topics_of_the_corpus_are_more_coherent_than_mixed_ones():
    topics = fitted().components_
    rng = np.random.default_rng(0)
    mixed = np.array([topic[rng.permutation(topics.shape[1])] for topic in topics])
    for measure in ("npmi", "umass"):
        assert coherence(topics, corpus(), measure) > coherence(mixed, corpus(), measure)


@pytest.mark.parametrize("measure", MEASURES)
def test_counts_may_come_in_any_form(measure):
    X, topics = corpus(), fitted().components_
    expected = coherence(topics, X, measure)
    doubled = sp.csr_matrix(
        (np.r_[X.data, X.data], np.r_[X.indices, X.indices], np.r_[0, X.nnz, 2 * X.nnz]),
        shape=(2, X.shape[1]),
    )
    twice = sp.csr_matrix(
        (np.repeat(X.data, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    zeros = X.astype(float)
    zeros.data[::2] = 0.0
    assert not doubled.has_canonical_format
    for same in (X.toarray(), sp.csc_array(X), sp.csr_array(X * 3.5), twice):
        assert coherence(topics, same, measure) == pytest.approx(expected, rel=1e-12)
    pruned = zeros.copy()
    pruned.eliminate_zeros()
    assert coherence(topics, zeros, measure) == coherence(topics, pruned, measure)


def test_counts_are_not_changed():
    X = corpus().copy()
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    coherence(fitted(), X)
    for now, then in zip((X.data, X.indices, X.indptr), before, strict=True):
        assert (now == then).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_words_that_never_occur_tell_nothing(measure):
    X = sp.csr_matrix(np.array([[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]))
    assert coherence(np.array([[1.0, 1.0, 9.0, 9.0]]), X, measure, n_top_words=2) == 0.0
    some = coherence(np.array([[9.0, 8.0, 7.0, 0.0]]), X, measure, n_top_words=3)
    assert np.isfinite(some)
    if measure != "cv":  # one pair of three
        pair = coherence(np.array([[9.0, 8.0, 7.0, 0.0]]), X, measure, n_top_words=2)
        assert some == pytest.approx(pair / 3)


def test_words_in_every_document_are_coherent():
    X = np.ones((5, 3))
    assert coherence(X, X, "npmi", n_top_words=3) == 1.0
    assert coherence(X, X, "cv", n_top_words=3) == pytest.approx(1.0)
    assert coherence(X, X, "umass", n_top_words=3) == pytest.approx(0.0, abs=1e-11)


def test_fewer_words_than_asked_for():
    X = random_counts(n_features=6)
    topics = np.random.default_rng(0).random((2, 6))
    assert coherence(topics, X, n_top_words=100) == coherence(topics, X, n_top_words=6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": "c_v"}, "measure must be one of"),
        ({"n_top_words": 1}, "n_top_words"),
        ({"per_topic": 1}, "per_topic"),
        ({"components": -np.ones((2, 60))}, "components must be >= 0, but row 0"),
        ({"components": np.zeros((2, 60))}, "row 0 is all zeros"),
        ({"components": np.ones((2, 1))}, "components have only one word"),
        ({"components": np.ones((2, 61))}, "X has 60 features, but the topics have 61"),
        ({"X": -corpus()}, "Negative values in data passed to X"),
        ({"X": np.full((3, 60), np.nan)}, "row 0 has nan in column 0"),
        ({"X": corpus()[:0]}, "0 sample"),
    ],
)
def test_bad_input(change, message):
    arguments = {"components": np.ones((2, 60)), "X": corpus()} | change
    with pytest.raises((ValueError, TypeError), match=message):
        coherence(**arguments)


@pytest.mark.parametrize("measure", MEASURES)
def test_chunks(measure):
    X = corpus()
    whole = coherence(fitted(), X, measure, per_topic=True)
    for chunks in ([X[:50], X[50:]], (X[d : d + 7] for d in range(0, 200, 7))):
        np.testing.assert_array_equal(coherence(fitted(), chunks, measure, per_topic=True), whole)
    with pytest.raises(ValueError, match="X has no chunks"):
        coherence(fitted(), iter([]))
    with pytest.raises(ValueError, match="X has 5 features, but the topics have 60"):
        coherence(fitted(), [X[:, :5]])


WORDS = [["river", "boat", "fish"], ["engine", "road", "wheel"]]


def test_models_of_gensim():
    gensim = pytest.importorskip("gensim")
    documents = [WORDS[d % 2] for d in range(40)]
    dictionary = gensim.corpora.Dictionary(documents)
    bags = [dictionary.doc2bow(words) for words in documents]
    model = gensim.models.LdaModel(bags, num_topics=2, id2word=dictionary, random_state=0)
    X = from_gensim(bags, dictionary)
    assert coherence(model, X, n_top_words=3) == coherence(model.get_topics(), X, n_top_words=3)


def test_models_of_tomotopy():
    tomotopy = pytest.importorskip("tomotopy")
    model = tomotopy.LDAModel(k=2, seed=0)
    for d in range(40):
        model.add_doc(WORDS[d % 2])
    model.train(10, workers=1)
    words = list(model.used_vocabs)
    X = np.array([[word in WORDS[d % 2] for word in words] for d in range(40)], dtype=int)
    topics = np.stack([model.get_topic_word_dist(k) for k in range(2)])
    assert coherence(model, X, n_top_words=3) == coherence(topics, X, n_top_words=3)


def test_two_words_are_a_pair():
    X = sp.csr_matrix([[1, 1], [1, 0], [0, 1], [1, 1]])
    assert coherence(np.ones((1, 2)), X) == pytest.approx(direct_npmi(X, 0, 1))


def test_pipelines_and_searches_have_no_topics_of_their_own():
    with pytest.raises(TypeError, match=r"components is a Pipeline.*give its last step"):
        coherence(make_pipeline(fitted()), corpus())
    search = GridSearchCV(TemperedLDA(max_iter=1), {"n_components": [2]}, cv=2).fit(corpus())
    with pytest.raises(TypeError, match=r"is a GridSearchCV.*give its best_estimator_"):
        coherence(search, corpus())
    assert coherence(search.best_estimator_, corpus()) <= 1


def test_a_pipeline_may_hand_on_the_topics_of_its_last_step():
    class Topics(Pipeline):
        @property
        def components_(self):
            return self[-1].components_

    assert coherence(Topics([("lda", fitted())]), corpus()) == coherence(fitted(), corpus())


def test_searches_by_coherence():
    lda = TemperedLDA(max_iter=1, random_state=0)
    search = GridSearchCV(lda, {"n_components": [2, 5]}, cv=2, scoring=coherence).fit(corpus())
    half = corpus().shape[0] // 2
    model = TemperedLDA(5, max_iter=1, random_state=0).fit(corpus()[half:])
    assert search.cv_results_["split0_test_score"][1] == coherence(model, corpus()[:half])
