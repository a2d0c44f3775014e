"""Sparse matrices whose arrays lie, or have more room than they use, in every format."""

import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone

from topictemper import TemperedLDA
from topictemper.datasets import read_corpus, save_corpus, to_gensim, write_corpus
from topictemper.factorial import BinarySparseCoding, FactorialMixture, SigmoidBeliefNetwork
from topictemper.lda import _counts_mixin
from topictemper.metrics import coherence, perplexity
from topictemper.mixture import DPGaussianMixture

from ..small_lda import corpus, fitted, learned_state, small_lda

USES = ("transform", "score", "perplexity", "elbo", "document_temperatures", "top_documents")
FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")


def counts(format="csr", dtype=np.int32):
    """The corpus with arrays that may be spoilt."""
    return corpus(40).astype(dtype).asformat(format, copy=True)


def with_arrays(X, **arrays):
    for name, array in arrays.items():
        setattr(X, name, array)
    return X


def pointing(X, entry=10**6):
    X.indptr[3] = entry
    return X


def lil_with(column):
    X = counts("lil")
    X.rows[0][0] = column
    return X


LIES = {
    "indices too short": (
        lambda: with_arrays(counts(), indices=counts().indices[:10]),
        "CSR.*10 i",
    ),
    "data too short": (lambda: with_arrays(counts(), data=counts().data[:10]), "CSR.*10 values"),
    "indptr too short": (
        lambda: with_arrays(counts(), indptr=np.array([0, 10], np.int32)),
        "got 2",
    ),
    "indptr too long": (lambda: with_arrays(counts(), indptr=np.zeros(50, np.int32)), "got 50"),
    "indptr falls": (lambda: pointing(counts(), 0), "CSR.*indptr must rise from 0"),
    "indptr below 0": (lambda: pointing(counts(), -5), "CSR.*indptr must rise from 0"),
    "indptr ends late": (
        lambda: with_arrays(counts(), indptr=np.append(counts().indptr[:-1], 10**6)),
        "indptr ends at 1000000, but there are",
    ),
    "column": (lambda: with_arrays(counts(), indices=counts().indices + 60), r"column \d+ of 60"),
    "column below 0": (
        lambda: with_arrays(counts(), indices=counts().indices - 60),
        r"row 0 has an entry in column -\d+ of 60",
    ),
    "indptr of numbers": (
        lambda: with_arrays(counts(), indptr=np.zeros(41)),
        "indptr must be an arr",
    ),
    "indices of text": (lambda: with_arrays(counts(), indices=np.array(["a"])), "indices must be"),
    "indices in a list": (
        lambda: with_arrays(counts(), indices=[1, 2]),
        "indices must be an array",
    ),
    "two-dimensional": (lambda: with_arrays(counts(), data=np.ones((2, 2))), "of 1 dimensions"),
    "one-dimensional": (lambda: sp.coo_array(np.ones(60)), "must be a 2D array"),
    "csc": (lambda: pointing(counts("csc")), "CSC.*indptr must rise from 0"),
    "csc row": (lambda: with_arrays(counts("csc"), indices=counts("csc").indices + 40), "of 40"),
    "bsr": (lambda: pointing(sp.bsr_matrix(counts(), blocksize=(2, 2))), "BSR.*indptr must rise"),
    "bsr blocks": (
        lambda: with_arrays(sp.bsr_matrix(counts()), data=np.ones((4, 7, 7))),
        "blocks of 7 x 7 do not fill",
    ),
    "coo": (lambda: with_arrays(counts("coo"), coords=(counts("coo").row + 40,) * 2), "in row"),
    "coo column": (
        lambda: with_arrays(counts("coo"), coords=(counts("coo").row, counts("coo").col - 60)),
        r"in column -\d+ of 60",
    ),
    "coo lengths": (lambda: with_arrays(counts("coo"), data=np.ones(5)), "COO.*5 values"),
    "dia": (lambda: with_arrays(counts("dia"), offsets=np.arange(3)), "as many different offsets"),
    "dia far away": (
        lambda: with_arrays(counts("dia"), offsets=counts("dia").offsets + 10**8),
        "offsets must be from -39 to 59",
    ),
    "lil": (lambda: with_arrays(counts("lil"), rows=counts("lil").rows[::-1]), "LIL.*row"),
    "lil column": (lambda: lil_with(60), "LIL.*columns must be whole numbers from 0 to 59"),
    "lil negative": (lambda: lil_with(-1), "LIL.*columns must be whole numbers from 0 to 59"),
    "lil fraction": (lambda: lil_with(1.5), "LIL.*columns must be whole numbers from 0 to 59"),
}


@pytest.mark.parametrize(("lie", "message"), LIES.values(), ids=LIES)
def test_matrix_that_lies(lie, message):
    for estimator in (small_lda(), small_lda().partial_fit(corpus(40))):
        for method in ("fit", "partial_fit"):
            with pytest.raises(ValueError, match=message):
                getattr(estimator, method)(lie())
    for method in USES:
        with pytest.raises(ValueError, match=message):
            getattr(fitted(), method)(lie())


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32", "longdouble"]
)
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_matrix_that_lies_is_not_converted_first(dtype, format):
    with pytest.raises(ValueError, match="indptr must rise"):
        small_lda().fit(pointing(counts(format, dtype)))


TAKERS = {
    "validation_X": lambda X, path: small_lda().fit(corpus(), validation_X=X),
    "chunks": lambda X, path: small_lda().fit([corpus(), X]),
    "coherence": lambda X, path: coherence(fitted(), X),
    "perplexity": lambda X, path: perplexity(fitted(), X),
    "save_corpus": lambda X, path: save_corpus(path, X),
    "write_corpus": lambda X, path: write_corpus(path.with_suffix(".mtx"), X),
    "to_gensim": lambda X, path: to_gensim(X),
}


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
def test_whatever_takes_counts_refuses_one_that_lies(take, tmp_path):
    with pytest.raises(ValueError, match="no valid CSR matrix: indptr must rise"):
        take(pointing(counts(dtype=np.int16)), tmp_path / "corpus")


@pytest.mark.parametrize(
    "model",
    [
        FactorialMixture(2, max_iter=3, final_sweeps=2),
        BinarySparseCoding(2, max_iter=2),
        SigmoidBeliefNetwork(2, max_iter=2),
        DPGaussianMixture(2, max_iter=1000),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("format", FORMATS)
def test_estimators_of_dense_data_refuse(model, format):
    data = (np.random.RandomState(0).rand(30, 60) > 0.5).astype(float)
    model = clone(model).fit(data)
    X = sp.csr_matrix(data).asformat(format)
    lying = pointing(X.copy()) if hasattr(X, "indptr") else X
    for method in ("fit", "transform", "predict", "score", "inverse_transform"):
        for given in (X, lying):
            if hasattr(model, method):
                with pytest.raises(TypeError, match="Sparse data was passed"):
                    getattr(model, method)(given)


# Odd, but sound


@pytest.mark.parametrize("format", ["csr", "csc", "bsr"])
def test_room_that_is_not_in_use_does_not_count(format):
    X = counts(format)
    roomy = with_arrays(
        X.copy(),
        data=np.concatenate([X.data, np.full_like(X.data, 9)]),
        indices=np.concatenate([X.indices, np.zeros(500, X.indices.dtype)]),
    )
    lda = fitted()
    assert lda.elbo(roomy) == lda.elbo(X)
    assert lda.score(roomy) == lda.score(X)
    assert learned_state(small_lda().fit(roomy)) == learned_state(small_lda().fit(X))
    assert len(roomy.data) == 2 * len(X.data)  # that of the caller is left alone


@pytest.mark.parametrize("method", ["online", "batch"])
def test_room_is_no_word(method):
    empty = with_arrays(sp.csr_matrix((5, 20)), data=np.ones(9), indices=np.zeros(9, np.int32))
    with pytest.raises(ValueError, match="X has no words: all 5 rows are empty"):
        small_lda(learning_method=method).fit(empty)


@pytest.mark.parametrize("types", [("i8", "i4"), ("i4", "i8"), ("u2", "u1"), (">i4", ">i8")])
@pytest.mark.parametrize("format", ["csr", "csc", "bsr"])
def test_index_arrays_of_any_types(format, types):
    X = counts(format)
    odd = with_arrays(
        X.copy(), indptr=X.indptr.astype(types[0]), indices=X.indices.astype(types[1])
    )
    assert_array_equal(fitted().transform(odd), fitted().transform(X))
    assert learned_state(small_lda().fit(odd)) == learned_state(small_lda().fit(X))


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_the_dense_matrix(format):
    X = counts(format)
    assert_array_equal(fitted().transform(X), fitted().transform(X.toarray()))


def test_arrays_with_gaps():
    X = counts()
    spread = {name: np.repeat(getattr(X, name), 2)[::2] for name in ("data", "indices", "indptr")}
    assert_array_equal(fitted().transform(with_arrays(X.copy(), **spread)), fitted().transform(X))


def test_more_columns_than_words_can_have():
    X = sp.csr_matrix(([1.0, 1.0], [0, 2**31 + 5], [0, 1, 2]), shape=(2, 2**31 + 10))
    with pytest.raises(ValueError, match="X has 2147483658 columns; at most 2147483647"):
        TemperedLDA(1, max_iter=1).fit(X)
    X.indptr, X.indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
    with pytest.raises(ValueError, match="X has 2147483658 columns; at most 2147483647"):
        TemperedLDA(1, max_iter=1).partial_fit(X)


# Random lies, in a process of their own: a wrong pointer would end it


def test_random_arrays_never_kill_the_process():
    script = Path(__file__).with_name("lying_matrices.py")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", script], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_order_of_the_words_of_a_row_changes_nothing():
    X = corpus(60).astype(np.float64)
    other = X @ sp.eye_array(X.shape[1], format="csr")
    other.indices[:] = np.concatenate([part[::-1] for part in np.split(X.indices, X.indptr[1:-1])])
    other.data[:] = np.concatenate([part[::-1] for part in np.split(X.data, X.indptr[1:-1])])
    other.has_sorted_indices = False
    assert (other != X).nnz == 0
    before = other.indices.copy()
    assert_array_equal(small_lda().fit(other).components_, small_lda().fit(X).components_)
    assert fitted().score(other) == fitted().score(X)
    assert perplexity(fitted(), other) == perplexity(fitted(), X)
    assert_array_equal(other.indices, before)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32, np.float32])
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_words_given_token_by_token_are_their_counts(format, dtype, tmp_path):
    X = corpus(60) * np.int32(50)  # more than a byte holds
    rows, words = np.repeat(X.tocoo().coords, X.data, axis=1)
    if format == "coo":
        tokens = sp.coo_array((np.ones(len(words), dtype), (rows, words)), shape=X.shape)
    else:
        major, minor = (rows, words) if format == "csr" else (words, rows)
        order = np.argsort(major, kind="stable")
        indptr = np.searchsorted(major[order], np.arange(X.shape[format == "csc"] + 1))
        arrays = np.ones(len(words), dtype), minor[order], indptr.astype(np.int32)
        tokens = (sp.csr_array if format == "csr" else sp.csc_array)(arrays, shape=X.shape)
    assert_array_equal(small_lda().fit(tokens).components_, small_lda().fit(X).components_)
    assert fitted().score(tokens, inference="gibbs") == fitted().score(X, inference="gibbs")
    assert perplexity(fitted(), tokens) == perplexity(fitted(), X)
    assert coherence(fitted(), tokens) == coherence(fitted(), X)
    assert tokens.nnz == len(words)
    write_corpus(tmp_path / "corpus.uci", tokens)
    assert_array_equal(read_corpus(tmp_path / "corpus.uci").counts.toarray(), X.toarray())
    sp.save_npz(tmp_path / "corpus.npz", tokens)
    assert_array_equal(read_corpus(tmp_path / "corpus.npz").counts.toarray(), X.toarray())


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_documents_that_come_one_by_one_need_no_conversion(monkeypatch, kind):
    """scikit-learn's checks would take longer than all the rest."""
    X = corpus(61)
    lda = small_lda(total_samples=61).partial_fit(X[:1])
    expected = deepcopy(lda).partial_fit(X[1:])
    monkeypatch.setattr(_counts_mixin, "check_array", None)
    lda.partial_fit(kind(X[[d]]) for d in range(1, 61))
    assert_array_equal(lda.components_, expected.components_)
    assert_array_equal(lda.transform(kind(X)), expected.transform(X))
    with pytest.raises(ValueError, match="X has 3 features, but TemperedLDA is expecting"):
        lda.transform(kind(X[:, :3]))
