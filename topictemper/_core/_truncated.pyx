"""Kernels of truncated variational sampling: thin, typed entries to the C code.

Lücke et al. (2018), "Truncated Variational Sampling for 'Black Box' Optimization of Generative
Models". States of binary units are packed into words of 64, unit h at bit h % 64 of word h // 64.
The log-joint of a state s and a datum y is
``constant(y) + sum of fields(y) over the units of s - penalty(s)``; constants are left out here.

Every entry runs without the GIL and takes a ``ticket`` (an int64 array of one zero): callers in
several threads that share the ticket share the work, in blocks of `row_block` data. Random numbers
are functions of (seed, iteration, key of the datum) alone, so results do not depend on the number
of threads. `_reference_truncated` is the same mathematics, with the same numbers, in numpy.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from "truncated.h" nogil:
    const int ROW_BLOCK

    ctypedef struct unit_sampler:
        const uint32_t *thresholds
        const uint64_t *gaps

    ctypedef struct problem:
        int64_t n_data, n_states, n_units, n_words
        uint64_t *states
        const uint64_t *keys
        uint64_t seed, iteration
        int64_t n_prior, n_marginal
        unit_sampler prior
        const double *marginals
        const double *fields
        double inverse_temperature
        double *free_energy
        double *means

    ctypedef struct truncated_kernels:
        const char *isa
        int (*initial_states)(const problem *, int64_t *ticket) noexcept nogil
        int (*gaussian_estep)(
            const problem *, const double *couplings, double *second, int64_t *ticket
        ) noexcept nogil
        int (*bernoulli_estep)(
            const problem *, int64_t width, const double *weights, double *responsibilities,
            int64_t *ticket
        ) noexcept nogil
        int (*bernoulli_expectations)(
            const problem *, int64_t width, const double *weights,
            const double *responsibilities, double *out, int64_t *ticket
        ) noexcept nogil

    const truncated_kernels *const *available_truncated_kernels()


cdef const truncated_kernels *active = available_truncated_kernels()[0]

row_block = ROW_BLOCK


def available_isas():
    """Names of the instruction sets that this CPU has, the best first."""
    cdef const truncated_kernels *const *sets = available_truncated_kernels()
    names = []
    while sets[len(names)] != NULL:
        names.append(sets[len(names)].isa.decode())
    return tuple(names)


def isa():
    """Name of the instruction set in use."""
    return active.isa.decode()


def use_isa(name):
    """Use another instruction set in this library; `set_isa` switches all libraries."""
    global active
    names = available_isas()
    if name not in names:
        raise ValueError(f"instruction set must be one of {names}, got {name!r}")
    active = available_truncated_kernels()[<Py_ssize_t>names.index(name)]


cdef check_memory(int status):
    if status != 0:
        raise MemoryError("no memory for the working set of a kernel")


cdef problem new_problem(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
) noexcept:
    cdef problem p
    p.n_data, p.n_states, p.n_words = states.shape[0], states.shape[1], states.shape[2]
    p.n_units = thresholds.shape[0]
    p.states, p.keys = &states[0, 0, 0], &keys[0]
    p.seed, p.iteration = seed, iteration
    p.n_prior = p.n_marginal = 0
    p.prior.thresholds = &thresholds[0]
    p.prior.gaps = NULL
    if gaps is not None:
        p.prior.gaps = &gaps[0]
    p.marginals = p.fields = NULL
    p.inverse_temperature = 1
    p.free_energy = p.means = NULL
    return p


cdef problem estep_problem(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
    int64_t n_prior,
    int64_t n_marginal,
    const double[:, ::1] marginals,
    const double[:, ::1] fields,
    double inverse_temperature,
    double[::1] free_energy,
    double[:, ::1] means,
) noexcept:
    cdef problem p = new_problem(states, keys, seed, iteration, thresholds, gaps)
    p.n_prior, p.n_marginal = n_prior, n_marginal
    if marginals is not None:
        p.marginals = &marginals[0, 0]
    p.fields = &fields[0, 0]
    p.inverse_temperature = inverse_temperature
    p.free_energy, p.means = &free_energy[0], &means[0, 0]
    return p


def initial_states(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
    int64_t[::1] ticket,
):
    """Distinct states for every datum, near draws from the prior."""
    cdef problem p = new_problem(states, keys, seed, iteration, thresholds, gaps)
    cdef int status
    with nogil:
        status = active.initial_states(&p, &ticket[0])
    check_memory(status)


def gaussian_estep(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
    int64_t n_prior,
    int64_t n_marginal,
    const double[:, ::1] marginals,
    const double[:, ::1] fields,
    double inverse_temperature,
    double[::1] free_energy,
    double[:, ::1] means,
    const double[:, ::1] couplings,
    double[:, :, ::1] second,
    int64_t[::1] ticket,
):
    """E-step of binary sparse coding; ``second`` takes E[s s^T] of every block, lower half."""
    cdef problem p = estep_problem(
        states, keys, seed, iteration, thresholds, gaps, n_prior, n_marginal, marginals,
        fields, inverse_temperature, free_energy, means,
    )
    cdef int status
    with nogil:
        status = active.gaussian_estep(&p, &couplings[0, 0], &second[0, 0, 0], &ticket[0])
    check_memory(status)


def bernoulli_estep(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
    int64_t n_prior,
    int64_t n_marginal,
    const double[:, ::1] marginals,
    const double[:, ::1] fields,
    double inverse_temperature,
    double[::1] free_energy,
    double[:, ::1] means,
    const double[:, ::1] weights,
    double[:, ::1] responsibilities,
    int64_t[::1] ticket,
):
    """E-step of a sigmoid belief network; ``responsibilities`` takes q of every state."""
    cdef problem p = estep_problem(
        states, keys, seed, iteration, thresholds, gaps, n_prior, n_marginal, marginals,
        fields, inverse_temperature, free_energy, means,
    )
    cdef int status
    with nogil:
        status = active.bernoulli_estep(
            &p, weights.shape[1], &weights[0, 0], &responsibilities[0, 0], &ticket[0]
        )
    check_memory(status)


def bernoulli_expectations(
    uint64_t[:, :, ::1] states,
    const double[:, ::1] weights,
    const double[:, ::1] responsibilities,
    double[:, :, ::1] out,
    int64_t[::1] ticket,
):
    """E[s_h sigmoid(a_d)], in the last row E[sigmoid(a_d)], summed over each block of data."""
    cdef problem p
    p.n_data, p.n_states, p.n_words = states.shape[0], states.shape[1], states.shape[2]
    p.n_units = weights.shape[0] - 1
    p.states = &states[0, 0, 0]
    cdef int status
    with nogil:
        status = active.bernoulli_expectations(
            &p, weights.shape[1], &weights[0, 0], &responsibilities[0, 0], &out[0, 0, 0],
            &ticket[0],
        )
    check_memory(status)
