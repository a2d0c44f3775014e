/* One instruction set: both precisions of every kernel, and their table.

   The including file sets ISA and VBYTES, and switches the compiler's target on. */

#define PASTE_(a, b, c) a##b##_##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define INLINE inline __attribute__((always_inline, unused))
#define SHUFFLE __builtin_shufflevector

#define REAL float
#define INT int32_t
#define REAL_BYTES 4
#define FN(name) PASTE(name, _f32, ISA)
#include "simd.h"
#include "special.h"
#include "estep.h"
#include "gibbs.h"
#include "partition.h"
#include "topics.h"
#include "reset.h"

#define REAL double
#define INT int64_t
#define REAL_BYTES 8
#define FN(name) PASTE(name, _f64, ISA)
#include "simd.h"
#include "special.h"
#include "estep.h"
#include "gibbs.h"
#include "partition.h"
#include "topics.h"
#include "reset.h"

#define TABLE(T)                                                                                   \
    {                                                                                              \
        .exp = PASTE(array_exp, _##T, ISA), .log = PASTE(array_log, _##T, ISA),                    \
        .psi = PASTE(array_psi, _##T, ISA), .exp_psi = PASTE(array_exp_psi, _##T, ISA),            \
        .gamma_ratio = PASTE(array_gamma_ratio, _##T, ISA),                                        \
        .topic_rows = PASTE(topic_rows, _##T, ISA), .estep = PASTE(estep, _##T, ISA),              \
        .sample = PASTE(sample, _##T, ISA),                                                        \
        .add_statistics = PASTE(add_statistics, _##T, ISA),                                        \
        .log_partition = PASTE(log_partition, _##T, ISA),                                          \
        .fractional_moments = PASTE(fractional_moments, _##T, ISA),                                \
        .mixture_log_likelihood = PASTE(mixture_log_likelihood, _##T, ISA),                        \
    }
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define SET_(isa) kernels_##isa
#define SET(isa) SET_(isa)

const kernel_set SET(ISA) = {.isa = STRING(ISA), .f32 = TABLE(f32), .f64 = TABLE(f64)};
