/* A thread that shares the work of kernels with helpers. Between two kernels pass some
   microseconds, and to wake a thread takes longer than many kernels run: helpers look again and
   again whether they are called, without the interpreter and without a call of the system.

   A team is an array of int64: the ticket, with the number of the run, the assignment, and what the
   thread and each helper tell each other: PLACE numbers each, so that no two are in one line of a
   cache. A ticket alone is the team of a thread without helpers. */
#ifndef TOPICTEMPER_TEAM_H
#define TOPICTEMPER_TEAM_H

#include "shared_kernel.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

#define PLACE 16

typedef struct {
    shared_kernel *kernel;
    const void *problem;
    int64_t failed; /* whether a helper had no memory */
    /* Nanoseconds: a helper that is waited for so long, and longer than the work took, is late;
       nobody loses the processor for as long as the second number; and for how many times as long
       as it is waited for a late helper gets no work. */
    int64_t late, longest, rest;
} assignment;

typedef struct {
    int64_t called;      /* by the thread; whoever sets it back has the call, or takes it back */
    int64_t busy;        /* the helper has a call, or looks whether it has */
    int64_t wanted;      /* for something else than a kernel */
    int64_t rests_until; /* the thread alone uses it */
} helper;

static inline int64_t team_size(int64_t n_helpers)
{
    return PLACE * (n_helpers + 2);
}

static inline int64_t helpers_of(int64_t size)
{
    return size < PLACE ? 0 : size / PLACE - 2;
}

static inline assignment *assignment_of(int64_t *team)
{
    return (assignment *)(team + PLACE);
}

static inline helper *helper_of(int64_t *team, int64_t i)
{
    return (helper *)(team + PLACE * (i + 2));
}

static inline int64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Sets *flag back from 1 to 0; whether it was 1. One thread alone is told so. */
static inline int take_back(int64_t *flag)
{
    int64_t set = 1;
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0
           && __atomic_compare_exchange_n(flag, &set, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Returns when *busy is 0: how many nanoseconds that took. */
static inline int64_t wait_for_end(const int64_t *busy)
{
    if (__atomic_load_n(busy, __ATOMIC_ACQUIRE) == 0)
        return 0;
    const int64_t start = nanoseconds_now();
    for (int64_t i = 1; __atomic_load_n(busy, __ATOMIC_ACQUIRE) != 0; i++) {
        pause_briefly();
        if (i % 1024 == 0) /* the helper may need this processor */
            sched_yield();
    }
    return nanoseconds_now() - start;
}

static inline void set_terms(int64_t *team, int64_t late, int64_t longest, int64_t rest)
{
    assignment *a = assignment_of(team);
    a->late = late;
    a->longest = longest;
    a->rest = rest;
}

/* Make a helper return from `help_out`. */
static inline void want_helper(int64_t *team, int64_t i)
{
    __atomic_store_n(&helper_of(team, i)->wanted, 1, __ATOMIC_RELEASE);
}

static inline int helper_is_called(int64_t *team, int64_t i)
{
    return __atomic_load_n(&helper_of(team, i)->called, __ATOMIC_ACQUIRE) != 0;
}

static inline int helper_is_resting(int64_t *team, int64_t i)
{
    return helper_of(team, i)->rests_until > nanoseconds_now();
}

/* Run a kernel in this thread and in all helpers that come in time. No thread works on it any longer
   when this returns: 0, or -1 if any had no memory. A helper that has lost its processor to another
   program, and is waited for, rests for a while. */
static inline int share(int64_t *team, int64_t size, shared_kernel *kernel, const void *problem)
{
    const int64_t n_helpers = helpers_of(size);
    if (n_helpers == 0)
        return kernel(problem, team);
    assignment *a = assignment_of(team);
    const int64_t begun = nanoseconds_now();
    a->kernel = kernel;
    a->problem = problem;
    a->failed = 0;
    for (int64_t i = 0; i < n_helpers; i++)
        if (helper_of(team, i)->rests_until <= begun)
            __atomic_store_n(&helper_of(team, i)->called, 1, __ATOMIC_RELEASE);
    const int failed = kernel(problem, team);
    const int64_t worked = nanoseconds_now() - begun;
    for (int64_t i = 0; i < n_helpers; i++) {
        helper *h = helper_of(team, i);
        if (take_back(&h->called))
            continue; /* it has not come */
        const int64_t waited = wait_for_end(&h->busy);
        if (waited > a->late && waited > worked && waited < a->longest)
            h->rests_until = begun + worked + waited + a->rest * waited;
    }
    return failed || __atomic_load_n(&a->failed, __ATOMIC_RELAXED) ? -1 : 0;
}

/* What helper i does: kernel after kernel. Returns 1 when it is wanted for something else, 0 when
   nobody has called it for so many nanoseconds. */
static inline int help_out(int64_t *team, int64_t i, int64_t nanoseconds)
{
    assignment *a = assignment_of(team);
    helper *h = helper_of(team, i);
    int64_t since = nanoseconds_now();
    for (int64_t n = 1;; n++) {
        if (helper_is_called(team, i)) {
            /* Before the call is taken: whoever finds it taken sees that the helper is busy. */
            __atomic_store_n(&h->busy, 1, __ATOMIC_SEQ_CST);
            if (take_back(&h->called) && a->kernel(a->problem, team))
                __atomic_store_n(&a->failed, 1, __ATOMIC_RELAXED);
            __atomic_store_n(&h->busy, 0, __ATOMIC_RELEASE);
            since = nanoseconds_now();
        }
        if (take_back(&h->wanted))
            return 1;
        if (n % 64 == 0) {
            if (nanoseconds_now() - since >= nanoseconds)
                return 0;
            sched_yield(); /* who has woken it may wait for the same processor */
        }
        pause_briefly();
    }
}

#endif
