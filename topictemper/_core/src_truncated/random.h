/* Random numbers by counting: SplitMix64 (Steele, Lea, Flood 2014) over a key.

   A stream is a function of its key alone, so it does not matter which thread asks, nor when. */

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

static INLINE stream open_stream(uint64_t seed, uint64_t iteration, uint64_t key)
{
    uint64_t mixed = mix64(mix64(mix64(seed + GOLDEN) + iteration + GOLDEN) + key + GOLDEN);
    return (stream){mixed, 0};
}

static INLINE uint64_t next_word(stream *random)
{
    return mix64(random->key + ++random->count * GOLDEN);
}

/* In (0, 1], so that its logarithm is finite. */
static INLINE double next_uniform(stream *random)
{
    return (double)((next_word(random) >> 11) + 1) * 0x1p-53;
}

/* A whole number from 0 to n - 1, n < 2^31. */
static INLINE int64_t next_below(stream *random, int64_t n)
{
    return (int64_t)((next_word(random) >> 33) * (uint64_t)n >> 31);
}

/* Set each unit h of a list independently, with probability thresholds[h] / 2^16. */
static INLINE void draw_listed(stream *random, const int32_t *units, int64_t n_units,
                               const uint32_t *thresholds, uint64_t *state, int64_t n_words)
{
    uint64_t word = 0;
    memset(state, 0, (size_t)n_words * sizeof(*state));
    for (int64_t i = 0; i < n_units; i++) {
        int32_t h = units[i];
        if (i % 4 == 0)
            word = next_word(random);
        state[h >> 6] |= (uint64_t)((word & 0xffff) < thresholds[h]) << (h & 63);
        word >>= THRESHOLD_BITS;
    }
}

/* Set each unit with one probability, by the gaps between those that are on. */
static INLINE void draw_gaps(stream *random, double inv_log_off, int64_t n_units, uint64_t *state,
                             int64_t n_words)
{
    memset(state, 0, (size_t)n_words * sizeof(*state));
    for (int64_t h = 0;; h++) {
        double gap = floor(log(next_uniform(random)) * inv_log_off);
        if (!(gap < (double)(n_units - h)))
            return;
        h += (int64_t)gap;
        state[h >> 6] |= (uint64_t)1 << (h & 63);
    }
}

static INLINE void draw_prior(stream *random, const unit_sampler *prior, const int32_t *all,
                              int64_t n_units, uint64_t *state, int64_t n_words)
{
    if (prior->inv_log_off != 0)
        draw_gaps(random, prior->inv_log_off, n_units, state, n_words);
    else
        draw_listed(random, all, n_units, prior->thresholds, state, n_words);
}
