import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from topictemper._core._gather import hash_rows
from topictemper._core._reference.special import GOLDEN, mix64
from topictemper._utils._hashing import hash_dense_rows, hash_sparse_rows, splitmix64
from topictemper.lda._minibatch import Gatherer


def test_splitmix64_is_that_of_the_kernels():
    values = np.random.RandomState(0).randint(0, 2**63, 100, np.uint64)
    assert splitmix64(values).tolist() == [mix64(int(value) + GOLDEN) for value in values]
    # The first numbers of the published generator for the seed 0.
    counter = np.arange(3, dtype=np.uint64) * np.uint64(GOLDEN)
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert splitmix64(counter).tolist() == first


def test_rows_of_a_sparse_matrix():
    X = sp.random(50, 20, 0.3, format="csr", random_state=0)
    hashes = hash_sparse_rows(X.indptr, X.indices, X.data)
    assert len(np.unique(hashes)) == 50
    rows = X[[7, 3]]
    assert_array_equal(hash_sparse_rows(rows.indptr, rows.indices, rows.data), hashes[[7, 3]])
    row = X[7]
    backwards = hash_sparse_rows(row.indptr, row.indices[::-1], row.data[::-1])
    assert_array_equal(backwards, hashes[7:8])


def test_stored_zeros_are_not_hashed_and_ones_are():
    indptr, columns = np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2])
    one, zero, other = hash_sparse_rows(indptr, columns, np.array([1.0, 2, 0, 2, 1, 2]))
    assert len({one, zero, other}) == 3
    assert zero == hash_sparse_rows(np.array([0, 1]), np.array([1]), np.array([2.0]))[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_documents_of_a_minibatch_are_hashed_as_rows(dtype):
    X = sp.random(50, 20, 0.3, format="csr", random_state=0, dtype=dtype)
    batch = Gatherer(X, dtype).rows(np.array([7, 3, 3, 40]))
    hashes = hash_rows(batch.doc_ptr, batch.word_of, batch.counts, batch.words)
    assert_array_equal(hashes, hash_sparse_rows(X.indptr, X.indices, X.data)[[7, 3, 3, 40]])
    nothing = Gatherer(X, dtype).rows(np.zeros(0, dtype=np.int64))
    assert len(nothing.hashes()) == 0


def test_rows_of_an_array():
    X = np.random.RandomState(0).randint(0, 3, (2000, 4)).astype(float)
    hashes = hash_dense_rows(X)
    assert len(np.unique(hashes)) == len(np.unique(X, axis=0))
    assert_array_equal(hash_dense_rows(X[::-1]), hashes[::-1])
    assert_array_equal(hash_dense_rows(np.array([[-0.0]])), hash_dense_rows(np.array([[0.0]])))
