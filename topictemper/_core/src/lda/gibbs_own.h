/* Statistics of tokens whose own counts are left out.

   The topic of a token is drawn from (alpha_k + N_k) B_vk, where N counts the other tokens. With N
   of all tokens, averaged over sweeps, phi of one token of some size is therefore

       phi_k = (alpha_k + N_k - size phi_k) B_vk / c,  or  phi_k = w_k B_vk / (c + size B_vk)

   with w = alpha + N, and with the c for which phi sums to 1. If its own count stayed in N, a topic
   that no other token has would take more of it than sampling gives this topic. */

/* Newton's method ends when a step is shorter than this part of c; the last one is taken. */
#define SHORT_STEP (REAL_BYTES == 4 ? (REAL)1e-3 : (REAL)1e-6)
#define MOST_STEPS 30
#define LEAST_C 1e-6f /* over the sum of w B */

/* Solves S(c) = sum_k phi_k = 1 for a vector of words, from a first c. Here c is a share of the sum
   of w B, and y = size B a share of it, too. 1 / S rises and is concave: after one step Newton's
   method stays below the solution, and comes closer. */
static INLINE vec FN(solve_c)(ptrdiff_t n, const REAL *w, const REAL *y, vec size, vec c)
{
    const vec least = FN(splat)(LEAST_C);
    c = FN(max)(c, least);
    for (int step = 0; step < MOST_STEPS; step++) {
        vec sum = {0}, slope = {0}, next, change;
        for (ptrdiff_t j = 0; j < n; j++) {
            const vec y_j = FN(load)(y + j * VL), inverse = 1 / (c + y_j);
            const vec phi = w[j] * y_j * inverse;
            sum += phi;
            slope += phi * inverse;
        }
        const vec scale = size * slope; /* 0 of a tiny size, whose first c is exact to rounding */
        next = FN(max)(c - sum * (size - sum) / scale, least);
        next = FN(select)(scale > 0, next, c);
        change = FN(max)(next - c, c - next) - SHORT_STEP * c;
        c = next;
        if (FN(hmax)(change) <= 0)
            break;
    }
    return c;
}

/* `ratio` and `own` of the words of a document with `n` topics, such that n_v phi_vk = ratio_v w_k
   B_vk / (1 + own_v B_vk). `block` has room for a vector of words by topics, and for their w. */
static void FN(without_own)(const documents *p, int64_t d, ptrdiff_t n, REAL *block)
{
    const ptrdiff_t padded = (ptrdiff_t)p->padded;
    const double largest = FN(largest_part)(p, d);
    const int32_t *topics = p->topics + d * p->n_topics;
    const REAL *weights = (const REAL *)p->weights + d * padded;
    REAL *w = block + padded * VL, total = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        w[j] = weights[topics[j]];
        total += w[j];
    }
    for (int64_t v = p->doc_ptr[d]; v < p->doc_ptr[d + 1]; v += VL) {
        const ptrdiff_t m = p->doc_ptr[d + 1] - v < VL ? p->doc_ptr[d + 1] - v : VL;
        const vec counts = FN(load_n)((const REAL *)p->counts + v, m, 1);
        REAL parts[VBYTES / sizeof(REAL)];
        vec size, mean = {0}, spread = {0}, c;
        for (ptrdiff_t l = 0; l < VL; l++) { /* there is a word in every lane */
            const REAL *row = (const REAL *)p->B + p->word_of[v + (l < m ? l : 0)] * padded;
            const ptrdiff_t n_parts = FN(parts)(counts[l], largest);
            parts[l] = n_parts > 1 ? (REAL)n_parts : 1;
            for (ptrdiff_t j = 0; j < n; j++)
                block[j * VL + l] = row[topics[j]];
        }
        size = counts / FN(load)(parts);
        for (ptrdiff_t j = 0; j < n; j++)
            mean += w[j] * FN(load)(block + j * VL);
        mean += TINY;
        for (ptrdiff_t j = 0; j < n; j++) {
            const vec y = FN(load)(block + j * VL) * (size / mean);
            FN(store)(block + j * VL, y);
            spread += w[j] * y * y;
        }
        /* The solution lies between the two without the factor, which are equal if all B are. */
        c = FN(max)(1 - spread / size, (REAL)0.3 * (1 - size / total));
        c = mean * FN(solve_c)(n, w, block, size, c) + TINY;
        FN(store_n)((REAL *)p->ratio + v, counts / c, m);
        FN(store_n)((REAL *)p->own + v, size / c, m);
    }
}
