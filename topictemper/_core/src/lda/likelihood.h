/* The log-likelihood of documents under their mixtures of topics. */

#define VALUES_AT_ONCE 8
#define DOCUMENTS_AT_ONCE 4 /* some comparisons are of few documents */

/* sum_k t_jk M_k of `n` of the t, which lie `stride` apart. */
static INLINE void FN(mixtures_of_few)(ptrdiff_t n_topics, const REAL *row, const REAL *t,
                                       ptrdiff_t stride, REAL *sums, int n)
{
    vec over[4] = {{0}};
    for (ptrdiff_t k = 0; k < n_topics; k += VL) {
        const vec m = FN(load_n)(row + k, n_topics - k, 0);
        for (int j = 0; j < n; j++)
            over[j] += FN(load_n)(t + j * stride + k, n_topics - k, 0) * m;
    }
    for (int j = 0; j < n; j++)
        sums[j] = FN(hsum)(over[j]);
}
static INLINE void FN(mixtures)(ptrdiff_t n_topics, const REAL *row, const REAL *t,
                                ptrdiff_t stride, REAL *sums, int n)
{
    int j = 0;
    for (; j + 4 <= n; j += 4)
        FN(mixtures_of_few)(n_topics, row, t + j * stride, stride, sums + j, 4);
    for (; j + 2 <= n; j += 2)
        FN(mixtures_of_few)(n_topics, row, t + j * stride, stride, sums + j, 2);
    if (j < n)
        FN(mixtures_of_few)(n_topics, row, t + j * stride, stride, sums + j, 1);
}

/* out_j = sum_v n_dv log sum_k t_jk (base_j + a M[v, k]) of a document, for up to VALUES_AT_ONCE of
   the t. A row of M is loaded once for all: where there are many topics, that takes the time. */
static INLINE void FN(log_likelihoods)(const likelihood_problem *p, int64_t d, int64_t value, int n)
{
    const topic_state *state = p->topics;
    const ptrdiff_t n_topics = (ptrdiff_t)state->n_topics, stride = (ptrdiff_t)p->n_docs * n_topics;
    const REAL *M = state->M, *t = (const REAL *)p->t + value * stride + d * n_topics;
    double least[VALUES_AT_ONCE], sum[VALUES_AT_ONCE];
    for (int j = 0; j < n; j++) {
        sum[j] = least[j] = 0;
        for (ptrdiff_t k = 0; k < n_topics; k++)
            least[j] += (double)t[j * stride + k];
        least[j] *= p->bases[value + j];
    }
    for (int64_t i = p->doc_ptr[d]; i < p->doc_ptr[d + 1]; i++) {
        const double count = (double)((const REAL *)p->counts)[i];
        REAL over[VALUES_AT_ONCE];
        FN(mixtures)(n_topics, M + (ptrdiff_t)p->indices[i] * n_topics, t, stride, over, n);
        for (int j = 0; j < n; j++)
            sum[j] += count * log(state->a * (double)over[j] + least[j]);
    }
    for (int j = 0; j < n; j++)
        p->out[(value + j) * p->n_docs + d] = sum[j];
}

static int FN(mixture_log_likelihood)(const void *problem, int64_t *ticket)
{
    const likelihood_problem *p = problem;
    const int64_t n_docs = p->n_docs, n_values = p->n_values;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * DOCUMENTS_AT_ONCE;
        int64_t last = first + DOCUMENTS_AT_ONCE < n_docs ? first + DOCUMENTS_AT_ONCE : n_docs;
        if (first >= n_docs)
            break;
        for (int64_t d = first; d < last; d++)
            for (int64_t value = 0; value < n_values; value += VALUES_AT_ONCE) {
                const int64_t left = n_values - value;
                const int n = left < VALUES_AT_ONCE ? (int)left : VALUES_AT_ONCE;
                FN(log_likelihoods)(p, d, value, n);
            }
    }
    return 0;
}
