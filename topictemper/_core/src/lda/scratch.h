/* What the E-step of one document works on, and the weights of its topics. */

#define scratch FN(scratch)

#if REAL_BYTES == 4
#define EPSILON 6e-8f
#define LOG_LIGHT -20 /* of many topics, one of e^-20 times the largest weight is dropped */
#define NEGLIGIBLE 1e-6f /* a share under this part of alpha, and of s N / K, is dropped */
#define SMALL_WEIGHT 1e-12f
#else
#define EPSILON 1.1e-16
#define LOG_LIGHT -50
#define NEGLIGIBLE 1e-14
#define SMALL_WEIGHT 1e-150
#endif
#define MOST_ROUNDS 2 /* times that topics may leave a document and have to come back */
#define COMPACTION 4 /* one topic in so many is left when a document is compacted */
#define ROWS_AHEAD 4 /* asked for in each compacted sweep, and so many bytes of each: */
#define BYTES_AHEAD 512 /* where rows are longer, the processor sees what comes next by itself */
#define GROUP (VL < 4 ? 4 : VL) /* words are padded to a multiple of this */
#define FEW ((REAL)0.05) /* of N / K: topics under it have few tokens all together */
#define ALIGNED 0.95 /* cosine squared of two steps that have the same direction */
#define STEADY 0.95
#define NO_TOPIC ((REAL)1e-30) /* alpha and gamma of padding: its weight is 0 at any s */

/* What one document works on; vectors over topics have `padded` places, over words `words`. */
typedef struct {
    const REAL **rows;               /* B's row of every word */
    REAL *extra;                     /* the rows themselves, where every document has its own s;
                                        in CVB0 phi, in the layout of the block */
    REAL *n, *r, *shift;             /* counts, n_v / p_v, log scale of the row */
    REAL *mass, *prior_mass;         /* sum of the row, and weighted by alpha */
    REAL *tail;                      /* a word's share of the topics that are not compacted */
    REAL *alpha, *gamma, *w, *g;     /* all topics */
    REAL *rest, *w_rest;             /* s psi(alpha) and its exp: weight of a topic fallen back */
    REAL *fading;                    /* a share under this falls back within the next two sweeps */
    REAL *c_alpha, *c_gamma, *c_w;   /* the active topics, compacted */
    REAL *c_step;                    /* their last change of gamma */
    REAL *sums;                      /* per active topic one vector: partial sums over words */
    REAL *block;                     /* (active topic, word) */
    const REAL *B;                   /* all rows, and those that documents to come need */
    const int32_t *coming;
    ptrdiff_t n_coming;
    int32_t *id, *place;             /* of an active topic: its number, its row of the block */
    REAL alpha_total, least_alpha;
    int even;                        /* whether all topics begin with the same weight */
    REAL s, most_rest;               /* the temperature of rest and w_rest, the largest w_rest */
    void *memory;
} scratch;

/* Words of the longest document, in whole vectors. */
static ptrdiff_t FN(longest_document)(const documents *d)
{
    int64_t longest = 4;
    for (int64_t i = 0; i < d->n_docs; i++)
        if (d->doc_ptr[i + 1] - d->doc_ptr[i] > longest)
            longest = d->doc_ptr[i + 1] - d->doc_ptr[i];
    return (ptrdiff_t)((longest + TOPIC_PADDING - 1) / TOPIC_PADDING * TOPIC_PADDING);
}

/* Room for any of the documents. `most` topics are ever compacted; `extra` topics have room in
   `extra`. */
static int FN(make_scratch)(scratch *z, const documents *d, ptrdiff_t most, ptrdiff_t extra)
{
    const ptrdiff_t words = FN(longest_document)(d), padded = (ptrdiff_t)d->padded;
    const ptrdiff_t few = most + TOPIC_PADDING;
    size_t reals = (size_t)(6 * words + 7 * padded + 4 * few + few * VL + few * words
                            + extra * words);
    size_t bytes = reals * sizeof(REAL) + (size_t)words * sizeof(REAL *)
                   + 2 * (size_t)few * sizeof(int32_t) + 64;
    char *p = malloc(bytes);
    REAL *q;
    if (!p)
        return -1;
    z->memory = p;
    z->rows = (const REAL **)p;
    q = (REAL *)(p + (size_t)words * sizeof(REAL *));
    q = (REAL *)(((uintptr_t)q + 63) & ~(uintptr_t)63);
#define TAKE(name, count) z->name = q, q += (count)
    TAKE(block, few * words);
    TAKE(sums, few * VL);
    TAKE(n, words);
    TAKE(r, words);
    TAKE(shift, words);
    TAKE(mass, words);
    TAKE(prior_mass, words);
    TAKE(tail, words);
    TAKE(alpha, padded);
    TAKE(gamma, padded);
    TAKE(w, padded);
    TAKE(g, padded);
    TAKE(rest, padded);
    TAKE(w_rest, padded);
    TAKE(fading, padded);
    TAKE(c_alpha, few);
    TAKE(c_gamma, few);
    TAKE(c_w, few);
    TAKE(c_step, few);
    TAKE(extra, extra * words);
#undef TAKE
    z->id = (int32_t *)q;
    z->place = z->id + few;
    return 0;
}

/* w = exp(s psi(gamma)), divided by the largest of them if all would vanish: a few tokens over many
   topics with a small alpha. The scale cancels in phi. Returns its logarithm. */
static REAL FN(rescale)(ptrdiff_t n, REAL s, const REAL *gamma, REAL *w)
{
    vec most = FN(splat)((REAL)-1e30);
    REAL top;
    for (ptrdiff_t k = 0; k < n; k += VL) {
        vec log_w = FN(psi)(FN(load)(gamma + k)) * s;
        most = FN(max)(most, log_w);
        FN(store)(w + k, log_w);
    }
    top = FN(hmax)(most);
    for (ptrdiff_t k = 0; k < n; k += VL)
        FN(store)(w + k, FN(exp)(FN(load)(w + k) - top));
    return top;
}
static INLINE REAL FN(weigh)(ptrdiff_t n, REAL s, const REAL *gamma, REAL *w)
{
    vec most = {0};
    for (ptrdiff_t k = 0; k < n; k += VL) {
        vec g = FN(load)(gamma + k), x = FN(exp_psi)(g, s);
        most = FN(max)(most, x);
        FN(store)(w + k, x);
    }
    return FN(hmax)(most) < SMALL_WEIGHT ? FN(rescale)(n, s, gamma, w) : 0;
}

/* The same of n equal gammas. */
static INLINE REAL FN(weigh_evenly)(ptrdiff_t n, REAL s, REAL gamma, REAL *w)
{
    REAL one[VBYTES / sizeof(REAL)], w_one[VBYTES / sizeof(REAL)], log_scale;
    FN(store)(one, FN(splat)(gamma));
    log_scale = FN(weigh)(VL, s, one, w_one);
    for (ptrdiff_t k = 0; k < n; k += VL)
        FN(store)(w + k, FN(splat)(w_one[0]));
    return log_scale;
}

static INLINE REAL FN(total)(const REAL *x, ptrdiff_t n)
{
    vec sum = {0};
    for (ptrdiff_t i = 0; i < n; i += VL)
        sum += FN(load)(x + i);
    return FN(hsum)(sum);
}
