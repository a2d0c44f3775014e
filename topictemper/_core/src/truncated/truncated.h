/* What the kernels of truncated variational sampling (Luecke et al. 2018) take.

   A state is a set of binary units, packed into words of 64. The log-joint of a state s and a
   datum y is constant(y) + sum of fields(y) over the units of s - penalty(s); the caller
   adds the constants. Blocks of data are fixed, and a block is worked on by one thread. */

#ifndef TRUNCATED_H
#define TRUNCATED_H

#include "shared_kernel.h"

#include <stdint.h>

#define ROW_BLOCK 256 /* data in a block */
#define WIDTH_PADDING 8 /* rows of weights: a multiple of every vector of doubles */
#define THRESHOLD_BITS 16 /* of the probabilities that units are drawn with */
#define SMALLEST_WEIGHT 1e-12 /* of a state that enters expectations */

/* Independent units: unit h is on where a random number of 16 bits is below thresholds[h], or,
   where all have one small probability, by the gaps between those that are on: a gap is at least
   k + 1 where a random number of 64 bits is below gaps[k]. */
typedef struct {
    const uint32_t *thresholds;
    const uint64_t *gaps; /* (n_units,), or NULL */
} unit_sampler;

/* Data, their states, what to draw, and what an E-step gives back. */
typedef struct {
    int64_t n_data, n_states, n_units, n_words;
    uint64_t *states;       /* (n_data, n_states, n_words) */
    const uint64_t *keys;   /* of the random numbers of each datum */
    uint64_t seed, iteration;
    int64_t n_prior, n_marginal;
    unit_sampler prior;
    const double *marginals; /* (n_data, n_units), or NULL: of the states themselves */
    const double *fields;    /* (n_data, n_units), or NULL: in single precision */
    const float *single_fields;
    double inverse_temperature;
    double *free_energy; /* log sum_s p(s, y)^(1/T), without the constant */
    double *means;       /* (n_data, n_units): E[s] */
    /* Of sparse coding: */
    const double *couplings; /* (n_units, n_units), 0 on the diagonal */
    double *second;          /* E[s s^T] of each block: the lower triangle, row by row */
    /* Of a belief network: */
    int64_t width;
    const double *weights;    /* (n_units + 1, width) */
    double *responsibilities; /* (n_data, n_states): q */
    double *sums;             /* (blocks of data, n_units + 1, width) */
} truncated_problem;

typedef struct {
    shared_kernel *initial_states, *gaussian_estep, *bernoulli_estep, *bernoulli_expectations;
} truncated_kernels;

#endif
