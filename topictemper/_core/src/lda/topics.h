/* Rows of the topics, lambda_kv = base + a M[v, k], for the words of a minibatch. */

/* Sums of alpha_k B_vk over the topics up to the end of each block of TOPIC_PADDING. */
static INLINE void FN(sum_prior)(ptrdiff_t padded, const REAL *alpha, const REAL *row, REAL *out)
{
    REAL sum = 0;
    for (ptrdiff_t k = 0; k < padded; k += TOPIC_PADDING) {
        vec x = {0};
        for (ptrdiff_t i = k; i < k + TOPIC_PADDING; i += VL)
            x += FN(load)(alpha + i) * FN(load)(row + i);
        out[k / TOPIC_PADDING] = sum += FN(hsum)(x);
    }
}

static INLINE REAL FN(dot)(ptrdiff_t n, const REAL *x, const REAL *y)
{
    vec sum = {0};
    for (ptrdiff_t i = 0; i < n; i += VL)
        sum += FN(load)(x + i) * FN(load)(y + i);
    return FN(hsum)(sum);
}

/* The factors of lambda in rows of topics that are a point, at s = 1: they are the same for all
   words. Returns the shift. */
static INLINE REAL FN(point_scales)(ptrdiff_t padded, const REAL *log_totals, REAL *factors)
{
    vec most = FN(splat)((REAL)-1e30);
    REAL top;
    for (ptrdiff_t k = 0; k < padded; k += VL)
        most = FN(max)(most, -FN(load)(log_totals + k));
    top = FN(hmax)(most);
    for (ptrdiff_t k = 0; k < padded; k += VL)
        FN(store)(factors + k, FN(exp)(-FN(load)(log_totals + k) - top));
    return top;
}

/* The row of a word of topics that are a point, at s = 1, and its sums: in one pass, where each
   number of the row is at hand. */
static INLINE void FN(point_row)(const topic_state *state, const REAL *row, const REAL *next,
                                 const REAL *factors, const REAL *alpha, const documents *p,
                                 int64_t u, int streams)
{
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics, padded = (ptrdiff_t)p->padded;
    const REAL scale = (REAL)state->a, offset = (REAL)state->base;
    REAL *out = (REAL *)p->B + u * padded, *prior_mass = p->prior_mass, *prior = p->prior, sum = 0;
    vec sum_b = {0}, sum_alpha_b = {0}, of_block = {0};
    if (prior)
        prior += u * (padded / TOPIC_PADDING);
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        __builtin_prefetch(next + k, 0, 2);
        ptrdiff_t left = n_topics - k;
        vec m = left > 0 ? FN(load_n)(row + k, left, 1) : FN(splat)(1);
        vec b = (m * scale + offset) * FN(load)(factors + k);
        sum_b += b;
        if (prior_mass)
            sum_alpha_b += FN(load)(alpha + k) * b;
        if (streams)
            FN(stream)(out + k, (const REAL *)&b, VL);
        else
            FN(store)(out + k, b);
        if (!prior)
            continue;
        of_block += FN(load)(alpha + k) * b;
        if ((k + VL) % TOPIC_PADDING == 0) {
            prior[k / TOPIC_PADDING] = sum += FN(hsum)(of_block);
            of_block = (vec){0};
        }
    }
    ((REAL *)p->mass)[u] = FN(hsum)(sum_b);
    if (prior_mass)
        prior_mass[u] = FN(hsum)(sum_alpha_b);
}

/* exp(s (L - shift)), or L - shift, with L = E[log beta] of the batch's words, or log E[beta] if
   topics are a `point`. `shift` keeps a row from vanishing and cancels in phi. It is max_k L; at
   s = 1, where exp(L) needs no logarithm, L is taken without its logarithm there. */
static int FN(topic_rows)(const void *given, int64_t *ticket)
{
    const rows_problem *problem = given;
    const documents *p = problem->documents;
    const topic_state *state = problem->topics;
    const int64_t n_words = p->n_words, n_topics = p->n_topics, padded = p->padded;
    const int point = problem->point, log_rows = p->log_rows;
    const REAL *M = state->M;
    const int32_t *words = problem->places;
    REAL *B = p->B, *shift = p->shift, *mass = p->mass, *prior_mass = p->prior_mass;
    REAL *prior = p->prior;
    const REAL scale = (REAL)state->a, offset = (REAL)state->base, inverse = (REAL)problem->s;
    const int plain = !log_rows && inverse == 1, scales = plain && point;
    /* Rows of many topics are made beside their place: they fit into no cache anyway. */
    const int streams = n_topics > MANY_TOPICS && (uintptr_t)B % VBYTES == 0;
    const int at_once = streams && !prior_mass && !prior; /* nothing else reads the row */
    REAL *log_totals = malloc(4 * (size_t)padded * sizeof(REAL)), *factors = log_totals + padded;
    REAL *alpha = factors + padded, *beside = alpha + padded, all_top = 0;
    if (!log_totals)
        return -1;
    for (ptrdiff_t k = 0; k < padded; k++) {
        log_totals[k] = k < n_topics ? (REAL)problem->log_total[k] : (REAL)1e30; /* weight 0 */
        alpha[k] = k < n_topics ? ((const REAL *)p->alpha)[k] : 0;
    }
    if (scales)
        all_top = FN(point_scales)(padded, log_totals, factors);
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * WORD_BLOCK;
        int64_t last = first + WORD_BLOCK < n_words ? first + WORD_BLOCK : n_words;
        if (first >= n_words)
            break;
        for (int64_t u = first; u < last; u++) {
            const REAL *row = M + (ptrdiff_t)words[u] * n_topics;
            REAL *out = streams ? beside : B + u * padded;
            vec most = FN(splat)((REAL)-1e30), sum_b = {0};
            REAL top;
            /* Asked for line by line: a whole row at once would keep all other loads waiting. */
            const REAL *next = M + (ptrdiff_t)words[u + 2 < n_words ? u + 2 : u] * n_topics;
            if (scales) {
                FN(point_row)(state, row, next, factors, alpha, p, u, streams);
                shift[u] = all_top;
                continue;
            }
            for (ptrdiff_t k = 0; k < padded; k += VL) {
                __builtin_prefetch(next + k, 0, 2);
                ptrdiff_t left = n_topics - k;
                vec m = left > 0 ? FN(load_n)(row + k, left, 1) : FN(splat)(1);
                vec sum = {0}, y = m * scale + offset, l;
                if (!point)
                    y = FN(psi_parts)(y, &sum);
                l = (plain ? -sum : FN(log)(y) - sum) - FN(load)(log_totals + k);
                most = FN(max)(most, l);
                if (plain)
                    FN(store)(factors + k, y);
                FN(store)(out + k, l);
            }
            shift[u] = top = FN(hmax)(most);
            if (log_rows) {
                for (ptrdiff_t k = 0; k < padded; k += VL)
                    FN(store)(out + k, FN(load)(out + k) - top);
                if (streams)
                    FN(stream)(B + u * padded, out, padded);
                continue;
            }
            for (ptrdiff_t k = 0; k < padded; k += VL) {
                vec l = FN(load)(out + k) - top;
                vec b = plain ? FN(load)(factors + k) * FN(exp)(l) : FN(exp)(l * inverse);
                sum_b += b;
                if (at_once)
                    FN(stream)(B + u * padded + k, (const REAL *)&b, VL);
                else
                    FN(store)(out + k, b);
            }
            mass[u] = FN(hsum)(sum_b);
            if (prior_mass)
                prior_mass[u] = FN(dot)(padded, alpha, out);
            if (prior)
                FN(sum_prior)(padded, alpha, out, prior + u * (padded / TOPIC_PADDING));
            if (streams && !at_once)
                FN(stream)(B + u * padded, out, padded);
        }
    }
    if (streams)
        END_OF_STREAM();
    free(log_totals);
    return 0;
}
