#include "cpu.h"
#include "kernels.h"

#include <stddef.h>

extern const kernel_set kernels_baseline;
#if defined(__x86_64__)
extern const kernel_set kernels_avx2, kernels_avx512;
#endif

const kernel_set *const *available_kernels(void)
{
    static const kernel_set *sets[4];
    int n = 0;
#if defined(__x86_64__)
    if (cpu_has_avx512())
        sets[n++] = &kernels_avx512;
    if (cpu_has_avx2())
        sets[n++] = &kernels_avx2;
#endif
    sets[n++] = &kernels_baseline;
    sets[n] = NULL;
    return sets;
}
