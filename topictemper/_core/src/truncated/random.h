/* What is drawn from streams of random numbers. */

static INLINE stream open_stream(uint64_t seed, uint64_t iteration, uint64_t key)
{
    uint64_t mixed = mix64(mix64(mix64(seed + GOLDEN) + iteration + GOLDEN) + key + GOLDEN);
    return (stream){mixed, 0};
}

/* A whole number from 0 to n - 1, n < 2^31. */
static INLINE int64_t next_below(stream *random, int64_t n)
{
    return (int64_t)((next_word(random) >> 33) * (uint64_t)n >> 31);
}

/* Set each unit h of a list independently, with probability thresholds[h] / 2^16; how many are
   set, and which, in rising order. */
static INLINE int64_t draw_listed(stream *random, const int32_t *listed, int64_t n_listed,
                                  const uint32_t *thresholds, int32_t *units)
{
    uint64_t word = 0;
    int64_t n_on = 0;
    for (int64_t i = 0; i < n_listed; i++) {
        if (i % 4 == 0)
            word = next_word(random);
        units[n_on] = listed[i];
        n_on += (word & 0xffff) < thresholds[listed[i]];
        word >>= THRESHOLD_BITS;
    }
    return n_on;
}

/* Subset number `subset` of a list, likewise. */
static INLINE int64_t take_subset(const int32_t *listed, int64_t subset, int32_t *units)
{
    int64_t n_on = 0;
    for (int64_t i = 0; subset >> i; i++) {
        units[n_on] = listed[i];
        n_on += subset >> i & 1;
    }
    return n_on;
}

/* Gaps by inversion; the upper bits of the random number say where in the table to begin. */
#define GUIDE_BITS 8

static void make_guide(const uint64_t *gaps, int64_t n_units, int32_t *guide)
{
    for (int32_t i = 0; i < 1 << GUIDE_BITS; i++) {
        uint64_t most = ((uint64_t)i << (64 - GUIDE_BITS)) | (UINT64_MAX >> GUIDE_BITS);
        int32_t gap = i ? guide[i - 1] : (int32_t)n_units;
        while (gap > 0 && most >= gaps[gap - 1])
            gap--;
        guide[i] = gap;
    }
}

/* The same for all units with one probability, by the gaps between those that are on. */
static INLINE int64_t draw_gaps(stream *random, const uint64_t *gaps, const int32_t *guide,
                                int64_t n_units, int32_t *units)
{
    int64_t n_on = 0;
    for (int64_t h = 0;; h++) {
        uint64_t word = next_word(random);
        int64_t gap = guide[word >> (64 - GUIDE_BITS)];
        while (gap < n_units && word < gaps[gap])
            gap++;
        h += gap;
        if (h >= n_units)
            return n_on;
        units[n_on++] = (int32_t)h;
    }
}
