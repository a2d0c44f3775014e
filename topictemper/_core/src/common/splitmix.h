/* Random numbers by counting: SplitMix64 (Steele, Lea, Flood 2014) over a key.

   A stream is a function of its key alone, so threads and their order have no influence. */
#ifndef TOPICTEMPER_SPLITMIX_H
#define TOPICTEMPER_SPLITMIX_H

#include <stdint.h>

#define GOLDEN 0x9e3779b97f4a7c15u

typedef struct {
    uint64_t key, count;
} stream;

static INLINE uint64_t mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static INLINE uint64_t next_word(stream *random)
{
    return mix64(random->key + ++random->count * GOLDEN);
}

#endif
