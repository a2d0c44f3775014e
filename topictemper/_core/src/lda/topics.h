/* The global state lambda_kv = base + a M[v, k]: reading rows, adding statistics, moments; and the
   special functions on arrays, for the tests and for numpy callers. */

static void FN(array_exp)(int64_t n, const REAL *x, REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(exp)(FN(load_n)(x + i, n - i, 1)), n - i);
}
static void FN(array_log)(int64_t n, const REAL *x, REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(log)(FN(load_n)(x + i, n - i, 1)), n - i);
}
static void FN(array_psi)(int64_t n, const REAL *x, REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(psi)(FN(load_n)(x + i, n - i, 1)), n - i);
}
static void FN(array_exp_psi)(int64_t n, const REAL *x, double s, REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(exp_psi)(FN(load_n)(x + i, n - i, 1), (REAL)s), n - i);
}
static void FN(array_gamma_ratio)(int64_t n, const REAL *x, double s, REAL *out)
{
    REAL c[RATIO_TERMS];
    FN(ratio_coefficients)(s, c);
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(gamma_ratio)(FN(load_n)(x + i, n - i, 1), (REAL)s, c), n - i);
}

/* exp(s (L - shift)), or L - shift, with L = E[log beta] of the batch's words, or log E[beta] where
   topics are a `point`. `shift` keeps a row from vanishing; phi does not mind what it is. It is
   max_k L, but at s = 1, where exp(L) is had without a logarithm, the largest of L without that
   logarithm. */
static int FN(topic_rows)(int64_t n_words, int64_t n_topics, int64_t padded, const REAL *M,
                          double a, double base, const double *log_total, int point,
                          const int32_t *words, double s, int log_rows, REAL *B, REAL *shift,
                          REAL *mass, int64_t *ticket)
{
    const REAL scale = (REAL)a, offset = (REAL)base, inverse = (REAL)s;
    const int plain = !log_rows && inverse == 1;
    REAL *log_totals = malloc(2 * (size_t)padded * sizeof(REAL)), *factors = log_totals + padded;
    if (!log_totals)
        return -1;
    for (ptrdiff_t k = 0; k < padded; k++)
        log_totals[k] = k < n_topics ? (REAL)log_total[k] : (REAL)1e30; /* weight 0 */
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * WORD_BLOCK;
        int64_t last = first + WORD_BLOCK < n_words ? first + WORD_BLOCK : n_words;
        if (first >= n_words)
            break;
        for (int64_t u = first; u < last; u++) {
            const REAL *row = M + (ptrdiff_t)words[u] * n_topics;
            REAL *out = B + u * padded;
            vec most = FN(splat)((REAL)-1e30), sum_b = {0};
            REAL top;
            if (u + 2 < n_words)
                FN(fetch)(M + (ptrdiff_t)words[u + 2] * n_topics, n_topics);
            for (ptrdiff_t k = 0; k < padded; k += VL) {
                ptrdiff_t left = n_topics - k;
                vec m = left > 0 ? FN(load_n)(row + k, left, 1) : FN(splat)(1);
                vec sum = {0}, y = m * scale + offset, l;
                if (!point)
                    y = FN(psi_parts)(y, &sum);
                l = (plain ? -sum : FN(log)(y) - sum) - FN(load)(log_totals + k);
                most = FN(max)(most, l);
                FN(store)(factors + k, y);
                FN(store)(out + k, l);
            }
            shift[u] = top = FN(hmax)(most);
            if (log_rows) {
                for (ptrdiff_t k = 0; k < padded; k += VL)
                    FN(store)(out + k, FN(load)(out + k) - top);
                continue;
            }
            for (ptrdiff_t k = 0; k < padded; k += VL) {
                vec l = FN(load)(out + k) - top;
                vec b = plain ? FN(load)(factors + k) * FN(exp)(l) : FN(exp)(l * inverse);
                sum_b += b;
                FN(store)(out + k, b);
            }
            mass[u] = FN(hsum)(sum_b);
        }
    }
    free(log_totals);
    return 0;
}

/* Statistics are summed in double precision: then it makes no difference, to rounding of M, whether
   a document has the weight 2 or is there twice, nor in which order documents come. */

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
/* The same over all topics, times their weights B_vk: no matter that most of the weights are 0, as
   nothing here waits for anything. */
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
            touched[n_touched] = k; /* whether it is new cannot be predicted: no branch */
            n_touched += (sum[k] == 0) & (n_touched < n_topics);
            sum[k] += c * (double)w[k] * (log_rows ? (double)x[j] : 1);
        }
    }
    return n_touched;
}

/* M[word] += rate sum_d weight_d n_dv phi_dv, word by word in a fixed order of documents. */
static int FN(add_statistics)(int64_t n_words, int64_t n_topics, int64_t padded,
                              const int32_t *words, const int64_t *word_ptr,
                              const int32_t *word_doc, const int64_t *word_pos,
                              const double *doc_weight, const REAL *s_of, int log_rows, const REAL *B,
                              const int32_t *topics, const REAL *weights,
                              const int32_t *n_active_of, const REAL *ratio, double rate, REAL *M,
                              double *block_sums, int64_t *ticket)
{
    const int dense = !log_rows && n_topics <= DENSE_TOPICS;
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
            } else {
                ptrdiff_t n_touched = 0;
                for (ptrdiff_t j = 0; j < n; j++) {
                    const int64_t d = doc[j];
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

/* sum_v G(lambda_kv + s_j) / G(lambda_kv), in fixed blocks of words. */
static int FN(fractional_moments)(int64_t n_words, int64_t n_topics, int64_t n_nodes, int64_t block,
                                  const REAL *M, double a, double base, const double *nodes,
                                  double *out, int64_t *ticket)
{
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
static int FN(mixture_log_likelihood)(int64_t n_docs, int64_t n_topics, const int64_t *doc_ptr,
                                      const int32_t *indices, const REAL *counts, const REAL *t,
                                      const REAL *M, double a, double base, double *out,
                                      int64_t *ticket)
{
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
