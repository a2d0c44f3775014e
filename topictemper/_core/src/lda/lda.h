/* What the kernels of LDA take; `_lda.pyx` says what they do.

   Numbers of the caller's precision are `real`: the kernels for float and those for double take the
   same structs. */
#ifndef TOPICTEMPER_LDA_H
#define TOPICTEMPER_LDA_H

#include "shared_kernel.h"

#include <stdint.h>

/* Rows of tables are padded to this many topics, a multiple of every vector length. */
#define TOPIC_PADDING 16

/* Fixed blocks of work: set by the data, never by the number of threads. */
#define DOCUMENT_BLOCK 16
#define ESTEP_BLOCK 4 /* an E-step is long: the last block must not keep others waiting */
#define WORD_BLOCK 64

/* Topics whose moments are worked out at a time: few enough for the caches and for some shares of
   the work, many enough for rows to be read in their order. */
#define MOMENT_TOPICS 128
#define MOMENT_SHARES 4

/* For moments the numbers between two powers of 2 lie in 2^OCTAVE_BITS intervals. */
#define OCTAVE_BITS 6

/* Up to so many topics, or where a word's documents hold one topic in so many, statistics are summed
   over all topics, not just those of a document. */
#define DENSE_TOPICS 256
#define DENSE_PART 4

/* Beyond so many topics, memory bounds a step: rows of the topics are stored past the caches, and
   documents leave topics of little weight at once. */
#define MANY_TOPICS 512

typedef void real;

/* Arrays of a minibatch, and of its E-step: attributes of two Python objects, by their names.
   `_lda.pyx` checks the types and fills the struct. Empty arrays are NULL. */
#define MINIBATCH_FIELDS(IN, OUT)                                                                  \
    IN(int64_t, doc_ptr) /* (n_docs + 1,) */                                                       \
    IN(int32_t, word_of) /* (nnz,): places in `words` */                                           \
    IN(real, counts)     /* (nnz,) */                                                              \
    IN(int32_t, words)   /* (n_words,): columns */                                                 \
    IN(int64_t, word_ptr) /* (n_words + 1,), and the entries once more word by word: */            \
    IN(int32_t, word_doc) /* (nnz,): documents */                                                  \
    IN(int64_t, word_pos) /* (nnz,): places in `counts` */
#define LOCAL_FIELDS(IN, OUT)                                                                      \
    IN(real, alpha)        /* (n_topics,) */                                                       \
    IN(real, s)            /* (n_docs,): inverse temperatures */                                   \
    OUT(real, B)           /* (n_words, padded), shift and mass: see `topic_rows` */               \
    OUT(real, shift)       /* (n_words,) */                                                        \
    OUT(real, mass)        /* (n_words,) */                                                        \
    OUT(real, prior_mass)  /* (n_words,): likewise, or not wanted */                               \
    OUT(real, prior)       /* (n_words, padded / TOPIC_PADDING): likewise, or not wanted */        \
    OUT(real, gamma)       /* (n_docs, n_topics) and all below: see `estep` */                     \
    OUT(real, drawn)       /* (n_docs, n_topics): see `sample`; or not wanted */                   \
    OUT(int32_t, topics)   /* (n_docs, n_topics), or not wanted */                                 \
    OUT(real, weights)     /* (n_docs, padded), or not wanted */                                   \
    OUT(int32_t, n_active) /* (n_docs,) */                                                         \
    OUT(real, ratio)       /* (nnz,) */                                                            \
    OUT(real, own)         /* (nnz,): see `sample`; or not wanted */                               \
    OUT(real, log_scale)   /* (n_docs,) */                                                         \
    OUT(double, energy)    /* (n_docs,), or not wanted */                                          \
    OUT(int32_t, sweeps)   /* (n_docs,) */

typedef struct {
#define IN(type, name) const type *name;
#define OUT(type, name) type *name;
    MINIBATCH_FIELDS(IN, OUT)
    LOCAL_FIELDS(IN, OUT)
#undef IN
#undef OUT
    int64_t n_docs, n_words, n_topics, padded;
    int log_rows; /* whether B holds logarithms, because every document has its own s */
} documents;

/* The global state lambda_vk = base + a M[v, k]. */
typedef struct {
    int64_t n_words, n_topics;
    real *M;
    double a, base;
} topic_state;

/* What each of the kernels works on: */

typedef struct {
    const documents *documents;
    const topic_state *topics;
    const double *log_total; /* (n_topics,) */
    int point;
    const int32_t *places; /* (n_words,): rows of M */
    double s;
} rows_problem;

typedef struct {
    const documents *documents;
    double tol;
    int64_t max_iter;
} estep_problem;

typedef struct {
    const documents *documents;
    double tol, rough;
    int64_t max_iter, n_own;
} cvb0_problem;

typedef struct {
    const documents *documents;
    const uint64_t *keys; /* (n_docs,) */
    int64_t n_burn_in, n_kept;
} sampling_problem;

typedef struct {
    const documents *documents;
    const double *doc_weight; /* (n_docs,) */
    double scale;
    real *M;
    double *block_sums; /* (blocks of words, n_topics) */
} statistics_problem;

typedef struct {
    int64_t n_docs, n_topics, n_nodes;
    const real *gamma;
    const int32_t *topics, *n_active;
    const real *moments, *prior_moments; /* (n_nodes, n_topics) */
    const double *nodes;
    double *out; /* (n_docs, n_nodes) */
} partition_problem;

typedef struct {
    const topic_state *topics;
    int64_t n_nodes, n_intervals, octave; /* intervals begin at 2^octave */
    const double *table;                  /* (n_intervals + 1, n_nodes) */
    double *out;                          /* (n_topics, n_nodes) */
} moments_problem;

typedef struct {
    const topic_state *topics;
    int64_t n_docs, n_values;
    const int64_t *doc_ptr;
    const int32_t *indices;
    const real *counts, *t; /* t: (n_values, n_docs, n_topics) */
    const double *bases;    /* (n_values,), in the place of that of the topics */
    double *out;            /* (n_values, n_docs) */
} likelihood_problem;

typedef struct {
    void (*psi)(int64_t n, const real *x, real *out);
    void (*gamma_ratio)(int64_t n, const real *x, double s, real *out);
    shared_kernel *topic_rows, *estep, *cvb0, *sample, *add_statistics, *log_partition,
        *fractional_moments, *mixture_log_likelihood;
} lda_kernels;

#endif
