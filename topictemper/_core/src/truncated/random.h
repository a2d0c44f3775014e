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

static INLINE void clear_state(uint64_t *state, int64_t n_words)
{
    for (int64_t w = 0; w < n_words; w++)
        state[w] = 0;
}

/* Set each unit h of a list independently, with probability thresholds[h] / 2^16. */
static INLINE void draw_listed(stream *random, const int32_t *units, int64_t n_units,
                               const uint32_t *thresholds, uint64_t *state, int64_t n_words)
{
    uint64_t word = 0;
    clear_state(state, n_words);
    for (int64_t i = 0; i < n_units; i++) {
        int32_t h = units[i];
        if (i % 4 == 0)
            word = next_word(random);
        state[h >> 6] |= (uint64_t)((word & 0xffff) < thresholds[h]) << (h & 63);
        word >>= THRESHOLD_BITS;
    }
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

/* Set each unit with one probability, by the gaps between those that are on. */
static INLINE void draw_gaps(stream *random, const uint64_t *gaps, const int32_t *guide,
                             int64_t n_units, uint64_t *state, int64_t n_words)
{
    clear_state(state, n_words);
    for (int64_t h = 0;; h++) {
        uint64_t word = next_word(random);
        int64_t gap = guide[word >> (64 - GUIDE_BITS)];
        while (gap < n_units && word < gaps[gap])
            gap++;
        h += gap;
        if (h >= n_units)
            return;
        state[h >> 6] |= (uint64_t)1 << (h & 63);
    }
}
