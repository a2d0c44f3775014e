/* The statistics of a minibatch, added to the rows of its words. */

/* Statistics are summed in double precision. So the order of the documents changes nothing but the
   rounding of M, and a document of weight 2 equals two copies of it. */

#define summation FN(summation)

/* sum[k] = sum_d c_d w_dk for `nv` vectors of topics, over the documents of one word. So many topics
   after these are asked for as `ahead` says. */
static INLINE void FN(dense_chunk)(ptrdiff_t padded, ptrdiff_t n, const int32_t *doc,
                                   const double *c, const REAL *weights, double *sum, int nv,
                                   ptrdiff_t ahead)
{
    dvec x[8];
    for (int i = 0; i < nv; i++)
        x[i] = (dvec){0};
    for (ptrdiff_t j = 0; j < n; j++) {
        const REAL *w = weights + doc[j] * padded;
        const double c_j = c[j];
        FN(fetch)(w + nv * DL, ahead);
        for (int i = 0; i < nv; i++)
            x[i] += c_j * FN(load_double)(w + i * DL);
    }
    for (int i = 0; i < nv; i++)
        memcpy(sum + i * DL, &x[i], sizeof(dvec));
}

/* sum[k] += c w_dk of one document. `touched` lists the topics that are not zero; returns how many
   it holds. */
static INLINE ptrdiff_t FN(sparse_statistics)(ptrdiff_t n_topics, double c, const REAL *row,
                                              ptrdiff_t n, const int32_t *id, const REAL *w,
                                              double *sum, int32_t *touched, ptrdiff_t n_touched,
                                              const REAL *out)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t k = id[i];
        __builtin_prefetch(out + k, 1);
        __builtin_prefetch(row + k);
        touched[n_touched] = k; /* whether it is new cannot be predicted: no branch */
        n_touched += (sum[k] == 0) & (n_touched < n_topics);
        sum[k] += c * (double)w[k];
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

/* What a thread sums: over the documents of a word, and over the words of a block. */
typedef struct {
    double *c;        /* (most,): factors of a word's documents */
    double *sum;      /* (padded,): 0 between words */
    double *total;    /* (padded,): of the block */
    int32_t *touched; /* (n_topics + 1,): topics of the word */
} summation;

static int FN(make_summation)(summation *z, ptrdiff_t most, ptrdiff_t padded)
{
    z->sum = calloc((size_t)(2 * padded + most), sizeof(double));
    z->total = z->sum + padded;
    z->c = z->total + padded;
    z->touched = malloc((size_t)(padded + 1) * sizeof(int32_t));
    return z->sum && z->touched ? 0 : -1;
}

static void FN(free_summation)(summation *z)
{
    free(z->sum);
    free(z->touched);
}

/* Whether the sums over a word's documents go over all topics, as they should while it is hot. The
   bits are the same: a topic that a document does not hold has weight 0. */
static INLINE int FN(is_dense)(const documents *p, ptrdiff_t n, const int32_t *doc)
{
    if (p->own)
        return 0;
    if (p->n_topics <= DENSE_TOPICS)
        return 1;
    int64_t held = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        held += p->n_active[doc[j]];
    return held * DENSE_PART >= n * p->n_topics;
}

/* out[k] += sum_d c_d w_dk B_vk for word number `u` of the minibatch, over all topics. The rows of
   a word to come are asked for piece by piece: all at once they would keep other loads waiting. */
static INLINE void FN(add_densely)(const documents *p, const summation *z, int64_t u,
                                   const REAL *M, REAL *out)
{
    const ptrdiff_t n_topics = p->n_topics, padded = p->padded;
    const int64_t start = p->word_ptr[u];
    const REAL *row = (const REAL *)p->B + u * padded;
    const ptrdiff_t n = (ptrdiff_t)(p->word_ptr[u + 1] - start);
    const ptrdiff_t next = u + 2 < p->n_words ? u + 2 : u;
    const REAL *next_row = (const REAL *)p->B + next * padded;
    const REAL *next_out = M + (ptrdiff_t)p->words[next] * n_topics, *weights = p->weights;
    const int32_t *doc = p->word_doc + start;
    double *total = z->total, sum[8 * VBYTES / sizeof(double)];
    const int many = n_topics > MANY_TOPICS;
    ptrdiff_t ahead;
    for (ptrdiff_t k = 0; k < padded; k += 8 * DL) { /* `padded` is an even number of vectors */
        const ptrdiff_t end = k + 8 * DL < n_topics ? k + 8 * DL : n_topics;
        FN(fetch)(next_out + k, end - k);
        FN(fetch)(next_row + k, end - k);
        switch (padded - k < 8 * DL ? (padded - k) / DL : 8) {
        case 2:
            FN(dense_chunk)(padded, n, doc, z->c, weights + k, sum, 2, 0);
            break;
        case 4:
            FN(dense_chunk)(padded, n, doc, z->c, weights + k, sum, 4, 0);
            break;
        case 6:
            FN(dense_chunk)(padded, n, doc, z->c, weights + k, sum, 6, 0);
            break;
        default:
            ahead = padded - k < 16 * DL ? padded - k - 8 * DL : 8 * DL;
            FN(dense_chunk)(padded, n, doc, z->c, weights + k, sum, 8, many ? ahead : 0);
        }
        for (ptrdiff_t i = k; i < end; i++) {
            const double x = sum[i - k] * (double)row[i];
            out[i] += (REAL)x;
            total[i] += x;
        }
    }
}

/* The same, over the topics that the documents hold. */
static INLINE void FN(add_sparsely)(const documents *p, const summation *z, int64_t u, REAL *out)
{
    const int64_t n_topics = p->n_topics, padded = p->padded, start = p->word_ptr[u];
    const int32_t *doc = p->word_doc + start, *topics = p->topics, *touched = z->touched;
    const REAL *row = (const REAL *)p->B + u * padded, *weights = p->weights, *own = p->own;
    const ptrdiff_t n = (ptrdiff_t)(p->word_ptr[u + 1] - start);
    double *sum = z->sum, *total = z->total;
    ptrdiff_t n_touched = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const int64_t d = doc[j];
        const int32_t *id = topics + d * n_topics;
        const REAL *w = weights + d * padded;
        n_touched = own ? FN(sampled_statistics)(n_topics, z->c[j], own[p->word_pos[start + j]],
                                                 row, p->n_active[d], id, w, sum, z->touched,
                                                 n_touched, out)
                        : FN(sparse_statistics)(n_topics, z->c[j], row, p->n_active[d], id, w, sum,
                                                z->touched, n_touched, out);
    }
    for (ptrdiff_t j = 0; j < n_touched; j++) {
        const ptrdiff_t k = n_touched < n_topics ? touched[j] : j; /* it may be full */
        const double x = sum[k] * (double)row[k];
        out[k] += (REAL)x;
        total[k] += x;
        sum[k] = 0;
    }
}

/* M[word] += scale sum_d weight_d n_dv phi_dv, word by word in a fixed order of documents. */
static int FN(add_statistics)(const void *given, int64_t *ticket)
{
    const statistics_problem *problem = given;
    const documents *p = problem->documents;
    const int64_t n_words = p->n_words, n_topics = p->n_topics, padded = p->padded;
    const int64_t *word_ptr = p->word_ptr;
    const REAL *ratio = p->ratio;
    REAL *M = problem->M;
    int64_t most = 0;
    /* Without a block left no memory is needed, and none can be short: a step whose blocks others
       have done is at its end. */
    if (__atomic_load_n(ticket, __ATOMIC_RELAXED) * WORD_BLOCK >= n_words)
        return 0;
    for (int64_t u = 0; u < n_words; u++)
        most = word_ptr[u + 1] - word_ptr[u] > most ? word_ptr[u + 1] - word_ptr[u] : most;
    summation z;
    int status = FN(make_summation)(&z, most, padded);
    while (status == 0) {
        int64_t block = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED);
        int64_t first = block * WORD_BLOCK;
        int64_t last = first + WORD_BLOCK < n_words ? first + WORD_BLOCK : n_words;
        if (first >= n_words)
            break;
        memset(z.total, 0, (size_t)padded * sizeof(double));
        for (int64_t u = first; u < last; u++) {
            const int64_t start = word_ptr[u];
            const ptrdiff_t n = (ptrdiff_t)(word_ptr[u + 1] - start);
            const int32_t *doc = p->word_doc + start;
            REAL *out = M + (ptrdiff_t)p->words[u] * n_topics;
            for (ptrdiff_t j = 0; j < n; j++)
                z.c[j] = problem->doc_weight[doc[j]] * (double)ratio[p->word_pos[start + j]]
                         * problem->scale;
            if (FN(is_dense)(p, n, doc))
                FN(add_densely)(p, &z, u, M, out);
            else
                FN(add_sparsely)(p, &z, u, out);
        }
        memcpy(problem->block_sums + block * n_topics, z.total, (size_t)n_topics * sizeof(double));
    }
    FN(free_summation)(&z);
    return status;
}
