"""The kernels as C sees them: their tables and what they take (``src``)."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "team.h" nogil:
    ctypedef int shared_kernel(const void *problem, int64_t *ticket) noexcept

    int share(int64_t *team, int64_t size, shared_kernel *kernel, const void *problem)

cdef extern from "lda.h" nogil:
    const int OCTAVE_BITS
    const int TOPIC_PADDING
    const int WORD_BLOCK

    ctypedef struct documents:  # its arrays are filled by name
        int64_t n_docs, n_words, n_topics, padded
        int log_rows

    ctypedef struct topic_state:
        int64_t n_words, n_topics
        void *M
        double a, base

    ctypedef struct rows_problem:
        const documents *documents
        const topic_state *topics
        const double *log_total
        int point
        const int32_t *places
        double s

    ctypedef struct estep_problem:
        const documents *documents
        double tol
        int64_t max_iter

    ctypedef struct cvb0_problem:
        const documents *documents
        double tol, rough
        int64_t max_iter, n_own

    ctypedef struct sampling_problem:
        const documents *documents
        const uint64_t *keys
        int64_t n_burn_in, n_kept

    ctypedef struct statistics_problem:
        const documents *documents
        const double *doc_weight
        double scale
        void *M
        double *block_sums

    ctypedef struct partition_problem:
        int64_t n_docs, n_topics, n_nodes
        const void *gamma
        const int32_t *topics
        const int32_t *n_active
        const void *moments
        const void *prior_moments
        const double *nodes
        double *out

    ctypedef struct moments_problem:
        const topic_state *topics
        int64_t n_nodes, n_intervals, octave
        const double *table
        double *out

    ctypedef struct likelihood_problem:
        const topic_state *topics
        int64_t n_docs, n_values
        const int64_t *doc_ptr
        const int32_t *indices
        const void *counts
        const void *t
        const double *bases
        double *out

    ctypedef struct lda_kernels:
        void (*psi)(int64_t n, const void *x, void *out) noexcept nogil
        void (*gamma_ratio)(int64_t n, const void *x, double s, void *out) noexcept nogil
        shared_kernel *topic_rows
        shared_kernel *estep
        shared_kernel *cvb0
        shared_kernel *sample
        shared_kernel *add_statistics
        shared_kernel *log_partition
        shared_kernel *fractional_moments
        shared_kernel *mixture_log_likelihood

cdef extern from "factorial.h" nogil:
    ctypedef struct sweep_problem:
        int64_t n_images, n_components, n_patterns
        const double *projections
        const double *gram
        const double *bias
        const int64_t *pattern
        const double *s
        double precision
        int64_t n_sweeps
        double *nu
        double *energy
        double *entropy

cdef extern from "truncated.h" nogil:
    const int ROW_BLOCK
    const int WIDTH_PADDING
    const double SMALLEST_WEIGHT

    ctypedef struct unit_sampler:
        const uint32_t *thresholds
        const uint64_t *gaps

    ctypedef struct truncated_problem:
        int64_t n_data, n_states, n_units, n_words
        uint64_t *states
        const uint64_t *keys
        uint64_t seed, iteration
        int64_t n_prior, n_marginal
        unit_sampler prior
        const double *marginals
        const double *fields
        const float *single_fields
        double inverse_temperature
        double *free_energy
        double *means
        const double *couplings
        double *second
        int64_t width
        const double *weights
        double *responsibilities
        double *sums

    ctypedef struct truncated_kernels:
        shared_kernel *initial_states
        shared_kernel *gaussian_estep
        shared_kernel *bernoulli_estep
        shared_kernel *bernoulli_expectations

cdef extern from "kernels.h" nogil:
    ctypedef struct kernel_table:
        const char *isa
        lda_kernels lda_f32
        lda_kernels lda_f64
        shared_kernel *bernoulli_sweep
        truncated_kernels truncated

    const kernel_table *const *available_kernels()

cdef const kernel_table *active
cdef int run(shared_kernel *kernel, const void *problem, int64_t[::1] team) except -1
