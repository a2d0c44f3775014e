/* The kernels for one instruction set, as a table of functions; dispatch.c chooses the table.

   The .pyx files, which call the functions, say what they mean. Every function with a ticket shares
   its work with the other threads that have the same ticket, and returns 0, or -1 without memory. */
#ifndef TOPICTEMPER_KERNELS_H
#define TOPICTEMPER_KERNELS_H

#include "factorial.h"
#include "lda.h"
#include "truncated.h"

typedef struct {
    const char *isa;
    lda_kernels lda_f32, lda_f64;
    int (*bernoulli_sweep)(const sweep_problem *, int64_t *ticket);
    truncated_kernels truncated;
} kernel_table;

/* The tables for this processor, the fastest first; the list ends with NULL. */
const kernel_table *const *available_kernels(void);

#endif
