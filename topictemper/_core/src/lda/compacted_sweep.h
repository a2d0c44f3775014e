/* Sweeps over the few topics of a document that have not fallen back to their prior.

   They are copied to a block that has a topic's words side by side: there neither direction of the
   sweep sums across a register, and dropping one more topic costs nothing. */

/* Lists the topics from `from` to `to` whose g is not 0 behind `m` others. Returns how many the list
   has then. Most vectors have none; which topics of the others stay cannot be predicted. */
static INLINE ptrdiff_t FN(list_staying)(scratch *z, ptrdiff_t from, ptrdiff_t to, ptrdiff_t m)
{
    for (ptrdiff_t k = from; k < to; k += VL) {
        if (!(FN(hmax)(FN(load)(z->g + k)) > 0))
            continue;
        for (ptrdiff_t i = k; i < k + VL && i < to; i++) {
            z->id[m] = (int32_t)i;
            m += z->g[i] > 0;
        }
    }
    return m;
}

/* Copies those of the topics `from` to `to` that stay to the block, behind the `n_active` that it
   holds; the others fall back to alpha. Returns how many it holds then. */
static INLINE ptrdiff_t FN(compact_part)(scratch *z, ptrdiff_t from, ptrdiff_t to, ptrdiff_t stride,
                                         ptrdiff_t n_active)
{
    const ptrdiff_t m = FN(list_staying)(z, from, to, n_active);
    for (ptrdiff_t j = n_active; j < m; j++) {
        const int32_t k = z->id[j];
        z->place[j] = (int32_t)j;
        z->c_alpha[j] = z->alpha[k];
        z->c_step[j] = 0;
        z->c_gamma[j] = z->gamma[k];
    }
    for (ptrdiff_t v = 0; v < stride; v += 4) {
        const REAL *b0 = z->rows[v], *b1 = z->rows[v + 1], *b2 = z->rows[v + 2],
                   *b3 = z->rows[v + 3];
        for (ptrdiff_t j = n_active; j < m; j++) {
            const int32_t k = z->id[j];
            *(quad *)(z->block + j * stride + v) = (quad){b0[k], b1[k], b2[k], b3[k]};
        }
    }
    return m;
}
static ptrdiff_t FN(compact)(scratch *z, ptrdiff_t n_topics, ptrdiff_t stride)
{
    return FN(compact_part)(z, 0, n_topics, stride, 0);
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

/* r_v and partial sums of g_k over the compacted topics, for `nv` vectors of words from word v.
   `tail` is what the other topics add to the mixture of each word; NULL: nothing. */
static INLINE void FN(sweep_chunk)(scratch *z, ptrdiff_t v, ptrdiff_t stride, ptrdiff_t n_active,
                                   const REAL *tail, int nv)
{
    vec p[4], r[4];
    vec *sums = (vec *)z->sums;
    for (int i = 0; i < nv; i++)
        p[i] = tail ? FN(load)(tail + v + i * VL) + TINY : FN(splat)(TINY);
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
        if (v)
            sum += FN(load)((REAL *)(sums + j));
        FN(store)((REAL *)(sums + j), sum);
    }
}
static INLINE void FN(sweep_block)(scratch *z, ptrdiff_t stride, ptrdiff_t n_active,
                                   const REAL *tail)
{
    for (ptrdiff_t v = 0; v < stride; v += 4 * VL) {
        switch (stride - v < 4 * VL ? (stride - v) / VL : 4) {
        case 1:
            FN(sweep_chunk)(z, v, stride, n_active, tail, 1);
            break;
        case 2:
            FN(sweep_chunk)(z, v, stride, n_active, tail, 2);
            break;
        case 3:
            FN(sweep_chunk)(z, v, stride, n_active, tail, 3);
            break;
        default:
            FN(sweep_chunk)(z, v, stride, n_active, tail, 4);
        }
    }
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

/* energy_rows over the compacted topics. */
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
