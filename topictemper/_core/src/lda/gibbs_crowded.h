/* Gibbs sampling of a document that has many topics or very many tokens, over all topics.

   A draw visits first the topic that the token has, which most tokens keep, then the topics lane
   by lane: k = l, l + LANES, and so on. The vectors give the sum of each lane, so the search enters
   one lane only. */

#define LANES TOPIC_PADDING
#define crowded FN(crowded)

/* What one document works on: tables over topics, padded by 0, and over tokens. */
typedef struct {
    REAL *alpha, *N, *weight; /* alpha + N is what vectors read: written only where it changes, */
                              /* as a load that waits for a store takes long */
    const REAL **row;         /* of B */
    REAL *size;               /* share of the count of its word */
    int32_t *topic;           /* -1: none yet */
    void *memory;
} crowded;

static int FN(make_crowded)(crowded *z, ptrdiff_t tokens, ptrdiff_t padded)
{
    char *p = malloc((size_t)(3 * padded + tokens) * sizeof(REAL)
                     + (size_t)tokens * (sizeof(const REAL *) + sizeof(int32_t)) + 64);
    z->memory = p;
    if (!p)
        return -1;
    z->alpha = (REAL *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
    z->N = z->alpha + padded;
    z->weight = z->N + padded;
    z->row = (const REAL **)(z->weight + padded);
    z->size = (REAL *)(z->row + tokens);
    z->topic = (int32_t *)(z->size + tokens);
    return 0;
}

/* A topic with a probability in proportion to (alpha + N) B, N without the `size` of the token in
   its topic `old`. */
static INLINE ptrdiff_t FN(draw)(const crowded *z, ptrdiff_t padded, REAL uniform, const REAL *row,
                                 ptrdiff_t old, REAL size)
{
    const REAL *weight = z->weight;
    vec sums[LANES / VL], all;
    REAL lane[LANES], u, stay;
    for (ptrdiff_t i = 0; i < LANES / VL; i++)
        sums[i] = FN(load)(weight + i * VL) * FN(load)(row + i * VL);
    for (ptrdiff_t k = LANES; k < padded; k += LANES)
        for (ptrdiff_t i = 0; i < LANES / VL; i++)
            sums[i] += FN(load)(weight + k + i * VL) * FN(load)(row + k + i * VL);
    all = sums[0];
    for (ptrdiff_t i = 1; i < LANES / VL; i++)
        all += sums[i];
    stay = (z->alpha[old] + (z->N[old] - size)) * row[old];
    u = uniform * (FN(hsum)(all) - size * row[old]) - stay;
    if (u < 0)
        return old;
    for (ptrdiff_t i = 0; i < LANES / VL; i++)
        FN(store)(lane + i * VL, sums[i]);
    lane[old % LANES] -= weight[old] * row[old];
    for (ptrdiff_t i = 0; i < LANES; i++) {
        u -= lane[i];
        if (u >= 0)
            continue;
        u += lane[i];
        for (ptrdiff_t k = i; k < padded; k += LANES) {
            u -= k == old ? 0 : weight[k] * row[k];
            if (u < 0)
                return k;
        }
    }
    return old; /* rounding: u was in the last place of the sum */
}

/* Adds to what a topic has; `size` below 0 takes away. */
static INLINE void FN(count)(crowded *z, ptrdiff_t k, REAL size)
{
    z->N[k] += size;
    z->weight[k] = z->alpha[k] + z->N[k];
}

/* The sweeps of a document from the token `first` of the sweep `sweep` on; `sum` gets N of those
   that are kept. */
static void FN(sample_crowded)(crowded *z, ptrdiff_t n_topics, ptrdiff_t padded,
                               ptrdiff_t n_tokens, ptrdiff_t sweep, ptrdiff_t first,
                               const sampling_problem *problem, uint64_t key, REAL *sum)
{
    memset(z->N, 0, (size_t)padded * sizeof(REAL));
    for (ptrdiff_t i = 0; i < n_tokens; i++)
        if (z->topic[i] >= 0)
            z->N[z->topic[i]] += z->size[i];
    for (ptrdiff_t k = 0; k < padded; k += VL)
        FN(store)(z->weight + k, FN(load)(z->alpha + k) + FN(load)(z->N + k));
    for (; sweep < problem->n_burn_in + problem->n_kept; sweep++, first = 0) {
        stream random = {key, (uint64_t)((sweep + 1) * n_tokens + first)};
        for (ptrdiff_t i = first; i < n_tokens; i++) {
            const ptrdiff_t old = z->topic[i];
            const REAL u = FN(uniform)(&random), size = z->size[i];
            const ptrdiff_t k = FN(draw)(z, padded, u, z->row[i], old < 0 ? 0 : old,
                                         old < 0 ? 0 : size);
            if (k == old)
                continue;
            z->topic[i] = (int32_t)k;
            if (old >= 0)
                FN(count)(z, old, -size);
            FN(count)(z, k, size);
        }
        for (ptrdiff_t k = 0; sweep >= problem->n_burn_in && k < n_topics; k++)
            sum[k] += z->N[k];
    }
}
