/* Sweeps over all topics of a document, in the layout of B: a word's topics side by side. */

/* sum_k w_k B_vk of the four words from v on. */
static INLINE quad FN(mix)(const scratch *z, ptrdiff_t v, ptrdiff_t padded)
{
    const REAL *w = z->w, *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
               *b3 = z->rows[v + 3];
    vec p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        vec wk = FN(load)(w + k);
        p0 += wk * FN(load)(b0 + k);
        p1 += wk * FN(load)(b1 + k);
        p2 += wk * FN(load)(b2 + k);
        p3 += wk * FN(load)(b3 + k);
    }
    return FN(hsum4)(p0, p1, p2, p3);
}

/* r_v = n_v / sum_k w_k B_vk and, if wanted, g_k = sum_v r_v B_vk, over all topics. */
static INLINE void FN(sweep_rows)(scratch *z, ptrdiff_t n_words, ptrdiff_t padded, int want_g)
{
    REAL *g = z->g, *r = z->r;
    if (want_g)
        memset(g, 0, (size_t)padded * sizeof(REAL));
    for (ptrdiff_t v = 0; v < n_words; v += 4) {
        const REAL *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
                   *b3 = z->rows[v + 3];
        *(quad *)(r + v) = *(const quad *)(z->n + v) / (FN(mix)(z, v, padded) + TINY);
        if (want_g) {
            REAL r0 = r[v], r1 = r[v + 1], r2 = r[v + 2], r3 = r[v + 3];
            for (ptrdiff_t k = 0; k < padded; k += VL)
                FN(store)(g + k, FN(load)(g + k) + r0 * FN(load)(b0 + k) + r1 * FN(load)(b1 + k)
                                     + r2 * FN(load)(b2 + k) + r3 * FN(load)(b3 + k));
        }
    }
}
/* g_k = sum_v r_v B_vk over the topics `from` to `to`, eight words at a time: g is loaded and stored
   less often than with four. Words past the last one have r = 0, and any row. So many topics after
   `to` are asked for as `ahead` says. */
static INLINE void FN(gather_part)(scratch *z, ptrdiff_t n_words, ptrdiff_t from, ptrdiff_t to,
                                   ptrdiff_t ahead)
{
    REAL *g = z->g;
    memset(g + from, 0, (size_t)(to - from) * sizeof(REAL));
    for (ptrdiff_t v = 0; v < n_words; v += 8) {
        const REAL *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
                   *b3 = z->rows[v + 3], *b4 = z->rows[v + 4], *b5 = z->rows[v + 5],
                   *b6 = z->rows[v + 6], *b7 = z->rows[v + 7];
        const REAL r0 = z->r[v], r1 = z->r[v + 1], r2 = z->r[v + 2], r3 = z->r[v + 3],
                   r4 = z->r[v + 4], r5 = z->r[v + 5], r6 = z->r[v + 6], r7 = z->r[v + 7];
        for (int i = 0; ahead && i < 8; i++)
            FN(fetch)(z->rows[v + i] + to, ahead);
        for (ptrdiff_t k = from; k < to; k += VL)
            FN(store)(g + k, FN(load)(g + k) + r0 * FN(load)(b0 + k) + r1 * FN(load)(b1 + k)
                                 + r2 * FN(load)(b2 + k) + r3 * FN(load)(b3 + k)
                                 + r4 * FN(load)(b4 + k) + r5 * FN(load)(b5 + k)
                                 + r6 * FN(load)(b6 + k) + r7 * FN(load)(b7 + k));
    }
}
static INLINE void FN(gather)(scratch *z, ptrdiff_t n_words, ptrdiff_t padded)
{
    FN(gather_part)(z, n_words, 0, padded, 0);
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

/* At a gamma up to this, a weight is less than e^LOG_LIGHT times the largest one, as
   psi(x) < log(x + 0.562) - 1 / x; 0 if that says nothing. */
static INLINE REAL FN(light_gamma)(const scratch *z, ptrdiff_t padded, REAL s)
{
    vec most = {0};
    REAL psi[VBYTES / sizeof(REAL)], least;
    for (ptrdiff_t k = 0; k < padded; k += VL)
        most = FN(max)(most,
                       FN(load)(z->alpha + k) + FN(load)(z->w + k) * FN(load)(z->g + k) * s);
    FN(store)(psi, FN(psi)(FN(splat)(FN(hmax)(most))));
    least = psi[0] + LOG_LIGHT / s;
    return least < (REAL)-0.554 ? 1 / ((REAL)0.446 - least) : 0;
}

/* gamma = alpha + s w g. Leaves the shares s w g in g, or 0 for topics that may be dropped: their
   share is negligible, or it will be once their weight has fallen to that of the prior, or their
   gamma is `light`.
   Returns sum |delta gamma|, and the number of topics that stay. `unscale` undoes w's scale. */
static INLINE REAL FN(update_gamma)(scratch *z, ptrdiff_t n, REAL s, REAL small, REAL few,
                                    REAL light, REAL unscale, ptrdiff_t *n_kept)
{
    vec delta = {0};
    ivec kept = {0};
    for (ptrdiff_t k = 0; k < n; k += VL) {
        vec a = FN(load)(z->alpha + k), g = FN(load)(z->g + k) * s, share = FN(load)(z->w + k) * g;
        vec new = a + share, d = new - FN(load)(z->gamma + k);
        vec rest = FN(load)(z->w_rest + k) * g * unscale;
        vec least = FN(min)(a * NEGLIGIBLE, FN(splat)(small));
        vec fading = FN(min)(FN(load)(z->fading + k), FN(splat)(few));
        ivec stays = (share > least) & (((share > fading) & (new > light)) | ~(rest <= least));
        kept -= stays;
        delta += FN(max)(d, -d);
        FN(store)(z->gamma + k, new);
        FN(store)(z->g + k, (vec)((ivec)share & stays));
    }
    *n_kept = (ptrdiff_t)FN(hsum)(__builtin_convertvector(kept, vec));
    return FN(hsum)(delta);
}

/* No dropped topic has more than this times its weight: g_k <= sum_v r_v sum_k B_vk. It is near
   1 / TINY if all topics of a word have been dropped. */
static INLINE REAL FN(reach)(const scratch *z, ptrdiff_t stride)
{
    vec most = {0};
    for (ptrdiff_t v = 0; v < stride; v += VL)
        most += FN(load)(z->r + v) * FN(load)(z->mass + v);
    return FN(hsum)(most);
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
