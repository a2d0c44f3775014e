"""Kernels of factorial models: thin, typed entries to the C code in ``src/factorial``, in float64.

Every entry runs without the GIL in all threads of a ``team``, as those of `_lda` do: they share the
work in blocks fixed by the data, so the result does not depend on how many they are.
`_reference.factorial` is the same mathematics in NumPy.
"""

from libc.stdint cimport int64_t

from ._dispatch cimport active, run, sweep_problem


def bernoulli_sweep(
    const double[:, ::1] projections,
    const double[:, :, ::1] gram,
    const double[:, ::1] bias,
    const int64_t[::1] pattern,
    const double[::1] s,
    double precision,
    int64_t n_sweeps,
    double[:, ::1] nu,
    double[::1] energy,
    double[::1] entropy,
    int64_t[::1] team,
):
    """Update ``nu`` (K, N) component after component, each with the others as they now are.

    ``logit nu_kn = s_n [bias_k + precision (projections_kn - sum_{l != k} gram_kl nu_ln)]`` with
    the rows of ``gram`` and ``bias`` that ``pattern`` names for image n; the paper's update of
    q(Z) (supplement C), where ``projections = m X^T`` and ``gram = m m^T`` over observed pixels.
    After the last of ``n_sweeps >= 1`` the terms of the energy that depend on nu,
    ``sum_k nu_k (bias_k + precision projections_k) - precision sum_{k<l} nu_k gram_kl nu_l``, and
    the entropy of nu stand in ``energy`` and ``entropy``, both of shape (N,).
    """
    cdef sweep_problem problem
    if nu.shape[1] == 0:
        return
    problem = sweep_problem(
        nu.shape[1], nu.shape[0], gram.shape[0], &projections[0, 0], &gram[0, 0, 0], &bias[0, 0],
        &pattern[0], &s[0], precision, n_sweeps, &nu[0, 0], &energy[0], &entropy[0],
    )
    run(active.bernoulli_sweep, &problem, team)
