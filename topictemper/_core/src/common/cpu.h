/* What the processor at hand can do, for the choice of kernels at import.

   Asked directly: __builtin_cpu_supports is a part of the runtime libraries of GCC and clang, and
   without them, as in zig's builds, it knows nothing. */

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits of the registers that the system saves for each thread. */
#define AVX_STATE 0x06u
#define AVX512_STATE 0xe6u

static inline int cpu_has(unsigned features, unsigned state)
{
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    return (saved & state) == state && __get_cpuid_count(7, 0, &a, &b, &c, &d)
           && (b & features) == features;
}
static inline int cpu_has_avx512(void)
{
    return cpu_has(bit_AVX512F | bit_AVX512DQ | bit_AVX512VL | bit_AVX512BW, AVX512_STATE);
}
static inline int cpu_has_avx2(void) { return cpu_has(bit_AVX2, AVX_STATE); }
#endif
