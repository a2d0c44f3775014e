/* The kernels of one precision and one instruction set, as a table of functions.

   dispatch.c fills one table per instruction set at build time and picks the best that the CPU has
   at import. What the functions mean is documented in _kernels.pyx, which calls them. */
#ifndef TOPICTEMPER_KERNELS_H
#define TOPICTEMPER_KERNELS_H

#include <stdint.h>

/* Rows of tables are padded to this many topics, a multiple of every vector length. */
#define TOPIC_PADDING 16

/* Fixed blocks of work: set by the data, never by the number of threads. */
#define DOCUMENT_BLOCK 16
#define ESTEP_BLOCK 4 /* an E-step is long: the last block must not keep others waiting */
#define WORD_BLOCK 64

/* Up to so many topics, statistics are summed over all of them, not just those of a document. */
#define DENSE_TOPICS 256

#define DECLARE_KERNELS(REAL, NAME)                                                                \
    typedef struct {                                                                               \
        void (*exp)(int64_t n, const REAL *x, REAL *out);                                          \
        void (*log)(int64_t n, const REAL *x, REAL *out);                                          \
        void (*psi)(int64_t n, const REAL *x, REAL *out);                                          \
        void (*exp_psi)(int64_t n, const REAL *x, double s, REAL *out);                            \
        void (*gamma_ratio)(int64_t n, const REAL *x, double s, REAL *out);                        \
        int (*topic_rows)(int64_t n_words, int64_t n_topics, int64_t padded, const REAL *M,        \
                          double a, double base, const double *log_total, int point,                \
                          const int32_t *words, double s, int log_rows, REAL *B, REAL *shift,      \
                          REAL *mass, int64_t *ticket);                                            \
        int (*estep)(int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,     \
                     const int32_t *word_of, const REAL *counts, const REAL *alpha, const REAL *s, \
                     int log_rows, const REAL *B, const REAL *shift, const REAL *mass, double tol, \
                     int64_t max_iter, int warm, REAL *gamma, int32_t *topics, REAL *weights,      \
                     int32_t *n_active, REAL *ratio, double *energy, int32_t *sweeps,              \
                     int64_t *ticket);                                                             \
        int (*sample)(int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,    \
                      const int32_t *word_of, const REAL *counts, const REAL *alpha,               \
                      const REAL *B, const uint64_t *keys, int64_t n_burn_in, int64_t n_kept,      \
                      REAL *gamma, int32_t *topics, REAL *weights, int32_t *n_active, REAL *ratio, \
                      int64_t *ticket);                                                            \
        int (*add_statistics)(int64_t n_words, int64_t n_topics, int64_t padded,                   \
                              const int32_t *words, const int64_t *word_ptr,                       \
                              const int32_t *word_doc, const int64_t *word_pos,                    \
                              const double *doc_weight, const REAL *s, int log_rows, const REAL *B,\
                              const int32_t *topics, const REAL *weights,                          \
                              const int32_t *n_active, const REAL *ratio, double rate, REAL *M,    \
                              double *block_sums, int64_t *ticket);                                \
        int (*log_partition)(int64_t n_docs, int64_t n_topics, int64_t n_nodes, const REAL *gamma, \
                             const int32_t *topics, const int32_t *n_active, const REAL *moments,  \
                             const REAL *prior_moments, const double *nodes, double *out,          \
                             int64_t *ticket);                                                     \
        int (*fractional_moments)(int64_t n_words, int64_t n_topics, int64_t n_nodes,              \
                                  int64_t block, const REAL *M, double a, double base,             \
                                  const double *nodes, double *out, int64_t *ticket);              \
        int (*mixture_log_likelihood)(int64_t n_docs, int64_t n_topics, const int64_t *doc_ptr,    \
                                      const int32_t *indices, const REAL *counts, const REAL *t,   \
                                      const REAL *M, double a, double base, double *out,           \
                                      int64_t *ticket);                                            \
    } NAME;

DECLARE_KERNELS(float, kernels_f32)
DECLARE_KERNELS(double, kernels_f64)

typedef struct {
    const char *isa;
    kernels_f32 f32;
    kernels_f64 f64;
} kernel_set;

/* The instruction sets that this CPU has, the best first; the list ends with NULL. */
const kernel_set *const *available_kernels(void);

#endif
