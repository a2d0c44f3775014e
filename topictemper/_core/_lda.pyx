"""Kernels of tempered LDA: thin, typed entries to the C code in ``src``.

Every entry runs without the GIL. The parallel ones take a ``ticket`` (an int64 array of one zero):
callers in several threads that share the ticket share the work, in blocks fixed by the data, so
the result does not depend on how many they are. `_reference` is the same mathematics in numpy.
Equations are those of Mandt et al. (2016), "Variational Tempering", unless said.

The global state is ``lambda_kv = base + a * M[v, k]``: a word's topics lie side by side, and the
decay of a natural-gradient step changes the two scalars only.
"""

from cython cimport floating
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

ctypedef fused index_t:
    int32_t
    int64_t

ctypedef fused count_t:
    int32_t
    int64_t
    float
    double

cdef extern from "spin.h" nogil:
    int changes_within(const int64_t *value, int64_t seen, int64_t nanoseconds)
    void wait_for_zero(const int64_t *value)

cdef extern from "kernels.h" nogil:
    const int TOPIC_PADDING
    const int WORD_BLOCK

    ctypedef struct kernels_f32:
        void (*exp)(int64_t n, const float *x, float *out) noexcept nogil
        void (*log)(int64_t n, const float *x, float *out) noexcept nogil
        void (*psi)(int64_t n, const float *x, float *out) noexcept nogil
        void (*exp_psi)(int64_t n, const float *x, double s, float *out) noexcept nogil
        void (*gamma_ratio)(int64_t n, const float *x, double s, float *out) noexcept nogil
        int (*topic_rows)(
            int64_t n_words, int64_t n_topics, int64_t padded, const float *M, double a,
            double base, const double *log_total, int point, const int32_t *words, double s,
            int log_rows, float *B, float *shift, float *mass, int64_t *ticket
        ) noexcept nogil
        int (*estep)(
            int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,
            const int32_t *word_of, const float *counts, const float *alpha, const float *s,
            int log_rows, const float *B, const float *shift, const float *mass, double tol,
            int64_t max_iter, int warm, float *gamma, int32_t *topics, float *weights,
            int32_t *n_active, float *ratio, double *energy, int32_t *sweeps, int64_t *ticket
        ) noexcept nogil
        int (*sample)(
            int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,
            const int32_t *word_of, const float *counts, const float *alpha, const float *B,
            const uint64_t *keys, int64_t n_burn_in, int64_t n_kept, float *gamma,
            int32_t *topics, float *weights, int32_t *n_active, float *ratio, int64_t *ticket
        ) noexcept nogil
        int (*add_statistics)(
            int64_t n_words, int64_t n_topics, int64_t padded, const int32_t *words,
            const int64_t *word_ptr, const int32_t *word_doc, const int64_t *word_pos,
            const double *doc_weight, const float *s, int log_rows, const float *B,
            const int32_t *topics, const float *weights, const int32_t *n_active,
            const float *ratio, double rate, float *M, double *block_sums, int64_t *ticket
        ) noexcept nogil
        int (*log_partition)(
            int64_t n_docs, int64_t n_topics, int64_t n_nodes, const float *gamma,
            const int32_t *topics, const int32_t *n_active, const float *moments,
            const float *prior_moments, const double *nodes, double *out, int64_t *ticket
        ) noexcept nogil
        int (*fractional_moments)(
            int64_t n_words, int64_t n_topics, int64_t n_nodes, int64_t block, const float *M,
            double a, double base, const double *nodes, double *out, int64_t *ticket
        ) noexcept nogil
        int (*mixture_log_likelihood)(
            int64_t n_docs, int64_t n_topics, const int64_t *doc_ptr, const int32_t *indices,
            const float *counts, const float *t, const float *M, double a, double base,
            double *out, int64_t *ticket
        ) noexcept nogil

    ctypedef struct kernels_f64:
        void (*exp)(int64_t n, const double *x, double *out) noexcept nogil
        void (*log)(int64_t n, const double *x, double *out) noexcept nogil
        void (*psi)(int64_t n, const double *x, double *out) noexcept nogil
        void (*exp_psi)(int64_t n, const double *x, double s, double *out) noexcept nogil
        void (*gamma_ratio)(int64_t n, const double *x, double s, double *out) noexcept nogil
        int (*topic_rows)(
            int64_t n_words, int64_t n_topics, int64_t padded, const double *M, double a,
            double base, const double *log_total, int point, const int32_t *words, double s,
            int log_rows, double *B, double *shift, double *mass, int64_t *ticket
        ) noexcept nogil
        int (*estep)(
            int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,
            const int32_t *word_of, const double *counts, const double *alpha, const double *s,
            int log_rows, const double *B, const double *shift, const double *mass, double tol,
            int64_t max_iter, int warm, double *gamma, int32_t *topics, double *weights,
            int32_t *n_active, double *ratio, double *energy, int32_t *sweeps, int64_t *ticket
        ) noexcept nogil
        int (*sample)(
            int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,
            const int32_t *word_of, const double *counts, const double *alpha, const double *B,
            const uint64_t *keys, int64_t n_burn_in, int64_t n_kept, double *gamma,
            int32_t *topics, double *weights, int32_t *n_active, double *ratio, int64_t *ticket
        ) noexcept nogil
        int (*add_statistics)(
            int64_t n_words, int64_t n_topics, int64_t padded, const int32_t *words,
            const int64_t *word_ptr, const int32_t *word_doc, const int64_t *word_pos,
            const double *doc_weight, const double *s, int log_rows, const double *B,
            const int32_t *topics, const double *weights, const int32_t *n_active,
            const double *ratio, double rate, double *M, double *block_sums, int64_t *ticket
        ) noexcept nogil
        int (*log_partition)(
            int64_t n_docs, int64_t n_topics, int64_t n_nodes, const double *gamma,
            const int32_t *topics, const int32_t *n_active, const double *moments,
            const double *prior_moments, const double *nodes, double *out, int64_t *ticket
        ) noexcept nogil
        int (*fractional_moments)(
            int64_t n_words, int64_t n_topics, int64_t n_nodes, int64_t block, const double *M,
            double a, double base, const double *nodes, double *out, int64_t *ticket
        ) noexcept nogil
        int (*mixture_log_likelihood)(
            int64_t n_docs, int64_t n_topics, const int64_t *doc_ptr, const int32_t *indices,
            const double *counts, const double *t, const double *M, double a, double base,
            double *out, int64_t *ticket
        ) noexcept nogil

    ctypedef struct kernel_set:
        const char *isa
        kernels_f32 f32
        kernels_f64 f64

    const kernel_set *const *available_kernels()


cdef const kernel_set *active = available_kernels()[0]


def isa():
    """Name of the instruction set in use."""
    return active.isa.decode()


def available_isas():
    """Names of the instruction sets that this CPU has, the best first."""
    cdef const kernel_set *const *sets = available_kernels()
    names = []
    while sets[len(names)] != NULL:
        names.append(sets[len(names)].isa.decode())
    return tuple(names)


def use_isa(name):
    """Use another instruction set in this library; `set_isa` switches all libraries."""
    global active
    names = available_isas()
    if name not in names:
        raise ValueError(f"instruction set must be one of {names}, got {name!r}")
    active = available_kernels()[<Py_ssize_t>names.index(name)]


def changes(const int64_t[::1] value, int64_t seen, int64_t microseconds):
    """Whether ``value[0]`` has left ``seen`` before that time has passed; spins without the GIL."""
    cdef int changed
    with nogil:
        changed = changes_within(&value[0], seen, 1000 * microseconds)
    return changed != 0


def wait_for_zeros(const int64_t[::1] values):
    """Return when all values are 0; spins without the GIL."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(values.shape[0]):
            wait_for_zero(&values[i])


def padded_topics(int64_t n_topics):
    """Width of tables with a row of topics: the next multiple of the longest vector."""
    return (n_topics + TOPIC_PADDING - 1) // TOPIC_PADDING * TOPIC_PADDING


def statistics_blocks(int64_t n_words):
    """Number of rows of ``block_sums`` in `add_statistics`."""
    return (n_words + WORD_BLOCK - 1) // WORD_BLOCK


cdef int64_t moment_block(int64_t n_features) noexcept nogil:
    """Words in a block of `fractional_moments`: at most 64 blocks, so their sums stay small."""
    cdef int64_t size = (n_features + 63) // 64
    return size if size > 256 else 256


def moment_blocks(int64_t n_features):
    """Number of blocks that `fractional_moments` sums over."""
    cdef int64_t size = moment_block(n_features)
    return (n_features + size - 1) // size


cdef check_memory(int status):
    if status != 0:
        raise MemoryError("no memory for the working set of a kernel")


cdef empty_like(floating[::1] x):
    return np.empty(x.shape[0], dtype=np.float32 if floating is float else np.float64)


def exp(floating[::1] x):
    """exp(x)."""
    out = empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        if floating is float:
            active.f32.exp(x.shape[0], &x[0], &y[0])
        else:
            active.f64.exp(x.shape[0], &x[0], &y[0])
    return out


def log(floating[::1] x):
    """log(x) of normal positive x."""
    out = empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        if floating is float:
            active.f32.log(x.shape[0], &x[0], &y[0])
        else:
            active.f64.log(x.shape[0], &x[0], &y[0])
    return out


def psi(floating[::1] x):
    """Digamma function of x > 0."""
    out = empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        if floating is float:
            active.f32.psi(x.shape[0], &x[0], &y[0])
        else:
            active.f64.psi(x.shape[0], &x[0], &y[0])
    return out


def exp_psi(floating[::1] x, double s):
    """exp(s psi(x)) of x > 0."""
    out = empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        if floating is float:
            active.f32.exp_psi(x.shape[0], &x[0], s, &y[0])
        else:
            active.f64.exp_psi(x.shape[0], &x[0], s, &y[0])
    return out


def gamma_ratio(floating[::1] x, double s):
    """Gamma(x + s) / Gamma(x) of x > 0 and s in [0, 1]."""
    out = empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        if floating is float:
            active.f32.gamma_ratio(x.shape[0], &x[0], s, &y[0])
        else:
            active.f64.gamma_ratio(x.shape[0], &x[0], s, &y[0])
    return out


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
    cdef Py_ssize_t n_rows = rows.shape[0], n_words = 0, nnz = 0, i, u, d
    cdef Py_ssize_t n_entries = min(indices.shape[0], data.shape[0])
    cdef uint64_t n_columns = min(slot.shape[0], <Py_ssize_t>1 << 31)  # int32 holds no more
    cdef bint outside = False
    cdef index_t j
    cdef int32_t word
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
    cdef int32_t[::1] words = np.empty(min(nnz, slot.shape[0]), dtype=np.int32)
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
                if slot[word] < 0:
                    slot[word] = <int32_t>n_words
                    words[n_words] = word
                    n_words += 1
                word_of[nnz] = slot[word]
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
    cdef int64_t[::1] word_ptr = np.zeros(n_words + 1, dtype=np.int64)
    cdef int32_t[::1] word_doc = np.empty(nnz, dtype=np.int32)
    cdef int64_t[::1] word_pos = np.empty(nnz, dtype=np.int64)
    with nogil:
        for i in range(nnz):
            word_ptr[word_of[i] + 1] += 1
        for u in range(n_words):
            word_ptr[u + 1] += word_ptr[u]
        for d in range(n_rows):
            for i in range(doc_ptr[d], doc_ptr[d + 1]):
                u = word_of[i]
                word_doc[word_ptr[u]] = <int32_t>d
                word_pos[word_ptr[u]] = i
                word_ptr[u] += 1
        for u in range(n_words, 0, -1):
            word_ptr[u] = word_ptr[u - 1]
        word_ptr[0] = 0
    return (*by_document, np.asarray(word_ptr), np.asarray(word_doc), np.asarray(word_pos))


def topic_rows(
    const floating[:, ::1] M,
    double a,
    double base,
    const double[::1] log_total,
    bint point,
    const int32_t[::1] words,
    double s,
    bint log_rows,
    floating[:, ::1] B,
    floating[::1] shift,
    floating[::1] mass,
    int64_t[::1] ticket,
):
    """Fill ``B`` with exp(s (L - shift)), or L - shift, for the words of a batch.

    ``L = E[log beta] = psi(lambda) - psi(Lambda)``, or ``log E[beta] = log(lambda) - log(Lambda)``
    where topics are a ``point``; ``log_total`` is what is taken off. ``shift`` is near its maximum
    over topics, so that no row can vanish; phi does not change with it. ``mass`` is the sum of each
    row, which is what documents start from; it is not written where ``log_rows``.
    """
    cdef int status
    with nogil:
        if floating is float:
            status = active.f32.topic_rows(
                words.shape[0], M.shape[1], B.shape[1], &M[0, 0], a, base, &log_total[0],
                point, &words[0], s, log_rows, &B[0, 0], &shift[0], &mass[0], &ticket[0],
            )
        else:
            status = active.f64.topic_rows(
                words.shape[0], M.shape[1], B.shape[1], &M[0, 0], a, base, &log_total[0],
                point, &words[0], s, log_rows, &B[0, 0], &shift[0], &mass[0], &ticket[0],
            )
    check_memory(status)


def estep(
    const int64_t[::1] doc_ptr,
    const int32_t[::1] word_of,
    const floating[::1] counts,
    const floating[::1] alpha,
    const floating[::1] s,
    bint log_rows,
    const floating[:, ::1] B,
    const floating[::1] shift,
    const floating[::1] mass,
    double tol,
    int64_t max_iter,
    bint warm,
    floating[:, ::1] gamma,
    int32_t[:, ::1] topics,
    floating[:, ::1] weights,
    int32_t[::1] n_active,
    floating[::1] ratio,
    double[::1] energy,
    int32_t[::1] sweeps,
    int64_t[::1] ticket,
):
    """Fixed point of phi (eq. 19) and gamma of every document, at inverse temperatures ``s``.

    Sweeps until the mean change of gamma is under ``tol``. Outputs: ``gamma``; the numbers of the
    topics that matter; the weights exp(s psi(gamma)) of these, 0 for all others (None: not
    wanted); ``ratio`` = n_v / p_v, so that n_v phi_vk = ratio_v weight_k B_vk; ``energy`` =
    sum n phi (E[log theta] + E[log beta]) in nats (None: not wanted); the number of sweeps. A
    document without words keeps its prior.
    """
    cdef int status
    cdef double *energies = NULL
    cdef floating *all_weights = NULL
    if energy is not None and energy.shape[0]:
        energies = &energy[0]
    if weights is not None and weights.shape[0]:
        all_weights = &weights[0, 0]
    with nogil:
        if floating is float:
            status = active.f32.estep(
                s.shape[0], alpha.shape[0], B.shape[1], &doc_ptr[0], &word_of[0],
                &counts[0], &alpha[0], &s[0], log_rows, &B[0, 0], &shift[0], &mass[0], tol,
                max_iter, warm, &gamma[0, 0], &topics[0, 0], all_weights, &n_active[0], &ratio[0],
                energies, &sweeps[0], &ticket[0],
            )
        else:
            status = active.f64.estep(
                s.shape[0], alpha.shape[0], B.shape[1], &doc_ptr[0], &word_of[0],
                &counts[0], &alpha[0], &s[0], log_rows, &B[0, 0], &shift[0], &mass[0], tol,
                max_iter, warm, &gamma[0, 0], &topics[0, 0], all_weights, &n_active[0], &ratio[0],
                energies, &sweeps[0], &ticket[0],
            )
    check_memory(status)


def sample(
    const int64_t[::1] doc_ptr,
    const int32_t[::1] word_of,
    const floating[::1] counts,
    const floating[::1] alpha,
    const floating[:, ::1] B,
    const uint64_t[::1] keys,
    int64_t n_burn_in,
    int64_t n_kept,
    floating[:, ::1] gamma,
    int32_t[:, ::1] topics,
    floating[:, ::1] weights,
    int32_t[::1] n_active,
    floating[::1] ratio,
    int64_t[::1] ticket,
):
    """Sample the topics of the tokens of every document, given the topics' rows ``B`` at s = 1.

    Collapsed Gibbs sampling, ``p(z_i = k | others) ~ (alpha_k + N_k without i) B_vk``, from
    `keys`, one a document: after a sweep that starts it and ``n_burn_in`` more, counts N are
    averaged over ``n_kept >= 1``. A word that is there more than 64 times is drawn in 64 parts.
    Outputs as those of `estep`, with ``gamma = alpha + mean N``, and as weights gamma itself, of
    the topics that have been drawn.
    """
    cdef int status
    with nogil:
        if floating is float:
            status = active.f32.sample(
                keys.shape[0], alpha.shape[0], B.shape[1], &doc_ptr[0], &word_of[0], &counts[0],
                &alpha[0], &B[0, 0], &keys[0], n_burn_in, n_kept, &gamma[0, 0], &topics[0, 0],
                &weights[0, 0], &n_active[0], &ratio[0], &ticket[0],
            )
        else:
            status = active.f64.sample(
                keys.shape[0], alpha.shape[0], B.shape[1], &doc_ptr[0], &word_of[0], &counts[0],
                &alpha[0], &B[0, 0], &keys[0], n_burn_in, n_kept, &gamma[0, 0], &topics[0, 0],
                &weights[0, 0], &n_active[0], &ratio[0], &ticket[0],
            )
    check_memory(status)


def add_statistics(
    const int32_t[::1] words,
    const int64_t[::1] word_ptr,
    const int32_t[::1] word_doc,
    const int64_t[::1] word_pos,
    const double[::1] doc_weight,
    const floating[::1] s,
    bint log_rows,
    const floating[:, ::1] B,
    const int32_t[:, ::1] topics,
    const floating[:, ::1] weights,
    const int32_t[::1] n_active,
    const floating[::1] ratio,
    double rate,
    floating[:, ::1] M,
    double[:, ::1] block_sums,
    int64_t[::1] ticket,
):
    """Add ``rate * sum_d doc_weight_d n_dv phi_dv`` to the rows of ``M`` of the batch's words.

    ``block_sums`` receives what was added, summed over the words of each block.
    """
    cdef int status
    with nogil:
        if floating is float:
            status = active.f32.add_statistics(
                words.shape[0], M.shape[1], B.shape[1], &words[0], &word_ptr[0], &word_doc[0],
                &word_pos[0], &doc_weight[0], &s[0], log_rows, &B[0, 0], &topics[0, 0],
                &weights[0, 0], &n_active[0], &ratio[0], rate, &M[0, 0], &block_sums[0, 0],
                &ticket[0],
            )
        else:
            status = active.f64.add_statistics(
                words.shape[0], M.shape[1], B.shape[1], &words[0], &word_ptr[0], &word_doc[0],
                &word_pos[0], &doc_weight[0], &s[0], log_rows, &B[0, 0], &topics[0, 0],
                &weights[0, 0], &n_active[0], &ratio[0], rate, &M[0, 0], &block_sums[0, 0],
                &ticket[0],
            )
    check_memory(status)


def log_partition(
    const floating[:, ::1] gamma,
    const int32_t[:, ::1] topics,
    const int32_t[::1] n_active,
    const floating[:, ::1] moments,
    const floating[:, ::1] prior_moments,
    const double[::1] nodes,
    double[:, ::1] out,
    int64_t[::1] ticket,
):
    """log sum_k E[theta_k^s] S_k(s) of every document at every node s (nats a token)."""
    cdef int status
    with nogil:
        if floating is float:
            status = active.f32.log_partition(
                gamma.shape[0], gamma.shape[1], nodes.shape[0], &gamma[0, 0], &topics[0, 0],
                &n_active[0], &moments[0, 0], &prior_moments[0, 0], &nodes[0], &out[0, 0],
                &ticket[0],
            )
        else:
            status = active.f64.log_partition(
                gamma.shape[0], gamma.shape[1], nodes.shape[0], &gamma[0, 0], &topics[0, 0],
                &n_active[0], &moments[0, 0], &prior_moments[0, 0], &nodes[0], &out[0, 0],
                &ticket[0],
            )
    check_memory(status)


def fractional_moments(
    const floating[:, ::1] M,
    double a,
    double base,
    const double[::1] nodes,
    double[:, :, ::1] out,
    int64_t[::1] ticket,
):
    """sum_v Gamma(lambda_kv + s) / Gamma(lambda_kv) at every node s, by blocks of words."""
    cdef int status
    cdef int64_t block = moment_block(M.shape[0])
    with nogil:
        if floating is float:
            status = active.f32.fractional_moments(
                M.shape[0], M.shape[1], nodes.shape[0], block, &M[0, 0], a, base, &nodes[0],
                &out[0, 0, 0], &ticket[0],
            )
        else:
            status = active.f64.fractional_moments(
                M.shape[0], M.shape[1], nodes.shape[0], block, &M[0, 0], a, base, &nodes[0],
                &out[0, 0, 0], &ticket[0],
            )
    check_memory(status)


def mixture_log_likelihood(
    const int64_t[::1] doc_ptr,
    const int32_t[::1] indices,
    const floating[::1] counts,
    const floating[:, ::1] t,
    const floating[:, ::1] M,
    double a,
    double base,
    double[::1] out,
    int64_t[::1] ticket,
):
    """sum_v n_dv log sum_k t_dk lambda_kv of every document; ``indices`` are columns."""
    cdef int status
    with nogil:
        if floating is float:
            status = active.f32.mixture_log_likelihood(
                t.shape[0], t.shape[1], &doc_ptr[0], &indices[0], &counts[0], &t[0, 0],
                &M[0, 0], a, base, &out[0], &ticket[0],
            )
        else:
            status = active.f64.mixture_log_likelihood(
                t.shape[0], t.shape[1], &doc_ptr[0], &indices[0], &counts[0], &t[0, 0],
                &M[0, 0], a, base, &out[0], &ticket[0],
            )
    check_memory(status)
