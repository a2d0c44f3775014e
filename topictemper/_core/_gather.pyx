"""Minibatches out of CSR matrices, and hashes of their documents."""

from cython cimport floating
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

cdef extern from *:
    """
    #define INLINE inline
    #include "splitmix.h"
    """
    const uint64_t GOLDEN
    uint64_t mix64(uint64_t value) noexcept nogil

ctypedef fused index_t:
    int32_t
    int64_t

ctypedef fused count_t:
    int32_t
    int64_t
    float
    double


def gather_rows(
    const index_t[::1] indptr,
    const index_t[::1] indices,
    const count_t[::1] data,
    const int64_t[::1] rows,
    int32_t[::1] slot,
    bint single,
    bint by_word,
):
    """Rows of a CSR matrix as a minibatch, with the same entries once more word by word.

    ``slot`` holds -1 for every column, before and after. Explicit zeros are left out. Counts of
    any type become float32 if ``single``, else float64. Unless ``by_word``, the last three arrays,
    which statistics need, are empty. Rows, entries and columns that are not there are a ValueError.
    """
    cdef Py_ssize_t n_rows = rows.shape[0], n_words = 0, nnz = 0, i, u, d, place
    cdef Py_ssize_t n_entries = min(indices.shape[0], data.shape[0])
    cdef uint64_t n_columns = min(slot.shape[0], <Py_ssize_t>1 << 31)  # int32 holds no more
    cdef bint outside = False
    cdef index_t j
    cdef int32_t word, found, is_new
    cdef int64_t[::1] doc_ptr = np.empty(n_rows + 1, dtype=np.int64)
    with nogil:
        for i in range(n_rows):
            if not (
                0 <= rows[i] < indptr.shape[0] - 1
                and 0 <= indptr[rows[i]] <= indptr[rows[i] + 1] <= n_entries
            ):
                outside = True
                break
            nnz += indptr[rows[i] + 1] - indptr[rows[i]]
    if outside:
        raise ValueError(f"row {rows[i]} is not in the CSR arrays")
    cdef int32_t[::1] word_of = np.empty(nnz, dtype=np.int32)
    counts = np.empty(nnz, dtype=np.float32 if single else np.float64)
    cdef float[::1] counts_f32
    cdef double[::1] counts_f64
    if single:
        counts_f32 = counts
    else:
        counts_f64 = counts
    cdef Py_ssize_t most_words = min(nnz, slot.shape[0])
    # One more, for the column that is written before it is known whether it is new.
    cdef int32_t[::1] words = np.empty(most_words + 1, dtype=np.int32)
    cdef int64_t[::1] word_ptr = np.zeros(most_words + 2, dtype=np.int64)
    with nogil:
        nnz = 0
        doc_ptr[0] = 0
        for i in range(n_rows):
            for j in range(indptr[rows[i]], indptr[rows[i] + 1]):
                if data[j] == 0:
                    continue
                if <uint64_t>indices[j] >= n_columns:  # negative columns are large ones here
                    outside = True
                    break
                word = <int32_t>indices[j]
                found = slot[word]
                is_new = found < 0  # which cannot be predicted: no branch
                words[n_words] = word
                found += is_new * (<int32_t>n_words + 1)
                slot[word] = found
                n_words += is_new
                word_of[nnz] = found
                word_ptr[found + 2] += 1
                if single:
                    counts_f32[nnz] = <float>data[j]
                else:
                    counts_f64[nnz] = <double>data[j]
                nnz += 1
            if outside:
                break
            doc_ptr[i + 1] = nnz
        for u in range(n_words):
            slot[words[u]] = -1
    if outside:
        raise ValueError(f"row {rows[i]} has column {indices[j]} of {slot.shape[0]} columns")
    by_document = (
        np.asarray(doc_ptr), np.asarray(word_of)[:nnz], counts[:nnz], np.asarray(words)[:n_words],
    )
    if not by_word:
        longs = np.empty(0, dtype=np.int64)
        return (*by_document, longs, np.empty(0, dtype=np.int32), longs)
    cdef int32_t[::1] word_doc = np.empty(nnz, dtype=np.int32)
    cdef int64_t[::1] word_pos = np.empty(nnz, dtype=np.int64)
    with nogil:
        # The entries of word u are counted at u + 2: u + 1 is where its next one goes, and in the
        # end where it stops.
        for u in range(n_words):
            word_ptr[u + 1] += word_ptr[u]
        for d in range(n_rows):
            for i in range(doc_ptr[d], doc_ptr[d + 1]):
                place = word_ptr[word_of[i] + 1]
                word_doc[place] = <int32_t>d
                word_pos[place] = i
                word_ptr[word_of[i] + 1] = place + 1
    ends = np.asarray(word_ptr)[:n_words + 1]
    return (*by_document, ends, np.asarray(word_doc), np.asarray(word_pos))


cdef union bits_of:
    double real
    uint64_t bits


def hash_rows(
    const int64_t[::1] doc_ptr,
    const int32_t[::1] word_of,
    const floating[::1] counts,
    const int32_t[::1] words,
):
    """A hash of each document of a minibatch: `hash_sparse_rows` of its words and counts."""
    cdef Py_ssize_t n_rows = doc_ptr.shape[0] - 1, d, i
    hashes = np.empty(n_rows, dtype=np.uint64)
    of_words = np.empty(words.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] out = hashes, word_hash = of_words
    cdef uint64_t total
    cdef bits_of count
    with nogil:
        for i in range(words.shape[0]):
            word_hash[i] = mix64(<uint64_t>words[i] + GOLDEN)
        for d in range(n_rows):
            total = 0
            for i in range(doc_ptr[d], doc_ptr[d + 1]):
                count.real = <double>counts[i]
                total += mix64((word_hash[word_of[i]] ^ count.bits) + GOLDEN)
            out[d] = total
    return hashes


def sum_rows(const int64_t[::1] doc_ptr, const floating[::1] values):
    """Sums of the values of each document of a minibatch, in their order, in double precision."""
    cdef Py_ssize_t n_rows = doc_ptr.shape[0] - 1, d, i
    sums = np.zeros(n_rows)
    cdef double[::1] out = sums
    with nogil:
        for d in range(n_rows):
            for i in range(doc_ptr[d], doc_ptr[d + 1]):
                out[d] += values[i]
    return sums
