"""Parts of matrices, and what is counted in them."""

import numpy as np
import pytest
import scipy.sparse as sp

from topictemper._utils import _chunks

# Rows of a zero, of a count, of two zeros, of nothing, and of a count.
X = sp.csr_array((np.array([0, 2, 0, 0, 3]), [1, 0, 0, 2, 2], [0, 1, 2, 4, 4, 5]), shape=(5, 3))


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_parts_are_all_rows_in_order(monkeypatch, at_once):
    monkeypatch.setattr(_chunks, "_MOST_ROWS", at_once)
    parts = list(_chunks.parts(X))
    assert max(part.shape[0] for part in parts) == at_once
    assert (sp.vstack(parts).toarray() == X.toarray()).all()
    assert (parts[0] is X) == (at_once == 5)
    assert _chunks.row_sums(X).tolist() == [0, 2, 0, 0, 3]
    assert _chunks.n_empty_rows(X) == 3


def test_the_mean_length_is_that_of_the_documents_that_are_learned_from(monkeypatch):
    chunks = _chunks.Chunks([X[:1].astype(np.float32), X[1:3], X[3:]], lambda chunk, reset: chunk)
    assert _chunks.mean_length(chunks) == 1.0
    some = np.array([1, 3, 4])
    assert _chunks.mean_length(X, some) == pytest.approx(5 / 3)
    assert _chunks.mean_length(X, some, np.array([9.0, 2, 0, 1, 0.5])) == pytest.approx(5.5 / 3.5)
    monkeypatch.delattr(_chunks, "row_sums")  # which take as long as all checks of X
    assert _chunks.mean_length(X, np.arange(5)) == 1.0


def test_parts_of_as_many_entries_as_int32_counts():
    class Counts:
        indptr = np.linspace(0, 2**31 - 1, 10_001).astype(np.int32)
        shape = (10_000, 3)

        def __getitem__(self, rows):
            return rows

    slices = list(_chunks.parts(Counts()))
    assert slices[-1] == slice(9998, 10_000)  # two rows as everywhere
    assert len(slices) == 5000


def test_parts_of_rows_without_words():
    X = sp.csr_array((50_000, 3), dtype=np.int32)
    rows = [part.shape[0] for part in _chunks.parts(X)]
    assert sum(rows) == 50_000
    assert max(rows) <= 2**14  # proportions of all rows at once may take more than the memory
