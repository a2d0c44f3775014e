"""Lazy prediction: the same bits as in one process, for every kind of block."""

import dask
import dask.array as da
import dask.bag as db
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from topictemper import TemperedLDA, TopicModel
from topictemper.dask import document_temperatures, perplexity, score, transform
from topictemper.factorial import FactorialMixture

from .documents import N_WORDS, array_of, array_with, counts, parts


@pytest.fixture(scope="module", autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def lda():
    return TemperedLDA(4, max_iter=3, batch_size=20, random_state=0).fit(counts())


def pydata():
    sparse = pytest.importorskip("sparse")
    return da.from_array(sparse.COO.from_scipy_sparse(counts()), chunks=(80, N_WORDS))


def data_frames(columns):
    pandas, dd = map(pytest.importorskip, ("pandas", "dask.dataframe"))
    return dd.from_pandas(pandas.DataFrame(columns), npartitions=3)


COLLECTIONS = {
    "CSR": lambda: array_of(parts(rows=70), known=True),
    "unknown lengths": lambda: array_of(parts(rows=70)),
    "empty blocks": lambda: array_of([counts()[:0], *parts(rows=110), counts()[:0]]),
    "dense": lambda: da.from_array(counts().toarray(), chunks=(64, N_WORDS)),
    "data frames": lambda: data_frames(counts().toarray()),
    "pydata/sparse": pydata,
}


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_the_same_bits(lda, kind):
    X, lazy = counts(), COLLECTIONS[kind]()
    theta = transform(lda, lazy)
    assert isinstance(theta, da.Array)
    assert (theta.dtype, theta.shape[1]) == (np.float32, 4)
    assert (theta.compute() == lda.transform(X)).all()
    tempered = transform(lda, lazy, tempered=True).compute()
    assert (tempered == lda.transform(X, tempered=True)).all()
    assert float(score(lda, lazy)) == lda.score(X)
    assert float(score(lda, lazy, tempered=True)) == lda.score(X, tempered=True)
    gibbs = {"inference": "gibbs"}
    assert float(score(lda, lazy, **gibbs)) == lda.score(X, **gibbs)
    assert float(perplexity(lda, lazy, **gibbs)) == lda.perplexity(X, **gibbs)
    assert float(perplexity(lda, lazy)) == lda.perplexity(X)
    temperatures = document_temperatures(lda, lazy).compute()
    assert (temperatures == lda.document_temperatures(X)).all()


def test_invalid_ways_are_refused_before_anything_is_computed(lda):
    for function in (score, perplexity):
        with pytest.raises(ValueError, match="inference must be one of"):
            function(lda, COLLECTIONS["CSR"](), inference="sampling")
        with pytest.raises(ValueError, match="'gibbs' is at T = 1"):
            function(lda, COLLECTIONS["CSR"](), inference="gibbs", tempered=True)


def test_lengths_are_kept():
    lda = TemperedLDA(2, max_iter=1).fit(counts())
    assert transform(lda, COLLECTIONS["CSR"]()).chunks == ((70, 70, 70, 70, 20), (2,))
    assert np.isnan(transform(lda, COLLECTIONS["unknown lengths"]()).shape[0])
    assert score(lda, COLLECTIONS["CSR"]()).shape == ()


def test_nothing_is_computed_before_it_is_asked_for(lda):
    def loaded(block):
        raise AssertionError("too early")

    lazy = array_with(1, loaded)
    for result in (transform(lda, lazy), score(lda, lazy), document_temperatures(lda, lazy)):
        with pytest.raises(AssertionError, match="too early"):
            result.compute()


def test_scores_of_long_documents_and_of_weights(lda):
    """Halving draws other random numbers for them, which blocks after them have to skip."""
    X = counts().astype(np.float64)
    X = sp.vstack([X[:60] * 0.75, X[60:100] * 2**18, X[100:]], format="csr")
    assert float(score(lda, array_of(parts(X, rows=35)))) == pytest.approx(lda.score(X), rel=1e-14)
    whole = sp.vstack([X[60:100], counts()[100:]], format="csr")
    assert float(score(lda, array_of(parts(whole, rows=35)))) == lda.score(whole)


@pytest.mark.parametrize("kind", ["CSR", "unknown lengths", "empty blocks"])
def test_weights_of_documents_in_scores(lda, kind):
    X, lazy = counts(), COLLECTIONS[kind]()
    weights = np.arange(X.shape[0]) % 3 * 0.5
    expected = lda.score(X, None, weights)
    assert expected != lda.score(X)
    for given in (weights, weights.tolist(), da.from_array(weights, chunks=33)):
        assert float(score(lda, lazy, sample_weight=given)) == expected
    found = perplexity(lda, lazy, sample_weight=weights)
    assert float(found) == lda.perplexity(X, None, weights)


def test_weights_of_documents_in_a_column(lda):
    X, weights = counts(), np.arange(300) % 3 * 0.5
    column = data_frames({"weight": weights})["weight"]
    found = score(lda, COLLECTIONS["unknown lengths"](), sample_weight=column)
    assert float(found) == lda.score(X, None, weights)


def test_weights_of_scores_are_checked(lda):
    lazy = COLLECTIONS["CSR"]()
    for function in (score, perplexity):
        with pytest.raises(ValueError, match=r"sample_weight must be >= 0, got -1\.0 for row 0"):
            function(lda, lazy, sample_weight=-np.ones(300))
        with pytest.raises(ValueError, match="one weight for each of the 300 rows"):
            function(lda, lazy, sample_weight=np.ones(299))
    for wrong in (np.ones(299), da.ones(299)):
        with pytest.raises(ValueError, match="one weight for each of the 300 rows"):
            score(lda, COLLECTIONS["unknown lengths"](), sample_weight=wrong).compute()


def test_a_file(lda, tmp_path):
    lda.save(tmp_path / "model.npz")
    lazy = array_of(parts())
    assert (transform(tmp_path / "model.npz", lazy).compute() == lda.transform(counts())).all()
    assert float(score(str(tmp_path / "model.npz"), lazy)) == lda.score(counts())


TEXTS = ("a cat and a dog", "the dog ate", "cat", "fish and dog", "fish fish", "") * 20


@pytest.fixture(scope="module")
def pipeline():
    return make_pipeline(CountVectorizer(), TemperedLDA(2, max_iter=2, random_state=0)).fit(TEXTS)


@pytest.mark.filterwarnings("ignore:.* no word of the vocabulary")
class TestText:
    """Anything with a `transform`, of anything."""

    def test_a_bag(self, pipeline):
        bag = db.from_sequence(TEXTS, npartitions=7)
        theta = transform(pipeline, bag)
        assert theta.shape[1] == 2
        assert (theta.compute() == pipeline.transform(TEXTS)).all()
        # A bag that is computed by iterators.
        bag = bag.map(str.upper).filter(bool)
        texts = [text.upper() for text in TEXTS if text]
        assert (transform(pipeline, bag).compute() == pipeline.transform(texts)).all()

    def test_a_column(self, pipeline):
        column = data_frames({"text": TEXTS})["text"]
        theta = transform(pipeline, column)
        assert (theta.compute() == pipeline.transform(TEXTS)).all()

    @pytest.mark.parametrize("kind", ["bag", "column"])
    def test_a_model_of_texts(self, tmp_path, kind):
        model = TopicModel(2, lda=TemperedLDA(max_iter=2), random_state=0).fit(TEXTS)
        model.save(tmp_path / "model.npz")
        counts = model.vectorizer_.transform(TEXTS)
        if kind == "column":
            texts = data_frames({"text": TEXTS})["text"]
        else:
            texts = db.from_sequence(TEXTS, npartitions=7)
        for fitted in (model, tmp_path / "model.npz"):
            assert (transform(fitted, texts).compute() == model.transform(TEXTS)).all()
            assert float(score(fitted, texts)) == model.score(TEXTS)
            found = document_temperatures(fitted, texts).compute()
            assert (found == model.lda_.document_temperatures(counts)).all()
        with pytest.raises(TypeError, match="block 1 of X: document 0 is neither a text"):
            score(model, db.from_sequence(["cat", 3], npartitions=2)).compute()

    def test_counts(self, pipeline):
        bag = db.from_sequence(TEXTS, npartitions=7)
        found = transform(pipeline[0], bag).compute()
        assert sp.issparse(found)
        assert (found != pipeline[0].transform(TEXTS)).nnz == 0

    def test_meta(self):
        class Lengths:
            def transform(self, texts):
                return np.array([[len(text)] for text in texts if text != ""])

        bag = db.from_sequence(["ab", "c"], npartitions=2)
        lengths = transform(Lengths(), bag, meta=np.empty((0, 1), np.int64))
        assert lengths.compute().tolist() == [[2], [1]]


@pytest.mark.parametrize(
    ("X", "error", "what"),
    [
        (counts, TypeError, "for a matrix in memory use the method of the model"),
        (lambda: da.zeros((4, N_WORDS), chunks=(2, 30)), ValueError, r"rechunk\({1: -1}\)"),
        (lambda: da.zeros(4, chunks=2), ValueError, "must have two dimensions"),
    ],
)
def test_bad_collections(lda, X, error, what):
    for predict in (transform, score, document_temperatures):
        with pytest.raises(error, match=what):
            predict(lda, X())


def test_a_bad_block_is_named(lda):
    lazy = array_with(3, lambda block: -block)
    for result in (transform(lda, lazy), score(lda, lazy), document_temperatures(lda, lazy)):
        with pytest.raises(ValueError, match=r"^Negative values .* block 3 of X: row"):
            result.compute()
    with pytest.raises(ValueError, match=r"^block 1 of X has 59 features"):
        transform(lda, array_with(1, lambda block: block[:, :-1])).compute()


class _OddError(ValueError):
    def __init__(self, what, why):
        super().__init__(f"{what}: {why}")


class _Odd:
    """A model that raises an error of its own for documents, but not for the empty example."""

    def transform(self, X):
        if X.sum():
            raise _OddError("transform", "odd")
        return np.zeros((X.shape[0], 2))


def test_a_bad_block_is_named_whatever_the_error_takes():
    with pytest.raises(ValueError, match="block 0 of X: transform: odd"):
        transform(_Odd(), array_of(parts()[:1])).compute()


def test_bad_models(lda):
    with pytest.raises(TypeError, match=r"has no out: write the result block by block"):
        transform(lda, array_of(parts()), out=np.zeros((5, 5)))
    with pytest.raises(TypeError, match="model must have a method transform"):
        transform(object(), array_of(parts()))
    with pytest.raises(ValueError, match="no document with two tokens"):
        score(lda, da.zeros((4, N_WORDS), chunks=(2, N_WORDS))).compute()
    with pytest.raises(OSError, match=r"missing\.npz"):
        transform("missing.npz", array_of(parts()))
    images = FactorialMixture(2, max_iter=2)
    for predict in (score, document_temperatures):
        with pytest.raises(TypeError, match=r"must be a topictemper.TemperedLDA .* FactorialMix"):
            predict(images, array_of(parts()))
        with pytest.raises(NotFittedError):
            predict(clone(lda), array_of(parts()))
