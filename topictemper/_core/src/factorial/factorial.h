/* What the sweep of a factorial mixture takes; `_factorial.pyx` says what it does. */
#ifndef TOPICTEMPER_FACTORIAL_H
#define TOPICTEMPER_FACTORIAL_H

#include <stdint.h>

#define TILE 64 /* images side by side */

typedef struct {
    int64_t n_images, n_components, n_patterns;
    const double *projections; /* (n_components, n_images) */
    const double *gram;        /* (n_patterns, n_components, n_components) */
    const double *bias;        /* (n_patterns, n_components) */
    const int64_t *pattern;    /* (n_images,) */
    const double *s;           /* (n_images,) */
    double precision;
    int64_t n_sweeps;
    double *nu;                /* (n_components, n_images) */
    double *energy, *entropy;  /* (n_images,) */
} sweep_problem;

#endif
