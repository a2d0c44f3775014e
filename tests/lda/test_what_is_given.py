"""What is given in place of counts or of names, and what the errors and warnings say of it."""

import re
import warnings
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
import scipy
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import gammaln, psi
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from topictemper import TemperedLDA, load
from topictemper.datasets import open_corpus, read_corpus, save_corpus, write_corpus
from topictemper.metrics import (
    coherence,
    compare_n_components,
    perplexity,
    predictive_log_likelihood,
    topic_diversity,
)
from topictemper.topics import shares_over_time

from ..small_lda import Again, corpus, fitted, learned_state, small_lda

TEXTS = ["a cat and a dog", "dogs and cats", "one dog"]
TOKENS = [text.split() for text in TEXTS]
USES = ("transform", "score", "perplexity", "elbo", "document_temperatures", "top_documents")


def series(values, dtype=None):
    return pytest.importorskip("pandas").Series(values, dtype=dtype)


TEXT = "X holds text, such as .*make_pipeline.CountVectorizer"
TOKEN = "X holds lists of tokens, such as .*analyzer=lambda tokens: tokens.*from_gensim"
GENSIM = "like a (corpus|document) of gensim.*from_gensim"
NO_COUNTS = {
    "texts": (lambda: TEXTS, TEXT),
    "empty text first": (lambda: ["", *TEXTS], TEXT),
    "array": (lambda: np.array(TEXTS), TEXT),
    "objects": (lambda: np.array(TEXTS, dtype=object), TEXT),
    "column": (lambda: np.array(TEXTS)[:, None], TEXT),
    "bytes": (lambda: [text.encode() for text in TEXTS], TEXT),
    "a text": (lambda: TEXTS[0], TEXT),
    "series": (lambda: series(TEXTS), TEXT),
    "series of strings": (lambda: series(TEXTS, "string"), TEXT),
    "arrow": (lambda: pytest.importorskip("pyarrow").array(TEXTS), TEXT),
    "tokens": (lambda: TOKENS, TOKEN),
    "tokens of one length": (lambda: [["a", "b"], ["c", "d"]], TOKEN),
    "empty document first": (lambda: [[], *TOKENS], TOKEN),
    "series of tokens": (lambda: series(TOKENS), TOKEN),
    "gensim": (lambda: [[(0, 1), (2, 1)], [(1, 3)]], GENSIM),
    "gensim of one length": (lambda: [[(0, 1)], [(1, 3)]], GENSIM),
    "a corpus": (
        lambda: {"counts": corpus()},
        "X is a corpus, not a matrix; give its counts, X.counts",
    ),
    "corpora": (
        lambda: [{"counts": corpus()}, {"counts": corpus()}],
        r"X holds corpora, not matrices; give their counts, \[each.counts for each in X\]",
    ),
    "a dask array": (
        lambda: pytest.importorskip("dask.array").from_array(corpus().toarray()),
        "X is a collection of Dask: learn with topictemper.dask",
    ),
    "dense matrices": (
        lambda: [np.ones((3, 60)), np.ones((3, 60))],
        r"list of matrices.*np.vstack",
    ),
}


@pytest.mark.parametrize(("given", "message"), NO_COUNTS.values(), ids=NO_COUNTS)
def test_what_is_no_counts(given, message):
    for method in ("fit", "partial_fit"):
        with pytest.raises(TypeError, match=message):
            getattr(small_lda(), method)(given())
    for method in USES:
        with pytest.raises(TypeError, match=message):
            getattr(fitted(), method)(given())
    with pytest.raises(TypeError, match=message):
        perplexity(fitted(), given())


@pytest.mark.parametrize("document", [[(0, 1), (3, 2)], []])
def test_iterable_of_gensim_documents(document):
    with pytest.raises(TypeError, match=GENSIM):
        small_lda().fit(Again(document, [(1, 1), (2, 2)]))


def test_iterable_of_texts():
    with pytest.raises(TypeError, match=TEXT):
        small_lda().fit(Again(*TEXTS))


@pytest.mark.parametrize(
    "X",
    [[corpus(), corpus()], (corpus(),), Again(corpus()), Again(corpus().toarray())],
    ids=["list", "tuple", "object", "dense"],
)
def test_chunks_where_one_matrix_is_wanted(X):
    message = r"X is an iterable of chunks.*one chunk at a time.*scipy.sparse.vstack"
    for use in (fitted().top_documents, fitted().prepare_pyldavis):
        with pytest.raises(TypeError, match=message) as caught:
            use(X)
    advice = re.search(r"scipy\.sparse\.vstack\(.*\)", str(caught.value))[0]
    assert eval(advice, {"scipy": scipy, "X": X}).shape[1] == 60


def test_metrics_take_chunks_as_one_matrix():
    whole = predictive_log_likelihood(fitted(), corpus())
    for sizes in ([200], [1, 150, 49], [67, 67, 66]):
        ends = np.cumsum([0, *sizes])
        chunks = [corpus()[a:b] for a, b in pairwise(ends)]
        assert predictive_log_likelihood(fitted(), chunks) == pytest.approx(whole, rel=1e-12)
        assert perplexity(fitted(), Again(*chunks)) == pytest.approx(np.exp(-whole), rel=1e-12)


@pytest.mark.parametrize("kind", [sp.csr_array, lambda X: X.toarray()], ids=["sparse", "dense"])
def test_validation_documents_are_named(kind):
    for given, message in (
        (corpus()[:, :59], "validation_X has 59 features"),
        (corpus()[:0], "validation_X: Found array with 0 sample"),
    ):
        with pytest.raises(ValueError, match=message):
            small_lda().fit(corpus(), validation_X=kind(given))
    with pytest.raises(ValueError, match="proportions must be a 2D array"):
        shares_over_time([0.5, 0.5], ["2024", "2025"])


@pytest.mark.parametrize("topics", [[["win", "game"], ["disk", "drive"]], ["win", "game"]])
def test_words_in_place_of_topics(topics):
    for metric in (lambda: coherence(topics, corpus()), lambda: topic_diversity(topics)):
        with pytest.raises(TypeError, match="components holds words"):
            metric()


def test_model_of_another_library_in_place_of_topics():
    with pytest.raises(
        TypeError, match=r"model must be an array of topics.*got Again.*pass its topics"
    ):
        perplexity(Again(), corpus(), 0.1)


# Numbers that are no counts


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_tfidf_is_warned_of(norm, method):
    X = TfidfVectorizer(norm=norm).fit_transform([" ".join(TEXTS), *TEXTS])
    for given in (X, X.toarray(), X.astype(np.float32)):
        with pytest.warns(UserWarning, match="tf-idf.*CountVectorizer"):
            getattr(small_lda(), method)(given)
    lda = small_lda().partial_fit(CountVectorizer().fit_transform(TEXTS))
    with pytest.warns(UserWarning, match="tf-idf"):
        lda.partial_fit(TfidfVectorizer(norm=norm).fit_transform(TEXTS))


def test_tfidf_in_chunks_is_warned_of_once():
    X = TfidfVectorizer().fit_transform(20 * TEXTS)
    with pytest.warns(UserWarning, match="tf-idf") as caught:
        small_lda().fit([X[:30], X[30:]])
    assert len(caught) == 1


@pytest.mark.parametrize("scale", [1, 1.0, 0.5, 0.25, 0.1, 1 / 3])
def test_weighted_counts_are_not_warned_of(scale):
    pairs = sp.csr_matrix(np.kron(np.eye(30), [1, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small_lda().fit(corpus() * scale)
        small_lda().fit(pairs * 0.5)  # two halves a row


@pytest.mark.parametrize("method", ["online", "batch"])
def test_weights_of_less_than_a_document_per_topic_are_warned_of(method):
    X, lda = corpus(60), small_lda(n_components=5, max_iter=2, learning_method=method)
    said = "has the sum 1, so 60 documents count as 1, for 5 topics.* divide them by their mean$"
    with pytest.warns(UserWarning, match=said) as caught:
        lda.fit(X, sample_weight=np.full(60, 1 / 60))
    assert caught[0].filename == __file__
    few = np.where(np.arange(60) < 4, 1.0, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda.fit(X, sample_weight=np.full(60, 5 / 60 + 1e-9))
        ratios = np.random.RandomState(0).rand(20)
        assert (ratios / ratios.mean()).sum() < 20  # by rounding
        lda.set_params(n_components=20).fit(X[:20], sample_weight=ratios / ratios.mean())
        lda.set_params(n_components=5)
        lda.fit(X, sample_weight=few)  # the corpus is no larger
        lda.fit(X[:4])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"learning_method": "batch"}, {"tempering": "vt"}, {"topic_word_prior": "auto"}],
    ids=str,
)
def test_counts_that_vanish_are_no_words(parameters, dtype):
    X = np.full((3, 8), 1e-300)
    lda = small_lda(dtype=dtype, **parameters)
    with pytest.raises(ValueError, match="X has no words: all 3 rows are empty"):
        lda.fit(X)
    words = np.arange(24.0).reshape(3, 8)
    assert learned_state(small_lda(**parameters).fit(words + X)) == learned_state(
        small_lda(**parameters).fit(words)
    )
    model = lda.fit(words)
    with pytest.raises(ValueError, match="X has no words"):
        model.elbo(X)
    with pytest.raises(ValueError, match="no document with two tokens"):
        model.score(X)


def test_counts_that_vanish_leave_those_given_alone(tmp_path):
    X = sp.csr_matrix(np.where(np.eye(8) > 0, 1e-300, 3.0))
    small_lda().fit(X)
    assert (X.diagonal() == 1e-300).all()
    write_corpus(tmp_path / "X.mtx", X)
    assert (read_corpus(tmp_path / "X.mtx").counts.diagonal() == 1e-300).all()
    assert np.isfinite(perplexity(fitted(), 1e-300 + corpus().toarray()))


@pytest.mark.filterwarnings("ignore:.*topics are nearly the same")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bound_of_short_documents_under_many_topics(dtype):
    X, K, alpha = np.random.RandomState(0).poisson(1, (60, 17)), 500, 0.006
    lda = TemperedLDA(
        K,
        max_iter=1,
        dtype=dtype,
        doc_topic_prior=alpha,
        inference="vb",
        mean_change_tol=1.0,  # before a topic has most of a document
        random_state=0,
    ).fit(X)
    short = np.eye(17)[:3]
    gamma = lda.transform(short).astype(float) * (K * alpha + 1)
    lambda_, eta = lda.components_.astype(float), lda.topic_word_prior_
    weights = np.exp(psi(gamma) - psi(K * alpha + 1)) @ np.exp(
        psi(lambda_) - psi(lambda_.sum(axis=1, keepdims=True))
    )
    documents = np.log(weights[range(3), range(3)]).sum() - kl(gamma, np.full(K, alpha))
    expected = (documents - kl(lambda_, np.full(17, eta))) / 3
    assert_allclose(lda.elbo(short), expected, rtol=1e-4)


def kl(a, b):
    """Divergence of Dirichlet distributions, summed over the rows of a."""
    total = a.sum(axis=1)
    terms = gammaln(b) - gammaln(a) + (a - b) * (psi(a) - psi(total)[:, None])
    return (gammaln(total) - gammaln(b.sum()) + terms.sum(axis=1)).sum()


# Names of columns

WORDS = [f"w{v:02d}" for v in range(60)]
COLUMNS = {word: np.int64(column) for column, word in enumerate(WORDS)}


class Dictionary(Mapping):
    """Goes from a number to a word, like that of gensim."""

    def __getitem__(self, column):
        return WORDS[column]

    def __iter__(self):
        return iter(reversed(range(60)))

    def __len__(self):
        return 60


NAMES = {
    "list": lambda: WORDS,
    "array": lambda: np.array(WORDS),
    "index": lambda: series(WORDS).set_axis(WORDS).index,
    "vocabulary_": lambda: dict(sorted(COLUMNS.items(), reverse=True)),
    "columns": lambda: dict(enumerate(WORDS)),
    "dictionary": Dictionary,
    "vectorizer": lambda: CountVectorizer(vocabulary=WORDS),
    "fitted vectorizer": lambda: CountVectorizer().fit(WORDS),
}
every_form = pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)


@every_form
def test_names_in_any_form(names, tmp_path):
    lda = fitted()
    assert lda.top_words(5, names()) == lda.top_words(5, WORDS)
    assert lda.prepare_pyldavis(corpus(), names())["vocab"].tolist() == WORDS
    lda.save(tmp_path / "model.npz", feature_names=names())
    assert load(tmp_path / "model.npz").feature_names_in_.tolist() == WORDS


def test_names_beside_an_array_are_not_missed_in_the_next(tmp_path):
    X = corpus().toarray()
    lda = small_lda().fit(X, feature_names=WORDS)
    lda.save(tmp_path / "model.npz")
    for model in (lda, lda.merge_topics([0, 1]), load(tmp_path / "model.npz")):
        model.transform(X)
        model.score(X)
        model.partial_fit(X)
    lda.set_params(warm_start=True).fit(X).transform(X)
    lda.fit(corpus(), feature_names=WORDS, validation_X=X)
    with pytest.raises(ValueError, match="60 features"):
        lda.transform(X[:, 1:])


def test_two_columns_of_one_name_are_told():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = pandas.DataFrame(corpus().toarray(), columns=["cat", "dog", "cat", *map(str, range(57))])
    message = r"X has more than one column 'cat'.*by X\.T\.groupby\(level=0, sort=False\)\.sum"
    lda = small_lda()
    for use in (lda.fit, lda.partial_fit, fitted().transform, lambda X: coherence(fitted(), X)):
        with pytest.raises(ValueError, match=message):
            use(X)
    assert not hasattr(lda, "components_")
    summed = lda.fit(X.T.groupby(level=0, sort=False).sum().T)
    assert summed.n_features_in_ == 59
    with pytest.raises(ValueError, match=message):  # and not that other columns are missing
        summed.transform(X)
    numbered = X.set_axis([0, *range(59)], axis=1)
    with pytest.raises(ValueError, match="X has more than one column 0, and"):
        lda.fit(numbered, feature_names=WORDS)


def test_a_lazy_frame_is_told_to_be_collected():
    lazy = pytest.importorskip("polars").DataFrame(corpus().toarray()).lazy()
    scores = [lambda X: coherence(fitted(), X), lambda X: compare_n_components(X, [2, 3])]
    for use in (small_lda().fit, fitted().transform, *scores):
        with pytest.raises(TypeError, match=r"X is a LazyFrame; give X\.collect\(\)"):
            use(lazy)


def test_names_of_a_data_frame_are_missed_in_an_array(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=WORDS)
    lda = small_lda(warm_start=True).fit(frame, feature_names=WORDS)
    lda.save(tmp_path / "model.npz")
    for model in (lda, lda.merge_topics([0, 1]), load(tmp_path / "model.npz")):
        with pytest.warns(UserWarning, match="valid feature names"):
            model.transform(frame.to_numpy())
    lda.fit(frame.to_numpy())
    with pytest.warns(UserWarning, match="valid feature names"):
        lda.transform(frame.to_numpy())
    of_array = small_lda().fit(frame.to_numpy(), feature_names=WORDS)
    with pytest.raises(ValueError, match="feature names should match"):
        of_array.transform(frame[WORDS[::-1]])


def test_names_in_place_of_numbers_of_frames_in_chunks():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=range(100, 160))
    chunks = Again(frame[:70], frame[70:])
    numbers = [str(number) for number in frame.columns]
    assert small_lda().fit(chunks).feature_names_in_.tolist() == numbers
    lda = small_lda(shuffle=False).fit(chunks, feature_names=WORDS)
    assert lda.feature_names_in_.tolist() == WORDS
    assert learned_state(lda) == learned_state(small_lda(shuffle=False).fit(corpus()))


@every_form
def test_names_in_any_form_in_files(names, tmp_path):
    save_corpus(tmp_path / "corpus", corpus(), names())
    assert open_corpus(tmp_path / "corpus").feature_names.tolist() == WORDS
    write_corpus(tmp_path / "corpus.mtx", corpus(), feature_names=names())
    assert read_corpus(tmp_path / "corpus.mtx").feature_names.tolist() == WORDS


def test_names_of_a_gensim_dictionary():
    corpora = pytest.importorskip("gensim.corpora", reason="gensim is not installed")
    dictionary = corpora.Dictionary([WORDS])
    words = [dictionary[column] for column in range(60)]
    assert fitted().top_words(5, dictionary) == fitted().top_words(5, words)


FORMS = "must be a sequence of names.*vocabulary_.*vectorizer; got"


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ("w" * 60, TypeError, f"{FORMS} str"),
        (set(WORDS), TypeError, f"{FORMS} set"),
        (iter(WORDS), TypeError, f"{FORMS} list_iterator"),
        (7, TypeError, f"{FORMS} int"),
        ([[word] for word in WORDS], TypeError, f"{FORMS} list"),
        (dict.fromkeys(WORDS, "a"), TypeError, f"{FORMS} dict"),
        ({1: 0, 0: 1}, TypeError, f"{FORMS} dict"),
        (dict.fromkeys(WORDS, 0), TypeError, f"{FORMS} dict"),
        ({**{word: v for v, word in enumerate(WORDS[1:])}, "a": "b"}, TypeError, f"{FORMS} dict"),
        ({word: v + 1 for v, word in enumerate(WORDS)}, ValueError, "no name for column 0"),
        (WORDS[:5], ValueError, "must have 60 names, one for each column, got 5"),
        (dict(enumerate(WORDS[:5])), ValueError, "must have 60 names, one for each column, got 5"),
        (CountVectorizer(vocabulary=["a"]), ValueError, "must have 60 names.*got 1"),
    ],
)
def test_names_that_are_none(names, error, message):
    with pytest.raises(error, match=f"feature_names .*{message}|feature_names.*{message}"):
        fitted().top_words(5, names)


def test_numbers_in_place_of_words_are_warned_of():
    with pytest.warns(UserWarning, match="no names for its columns.*give feature_names"):
        numbers = fitted().top_words(5)
    assert numbers == fitted().top_words(5, range(60))
