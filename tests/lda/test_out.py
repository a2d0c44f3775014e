"""`transform` into an array that is given."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA
from topictemper._utils import _rows
from topictemper.lda import _prediction

from ..small_lda import corpus, fitted
from ..traced_memory import TracedMemory


def memory_mapped(path, shape, dtype=np.float32):
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)


@pytest.mark.parametrize("inference", ["mean_field", "collapsed", "gibbs"])
def test_the_same_proportions_stand_in_the_file(tmp_path, inference):
    X, lda = corpus(210), fitted()
    expected = lda.transform(X, inference=inference)
    out = memory_mapped(tmp_path / "theta.npy", expected.shape)
    assert lda.transform(X, inference=inference, out=out) is out
    assert_array_equal(np.load(tmp_path / "theta.npy"), expected)
    out[:] = 0
    chunks = (X[start : start + 50] for start in range(0, 210, 50))
    assert lda.transform(chunks, inference=inference, out=out) is out
    assert_array_equal(np.load(tmp_path / "theta.npy"), expected)


def test_learned_temperatures_and_double_precision():
    X = corpus(210)
    lda = TemperedLDA(4, max_iter=2, dtype="float64", random_state=0).fit(X)
    out = np.empty((210, 4))
    assert_array_equal(lda.transform(X, tempered=True, out=out), lda.transform(X, tempered=True))


def test_memory_does_not_grow_with_the_documents(tmp_path):
    with warnings.catch_warnings(action="ignore"):  # most topics are twins of others
        lda = TemperedLDA(64, max_iter=1, random_state=0).fit(corpus(210))
    X = corpus(20_000)
    out = memory_mapped(tmp_path / "theta.npy", (20_000, 64))
    lda.transform(X[:2000], out=out[:2000])
    with TracedMemory() as memory:
        lda.transform(X, out=out)
    assert memory.peak < out.nbytes  # buffers; without out it is twice as much


@pytest.mark.parametrize("inference", ["mean_field", "collapsed", "gibbs"])
def test_nothing_else_is_kept_for_each_topic_of_a_document(inference):
    with warnings.catch_warnings(action="ignore"):  # most topics are twins of others
        lda = TemperedLDA(600, max_iter=1, random_state=0).fit(corpus(210))
    X = corpus(4000)
    out = np.empty((4000, 600), np.float32)
    lda.transform(X[:10], inference=inference, out=out[:10])
    with TracedMemory() as memory:
        lda.transform(X, inference=inference, out=out)
    assert memory.peak < out.nbytes / 2


@pytest.mark.parametrize("inference", ["mean_field", "collapsed", "gibbs"])
def test_proportions_do_not_depend_on_how_many_are_found_at_once(monkeypatch, inference):
    X, lda = corpus(210), fitted()
    expected = lda.transform(X, inference=inference)
    monkeypatch.setattr(_prediction, "_MOST_IN_PLACE", 20 * expected.shape[1])
    assert_array_equal(lda.transform(X, inference=inference), expected)


def test_more_proportions_than_the_memory_holds(monkeypatch):
    X, lda, memory = corpus(210), fitted(), [210 * 4 * 4 - 1]
    monkeypatch.setattr(_rows, "usable_memory", lambda: (memory[0], "its container"))
    monkeypatch.setattr(_rows, "_SURELY_THERE", 0)
    needed = "the proportions of 4 topics in the 210 rows of X need 0.0 GiB, and its container has"
    with pytest.raises(ValueError, match=needed):
        lda.transform(X)
    expected = lda.transform(X, out=np.empty((210, 4), np.float32))
    memory[0] += 1
    assert_array_equal(lda.transform(X), expected)


def test_nobody_looks_whether_few_proportions_fit(monkeypatch):
    """That would take longer than all the rest, for one document."""
    monkeypatch.setattr(_rows, "usable_memory", None)
    assert fitted().transform(corpus(1)).shape == (1, 4)


def test_arrays_that_do_not_fit():
    X, lda = corpus(210), fitted()
    n_topics = len(lda.components_)
    good = np.zeros((210, n_topics), np.float32)
    locked = good.copy()
    locked.flags.writeable = False
    for out, error, message in (
        (good.tolist(), TypeError, "out must be a NumPy array.* got list"),
        (np.ma.masked_all_like(good), TypeError, "out must be a NumPy array.* got MaskedArray"),
        (good[:209], ValueError, rf"the shape \(210, {n_topics}\), not \(209, {n_topics}\)"),
        (good[:, 1:], ValueError, r"out must have the shape"),
        (good[0], ValueError, r"out must have the shape"),
        (good.astype(np.float64), ValueError, "the dtype float32, that of the model, not float64"),
        (np.asfortranarray(good), ValueError, "C-contiguous array that can be written to"),
        (locked, ValueError, "C-contiguous array that can be written to"),
    ):
        with pytest.raises(error, match=message):
            lda.transform(X, out=out)
    assert not good.any()


def test_other_numbers_of_rows_in_chunks():
    X, lda = corpus(210), fitted()
    out = np.zeros((100, len(lda.components_)), np.float32)
    with pytest.raises(ValueError, match="out has 100 rows, and X has more: at least 140"):
        lda.transform((X[:70], X[70:140], X[140:]), out=out)
    assert_array_equal(out[:70], lda.transform(X[:70]))
    assert not out[70:].any()
    with pytest.raises(ValueError, match="out has 100 rows, and X has 70; these are written"):
        lda.transform((X[:30], X[30:70]), out=out)


def test_documents_without_words_are_counted():
    lda = fitted()
    X = np.zeros((3, lda.n_features_in_))
    out = np.zeros((3, len(lda.components_)), np.float32)
    with pytest.warns(UserWarning, match="3 of 3 documents have no word"):
        lda.transform(X, out=out)
    with warnings.catch_warnings(action="ignore"):
        assert_array_equal(out, lda.transform(X))
