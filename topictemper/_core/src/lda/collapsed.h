/* Zero-order collapsed inference of documents at fixed topics (Asuncion et al. 2009; without taking
   a token's own share away, as Foulds et al. 2013): q(z) in proportion to (alpha + N) B, where mean-
   field inference has exp(psi(alpha + N)). All topics of a document keep a share, so none is left
   out. */

static int FN(collapse)(const documents *p, const sweep_limits *limits, int64_t *ticket)
{
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics, padded = (ptrdiff_t)p->padded;
    const int64_t *doc_ptr = p->doc_ptr;
    scratch z;
    ptrdiff_t longest = 4;
    for (int64_t d = 0; d < p->n_docs; d++)
        if (doc_ptr[d + 1] - doc_ptr[d] > longest)
            longest = (ptrdiff_t)(doc_ptr[d + 1] - doc_ptr[d]);
    longest = (longest + TOPIC_PADDING - 1) / TOPIC_PADDING * TOPIC_PADDING;
    if (FN(make_scratch)(&z, longest, padded, 0))
        return -1;
    for (ptrdiff_t k = 0; k < padded; k++)
        z.alpha[k] = k < n_topics ? ((const REAL *)p->alpha)[k] : 0;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ESTEP_BLOCK;
        int64_t last = first + ESTEP_BLOCK < p->n_docs ? first + ESTEP_BLOCK : p->n_docs;
        if (first >= p->n_docs)
            break;
        for (int64_t d = first; d < last; d++) {
            const int64_t start = doc_ptr[d];
            const ptrdiff_t n_words = (ptrdiff_t)(doc_ptr[d + 1] - start);
            if (n_words == 0) {
                FN(store_empty)(p, d);
                continue;
            }
            FN(load_words)(&z, p, start, n_words, 1);
            const REAL tokens = FN(total)(z.n, (n_words + GROUP - 1) / GROUP * GROUP);
            REAL limit = 8 * EPSILON * tokens, change; /* sums below this are rounding */
            limit = (REAL)(limits->tol * (double)n_topics) > limit
                        ? (REAL)(limits->tol * (double)n_topics)
                        : limit;
            for (ptrdiff_t k = 0; k < padded; k++)
                z.gamma[k] = k < n_topics ? z.alpha[k] + tokens / (REAL)n_topics : 0;
            int64_t sweep = 0;
            do {
                vec delta = {0};
                memcpy(z.w, z.gamma, (size_t)padded * sizeof(REAL));
                FN(sweep_rows)(&z, n_words, padded, 1);
                for (ptrdiff_t k = 0; k < padded; k += VL) {
                    const vec old = FN(load)(z.w + k),
                              new = FN(load)(z.alpha + k) + old * FN(load)(z.g + k);
                    delta += FN(max)(new - old, old - new);
                    FN(store)(z.gamma + k, new);
                }
                change = FN(hsum)(delta);
            } while (++sweep < limits->max_iter && change >= limit);
            p->sweeps[d] = (int32_t)sweep;
            memcpy((REAL *)p->gamma + d * n_topics, z.gamma, (size_t)n_topics * sizeof(REAL));
        }
    }
    free(z.memory);
    return 0;
}
