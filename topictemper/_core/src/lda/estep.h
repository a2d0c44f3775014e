/* The tempered fixed point of phi and gamma, a document at a time.

   A document starts with all topics and the rows of B as they lie (a word's topics side by side).
   Once all but a few of its topics have fallen back to their prior, those few are copied to a block
   that has a topic's words side by side: there neither direction of the sweep sums across a register,
   and dropping one more topic costs nothing. Before a document is done, the dropped topics are
   looked at once more with the final ratios, so leaving them out is exact to rounding. */

#define scratch FN(scratch)

#if REAL_BYTES == 4
#define EPSILON 6e-8f
#define NEGLIGIBLE 1e-6f /* a share under this part of alpha, and of s N / K, is dropped */
#define SMALL_WEIGHT 1e-12f
#else
#define EPSILON 1.1e-16
#define NEGLIGIBLE 1e-14
#define SMALL_WEIGHT 1e-150
#endif
#define COMPACTION 4 /* one topic in so many is left when a document is compacted */
#define GROUP (VL < 4 ? 4 : VL) /* words are padded to a multiple of this */
#define FEW ((REAL)0.05) /* of N / K: topics under it have few tokens all together */
#define ALIGNED 0.95 /* cosine squared of two steps that have the same direction */
#define STEADY 0.95
#define NO_TOPIC ((REAL)1e-30) /* alpha and gamma of padding: its weight is 0 at any s */

/* What one document works on; vectors over topics have `padded` places, over words `words`. */
typedef struct {
    const REAL **rows;               /* B's row of every word */
    REAL *own_rows;                  /* the rows themselves, where every document has its own s */
    REAL *n, *r, *shift;             /* counts, n_v / p_v, log scale of the row */
    REAL *mass;                      /* sum of the row */
    REAL *alpha, *gamma, *w, *g;     /* all topics */
    REAL *rest, *w_rest;             /* s psi(alpha) and its exp: weight of a topic fallen back */
    REAL *doomed;                    /* a share under this falls back within the next two sweeps */
    REAL *c_alpha, *c_gamma, *c_w;   /* the active topics, compacted */
    REAL *c_step;                    /* their last change of gamma */
    REAL *sums;                      /* per active topic one vector: partial sums over words */
    REAL *block;                     /* (active topic, word) */
    int32_t *id, *place;             /* of an active topic: its number, its row of the block */
    void *memory;
} scratch;

static int FN(make_scratch)(scratch *z, ptrdiff_t words, ptrdiff_t padded, int own_rows)
{
    ptrdiff_t few = padded / COMPACTION + TOPIC_PADDING; /* most topics that are ever compacted */
    size_t reals = (size_t)(4 * words + 7 * padded + 4 * few + few * VL + few * words
                            + (own_rows ? words * padded : 0));
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
    TAKE(alpha, padded);
    TAKE(gamma, padded);
    TAKE(w, padded);
    TAKE(g, padded);
    TAKE(rest, padded);
    TAKE(w_rest, padded);
    TAKE(doomed, padded);
    TAKE(c_alpha, few);
    TAKE(c_gamma, few);
    TAKE(c_w, few);
    TAKE(c_step, few);
    z->own_rows = own_rows ? q : NULL;
    if (own_rows)
        q += words * padded;
#undef TAKE
    z->id = (int32_t *)q;
    z->place = z->id + few;
    return 0;
}

/* r_v = n_v / sum_k w_k B_vk and, if wanted, g_k = sum_v r_v B_vk, over all topics. */
static INLINE void FN(sweep_rows)(scratch *z, ptrdiff_t n_words, ptrdiff_t padded, int want_g)
{
    REAL *g = z->g, *r = z->r;
    const REAL *w = z->w;
    if (want_g)
        memset(g, 0, (size_t)padded * sizeof(REAL));
    for (ptrdiff_t v = 0; v < n_words; v += 4) {
        const REAL *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
                   *b3 = z->rows[v + 3];
        vec p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};
        for (ptrdiff_t k = 0; k < padded; k += VL) {
            vec wk = FN(load)(w + k);
            p0 += wk * FN(load)(b0 + k);
            p1 += wk * FN(load)(b1 + k);
            p2 += wk * FN(load)(b2 + k);
            p3 += wk * FN(load)(b3 + k);
        }
        *(quad *)(r + v) = *(const quad *)(z->n + v) / (FN(hsum4)(p0, p1, p2, p3) + TINY);
        if (want_g) {
            REAL r0 = r[v], r1 = r[v + 1], r2 = r[v + 2], r3 = r[v + 3];
            for (ptrdiff_t k = 0; k < padded; k += VL)
                FN(store)(g + k, FN(load)(g + k) + r0 * FN(load)(b0 + k) + r1 * FN(load)(b1 + k)
                                     + r2 * FN(load)(b2 + k) + r3 * FN(load)(b3 + k));
        }
    }
}

/* The same over the compacted topics, for `nv` vectors of words from word `v` on. */
static INLINE void FN(sweep_chunk)(scratch *z, ptrdiff_t v, ptrdiff_t stride, ptrdiff_t n_active,
                                   int first, int nv)
{
    vec p[4], r[4];
    vec *sums = (vec *)z->sums;
    for (int i = 0; i < nv; i++)
        p[i] = FN(splat)(TINY);
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const REAL *row = z->block + z->place[j] * stride + v;
        REAL w = z->c_w[j];
        for (int i = 0; i < nv; i++)
            p[i] += w * FN(load)(row + i * VL);
    }
    for (int i = 0; i < nv; i++) {
        r[i] = FN(load)(z->n + v + i * VL) / p[i];
        FN(store)(z->r + v + i * VL, r[i]);
    }
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const REAL *row = z->block + z->place[j] * stride + v;
        vec sum = r[0] * FN(load)(row);
        for (int i = 1; i < nv; i++)
            sum += r[i] * FN(load)(row + i * VL);
        if (!first)
            sum += FN(load)((REAL *)(sums + j));
        FN(store)((REAL *)(sums + j), sum);
    }
}
static INLINE void FN(sweep_block)(scratch *z, ptrdiff_t stride, ptrdiff_t n_active)
{
    for (ptrdiff_t v = 0; v < stride; v += 4 * VL) {
        switch (stride - v < 4 * VL ? (stride - v) / VL : 4) {
        case 1:
            FN(sweep_chunk)(z, v, stride, n_active, v == 0, 1);
            break;
        case 2:
            FN(sweep_chunk)(z, v, stride, n_active, v == 0, 2);
            break;
        case 3:
            FN(sweep_chunk)(z, v, stride, n_active, v == 0, 3);
            break;
        default:
            FN(sweep_chunk)(z, v, stride, n_active, v == 0, 4);
        }
    }
}

/* w = exp(s psi(gamma)). Where all of them would vanish (a few tokens over many topics with small
   alpha) they are scaled by their largest; phi does not mind. Returns the log of the scale. */
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

static INLINE REAL FN(total)(const REAL *x, ptrdiff_t n)
{
    vec sum = {0};
    for (ptrdiff_t i = 0; i < n; i += VL)
        sum += FN(load)(x + i);
    return FN(hsum)(sum);
}

/* gamma = alpha + s w g. Leaves the shares s w g in g, or 0 for topics that may be left out: they
   have next to nothing, or too little to keep their weight up and next to nothing once that has
   fallen back. Returns sum |delta gamma|, and how many topics stay. `unscale` undoes w's scale. */
static INLINE REAL FN(update_gamma)(scratch *z, ptrdiff_t n, REAL s, REAL small, REAL few,
                                    REAL unscale, ptrdiff_t *n_kept)
{
    vec delta = {0};
    ivec kept = {0};
    for (ptrdiff_t k = 0; k < n; k += VL) {
        vec a = FN(load)(z->alpha + k), g = FN(load)(z->g + k) * s, share = FN(load)(z->w + k) * g;
        vec new = a + share, d = new - FN(load)(z->gamma + k);
        vec rest = FN(load)(z->w_rest + k) * g * unscale;
        vec least = FN(min)(a * NEGLIGIBLE, FN(splat)(small));
        vec doomed = FN(min)(FN(load)(z->doomed + k), FN(splat)(few));
        ivec stays = (share > least) & ((share > doomed) | ~(rest <= least));
        kept -= stays;
        delta += FN(max)(d, -d);
        FN(store)(z->gamma + k, new);
        FN(store)(z->g + k, (vec)((ivec)share & stays));
    }
    *n_kept = (ptrdiff_t)FN(hsum)(__builtin_convertvector(kept, vec));
    return FN(hsum)(delta);
}
/* gamma of the compacted topics, whose sums over words still lie in vectors; leaves their shares
   in g, or 0 for those that may be left out. Returns how this step compares with the one before:
   {sum |step|, <step, last>, <last, last>, <step, step>}. */
static INLINE quad FN(update_active)(scratch *z, ptrdiff_t n, REAL s, REAL small, ptrdiff_t *n_kept)
{
    vec change = {0}, cross = {0}, before = {0}, now = {0};
    ivec kept = {0};
    for (ptrdiff_t j = 0; j < n; j += VL) {
        vec a = FN(load)(z->c_alpha + j), last = FN(load)(z->c_step + j);
        vec share = FN(load)(z->c_w + j) * FN(lane_sums)(z->sums + j * VL, n - j) * s;
        vec new = a + share, d = new - FN(load)(z->c_gamma + j);
        change += FN(max)(d, -d);
        cross += d * last;
        before += last * last;
        now += d * d;
        ivec stays = share > FN(min)(a * NEGLIGIBLE, FN(splat)(small));
        kept -= stays;
        FN(store)(z->c_gamma + j, new);
        FN(store)(z->c_step + j, d);
        FN(store)(z->g + j, (vec)((ivec)share & stays));
    }
    *n_kept = (ptrdiff_t)FN(hsum)(__builtin_convertvector(kept, vec));
    return FN(hsum4)(change, cross, before, now);
}

/* Once steps shrink by a steady ratio and keep their direction, the rest of their geometric series
   is added at once. No share may shrink to less than half by that. */
static INLINE int FN(extrapolate)(scratch *z, ptrdiff_t n, quad steps)
{
    const REAL cross = steps[1], before = steps[2], now = steps[3], ratio = cross / before;
    REAL reach;
    if (!(cross > 0 && cross * cross > (REAL)ALIGNED * before * now && ratio < (REAL)STEADY))
        return 0;
    reach = ratio / (1 - ratio);
    for (ptrdiff_t j = 0; j < n; j += VL) {
        vec a = FN(load)(z->c_alpha + j), g = FN(load)(z->c_gamma + j);
        vec least = a + (g - a) * (REAL)0.5;
        FN(store)(z->c_gamma + j, FN(max)(g + FN(load)(z->c_step + j) * reach, least));
    }
    return 1;
}

/* Copies the topics that stay to the block; the others fall back to alpha. */
static ptrdiff_t FN(compact)(scratch *z, ptrdiff_t n_topics, ptrdiff_t stride)
{
    ptrdiff_t m = 0;
    for (ptrdiff_t k = 0; k < n_topics; k++) {
        if (z->g[k] > 0) {
            z->id[m] = (int32_t)k;
            z->place[m] = (int32_t)m;
            z->c_alpha[m] = z->alpha[k];
            z->c_step[m] = 0;
            z->c_gamma[m++] = z->gamma[k];
        }
    }
    for (ptrdiff_t v = 0; v < stride; v += 4) {
        const REAL *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
                   *b3 = z->rows[v + 3];
        for (ptrdiff_t j = 0; j < m; j++) {
            const int32_t k = z->id[j];
            *(quad *)(z->block + j * stride + v) = (quad){b0[k], b1[k], b2[k], b3[k]};
        }
    }
    return m;
}

/* Leaves out what has fallen back since: only the lists move, the block stays. */
static ptrdiff_t FN(drop)(scratch *z, ptrdiff_t n_active)
{
    ptrdiff_t m = 0;
    for (ptrdiff_t j = 0; j < n_active; j++) { /* which of them cannot be predicted: no branch */
        z->id[m] = z->id[j];
        z->place[m] = z->place[j];
        z->c_alpha[m] = z->c_alpha[j];
        z->c_step[m] = z->c_step[j];
        z->c_gamma[m] = z->c_gamma[j];
        m += z->g[j] > 0;
    }
    return m;
}
/* Lanes past the last active topic add nothing to any sum. */
static INLINE void FN(pad_active)(scratch *z, ptrdiff_t n_active)
{
    for (ptrdiff_t j = n_active; j % VL; j++)
        z->c_alpha[j] = z->c_gamma[j] = NO_TOPIC, z->c_step[j] = 0;
}

/* g_k = sum_v r_v B_vk over all topics. */
static INLINE void FN(gather)(scratch *z, ptrdiff_t n_words, ptrdiff_t padded)
{
    memset(z->g, 0, (size_t)padded * sizeof(REAL));
    for (ptrdiff_t v = 0; v < n_words; v += 4) {
        const REAL *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
                   *b3 = z->rows[v + 3];
        REAL r0 = z->r[v], r1 = z->r[v + 1], r2 = z->r[v + 2], r3 = z->r[v + 3];
        for (ptrdiff_t k = 0; k < padded; k += VL)
            FN(store)(z->g + k, FN(load)(z->g + k) + r0 * FN(load)(b0 + k) + r1 * FN(load)(b1 + k)
                                    + r2 * FN(load)(b2 + k) + r3 * FN(load)(b3 + k));
    }
}
/* sweep_rows with equal weights, for which the sums of the rows are known. */
static INLINE void FN(first_sweep)(scratch *z, ptrdiff_t n_words, ptrdiff_t stride,
                                   ptrdiff_t padded)
{
    const REAL w = z->w[0];
    for (ptrdiff_t v = 0; v < stride; v += VL)
        FN(store)(z->r + v, FN(load)(z->n + v) / (FN(load)(z->mass + v) * w + TINY));
    FN(gather)(z, n_words, padded);
}

/* Whether no dropped topic can have a share above rounding: g_k <= sum_v r_v sum_k B_vk. */
static INLINE int FN(all_negligible)(const scratch *z, ptrdiff_t stride, REAL w_rest, REAL least)
{
    vec most = {0};
    for (ptrdiff_t v = 0; v < stride; v += VL)
        most += FN(load)(z->r + v) * FN(load)(z->mass + v);
    return FN(hsum)(most) * w_rest <= least;
}

/* gamma of the dropped topics from the final ratios; 1 if one of them should not have been. */
static int FN(review_dropped)(scratch *z, ptrdiff_t n_topics, ptrdiff_t padded, ptrdiff_t n_words,
                              ptrdiff_t n_active, REAL s, REAL small, REAL log_scale)
{
    int revive = 0;
    FN(gather)(z, n_words, padded);
    for (ptrdiff_t j = 0; j < n_active; j++)
        z->g[z->id[j]] = 0;
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        vec rest = FN(load)(z->rest + k);
        vec share = s * FN(load)(z->g + k) * FN(exp)(rest - log_scale);
        FN(store)(z->gamma + k, FN(load)(z->alpha + k) + share);
        FN(store)(z->g + k, share);
    }
    for (ptrdiff_t k = 0; k < n_topics; k++)
        revive |= z->g[k] > 10 * z->alpha[k] * NEGLIGIBLE || z->g[k] > 10 * small;
    for (ptrdiff_t j = 0; j < n_active; j++)
        z->gamma[z->id[j]] = z->c_gamma[j];
    return revive;
}

/* sum_v n_v sum_k phi_vk (E log theta_k + E log beta_kv), with log B = s (E log beta - shift). */
static double FN(energy_rows)(const scratch *z, ptrdiff_t n_words, ptrdiff_t padded, REAL s,
                              REAL psi_total, REAL *e_log_theta)
{
    double energy = 0;
    for (ptrdiff_t k = 0; k < padded; k += VL)
        FN(store)(e_log_theta + k, FN(psi)(FN(load)(z->gamma + k)) - psi_total);
    for (ptrdiff_t v = 0; v < n_words; v++) {
        vec sum = {0};
        for (ptrdiff_t k = 0; k < padded; k += VL) {
            vec b = FN(load)(z->rows[v] + k);
            vec log_b = FN(log)(FN(max)(b, FN(splat)(TINY)));
            sum += FN(load)(z->w + k) * b * (FN(load)(e_log_theta + k) + log_b / s);
        }
        energy += (double)(z->r[v] * FN(hsum)(sum) + z->n[v] * z->shift[v]);
    }
    return energy;
}
static double FN(energy_block)(const scratch *z, ptrdiff_t n_words, ptrdiff_t stride,
                               ptrdiff_t n_active, REAL s, REAL psi_total, REAL *e_log_theta)
{
    double energy = 0;
    for (ptrdiff_t j = 0; j < n_active; j += VL)
        FN(store)(e_log_theta + j, FN(psi)(FN(load)(z->c_gamma + j)) - psi_total);
    for (ptrdiff_t v = 0; v < stride; v += VL) {
        vec sum = {0};
        for (ptrdiff_t j = 0; j < n_active; j++) {
            vec b = FN(load)(z->block + z->place[j] * stride + v);
            vec log_b = FN(log)(FN(max)(b, FN(splat)(TINY)));
            sum += z->c_w[j] * b * (e_log_theta[j] + log_b / s);
        }
        energy += (double)FN(hsum)(sum * FN(load)(z->r + v));
    }
    for (ptrdiff_t v = 0; v < n_words; v++)
        energy += (double)(z->n[v] * z->shift[v]);
    return energy;
}

static int FN(estep)(int64_t n_docs, int64_t n_topics, int64_t padded, const int64_t *doc_ptr,
                     const int32_t *word_of, const REAL *counts, const REAL *alpha, const REAL *s_of,
                     int log_rows, const REAL *B, const REAL *shift, const REAL *mass, double tol,
                     int64_t max_iter, int warm, REAL *gamma, int32_t *topics, REAL *weights,
                     int32_t *n_active_of,
                     REAL *ratio, double *energy, int32_t *sweeps, int64_t *ticket)
{
    scratch z;
    ptrdiff_t longest = 4;
    REAL alpha_total = 0, last_s = -1, most_rest = 0, least_alpha = alpha[0];
    for (int64_t d = 0; d < n_docs; d++)
        if (doc_ptr[d + 1] - doc_ptr[d] > longest)
            longest = (ptrdiff_t)(doc_ptr[d + 1] - doc_ptr[d]);
    longest = (longest + TOPIC_PADDING - 1) / TOPIC_PADDING * TOPIC_PADDING;
    if (FN(make_scratch)(&z, longest, padded, log_rows))
        return -1;
    int even = !warm; /* all topics begin with the same weight */
    for (ptrdiff_t k = 0; k < n_topics; k++) {
        even &= alpha[k] == alpha[0];
        least_alpha = alpha[k] < least_alpha ? alpha[k] : least_alpha;
    }
    for (ptrdiff_t k = 0; k < padded; k++) {
        z.alpha[k] = k < n_topics ? alpha[k] : NO_TOPIC;
        alpha_total += k < n_topics ? alpha[k] : 0;
    }

    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ESTEP_BLOCK;
        int64_t last = first + ESTEP_BLOCK < n_docs ? first + ESTEP_BLOCK : n_docs;
        if (first >= n_docs)
            break;
        for (int64_t d = first; d < last; d++) {
            const int64_t start = doc_ptr[d];
            const ptrdiff_t n_words = (ptrdiff_t)(doc_ptr[d + 1] - start);
            const ptrdiff_t stride = (n_words + GROUP - 1) / GROUP * GROUP;
            const REAL s = s_of[d];
            REAL *out = gamma + d * n_topics, *out_w = weights ? weights + d * padded : NULL;
            int32_t *out_id = topics + d * n_topics;
            REAL tokens, gamma_total, limit, small, few, rounding, log_scale = 0, unscale = 1;
            ptrdiff_t n_active = n_topics, kept, sweep = 0;
            int compacted = 0, converged, rounds = 0;

            if (n_words == 0) {
                memcpy(out, alpha, (size_t)n_topics * sizeof(REAL));
                n_active_of[d] = 0;
                sweeps[d] = 0;
                if (energy)
                    energy[d] = 0;
                continue;
            }
            if (s != last_s) {
                vec most = {0};
                for (ptrdiff_t k = 0; k < padded; k += VL) {
                    vec a = FN(load)(z.alpha + k), rest = FN(psi)(a) * s, w = FN(exp)(rest);
                    FN(store)(z.rest + k, rest);
                    FN(store)(z.w_rest + k, w);
                    /* psi'(a) < (1 + a) / a^2: with a share of `falls` w is within e^(1/4) of
                       w_rest. With one of `slides` w < a^2 / 4000, because psi(x) < -1/x: the
                       next share is under `falls` unless the document's g grows to 1000. */
                    vec falls = a * a / (1 + a) * (REAL)0.25;
                    vec slides = s / ((REAL)8.3 - 2 * FN(log)(a)) - a;
                    FN(store)(z.doomed + k, FN(max)(falls, slides));
                    most = FN(max)(most, w);
                }
                most_rest = FN(hmax)(most);
                last_s = s;
            }
            for (ptrdiff_t v = 0; v < n_words; v++) {
                const ptrdiff_t u = word_of[start + v];
                z.rows[v] = B + u * padded;
                z.shift[v] = shift[u];
                z.mass[v] = mass[u];
            }
            memcpy(z.n, counts + start, (size_t)n_words * sizeof(REAL));
            for (ptrdiff_t v = n_words; v % TOPIC_PADDING; v++) {
                z.rows[v] = z.rows[0];
                z.n[v] = z.r[v] = 0;
                z.mass[v] = 1;
            }
            if (log_rows) {
                for (ptrdiff_t v = 0; v < (n_words + 3) / 4 * 4; v++) {
                    REAL *own = z.own_rows + v * padded;
                    vec sum = {0};
                    for (ptrdiff_t k = 0; k < padded; k += VL) {
                        vec b = FN(exp)(FN(load)(z.rows[v] + k) * s);
                        sum += b;
                        FN(store)(own + k, b);
                    }
                    z.rows[v] = own;
                    z.mass[v] = FN(hsum)(sum);
                }
            }
            tokens = FN(total)(z.n, stride);
            gamma_total = alpha_total + s * tokens;
            rounding = 100 * NEGLIGIBLE * least_alpha;
            rounding = EPSILON * tokens < rounding ? EPSILON * tokens : rounding;
            few = FEW * s * tokens / (REAL)n_topics;
            small = NEGLIGIBLE * s * tokens / (REAL)n_topics;
            limit = 8 * EPSILON * s * tokens; /* sums below this are rounding */
            limit = (REAL)(tol * (double)n_topics) > limit ? (REAL)(tol * (double)n_topics) : limit;
            for (ptrdiff_t k = 0; k < padded; k++) {
                if (k >= n_topics)
                    z.gamma[k] = NO_TOPIC;
                else
                    z.gamma[k] = warm ? out[k] : alpha[k] + s * tokens / (REAL)n_topics;
            }

            do {
                compacted = converged = 0;
                log_scale = FN(weigh)(padded, s, z.gamma, z.w);
                while (!converged && !compacted && sweep++ < max_iter) {
                    if (sweep == 1 && even)
                        FN(first_sweep)(&z, n_words, stride, padded);
                    else
                        FN(sweep_rows)(&z, n_words, padded, 1);
                    unscale = log_scale == 0 ? 1 : (REAL)exp(-(double)log_scale);
                    converged = FN(update_gamma)(&z, padded, s, small, few, unscale, &kept) < limit;
                    compacted = COMPACTION * kept <= n_topics && !converged;
                    if (!compacted)
                        log_scale = FN(weigh)(padded, s, z.gamma, z.w);
                }
                if (!compacted) {
                    FN(sweep_rows)(&z, n_words, padded, 0);
                    break;
                }
                n_active = FN(compact)(&z, n_topics, stride);
                FN(pad_active)(&z, n_active);
                log_scale = FN(weigh)(n_active, s, z.c_gamma, z.c_w);
                for (ptrdiff_t fresh = 0; !converged && sweep++ < max_iter;) {
                    quad steps;
                    FN(sweep_block)(&z, stride, n_active);
                    steps = FN(update_active)(&z, n_active, s, small, &kept);
                    converged = steps[0] < limit;
                    if (kept < n_active) {
                        n_active = FN(drop)(&z, n_active);
                        FN(pad_active)(&z, n_active);
                    }
                    /* two plain steps are needed to see a ratio */
                    if (!converged && ++fresh >= 2 && sweep < max_iter
                        && FN(extrapolate)(&z, n_active, steps))
                        fresh = 0;
                    log_scale = FN(weigh)(n_active, s, z.c_gamma, z.c_w);
                }
                FN(sweep_block)(&z, stride, n_active);
                if (log_scale == 0 && FN(all_negligible)(&z, stride, most_rest, rounding)) {
                    memcpy(z.gamma, z.alpha, (size_t)n_topics * sizeof(REAL));
                    for (ptrdiff_t j = 0; j < n_active; j++)
                        z.gamma[z.id[j]] = z.c_gamma[j];
                    break;
                }
            } while (FN(review_dropped)(&z, n_topics, padded, n_words, n_active, s, small,
                                        log_scale)
                     && ++rounds < 3 && sweep < max_iter);

            sweeps[d] = (int32_t)(sweep < max_iter ? sweep : max_iter);
            memcpy(out, z.gamma, (size_t)n_topics * sizeof(REAL));
            memcpy(ratio + start, z.r, (size_t)n_words * sizeof(REAL));
            if (compacted) {
                n_active_of[d] = (int32_t)n_active;
                memcpy(out_id, z.id, (size_t)n_active * sizeof(int32_t));
                if (weights) {
                    memset(out_w, 0, (size_t)padded * sizeof(REAL));
                    for (ptrdiff_t j = 0; j < n_active; j++)
                        out_w[z.id[j]] = z.c_w[j];
                }
            } else {
                n_active_of[d] = (int32_t)n_topics;
                for (ptrdiff_t k = 0; k < n_topics; k++)
                    out_id[k] = (int32_t)k;
                if (weights) {
                    memcpy(out_w, z.w, (size_t)n_topics * sizeof(REAL));
                    memset(out_w + n_topics, 0, (size_t)(padded - n_topics) * sizeof(REAL));
                }
            }
            if (energy) {
                REAL one[VBYTES / sizeof(REAL)], psi_total;
                FN(store)(one, FN(psi)(FN(splat)(gamma_total)));
                psi_total = one[0];
                energy[d] = compacted ? FN(energy_block)(&z, n_words, stride, n_active, s,
                                                         psi_total, z.g)
                                      : FN(energy_rows)(&z, n_words, padded, s, psi_total, z.g);
            }
        }
    }
    free(z.memory);
    return 0;
}
