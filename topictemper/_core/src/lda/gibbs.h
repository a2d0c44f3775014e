/* Topics of tokens by collapsed Gibbs sampling at fixed topics, a document at a time.

   Random numbers depend on the key of the document and on the number of the draw alone, not on the
   thread or on other documents. A draw visits first the topic that the token has, which most tokens
   keep, then the topics lane by lane: k = l, l + LANES, and so on. The vectors give the sum of each
   lane, so the search enters one lane only. The order is the same for all instruction sets. */

#define LANES TOPIC_PADDING
#define MOST_TOKENS 64 /* of a word in a document; more of them share one draw */
#if REAL_BYTES == 4
#define UNIFORM_BITS 24
#else
#define UNIFORM_BITS 53
#endif
#define sampler FN(sampler)

/* What one document works on: tables over topics, padded by 0, and over tokens. */
typedef struct {
    REAL *alpha, *N, *weight; /* alpha + N is what vectors read: written only where it changes, */
    REAL *sum;                /* as a load that waits for a store takes long; N over sweeps */
    const REAL **row;         /* of B */
    REAL *size;               /* share of the count of its word */
    int32_t *topic;
    stream random;
    void *memory;
} sampler;

static int FN(make_sampler)(sampler *z, ptrdiff_t tokens, ptrdiff_t padded)
{
    char *p = malloc((size_t)(4 * padded + tokens) * sizeof(REAL)
                     + (size_t)tokens * (sizeof(const REAL *) + sizeof(int32_t)) + 64);
    if (!p)
        return -1;
    z->memory = p;
    z->alpha = (REAL *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
    z->N = z->alpha + padded;
    z->sum = z->N + padded;
    z->weight = z->sum + padded;
    z->row = (const REAL **)(z->weight + padded);
    z->size = (REAL *)(z->row + tokens);
    z->topic = (int32_t *)(z->size + tokens);
    return 0;
}

/* In [0, 1). */
static INLINE REAL FN(uniform)(stream *random)
{
    const int64_t bits = (int64_t)(next_word(random) >> (64 - UNIFORM_BITS));
    return (REAL)bits / (REAL)((int64_t)1 << UNIFORM_BITS);
}

/* A topic with a probability in proportion to (alpha + N) B, N without the `size` of the token in
   its topic `old`. */
static INLINE ptrdiff_t FN(draw)(sampler *z, ptrdiff_t padded, const REAL *row, ptrdiff_t old,
                                 REAL size)
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
    u = FN(uniform)(&z->random) * (FN(hsum)(all) - size * row[old]) - stay;
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

/* Splits the counts of a document into tokens. */
static ptrdiff_t FN(tokens)(sampler *z, ptrdiff_t padded, ptrdiff_t n_words, const int32_t *word_of,
                            const REAL *counts, const REAL *B)
{
    ptrdiff_t n = 0;
    for (ptrdiff_t v = 0; v < n_words; v++) {
        const REAL c = counts[v];
        const ptrdiff_t whole = c < MOST_TOKENS ? (ptrdiff_t)c : MOST_TOKENS;
        const ptrdiff_t parts = (REAL)whole < c && whole < MOST_TOKENS ? whole + 1 : whole;
        for (ptrdiff_t j = 0; j < parts; j++, n++) {
            z->row[n] = B + word_of[v] * padded;
            z->size[n] = c / (REAL)parts;
        }
    }
    return n;
}

/* Moves a token, which was counted in `old`. */
static INLINE void FN(move)(sampler *z, ptrdiff_t old, ptrdiff_t k, REAL size)
{
    /* N is exact for whole counts; else it may end a rounding below 0 */
    z->N[old] = z->N[old] > size ? z->N[old] - size : 0;
    z->weight[old] = z->alpha[old] + z->N[old];
    z->N[k] += size;
    z->weight[k] = z->alpha[k] + z->N[k];
}

static int FN(sample)(const documents *p, const sampling_options *options, int64_t *ticket)
{
    const int64_t n_docs = p->n_docs, n_topics = p->n_topics, padded = p->padded;
    const int64_t n_burn_in = options->n_burn_in, n_kept = options->n_kept;
    const int64_t *doc_ptr = p->doc_ptr;
    const int32_t *word_of = p->word_of;
    const REAL *counts = p->counts, *alpha = p->alpha, *B = p->B;
    REAL *gamma = p->gamma, *weights = p->weights, *ratio = p->ratio;
    int32_t *topics = p->topics;
    sampler z;
    int64_t most = 0;
    for (int64_t d = 0; d < n_docs; d++) {
        int64_t n = 0;
        for (int64_t i = doc_ptr[d]; i < doc_ptr[d + 1]; i++)
            n += counts[i] < MOST_TOKENS ? (int64_t)counts[i] + 1 : MOST_TOKENS;
        most = n > most ? n : most;
    }
    if (FN(make_sampler)(&z, most, padded))
        return -1;
    for (ptrdiff_t k = 0; k < padded; k++)
        z.alpha[k] = k < n_topics ? alpha[k] : 0;

    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ESTEP_BLOCK;
        int64_t last = first + ESTEP_BLOCK < n_docs ? first + ESTEP_BLOCK : n_docs;
        if (first >= n_docs)
            break;
        for (int64_t d = first; d < last; d++) {
            const int64_t start = doc_ptr[d];
            const ptrdiff_t n_words = (ptrdiff_t)(doc_ptr[d + 1] - start);
            REAL *out_gamma = gamma + d * n_topics, *out_weights;
            int32_t *out_topics = topics + d * n_topics;
            const ptrdiff_t n_tokens
                = FN(tokens)(&z, padded, n_words, word_of + start, counts + start, B);
            ptrdiff_t n_active = 0;
            z.random = (stream){options->keys[d], 0};
            memcpy(z.weight, z.alpha, (size_t)padded * sizeof(REAL));
            memset(z.N, 0, 2 * (size_t)padded * sizeof(REAL)); /* and sum */
            /* From the prior: drawn given each other, all tokens would follow the first few. */
            for (ptrdiff_t i = 0; i < n_tokens; i++)
                z.topic[i] = (int32_t)FN(draw)(&z, padded, z.row[i], 0, 0);
            for (ptrdiff_t i = 0; i < n_tokens; i++)
                z.N[z.topic[i]] += z.size[i];
            for (ptrdiff_t k = 0; k < padded; k += VL)
                FN(store)(z.weight + k, FN(load)(z.alpha + k) + FN(load)(z.N + k));
            for (int64_t sweep = 0; sweep < n_burn_in + n_kept; sweep++) {
                for (ptrdiff_t i = 0; i < n_tokens; i++) {
                    const ptrdiff_t old = z.topic[i];
                    const ptrdiff_t k = FN(draw)(&z, padded, z.row[i], old, z.size[i]);
                    if (k == old)
                        continue;
                    z.topic[i] = (int32_t)k;
                    FN(move)(&z, old, k, z.size[i]);
                }
                for (ptrdiff_t k = 0; sweep >= n_burn_in && k < padded; k += VL)
                    FN(store)(z.sum + k, FN(load)(z.sum + k) + FN(load)(z.N + k));
            }
            for (ptrdiff_t k = 0; k < n_topics; k++)
                out_gamma[k] = z.alpha[k] + z.sum[k] / (REAL)n_kept;
            if (p->drawn)
                memcpy((REAL *)p->drawn + d * n_topics, z.N, (size_t)n_topics * sizeof(REAL));
            if (!weights)
                continue;
            out_weights = weights + d * padded;
            for (ptrdiff_t k = 0; k < padded; k++) {
                const REAL share = z.sum[k] / (REAL)n_kept;
                out_weights[k] = share > 0 ? z.alpha[k] + share : 0;
                if (share > 0)
                    out_topics[n_active++] = (int32_t)k;
            }
            p->n_active[d] = (int32_t)n_active;
            for (ptrdiff_t v = 0; v < n_words; v++) {
                const REAL *row = B + word_of[start + v] * padded;
                vec all = {0};
                for (ptrdiff_t k = 0; k < padded; k += VL)
                    all += FN(load)(out_weights + k) * FN(load)(row + k);
                ratio[start + v] = counts[start + v] / (FN(hsum)(all) + TINY);
            }
        }
    }
    free(z.memory);
    return 0;
}
