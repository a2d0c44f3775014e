/* The normalizer of a tempered document, under its q(theta) and the moments of the topics. */

/* log sum_k M_k(s_j) S_k(s_j) of every document, at the nodes s_j. */
static int FN(log_partition)(const void *problem, int64_t *ticket)
{
    const partition_problem *p = problem;
    const int64_t n_docs = p->n_docs, n_topics = p->n_topics, n_nodes = p->n_nodes;
    const REAL *gamma = p->gamma, *moments = p->moments, *prior_moments = p->prior_moments;
    const int32_t *topics = p->topics, *n_active_of = p->n_active;
    const double *nodes = p->nodes;
    double *out = p->out;
    const ptrdiff_t padded = (n_topics + VL - 1) / VL * VL;
    REAL *memory = malloc(((size_t)n_nodes * (RATIO_TERMS + 1) + 3 * (size_t)padded
                           + DOCUMENT_BLOCK)
                          * sizeof(REAL));
    double *sums = malloc((size_t)n_nodes * (DOCUMENT_BLOCK + 1) * sizeof(double));
    REAL *coefficients = memory, *x = memory + n_nodes * RATIO_TERMS, *log_y = x + padded,
         *inv_y = log_y + padded, *totals = inv_y + padded;
    double *prior_sums = sums + n_nodes * DOCUMENT_BLOCK;
    if (!memory || !sums) {
        free(memory);
        free(sums);
        return -1;
    }
    for (ptrdiff_t j = 0; j < n_nodes; j++) {
        FN(ratio_coefficients)(nodes[j], coefficients + j * RATIO_TERMS);
        prior_sums[j] = 0;
        for (ptrdiff_t k = 0; k < n_topics; k++)
            prior_sums[j] += (double)prior_moments[j * n_topics + k];
    }
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * DOCUMENT_BLOCK;
        int64_t last = first + DOCUMENT_BLOCK < n_docs ? first + DOCUMENT_BLOCK : n_docs;
        if (first >= n_docs)
            break;
        for (ptrdiff_t i = 0; i < DOCUMENT_BLOCK; i++)
            totals[i] = 1;
        for (int64_t d = first; d < last; d++) {
            const REAL *gamma_d = gamma + d * n_topics;
            const int32_t *id = topics + d * n_topics;
            const ptrdiff_t n = n_active_of[d];
            double total = 0;
            for (ptrdiff_t k = 0; k < n_topics; k++)
                total += (double)gamma_d[k];
            totals[d - first] = (REAL)total;
            for (ptrdiff_t j = 0; j < n; j++)
                x[j] = gamma_d[id[j]];
            for (ptrdiff_t j = n; j % VL; j++)
                x[j] = 1;
            for (ptrdiff_t k = 0; k < n; k += VL) {
                vec y = FN(load)(x + k) + SHIFT;
                FN(store)(log_y + k, FN(log)(y));
                FN(store)(inv_y + k, 1 / y);
            }
            for (ptrdiff_t j = 0; j < n_nodes; j++) {
                const REAL *S = moments + j * n_topics, *F = prior_moments + j * n_topics;
                double rest = n < n_topics ? prior_sums[j] : 0;
                vec sum = {0};
                if (n < n_topics)
                    for (ptrdiff_t k = 0; k < n; k++)
                        rest -= (double)F[id[k]];
                for (ptrdiff_t k = 0; k < n; k += VL) {
                    REAL t[VBYTES / sizeof(REAL)] = {0};
                    for (ptrdiff_t i = 0; i < VL && k + i < n; i++)
                        t[i] = S[id[k + i]];
                    sum += FN(load)(t)
                           * FN(ratio_shared)(FN(load)(x + k), FN(load)(log_y + k),
                                              FN(load)(inv_y + k), (REAL)nodes[j],
                                              coefficients + j * RATIO_TERMS);
                }
                sums[j * DOCUMENT_BLOCK + (d - first)] = rest + (double)FN(hsum)(sum);
            }
        }
        for (ptrdiff_t j = 0; j < n_nodes; j++) {
            for (ptrdiff_t i = 0; i < last - first; i += VL) {
                REAL t[VBYTES / sizeof(REAL)];
                vec v;
                for (ptrdiff_t l = 0; l < VL; l++)
                    t[l] = i + l < last - first ? (REAL)sums[j * DOCUMENT_BLOCK + i + l] : 1;
                v = FN(log)(FN(load)(t))
                    - FN(log)(FN(gamma_ratio)(FN(load)(totals + i), (REAL)nodes[j],
                                              coefficients + j * RATIO_TERMS));
                FN(store)(t, v);
                for (ptrdiff_t l = 0; l < VL && i + l < last - first; l++)
                    out[(first + i + l) * n_nodes + j] = (double)t[l];
            }
        }
    }
    free(memory);
    free(sums);
    return 0;
}
