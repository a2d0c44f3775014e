/* Sweeps of a factorial mixture, for every instruction set; `_factorial.pyx` says what they mean. */

#ifndef FACTORIAL_H
#define FACTORIAL_H

#include <stdint.h>

typedef struct {
    const char *isa;
    int (*shared)(int64_t n_images, int64_t n_components, const double *projections,
                  const double *gram, const double *bias, const double *s, double precision,
                  int64_t n_sweeps, double *nu, double *energy, double *entropy, int64_t *ticket);
    int (*own)(int64_t n_images, int64_t n_components, const double *projections,
               const double *gram, const double *bias, const int64_t *pattern, const double *s,
               double precision, int64_t n_sweeps, double *nu, double *energy, double *entropy,
               int64_t *ticket);
} sweeps;

/* Those that the processor at hand can do, the fastest first; the last has no name. */
const sweeps *available_sweeps(void);

#endif
