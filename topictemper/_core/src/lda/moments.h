/* Fractional moments of the topics, and the likelihood of documents under their means. */

/* sum_v G(lambda_kv + s_j) / G(lambda_kv), in fixed blocks of words. */
static int FN(fractional_moments)(const topic_state *state, const moments_problem *p,
                                  int64_t *ticket)
{
    const int64_t n_words = state->n_words, n_topics = state->n_topics;
    const int64_t n_nodes = p->n_nodes, block = p->block;
    const double *nodes = p->nodes, a = state->a, base = state->base;
    const REAL *M = state->M;
    double *out = p->out;
    const ptrdiff_t padded = (n_topics + VL - 1) / VL * VL;
    const REAL scale = (REAL)a, offset = (REAL)base;
    const REAL trivial = (REAL)(NEGLIGIBLE * base / (a > 0 ? a : 1));
    REAL *memory = malloc((size_t)n_nodes * (RATIO_TERMS + 1 + (size_t)padded) * sizeof(REAL));
    REAL *coefficients = memory, *at_base = memory + n_nodes * RATIO_TERMS,
         *sums = at_base + n_nodes;
    if (!memory)
        return -1;
    for (ptrdiff_t j = 0; j < n_nodes; j++) {
        REAL t[VBYTES / sizeof(REAL)];
        FN(ratio_coefficients)(nodes[j], coefficients + j * RATIO_TERMS);
        FN(store)(t, FN(gamma_ratio)(FN(splat)(offset), (REAL)nodes[j],
                                     coefficients + j * RATIO_TERMS));
        at_base[j] = t[0];
    }
    for (;;) {
        int64_t b = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED);
        int64_t first = b * block, last = first + block < n_words ? first + block : n_words;
        double *total = out + b * n_nodes * n_topics;
        if (first >= n_words)
            break;
        memset(total, 0, (size_t)(n_nodes * n_topics) * sizeof(double));
        /* REAL sums over WORD_BLOCK words at a time, then double */
        for (int64_t v0 = first; v0 < last; v0 += WORD_BLOCK) {
            int64_t v1 = v0 + WORD_BLOCK < last ? v0 + WORD_BLOCK : last;
            memset(sums, 0, (size_t)(n_nodes * padded) * sizeof(REAL));
            for (int64_t v = v0; v < v1; v++) {
                const REAL *row = M + v * n_topics;
                for (ptrdiff_t k = 0; k < n_topics; k += VL) {
                    vec m = FN(load_n)(row + k, n_topics - k, 0);
                    if (FN(hmax)(m) <= trivial) { /* words at lambda = base share one value */
                        for (ptrdiff_t j = 0; j < n_nodes; j++)
                            FN(store)(sums + j * padded + k,
                                      FN(load)(sums + j * padded + k) + at_base[j]);
                    } else {
                        vec x = m * scale + offset, y = x + SHIFT;
                        vec log_y = FN(log)(y), inv_y = 1 / y;
                        for (ptrdiff_t j = 0; j < n_nodes; j++)
                            FN(store)(sums + j * padded + k,
                                      FN(load)(sums + j * padded + k)
                                          + FN(ratio_shared)(x, log_y, inv_y, (REAL)nodes[j],
                                                             coefficients + j * RATIO_TERMS));
                    }
                }
            }
            for (ptrdiff_t j = 0; j < n_nodes; j++)
                for (ptrdiff_t k = 0; k < n_topics; k++)
                    total[j * n_topics + k] += (double)sums[j * padded + k];
        }
    }
    free(memory);
    return 0;
}

/* sum_v n_dv log sum_k t_dk (base + a M[v, k]). */
static int FN(mixture_log_likelihood)(const topic_state *state, const likelihood_problem *p,
                                      int64_t *ticket)
{
    const int64_t n_docs = p->n_docs, n_topics = state->n_topics, *doc_ptr = p->doc_ptr;
    const int32_t *indices = p->indices;
    const REAL *counts = p->counts, *t = p->t, *M = state->M;
    const double a = state->a, base = state->base;
    double *out = p->out;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * DOCUMENT_BLOCK;
        int64_t last = first + DOCUMENT_BLOCK < n_docs ? first + DOCUMENT_BLOCK : n_docs;
        if (first >= n_docs)
            break;
        for (int64_t d = first; d < last; d++) {
            const REAL *t_d = t + d * n_topics;
            double sum = 0, floor = 0;
            for (ptrdiff_t k = 0; k < n_topics; k++)
                floor += (double)t_d[k];
            for (int64_t i = doc_ptr[d]; i < doc_ptr[d + 1]; i++) {
                const REAL *row = M + (ptrdiff_t)indices[i] * n_topics;
                vec p = {0};
                for (ptrdiff_t k = 0; k < n_topics; k += VL)
                    p += FN(load_n)(t_d + k, n_topics - k, 0)
                         * FN(load_n)(row + k, n_topics - k, 0);
                sum += (double)counts[i] * log(a * (double)FN(hsum)(p) + base * floor);
            }
            out[d] = sum;
        }
    }
    return 0;
}
