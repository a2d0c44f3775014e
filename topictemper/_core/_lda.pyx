"""Kernels of tempered LDA: thin, typed entries to the C code in ``src/lda``.

Every entry but `psi` and `gamma_ratio` runs without the GIL, in all threads of a ``team``
(`Workers.team`; an int64 array of one zero is the team of one thread). They share the work in
blocks fixed by the data, so the result does not depend on how many they are. `_reference.lda` is
the same mathematics in NumPy. Equations are those of Mandt et al. (2016), "Variational Tempering",
unless said.

The global state is ``lambda_kv = base + a * M[v, k]``: a word's topics lie side by side, and the
decay of a natural-gradient step changes the two scalars only.

``batch`` and ``local`` are any objects that have the arrays of ``MINIBATCH_FIELDS`` and
``LOCAL_FIELDS`` in ``src/lda/lda.h`` as attributes, and `local` also ``log_rows``.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cython cimport floating
from libc.stdint cimport int32_t, int64_t, uint64_t

from ._dispatch cimport (
    OCTAVE_BITS,
    TOPIC_PADDING,
    WORD_BLOCK,
    active,
    cvb0_problem,
    documents,
    estep_problem,
    lda_kernels,
    likelihood_problem,
    moments_problem,
    partition_problem,
    rows_problem,
    run,
    sampling_problem,
    statistics_problem,
    topic_state,
)

import numpy as np

OCTAVE = 1 << OCTAVE_BITS

cdef extern from "fields.h" nogil:
    ctypedef struct field:
        const char *name
        char kind
        int writable
        size_t offset

    const field minibatch_fields[]
    const field local_fields[]


cdef int fill(documents *d, object owner, const field *fields, bint single) except -1:
    """Set pointers of `d` to the arrays of `owner`, which must outlive `d`."""
    cdef Py_buffer view
    cdef char real = c"f" if single else c"d", expected, kind
    cdef int flags
    while fields.name != NULL:
        array = getattr(owner, fields.name.decode())
        flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if fields.writable else 0)
        PyObject_GetBuffer(array, &view, flags)
        kind = view.format[0]
        if kind == c"l":  # 4 or 8 bytes, as the platform has it
            kind = c"i" if view.itemsize == 4 else c"q"
        (<void **>(<char *>d + fields.offset))[0] = view.buf if view.len else NULL
        PyBuffer_Release(&view)
        expected = real if fields.kind == c"r" else fields.kind
        if kind != expected:
            raise ValueError(f"{fields.name.decode()} has the wrong type, {array.dtype}")
        fields += 1
    return 0


cdef documents documents_of(object batch, object local, bint single) except *:
    cdef documents d
    fill(&d, batch, minibatch_fields, single)
    fill(&d, local, local_fields, single)
    d.n_docs, d.n_words = len(local.s), len(batch.words)
    d.n_topics, d.padded = len(local.alpha), local.B.shape[1]
    d.log_rows = local.log_rows
    return d


cdef int check_documents(const documents *d, int64_t length, str name) except -1:
    if length != d.n_docs:
        raise ValueError(f"{name} must have one entry for each of {d.n_docs} documents")
    return 0


cdef bint is_single(object local) except -1:
    return local.B.itemsize == sizeof(float)


cdef const lda_kernels *kernels(bint single) noexcept nogil:
    return &active.lda_f32 if single else &active.lda_f64


cdef topic_state state_of(const floating[:, ::1] M, double a, double base) noexcept:
    return topic_state(M.shape[0], M.shape[1], <void *>&M[0, 0], a, base)


def padded_topics(int64_t n_topics):
    """Width of tables with a row of topics: the next multiple of the longest vector."""
    return topic_blocks(n_topics) * TOPIC_PADDING


def topic_blocks(int64_t n_topics):
    """Width of ``prior``: blocks of topics in a row."""
    return (n_topics + TOPIC_PADDING - 1) // TOPIC_PADDING


def statistics_blocks(int64_t n_words):
    """Number of rows of ``block_sums`` in `add_statistics`."""
    return (n_words + WORD_BLOCK - 1) // WORD_BLOCK


def psi(floating[::1] x):
    """Digamma function of x > 0."""
    out = np.empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        kernels(floating is float).psi(x.shape[0], &x[0], &y[0])
    return out


def gamma_ratio(floating[::1] x, double s):
    """Gamma(x + s) / Gamma(x) of x > 0 and s in [0, 1]."""
    out = np.empty_like(x)
    cdef floating[::1] y = out
    if x.shape[0]:
        kernels(floating is float).gamma_ratio(x.shape[0], &x[0], s, &y[0])
    return out


def topic_rows(
    const floating[:, ::1] M,
    double a,
    double base,
    const double[::1] log_total,
    bint point,
    const int32_t[::1] places,
    double s,
    batch,
    local,
    int64_t[::1] team,
):
    """Fill ``B`` with exp(s (L - shift)), or L - shift, for the words of a batch.

    ``L = E[log beta] = psi(lambda) - psi(Lambda)``, or ``log E[beta] = log(lambda) - log(Lambda)``
    where topics are a ``point``; ``log_total`` is the second term. The words are at ``places`` of
    M. ``shift`` is near the maximum of L over topics, so that no row can vanish; phi does not
    change with it. ``mass`` is the sum of each row, which first sweeps need. ``prior_mass``
    (empty: not wanted), which `cvb0` needs, is the sum of alpha_k B_vk, and ``prior`` (empty: not
    wanted), which `sample` needs, has these sums over the topics up to the end of each of
    `topic_blocks`. None of them is written where ``log_rows``.
    """
    cdef documents d = documents_of(batch, local, floating is float)
    cdef topic_state state = state_of(M, a, base)
    cdef rows_problem problem = rows_problem(&d, &state, &log_total[0], point, &places[0], s)
    run(kernels(floating is float).topic_rows, &problem, team)


def estep(batch, local, double tol, int64_t max_iter, int64_t[::1] team):
    """Fixed point of phi (eq. 19) and gamma of every document, at inverse temperatures ``s``.

    Sweeps start from tokens that are spread evenly over the topics, and end when the mean change
    of gamma is under ``tol``. Outputs: ``gamma``; the numbers of the ``n_active`` topics that
    matter, ``topics`` (empty: not wanted); ``weights``, exp(s psi(gamma) - log_scale) of these, 0
    for all others (empty: not wanted); ``ratio`` = n_v / p_v, so that
    n_v phi_vk = ratio_v weight_k B_vk; ``log_scale``, which is 0 unless all weights would vanish;
    ``energy`` = sum n phi (E[log theta] + E[log beta]) in nats (empty: not wanted); the number of
    ``sweeps``. A document without words keeps its prior.
    """
    cdef bint single = is_single(local)
    cdef documents d = documents_of(batch, local, single)
    cdef estep_problem problem = estep_problem(&d, tol, max_iter)
    run(kernels(single).estep, &problem, team)


def cvb0(
    batch,
    local,
    double tol,
    int64_t max_iter,
    double rough,
    int64_t n_own,
    int64_t[::1] team,
):
    """Proportions of every document to predict by, at s = 1, by CVB0 (Asuncion et al. 2009).

    A sweep over all topics finds those that are at work in the document. Up to ``max_iter`` sweeps
    over these, at least one, leave the token itself in gamma: ``gamma = alpha + sum_v n_v phi_v``,
    with phi in proportion to gamma B (Foulds et al. 2013). They end when the mean change of gamma
    is under ``tol``, or the sum of all changes under ``rough`` times the square root of the
    document's tokens. ``n_own`` more take the token out (eq. 9). Topics at rest keep the
    proportions that the first sweep gave them. A document with more than 512 topics at work, which
    is long, goes to the fixed point of the first kind of sweeps, over all topics, up to ``tol``.
    Needs ``prior_mass`` of the rows. Outputs: ``gamma`` and the number of ``sweeps``, without the
    last ``n_own``. A document without words keeps its prior.
    """
    cdef bint single = is_single(local)
    cdef documents d = documents_of(batch, local, single)
    cdef cvb0_problem problem = cvb0_problem(&d, tol, rough, max_iter, n_own)
    run(kernels(single).cvb0, &problem, team)


def sample(
    batch, local, const uint64_t[::1] keys, int64_t n_burn_in, int64_t n_kept, int64_t[::1] team
):
    """Sample the topics of the tokens of every document, given the topics' rows ``B`` at s = 1.

    Collapsed Gibbs sampling, ``p(z_i = k | others) ~ (alpha_k + N_k without i) B_vk``, from
    `keys`, one a document: after a sweep that starts it and ``n_burn_in`` more, counts N are
    averaged over ``n_kept >= 1``. A count is drawn token by token, but in at most
    64 parts, and in parts of a 256th of its document if that is more than a token.
    Outputs as those of `estep`, with ``gamma = alpha + mean N``, and as weights gamma itself, of
    the topics that have been drawn; but no ``log_scale``, ``energy`` and ``sweeps``. With ``own``
    (empty: not wanted) a token is not itself in the counts that its phi follows: n_v phi_vk =
    ratio_v weight_k B_vk / (1 + own_v B_vk).
    """
    cdef bint single = is_single(local)
    cdef documents d = documents_of(batch, local, single)
    check_documents(&d, keys.shape[0], "keys")
    cdef sampling_problem problem = sampling_problem(&d, &keys[0], n_burn_in, n_kept)
    run(kernels(single).sample, &problem, team)


def add_statistics(
    batch,
    local,
    const double[::1] doc_weight,
    double scale,
    floating[:, ::1] M,
    double[:, ::1] block_sums,
    int64_t[::1] team,
):
    """Add ``scale * sum_d doc_weight_d n_dv phi_dv`` to the rows of ``M`` of the batch's words.

    ``block_sums`` receives what was added, summed over the words of each block. All documents have
    the same inverse temperature: ``log_rows`` is a ValueError.
    """
    cdef documents d = documents_of(batch, local, floating is float)
    check_documents(&d, doc_weight.shape[0], "doc_weight")
    if d.log_rows:
        raise ValueError("statistics are of documents with one inverse temperature")
    cdef statistics_problem problem = statistics_problem(
        &d, &doc_weight[0], scale, &M[0, 0], &block_sums[0, 0]
    )
    run(kernels(floating is float).add_statistics, &problem, team)


def log_partition(
    const floating[:, ::1] gamma,
    const int32_t[:, ::1] topics,
    const int32_t[::1] n_active,
    const floating[:, ::1] moments,
    const floating[:, ::1] prior_moments,
    const double[::1] nodes,
    double[:, ::1] out,
    int64_t[::1] team,
):
    """log sum_k E[theta_k^s] S_k(s) of every document at every node s (nats per token)."""
    cdef partition_problem problem = partition_problem(
        gamma.shape[0], gamma.shape[1], nodes.shape[0], &gamma[0, 0], &topics[0, 0], &n_active[0],
        &moments[0, 0], &prior_moments[0, 0], &nodes[0], &out[0, 0],
    )
    run(kernels(floating is float).log_partition, &problem, team)


def fractional_moments(
    const floating[:, ::1] M,
    double a,
    double base,
    int64_t octave,
    const double[:, ::1] table,
    double[:, ::1] out,
    int64_t[::1] team,
):
    """sum_v f(lambda_kv) for several functions f, linear between the numbers of a table.

    From ``2^octave`` on ``table`` has the values of all f at the ends of intervals: `OCTAVE` of the
    same length between a power of 2 and the next. Numbers beyond the last count as of the last.
    ``out`` has a row for each topic.
    """
    if table.shape[0] < 2:
        raise ValueError("table has no interval")
    cdef topic_state state = state_of(M, a, base)
    cdef moments_problem problem = moments_problem(
        &state, table.shape[1], table.shape[0] - 1, octave, &table[0, 0], &out[0, 0]
    )
    run(kernels(floating is float).fractional_moments, &problem, team)


def mixture_log_likelihood(
    const int64_t[::1] doc_ptr,
    const int32_t[::1] indices,
    const floating[::1] counts,
    const floating[:, :, ::1] t,
    const floating[:, ::1] M,
    double a,
    const double[::1] bases,
    double[:, ::1] out,
    int64_t[::1] team,
):
    """sum_v n_dv log sum_k t_dk lambda_kv of every document; ``indices`` are columns.

    For each of several ``t`` with a base of lambda of its own: the first axis of ``t`` and ``out``.
    """
    cdef topic_state state = state_of(M, a, 0.0)
    cdef likelihood_problem problem = likelihood_problem(
        &state, t.shape[1], t.shape[0], &doc_ptr[0], &indices[0], &counts[0], &t[0, 0, 0],
        &bases[0], &out[0, 0],
    )
    run(kernels(floating is float).mixture_log_likelihood, &problem, team)
