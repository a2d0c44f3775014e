#include "cpu.h"
#include "kernels.h"

#include <stddef.h>

extern const kernel_table kernels_baseline;
#if defined(__x86_64__)
extern const kernel_table kernels_avx2, kernels_avx512;
#endif

const kernel_table *const *available_kernels(void)
{
    static const kernel_table *tables[8]; /* more than there are below, and NULL */
    int n = 0;
#if defined(__x86_64__)
    if (cpu_has_avx512())
        tables[n++] = &kernels_avx512;
    if (cpu_has_avx2())
        tables[n++] = &kernels_avx2;
#endif
    tables[n++] = &kernels_baseline;
    tables[n] = NULL;
    return tables;
}
