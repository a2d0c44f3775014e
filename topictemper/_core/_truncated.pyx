"""Kernels of truncated variational sampling: thin, typed entries to ``src/truncated``.

Lücke et al. (2018), "Truncated Variational Sampling for 'Black Box' Optimization of Generative
Models". States of binary units are packed into words of 64, unit h at bit h % 64 of word h // 64.
The log-joint of a state s and a datum y is
``constant(y) + sum of fields(y) over the units of s - penalty(s)``; constants are left out here.

Every entry runs without the GIL in all threads of a ``team``, as those of `_lda` do: they share the
work in blocks of `row_block` data. Random numbers are functions of (seed, iteration, key of the
datum) alone, so results do not depend on the number of threads. `_reference.truncated` is the same
mathematics, with the same numbers, in NumPy.
"""

from cython cimport floating
from libc.stdint cimport int64_t, uint32_t, uint64_t

from ._dispatch cimport (
    ROW_BLOCK, SMALLEST_WEIGHT, WIDTH_PADDING, active, run, truncated_problem,
)

row_block = ROW_BLOCK
smallest_weight = SMALLEST_WEIGHT  # of a state that enters expectations


def padded_width(int64_t n_features):
    """Width of rows of weights: the next multiple of the longest vector."""
    return (n_features + WIDTH_PADDING - 1) // WIDTH_PADDING * WIDTH_PADDING


cdef truncated_problem new_problem(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
) noexcept:
    cdef truncated_problem p
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
    p.single_fields = NULL
    p.inverse_temperature = 1
    p.free_energy = p.means = NULL
    return p


cdef truncated_problem estep_problem(
    uint64_t[:, :, ::1] states,
    const uint64_t[::1] keys,
    uint64_t seed,
    uint64_t iteration,
    const uint32_t[::1] thresholds,
    const uint64_t[::1] gaps,
    int64_t n_prior,
    int64_t n_marginal,
    const double[:, ::1] marginals,
    const floating[:, ::1] fields,
    double inverse_temperature,
    double[::1] free_energy,
    double[:, ::1] means,
) noexcept:
    cdef truncated_problem p = new_problem(states, keys, seed, iteration, thresholds, gaps)
    p.n_prior, p.n_marginal = n_prior, n_marginal
    if marginals is not None:
        p.marginals = &marginals[0, 0]
    if floating is float:
        p.single_fields = &fields[0, 0]
    else:
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
    int64_t[::1] team,
):
    """Distinct states for every datum, near draws from the prior."""
    cdef truncated_problem p = new_problem(states, keys, seed, iteration, thresholds, gaps)
    run(active.truncated.initial_states, &p, team)


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
    const floating[:, ::1] fields,
    double inverse_temperature,
    double[::1] free_energy,
    double[:, ::1] means,
    const double[:, ::1] couplings,
    double[:, ::1] second,
    int64_t[::1] team,
):
    """E-step of binary sparse coding; ``second`` takes E[s s^T] of every block.

    Of this there is the lower triangle, row by row. The diagonal of the couplings is 0. Fields may
    be in single precision; what follows from them is in double precision.
    """
    cdef truncated_problem p = estep_problem(
        states, keys, seed, iteration, thresholds, gaps, n_prior, n_marginal, marginals,
        fields, inverse_temperature, free_energy, means,
    )
    p.couplings, p.second = &couplings[0, 0], &second[0, 0]
    run(active.truncated.gaussian_estep, &p, team)


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
    int64_t[::1] team,
):
    """E-step of a sigmoid belief network; ``responsibilities`` takes q of every state."""
    cdef truncated_problem p = estep_problem(
        states, keys, seed, iteration, thresholds, gaps, n_prior, n_marginal, marginals,
        fields, inverse_temperature, free_energy, means,
    )
    p.width, p.weights = weights.shape[1], &weights[0, 0]
    p.responsibilities = &responsibilities[0, 0]
    run(active.truncated.bernoulli_estep, &p, team)


def bernoulli_expectations(
    uint64_t[:, :, ::1] states,
    const double[:, ::1] weights,
    const double[:, ::1] responsibilities,
    double[:, :, ::1] out,
    int64_t[::1] team,
):
    """E[s_h sigmoid(a_d)], in the last row E[sigmoid(a_d)], summed over each block of data."""
    cdef truncated_problem p
    p.n_data, p.n_states, p.n_words = states.shape[0], states.shape[1], states.shape[2]
    p.n_units = weights.shape[0] - 1
    p.states = &states[0, 0, 0]
    p.width, p.weights = weights.shape[1], &weights[0, 0]
    p.responsibilities, p.sums = <double *>&responsibilities[0, 0], &out[0, 0, 0]
    run(active.truncated.bernoulli_expectations, &p, team)
