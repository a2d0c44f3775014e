"""`gather_rows` against its twin and against what SciPy makes of the same rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.sparse import csr_array

from topictemper._core._gather import gather_rows, sum_rows
from topictemper._core._reference import lda as _reference

N_COLUMNS = 9
FIELDS = _reference.Batch._fields


def gather(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    rows: NDArray[np.int64],
    n_columns: int = N_COLUMNS,
) -> _reference.Batch:
    slot = np.full(n_columns, -1, dtype=np.int32)
    batch = _reference.Batch(
        *gather_rows(indptr, indices, data, rows, slot, data.dtype != np.float64, True)
    )
    assert np.all(slot == -1)  # or the next minibatch would see this one's words
    return batch


@st.composite
def csr_rows(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Any CSR arrays, unsorted, with columns that repeat and with stored zeros, and any rows."""
    entries = st.tuples(st.integers(0, N_COLUMNS - 1), st.integers(0, 10**6))
    documents = draw(st.lists(st.lists(entries, max_size=8), min_size=1, max_size=6))
    flat = [entry for document in documents for entry in document]
    index = draw(st.sampled_from([np.int32, np.int64]))
    real = draw(st.sampled_from([np.float32, np.float64, np.int32, np.int64]))
    rows = draw(st.lists(st.integers(0, len(documents) - 1), max_size=8))
    return (
        np.cumsum([0] + [len(document) for document in documents]).astype(index),
        np.array([column for column, _ in flat], dtype=index),
        np.array([count for _, count in flat], dtype=real),
        np.array(rows, dtype=np.int64),
    )


@given(csr_rows())
@settings(derandomize=True, deadline=None)
def test_gather_rows_is_its_twin(
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    result, expected = gather(*arrays), _reference.gather_rows(*arrays)
    for name in FIELDS:
        assert_array_equal(getattr(result, name), getattr(expected, name), err_msg=name)
        if name != "counts":
            assert getattr(result, name).dtype == getattr(expected, name).dtype
    assert result.counts.dtype == (np.float64 if arrays[2].dtype == np.float64 else np.float32)


@given(csr_rows())
@settings(derandomize=True, deadline=None)
def test_both_orders_hold_the_same_counts(
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    indptr, indices, data, rows = arrays
    batch = gather(*arrays)
    shape = (len(rows), N_COLUMNS)
    matrix = csr_array((data, indices, indptr), shape=(len(indptr) - 1, N_COLUMNS))
    expected = matrix.toarray()[rows]

    by_document = csr_array((batch.counts, batch.words[batch.word_of], batch.doc_ptr), shape=shape)
    assert_array_equal(by_document.toarray(), expected)

    by_word = np.zeros(shape, dtype=data.dtype)
    for u, word in enumerate(batch.words):
        span = slice(batch.word_ptr[u], batch.word_ptr[u + 1])
        # `at`, since a document may name a word twice
        np.add.at(by_word[:, word], batch.word_doc[span], batch.counts[batch.word_pos[span]])
    assert_array_equal(by_word, expected)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_large_random_matrix(index: type) -> None:
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.05, size=(200, 300)) * rng.integers(1, 10**6, size=(200, 300))
    matrix = csr_array(dense.astype(np.float64))
    rows = rng.integers(0, 200, size=250)
    arrays = matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data, rows
    result, expected = gather(*arrays, n_columns=300), _reference.gather_rows(*arrays)
    for name in FIELDS:
        assert_array_equal(getattr(result, name), getattr(expected, name), err_msg=name)


VALID = {"indptr": [0, 2, 3], "indices": [0, 8, 4], "data": [1.0, 2.0, 3.0], "rows": [0, 1]}


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"indices": [0, 9, 4]}, "row 0 has column 9"),
        ({"indices": [0, 8, -1]}, "row 1 has column -1"),
        ({"indptr": [0, 4, 3]}, "row 0 is not"),  # falls, and points past the end
        ({"indptr": [0, 2, 4]}, "row 1 is not"),
        ({"indptr": [0, 2, 1]}, "row 1 is not"),
        ({"indptr": [-1, 2, 3]}, "row 0 is not"),
        ({"indptr": [0, 2]}, "row 1 is not"),
        ({"indices": [0, 8]}, "row 1 is not"),
        ({"data": [1.0, 2.0]}, "row 1 is not"),
        ({"rows": [0, 2]}, "row 2 is not"),
        ({"rows": [-1]}, "row -1 is not"),
    ],
)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_arrays_that_are_no_csr_matrix_are_refused(
    changed: dict[str, list[Any]], match: str, index: type
) -> None:
    arrays = VALID | changed
    slot = np.full(N_COLUMNS, -1, np.int32)
    with pytest.raises(ValueError, match=match):
        gather_rows(
            np.array(arrays["indptr"], index),
            np.array(arrays["indices"], index),
            np.array(arrays["data"]),
            np.array(arrays["rows"], np.int64),
            slot,
            True,
            True,
        )
    assert np.all(slot == -1)


def test_columns_beyond_int32_are_refused() -> None:
    # Cut to 32 bits they would be columns 5 and 2^31 + 5 - 2^32 < 0.
    for column in (2**32 + 5, 2**31 + 5):
        with pytest.raises(ValueError, match=f"has column {column}"):
            gather(*(np.array(x, np.int64) for x in ([0, 1], [column], [1], [0])))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_documents(dtype):
    values = np.random.RandomState(0).rand(9).astype(dtype)
    doc_ptr = np.array([0, 0, 4, 9, 9])
    sums = [0.0, values[:4].sum(dtype=float), values[4:].sum(dtype=float), 0.0]
    assert_allclose(sum_rows(doc_ptr, values), sums, rtol=1e-14)
    # In double precision, one after another: neighbors make no difference.
    assert sum_rows(doc_ptr[2:] - 4, values[4:])[0] == sum_rows(doc_ptr, values)[2]
    assert len(sum_rows(doc_ptr[:1], values[:0])) == 0
