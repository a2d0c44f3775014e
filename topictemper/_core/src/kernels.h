/* The kernels for one instruction set, as a table of functions; dispatch.c chooses the table.

   The .pyx files, which call the functions, say what they mean. */
#ifndef TOPICTEMPER_KERNELS_H
#define TOPICTEMPER_KERNELS_H

/* The exponential rounds by adding a large number and subtracting it again (special.h): fast-math
   cancels the two, and the x87 keeps the digits that are to go. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)                                        \
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "topictemper gives wrong results with -ffast-math or parts of it: take them out of CFLAGS"
#endif
#if defined(__i386__) && !defined(__SSE2_MATH__)
#error "topictemper gives wrong results with x87 arithmetic: add -msse2 -mfpmath=sse to CFLAGS"
#endif

#include "factorial.h"
#include "lda.h"
#include "truncated.h"

typedef struct {
    const char *isa;
    lda_kernels lda_f32, lda_f64;
    shared_kernel *bernoulli_sweep;
    truncated_kernels truncated;
} kernel_table;

/* The tables for this processor, the fastest first; the list ends with NULL. */
const kernel_table *const *available_kernels(void);

#endif
