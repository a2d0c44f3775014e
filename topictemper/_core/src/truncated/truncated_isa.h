/* One instruction set: every kernel of truncated variational sampling, and their table.

   The including file sets ISA and VBYTES, and switches the compiler's target on. */

#define PASTE_(a, b, c) a##b##_##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define INLINE inline __attribute__((always_inline, unused))
#define SHUFFLE __builtin_shufflevector

#define REAL double
#define INT int64_t
#define REAL_BYTES 8
#define FN(name) PASTE(name, _f64, ISA)
#include "simd.h"
#include "special.h"

#include "random.h"
#include "state_sets.h"
#include "tv_estep.h"
#include "gaussian.h"
#include "bernoulli.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define SET_(isa) truncated_##isa
#define SET(isa) SET_(isa)

const truncated_kernels SET(ISA) = {
    .isa = STRING(ISA),
    .initial_states = initial_states,
    .gaussian_estep = gaussian_estep,
    .bernoulli_estep = bernoulli_estep,
    .bernoulli_expectations = bernoulli_expectations,
};
