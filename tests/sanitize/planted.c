/* Faults that a sanitizer must report: a check that cannot fail would prove nothing. */

#include <stdint.h>
#include <stdlib.h>

int overflow_heap(int size)
{
    volatile char *memory = calloc((size_t)size, 1);
    int value = memory[size];
    free((void *)memory);
    return value;
}

int overflow_int(int one)
{
    return INT32_MAX + one;
}

double cast_double(double huge)
{
    return (double)(int32_t)huge;
}

/* A kernel as those of the package, but for the ticket, which is not taken atomically. */
void race(int64_t *ticket)
{
    for (int i = 0; i < 1000000; i++)
        *(volatile int64_t *)ticket += 1;
}
