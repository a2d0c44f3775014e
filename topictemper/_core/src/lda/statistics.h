/* The statistics of a minibatch, added to the rows of its words. */

/* Statistics are summed in double precision. So the order of the documents changes nothing but the
   rounding of M, and a document of weight 2 equals two copies of it. */

/* sum[k] = sum_d c_d w_dk for `nv` vectors of topics, over the documents of one word. */
static INLINE void FN(dense_chunk)(ptrdiff_t padded, ptrdiff_t n, const int32_t *doc,
                                   const double *c, const REAL *weights, double *sum, int nv)
{
    dvec x[8];
    for (int i = 0; i < nv; i++)
        x[i] = (dvec){0};
    for (ptrdiff_t j = 0; j < n; j++) {
        const REAL *w = weights + doc[j] * padded;
        const double c_j = c[j];
        for (int i = 0; i < nv; i++)
            x[i] += c_j * FN(load_double)(w + i * DL);
    }
    for (int i = 0; i < nv; i++)
        memcpy(sum + i * DL, &x[i], sizeof(dvec));
}
/* The same over all topics, times B_vk. Most of the weights may be 0: without branches it is fast
   all the same. */
static INLINE void FN(dense_statistics)(ptrdiff_t padded, ptrdiff_t n, const int32_t *doc,
                                        const double *c, const REAL *row, const REAL *weights,
                                        double *sum)
{
    for (ptrdiff_t k = 0; k < padded; k += 8 * DL) {
        switch (padded - k < 8 * DL ? (padded - k) / DL : 8) {
        case 1:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 1);
            break;
        case 2:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 2);
            break;
        case 3:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 3);
            break;
        case 4:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 4);
            break;
        case 5:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 5);
            break;
        case 6:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 6);
            break;
        case 7:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 7);
            break;
        default:
            FN(dense_chunk)(padded, n, doc, c, weights + k, sum + k, 8);
        }
    }
    for (ptrdiff_t k = 0; k < padded; k++)
        sum[k] *= (double)row[k];
}

/* sum[k] += c w_dk B_vk^s_d (with `log_rows`; else w_dk alone) of one document. `touched` lists the
   topics that are not zero; returns how many it holds. */
static INLINE ptrdiff_t FN(sparse_statistics)(ptrdiff_t n_topics, double c, REAL s, int log_rows,
                                              const REAL *row, ptrdiff_t n, const int32_t *id,
                                              const REAL *w, double *sum, int32_t *touched,
                                              ptrdiff_t n_touched, const REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i += VL) {
        const ptrdiff_t m = n - i < VL ? n - i : VL;
        REAL x[VBYTES / sizeof(REAL)];
        if (log_rows) {
            FN(store)(x, FN(splat)(0));
            for (ptrdiff_t j = 0; j < m; j++)
                x[j] = row[id[i + j]] * s;
            FN(store)(x, FN(exp)(FN(load)(x)));
        }
        for (ptrdiff_t j = 0; j < m; j++) {
            const int32_t k = id[i + j];
            __builtin_prefetch(out + k, 1);
            __builtin_prefetch(row + k);
            touched[n_touched] = k; /* whether it is new cannot be predicted: no branch */
            n_touched += (sum[k] == 0) & (n_touched < n_topics);
            sum[k] += c * (double)w[k] * (log_rows ? (double)x[j] : 1);
        }
    }
    return n_touched;
}

/* sum[k] += c w_dk / (1 + own B_vk) of a sampled document, whose tokens do not count for themselves
   (see `gibbs_own.h`); the rest is as above. */
static INLINE ptrdiff_t FN(sampled_statistics)(ptrdiff_t n_topics, double c, REAL own,
                                               const REAL *row, ptrdiff_t n, const int32_t *id,
                                               const REAL *w, double *sum, int32_t *touched,
                                               ptrdiff_t n_touched, const REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t k = id[i];
        __builtin_prefetch(out + k, 1);
        touched[n_touched] = k;
        n_touched += (sum[k] == 0) & (n_touched < n_topics);
        sum[k] += c * (double)(w[k] / (1 + own * row[k]));
    }
    return n_touched;
}

/* Whether all documents of a word hold all topics, as they do while it is hot. */
static INLINE int FN(all_full)(const documents *p, ptrdiff_t n, const int32_t *doc)
{
    ptrdiff_t full = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        full += p->n_active[doc[j]] == p->n_topics;
    return full == n && !p->log_rows;
}

/* sum[k] += c w_dk of a document that holds all topics. */
static INLINE void FN(full_statistics)(ptrdiff_t padded, double c, const REAL *w, double *sum)
{
    for (ptrdiff_t k = 0; k < padded; k += DL) {
        dvec x = c * FN(load_double)(w + k);
        for (ptrdiff_t i = 0; i < DL; i++)
            sum[k + i] += x[i];
    }
}

/* M[word] += rate sum_d weight_d n_dv phi_dv, word by word in a fixed order of documents. */
static int FN(add_statistics)(const documents *p, const statistics_update *update,
                              int64_t *ticket)
{
    const int64_t n_words = p->n_words, n_topics = p->n_topics, padded = p->padded;
    const int32_t *words = p->words, *word_doc = p->word_doc, *topics = p->topics;
    const int32_t *n_active_of = p->n_active;
    const int64_t *word_ptr = p->word_ptr, *word_pos = p->word_pos;
    const int log_rows = p->log_rows;
    const REAL *s_of = p->s, *B = p->B, *weights = p->weights, *ratio = p->ratio, *own = p->own;
    const double *doc_weight = update->doc_weight, rate = update->rate;
    double *block_sums = update->block_sums;
    REAL *M = update->M;
    const int always_dense = !log_rows && !own && n_topics <= DENSE_TOPICS;
    int64_t most = 0;
    for (int64_t u = 0; u < n_words; u++)
        most = word_ptr[u + 1] - word_ptr[u] > most ? word_ptr[u + 1] - word_ptr[u] : most;
    /* sums of a word and of a block, factors of a word's documents, topics of a word */
    double *sum = calloc((size_t)(2 * padded + most), sizeof(double));
    double *total = sum + padded, *c = total + padded;
    int32_t *touched = malloc((size_t)(n_topics + 1) * sizeof(int32_t));
    if (!sum || !touched) {
        free(sum);
        free(touched);
        return -1;
    }
    for (;;) {
        int64_t block = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED);
        int64_t first = block * WORD_BLOCK;
        int64_t last = first + WORD_BLOCK < n_words ? first + WORD_BLOCK : n_words;
        if (first >= n_words)
            break;
        memset(total, 0, (size_t)padded * sizeof(double));
        for (int64_t u = first; u < last; u++) {
            const REAL *row = B + u * padded;
            const int64_t start = word_ptr[u];
            const ptrdiff_t n = (ptrdiff_t)(word_ptr[u + 1] - start);
            const int32_t *doc = word_doc + start;
            REAL *out = M + (ptrdiff_t)words[u] * n_topics;
            const int dense = always_dense || (!own && FN(all_full)(p, n, doc));
            if (dense && u + 2 < n_words)
                FN(fetch)(M + (ptrdiff_t)words[u + 2] * n_topics, n_topics);
            for (ptrdiff_t j = 0; j < n; j++)
                c[j] = doc_weight[doc[j]] * (double)ratio[word_pos[start + j]] * rate;
            if (dense) {
                FN(dense_statistics)(padded, n, doc, c, row, weights, sum);
                for (ptrdiff_t k = 0; k < n_topics; k++) {
                    out[k] += (REAL)sum[k];
                    total[k] += sum[k];
                }
                memset(sum, 0, (size_t)padded * sizeof(double));
            } else {
                ptrdiff_t n_touched = 0;
                for (ptrdiff_t j = 0; j < n; j++) {
                    const int64_t d = doc[j];
                    if (own) {
                        n_touched = FN(sampled_statistics)(
                            n_topics, c[j], own[word_pos[start + j]], row, n_active_of[d],
                            topics + d * n_topics, weights + d * padded, sum, touched, n_touched,
                            out);
                        continue;
                    }
                    if (!log_rows && n_active_of[d] == n_topics) {
                        FN(full_statistics)(padded, c[j], weights + d * padded, sum);
                        n_touched = n_topics;
                        continue;
                    }
                    n_touched = FN(sparse_statistics)(
                        n_topics, c[j], s_of[d], log_rows, row, n_active_of[d],
                        topics + d * n_topics, weights + d * padded, sum, touched, n_touched,
                        out);
                }
                for (ptrdiff_t j = 0; j < n_touched; j++) {
                    const ptrdiff_t k = n_touched < n_topics ? touched[j] : j; /* it may be full */
                    const double x = sum[k] * (log_rows ? 1 : (double)row[k]);
                    out[k] += (REAL)x;
                    total[k] += x;
                    sum[k] = 0;
                }
            }
        }
        for (ptrdiff_t k = 0; k < n_topics; k++)
            block_sums[block * n_topics + k] = total[k];
    }
    free(sum);
    free(touched);
    return 0;
}
