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

/* Units to draw. Of the first n_drawn each is on independently of others, with probability
   threshold / 2^16; the rest are off. A draw gives those units that are not as in the base. */
typedef struct {
    int64_t n, n_drawn;
    int32_t *units;
    uint64_t *thresholds;  /* 16 bits each, so four to a word; 0 for those in `sure` */
    uint64_t *sure, *base; /* bits: units whose threshold is 2^16, and those of the base */
} unit_list;

static INLINE void add_unit(unit_list *list, int32_t unit, uint64_t threshold, uint64_t in_base)
{
    const int64_t i = list->n++;
    if (i % 4 == 0)
        list->thresholds[i / 4] = 0;
    if (i % 64 == 0)
        list->sure[i / 64] = list->base[i / 64] = 0;
    list->units[i] = unit;
    list->thresholds[i / 4] |= (threshold & 0xffff) << (i % 4 * THRESHOLD_BITS);
    list->sure[i / 64] |= (threshold >> THRESHOLD_BITS) << (i % 64);
    list->base[i / 64] |= in_base << (i % 64);
}

/* Four bits: which of four numbers of 16 bits are below four others. */
static INLINE uint64_t four_below(uint64_t x, uint64_t y)
{
    const uint64_t top = 0x8000800080008000u;
    const uint64_t difference = (x | top) - (y & ~top); /* no lane borrows from another */
    const uint64_t below = ((~x & y) | (~(x ^ y) & ~difference)) & top;
    return (below >> 15) * 0x0001000200040008u >> 48;
}

/* How many units are not as in the base, and which, in the order of the list. */
static INLINE int64_t draw_listed(stream *random, const unit_list *list, int32_t *units)
{
    int64_t n = 0;
    for (int64_t first = 0; first < list->n; first += 64) {
        const int64_t last = list->n_drawn < first + 64 ? list->n_drawn : first + 64;
        uint64_t on = list->sure[first / 64];
        for (int64_t i = first; i < last; i += 4)
            on |= four_below(next_word(random), list->thresholds[i / 4]) << (i - first);
        for (on ^= list->base[first / 64]; on; on &= on - 1)
            units[n++] = list->units[first + __builtin_ctzll(on)];
    }
    return n;
}

/* The same for subset number `subset` of those that are drawn, fewer than 64. */
static INLINE int64_t take_subset(const unit_list *list, uint64_t subset, int32_t *units)
{
    int64_t n = 0;
    for (int64_t first = 0; first < list->n; first += 64, subset = 0)
        for (uint64_t on = subset ^ list->base[first / 64]; on; on &= on - 1)
            units[n++] = list->units[first + __builtin_ctzll(on)];
    return n;
}

/* Gaps by inversion; the upper bits of the random number say where in the table to begin. */
#define GUIDE_BITS 10

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

/* Units that are on, all with one probability, by the gaps between them. */
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
