/* The last sweeps of collapsed inference, which leave the token itself out (Asuncion et al. 2009,
   eq. 9): phi_vk in proportion to (gamma_k - phi_vk) B_vk.

   With the token in the sum, a topic that it alone has takes more of it than sampling gives this
   topic. Topics that have fewer tokens than their alpha are a constant to the others, and keep
   their proportions to each other. */

#define MOST_AT_WORK 96
#define AT_WORK 2 /* times alpha; twice that, and so on, if more topics than MOST_AT_WORK have it */

/* Leaves the gamma of the topics at work in g, 0 for the others. Returns how many they are. */
static INLINE ptrdiff_t FN(mark_working)(scratch *z, ptrdiff_t padded, REAL at_work)
{
    ivec working = {0};
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        const vec gamma = FN(load)(z->gamma + k);
        const ivec works = (gamma >= at_work * FN(load)(z->alpha + k)) & (gamma > 0);
        working -= works;
        FN(store)(z->g + k, (vec)((ivec)gamma & works));
    }
    return (ptrdiff_t)FN(hsum)(__builtin_convertvector(working, vec));
}

/* phi of a vector of words from v on, and what their mixtures have of the topics at rest: r_v is
   n_v / sum_k w_k B_vk over all topics. */
static INLINE void FN(first_shares)(scratch *z, ptrdiff_t v, ptrdiff_t stride, ptrdiff_t n_active)
{
    const vec n = FN(load)(z->n + v), r = FN(load)(z->r + v), none = {0};
    const vec inverse = FN(select)(n > 0, r / n, none);
    vec rest = FN(select)(n > 0, n / r, none);
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const vec part = z->c_w[j] * FN(load)(z->block + j * stride + v);
        rest -= part;
        FN(store)(z->extra + j * stride + v, part * inverse);
    }
    FN(store)(z->tail + v, FN(max)(rest, none));
}

/* The next phi of `nv` vectors of words from v on, and its sums over words. The tokens that topics
   have are in c_w. */
static INLINE void FN(share_chunk)(scratch *z, ptrdiff_t v, ptrdiff_t stride, ptrdiff_t n_active,
                                   int nv)
{
    vec n[4], size[4], mixture[4], inverse[4];
    for (int i = 0; i < nv; i++) {
        n[i] = FN(load)(z->n + v + i * VL);
        size[i] = FN(min)(n[i], FN(splat)(1));
        mixture[i] = FN(load)(z->tail + v + i * VL) + TINY;
    }
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const REAL *row = z->block + j * stride + v, tokens = z->c_w[j], alpha = z->c_alpha[j];
        REAL *share = z->extra + j * stride + v;
        for (int i = 0; i < nv; i++) {
            const vec others = FN(max)(tokens - size[i] * FN(load)(share + i * VL), FN(splat)(0));
            const vec part = (alpha + others) * FN(load)(row + i * VL);
            mixture[i] += part;
            FN(store)(share + i * VL, part);
        }
    }
    for (int i = 0; i < nv; i++) {
        inverse[i] = 1 / mixture[i];
        n[i] *= inverse[i];
        FN(store)(z->r + v + i * VL, n[i]);
    }
    for (ptrdiff_t j = 0; j < n_active; j++) {
        REAL *share = z->extra + j * stride + v, *sums = z->sums + j * VL;
        vec sum = v ? FN(load)(sums) : FN(splat)(0);
        for (int i = 0; i < nv; i++) {
            const vec part = FN(load)(share + i * VL);
            sum += n[i] * part;
            FN(store)(share + i * VL, part * inverse[i]);
        }
        FN(store)(sums, sum);
    }
}
static INLINE void FN(next_shares)(scratch *z, ptrdiff_t stride, ptrdiff_t n_active)
{
    for (ptrdiff_t v = 0; v < stride; v += 4 * VL) {
        switch (stride - v < 4 * VL ? (stride - v) / VL : 4) {
        case 1:
            FN(share_chunk)(z, v, stride, n_active, 1);
            break;
        case 2:
            FN(share_chunk)(z, v, stride, n_active, 2);
            break;
        case 3:
            FN(share_chunk)(z, v, stride, n_active, 3);
            break;
        default:
            FN(share_chunk)(z, v, stride, n_active, 4);
        }
    }
}

static INLINE void FN(leave_out_own)(scratch *z, ptrdiff_t n_topics, ptrdiff_t padded,
                                     ptrdiff_t n_words, int64_t n_own)
{
    const ptrdiff_t stride = (n_words + GROUP - 1) / GROUP * GROUP;
    vec before = {0}, after = {0};
    REAL at_work = AT_WORK, scale;
    ptrdiff_t working;
    while ((working = FN(mark_working)(z, padded, at_work)) > MOST_AT_WORK)
        at_work *= 2;
    if (working == 0)
        return;
    FN(compact)(z, n_topics, stride);
    for (ptrdiff_t j = 0; j < working; j++)
        z->c_w[j] = z->w[z->id[j]];
    for (ptrdiff_t v = 0; v < stride; v += VL)
        FN(first_shares)(z, v, stride, working);
    for (ptrdiff_t j = 0; j < working; j++)
        z->c_w[j] = z->c_gamma[j] - z->c_alpha[j];
    for (int64_t sweep = 0; sweep < n_own; sweep++) {
        FN(fetch_coming)(z, padded);
        FN(next_shares)(z, stride, working);
        for (ptrdiff_t j = 0; j < working; j += VL)
            FN(store)(z->c_w + j, FN(lane_sums)(z->sums + j * VL, working - j));
    }
    for (ptrdiff_t k = 0; k < padded; k += VL)
        before += FN(select)(FN(load)(z->g + k) > 0, FN(splat)(0),
                             FN(load)(z->gamma + k) - FN(load)(z->alpha + k));
    for (ptrdiff_t v = 0; v < stride; v += VL)
        after += FN(load)(z->r + v) * FN(load)(z->tail + v);
    scale = FN(hsum)(before) > 0 ? FN(hsum)(after) / FN(hsum)(before) : 0;
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        const vec a = FN(load)(z->alpha + k);
        FN(store)(z->gamma + k, a + (FN(load)(z->gamma + k) - a) * scale);
    }
    for (ptrdiff_t j = 0; j < working; j++)
        z->gamma[z->id[j]] = z->c_alpha[j] + z->c_w[j];
}
