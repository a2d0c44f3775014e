#include "cpu.h"
#include "truncated.h"

#include <stddef.h>

extern const truncated_kernels truncated_baseline;
#if defined(__x86_64__)
extern const truncated_kernels truncated_avx2, truncated_avx512;
#endif

const truncated_kernels *const *available_truncated_kernels(void)
{
    static const truncated_kernels *sets[4];
    int n = 0;
#if defined(__x86_64__)
    if (cpu_has_avx512())
        sets[n++] = &truncated_avx512;
    if (cpu_has_avx2())
        sets[n++] = &truncated_avx2;
#endif
    sets[n++] = &truncated_baseline;
    sets[n] = NULL;
    return sets;
}
