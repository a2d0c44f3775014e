"""Kernels of factorial models: thin, typed entries to the C code in ``src_factorial``, in float64.

Every entry runs without the GIL and takes a ``ticket`` as those of `_kernels` do: callers in
several threads that share the ticket share the work, in blocks fixed by the data, so the result
does not depend on how many they are. `_reference_factorial` is the same mathematics in numpy.
"""

from libc.stdint cimport int64_t

cdef extern from "factorial.h" nogil:
    ctypedef struct sweeps:
        const char *isa
        int (*shared)(
            int64_t n_images, int64_t n_components, const double *projections, const double *gram,
            const double *bias, const double *s, double precision, int64_t n_sweeps, double *nu,
            double *energy, double *entropy, int64_t *ticket
        ) noexcept nogil
        int (*own)(
            int64_t n_images, int64_t n_components, const double *projections, const double *gram,
            const double *bias, const int64_t *pattern, const double *s, double precision,
            int64_t n_sweeps, double *nu, double *energy, double *entropy, int64_t *ticket
        ) noexcept nogil
    const sweeps *available_sweeps()

cdef const sweeps *active = available_sweeps()


def available_isas():
    """Names of the instruction sets that this CPU has, the best first."""
    cdef const sweeps *sets = available_sweeps()
    names = []
    while sets[len(names)].isa != NULL:
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
    active = available_sweeps() + <Py_ssize_t>names.index(name)


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
    int64_t[::1] ticket,
):
    """Update ``nu`` (K, N) component after component, each with the others as they now are.

    ``logit nu_kn = s_n [bias_k + precision (projections_kn - sum_{l != k} gram_kl nu_ln)]`` with
    the rows of ``gram`` and ``bias`` that ``pattern`` names for image n; the paper's update of
    q(Z) (supplement C), where ``projections = m X^T`` and ``gram = m m^T`` over observed pixels.
    After the last of ``n_sweeps >= 1`` the terms of the energy that depend on nu,
    ``sum_k nu_k (bias_k + precision projections_k) - precision sum_{k<l} nu_k gram_kl nu_l``, and
    the entropy of nu stand in ``energy`` and ``entropy``, both of shape (N,).
    """
    cdef int64_t n_images = nu.shape[1], n_components = nu.shape[0]
    cdef int status = 0
    if n_images == 0:
        return
    with nogil:
        if gram.shape[0] == 1:
            status = active.shared(
                n_images, n_components, &projections[0, 0], &gram[0, 0, 0], &bias[0, 0], &s[0],
                precision, n_sweeps, &nu[0, 0], &energy[0], &entropy[0], &ticket[0],
            )
        else:
            status = active.own(
                n_images, n_components, &projections[0, 0], &gram[0, 0, 0], &bias[0, 0],
                &pattern[0], &s[0], precision, n_sweeps, &nu[0, 0], &energy[0], &entropy[0],
                &ticket[0],
            )
    if status != 0:
        raise MemoryError("no memory for the working set of a kernel")
