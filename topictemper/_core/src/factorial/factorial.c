/* The sweep for every instruction set, and the choice among them. */

#include "factorial.h"

#include "cpu.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DO(x) _Pragma(#x)
#if defined(__clang__)
#define BEGIN(features)                                                                            \
    DO(clang attribute push(__attribute__((target(features))), apply_to = function))
#define END DO(clang attribute pop)
#else
#define BEGIN(features) DO(GCC push_options) DO(GCC target(features))
#define END DO(GCC pop_options)
#endif

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define FN(name) PASTE(name, ISA)
#define INLINE inline __attribute__((always_inline, unused))
#define SHUFFLE __builtin_shufflevector
#define REAL double
#define INT int64_t
#define REAL_BYTES 8
#define LANES 64 /* images of a tile */

static INLINE double bernoulli_of_one(double logit, double *product, double *rest)
{
    double size = fabs(logit), e = exp(-size), near = 1 / (1 + e), far = e * near;
    *product *= 1 + e;
    *rest += size * far;
    return logit < 0 ? far : near;
}

#define ISA baseline
#define VBYTES 16
#include "simd.h"
#include "special.h"
#include "sweep.h"
#undef ISA
#undef VBYTES

#if defined(__x86_64__)
BEGIN("avx2,fma")
#define ISA avx2
#define VBYTES 32
#include "simd.h"
#include "special.h"
#include "sweep.h"
#undef ISA
#undef VBYTES
END

BEGIN("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")
#define ISA avx512
#define VBYTES 64
#include "simd.h"
#include "special.h"
#include "sweep.h"
#undef ISA
#undef VBYTES
END
#endif

#define SET(isa) {#isa, sweep_shared_##isa, sweep_own_##isa}

const sweeps *available_sweeps(void)
{
    static sweeps sets[4];
    int n = 0;
#if defined(__x86_64__)
    if (cpu_has_avx512())
        sets[n++] = (sweeps)SET(avx512);
    if (cpu_has_avx2())
        sets[n++] = (sweeps)SET(avx2);
#endif
    sets[n++] = (sweeps)SET(baseline);
    sets[n] = (sweeps){0};
    return sets;
}
