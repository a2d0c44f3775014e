/* Waiting for another thread without a system call. Between two kernels pass a few microseconds; to
   wake a thread takes longer than many kernels run. */
#ifndef TOPICTEMPER_SPIN_H
#define TOPICTEMPER_SPIN_H

#include <sched.h>
#include <stdint.h>
#include <time.h>

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline int64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whether *value has left `seen` before so many nanoseconds have passed. */
static inline int changes_within(const int64_t *value, int64_t seen, int64_t nanoseconds)
{
    int64_t start = nanoseconds_now();
    do {
        for (int i = 0; i < 64; i++) {
            if (__atomic_load_n(value, __ATOMIC_ACQUIRE) != seen)
                return 1;
            pause_briefly();
        }
    } while (nanoseconds_now() - start < nanoseconds);
    return 0;
}

/* Returns when *value is 0: how many nanoseconds that took. */
static inline int64_t wait_for_zero(const int64_t *value)
{
    if (__atomic_load_n(value, __ATOMIC_ACQUIRE) == 0)
        return 0;
    int64_t start = nanoseconds_now();
    for (int64_t i = 1; __atomic_load_n(value, __ATOMIC_ACQUIRE) != 0; i++) {
        pause_briefly();
        if (i % 1024 == 0) /* the thread that sets it may need this processor */
            sched_yield();
    }
    return nanoseconds_now() - start;
}

#endif
