/* All kernels for one instruction set, and their table.

   The including file sets ISA, VBYTES, and X86_FEATURES unless every processor has them. */

#if defined(X86_FEATURES) && !defined(__x86_64__)
typedef int no_such_instruction_set; /* ISO C wants a declaration in every file */
#else

#include "kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PRAGMA(x) _Pragma(#x)
#if defined(X86_FEATURES) && defined(__clang__)
#define BEGIN(features)                                                                            \
    PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define END PRAGMA(clang attribute pop)
#elif defined(X86_FEATURES)
#define BEGIN(features) PRAGMA(GCC push_options) PRAGMA(GCC target(features))
#define END PRAGMA(GCC pop_options)
#endif

#ifdef X86_FEATURES
BEGIN(X86_FEATURES)
#endif

#define INLINE inline __attribute__((always_inline, unused))
#define SHUFFLE __builtin_shufflevector

/* The store of a vector, as integers, that passes the caches, and what comes before others read. */
#if !defined(__x86_64__)
#define STREAM(p, x) (*(p) = (x))
#define END_OF_STREAM() ((void)0)
#else
#define END_OF_STREAM() __builtin_ia32_sfence()
#ifdef __clang__
#define STREAM(p, x) __builtin_nontemporal_store(x, p)
#elif VBYTES == 64
#define STREAM __builtin_ia32_movntdq512
#elif VBYTES == 32
#define STREAM __builtin_ia32_movntdq256
#else
#define STREAM __builtin_ia32_movntdq
#endif
#endif
#define PASTE_(a, b, c) a##b##_##c
#define PASTE(a, b, c) PASTE_(a, b, c)

#include "splitmix.h"

#define REAL float
#define INT int32_t
#define REAL_BYTES 4
#define FN(name) PASTE(name, _f32, ISA)
#include "all_lda.h"
#include "reset.h"

#define REAL double
#define INT int64_t
#define REAL_BYTES 8
#define FN(name) PASTE(name, _f64, ISA)
#include "all_lda.h"
#include "sweep.h"

#include "random.h"
#include "state_sets.h"
#include "tv_estep.h"
#include "gaussian.h"
#include "bernoulli.h"

#define LDA(T)                                                                                     \
    {                                                                                              \
        .psi = PASTE(array_psi, T, ISA), .gamma_ratio = PASTE(array_gamma_ratio, T, ISA),          \
        .topic_rows = PASTE(topic_rows, T, ISA), .estep = PASTE(estep, T, ISA),                    \
        .cvb0 = PASTE(cvb0, T, ISA), .sample = PASTE(sample, T, ISA),                              \
        .add_statistics = PASTE(add_statistics, T, ISA),                                           \
        .log_partition = PASTE(log_partition, T, ISA),                                             \
        .fractional_moments = PASTE(fractional_moments, T, ISA),                                   \
        .mixture_log_likelihood = PASTE(mixture_log_likelihood, T, ISA),                           \
    }
#define STRING_(x) #x
#define STRING(x) STRING_(x)

const kernel_table PASTE(kernels, , ISA) = {
    .isa = STRING(ISA),
    .lda_f32 = LDA(_f32),
    .lda_f64 = LDA(_f64),
    .bernoulli_sweep = FN(bernoulli_sweep),
    .truncated = {
        .initial_states = initial_states,
        .gaussian_estep = gaussian_estep,
        .bernoulli_estep = bernoulli_estep,
        .bernoulli_expectations = bernoulli_expectations,
    },
};

#ifdef X86_FEATURES
END
#endif
#endif
