/* What the kernels of LDA must give, in one precision; `selftest.c` includes it for both. */

static double *as_doubles(const REAL *x, int64_t n)
{
    double *out = room((size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        out[i] = (double)x[i];
    return out;
}

/* Values beyond the first `n_columns` of each row are padding. */
static void CHECK(const char *name, int i, const REAL *x, int64_t n_rows, int64_t n_columns,
                  int64_t width, const double *golden, double bound)
{
    double *all = as_doubles(x, n_rows * width);
    for (int64_t row = 1; row < n_rows; row++)
        memmove(all + row * n_columns, all + row * width, (size_t)n_columns * sizeof(double));
    check(name, i, all, n_rows * n_columns, golden, bound);
}

static void SPECIAL(const lda_kernels *kernels)
{
    enum { N = 101 };
    REAL x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = (REAL)ldexp(1 + uniform(8, (uint64_t)i), i % 40 - 10);
    kernels->psi(N, x, y);
    CHECK("psi", 0, y, 1, N, N, golden_psi[0], ACCURATE);
    kernels->gamma_ratio(N, x, 0.3, y);
    CHECK("gamma_ratio", 0, y, 1, N, N, golden_gamma_ratio[0], ACCURATE);
}

/* The moments of topics, sum_v E[beta_kv^s], from sums of ratios. */
static void PARTITION(const kernel_table *table, const lda_kernels *kernels, int c,
                      const topic_state *state, const documents *d)
{
    const int64_t K = d->n_topics;
    double *by_topic = room((size_t)(N_NODES * K) * sizeof(double));
    double *sums = room((size_t)(N_NODES * K) * sizeof(double));
    double *total = room((size_t)K * sizeof(double)), *ratio = room((size_t)K * sizeof(double));
    double *alpha = as_doubles(d->alpha, K), *out = room(N_DOCS * N_NODES * sizeof(double));
    REAL *moments = room((size_t)(N_NODES * K) * sizeof(REAL));
    REAL *prior = room((size_t)(N_NODES * K) * sizeof(REAL));
    const REAL *M = state->M;
    moments_problem of_moments = {state, N_NODES, N_INTERVALS, FIRST_OCTAVE, ratios(table), by_topic};
    partition_problem of_partition = {N_DOCS, K, N_NODES, d->gamma, d->topics, d->n_active,
                                      moments, prior, NODES, out};
    status |= kernels->fractional_moments(&of_moments, new_ticket());
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < N_NODES; j++)
            sums[j * K + k] = by_topic[k * N_NODES + j];
    check("moments", c, sums, N_NODES * K, golden_moments[c], ACCURATE);
    for (int64_t k = 0; k < K; k++) {
        total[k] = 0;
        for (int64_t v = 0; v < N_WORDS; v++)
            total[k] += state->base + state->a * (double)M[v * K + k];
    }
    for (int64_t j = 0; j < N_NODES; j++) {
        table->lda_f64.gamma_ratio(K, total, NODES[j], ratio);
        for (int64_t k = 0; k < K; k++)
            moments[j * K + k] = (REAL)(sums[j * K + k] / ratio[k]);
        table->lda_f64.gamma_ratio(K, alpha, NODES[j], ratio);
        for (int64_t k = 0; k < K; k++)
            prior[j * K + k] = (REAL)(ratio[k] * (double)moments[j * K + k]);
    }
    status |= kernels->log_partition(&of_partition, new_ticket());
    check("partition", c, out, N_DOCS * N_NODES, golden_partition[c], CLOSE);
}

static void LIKELIHOOD(const lda_kernels *kernels, int c, const topic_state *state,
                       const documents *d)
{
    const int64_t K = d->n_topics;
    REAL *t = room((size_t)(N_DOCS * K) * sizeof(REAL));
    double out[N_DOCS];
    likelihood_problem problem
        = {state, N_DOCS, 1, d->doc_ptr, d->word_of, d->counts, t, &state->base, out};
    for (int64_t i = 0; i < N_DOCS * K; i++)
        t[i] = (REAL)uniform(7, (uint64_t)i);
    status |= kernels->mixture_log_likelihood(&problem, new_ticket());
    check("likelihood", c, out, N_DOCS, golden_likelihood[c], ACCURATE);
}

static void DRAWS(const lda_kernels *kernels, int c, documents *d,
                  const statistics_problem *update)
{
    uint64_t keys[N_DOCS], hash = 0;
    sampling_problem problem = {d, keys, 2, 3};
    double *sums = update->block_sums;
    d->own = room((size_t)d->doc_ptr[N_DOCS] * sizeof(REAL));
    for (uint64_t i = 0; i < N_DOCS; i++)
        keys[i] = mix64(i + 1);
    status |= kernels->sample(&problem, new_ticket());
    CHECK("sampled", c, d->gamma, N_DOCS, d->n_topics, d->n_topics, golden_sampled[c], ACCURATE);
    for (int64_t i = 0; i < N_DOCS; i++)
        for (int64_t j = 0; j < d->n_active[i]; j++) {
            hash = mix64(hash + (uint64_t)i + GOLDEN);
            hash = mix64(hash + (uint64_t)d->topics[i * d->n_topics + j] + GOLDEN);
        }
    check_hash("drawn", c, hash, golden_drawn[c]);
    status |= kernels->add_statistics(update, new_ticket());
    for (int64_t k = 0; k < d->n_topics; k++)
        sums[k] += sums[d->n_topics + k];
    check("sampled_sums", c, sums, d->n_topics, golden_sampled_sums[c], CLOSE);
}

/* The factor of a row is the kernel's choice: compared are rows without it. */
static void ROWS(int c, const documents *d, double s)
{
    double *rows = as_doubles(d->B, N_WORDS * d->padded), *shift = as_doubles(d->shift, N_WORDS);
    note_bits(rows, N_WORDS * d->padded);
    note_bits(shift, N_WORDS);
    for (int64_t v = 0; v < N_WORDS; v++)
        for (int64_t k = 0; k < d->n_topics; k++) {
            double x = rows[v * d->padded + k];
            rows[v * d->n_topics + k] = s == 0 ? x + shift[v] : x * exp(s * shift[v]);
        }
    compare("rows", c, rows, N_WORDS * d->n_topics, golden_rows[c], ACCURATE);
}

static void CASE(const kernel_table *table, const lda_kernels *kernels, int c, int *sampled)
{
    const int64_t K = CASES[c].n_topics, padded = (K + TOPIC_PADDING - 1) / TOPIC_PADDING * 16;
    const double s = CASES[c].s;
    static corpus text;
    make_corpus(&text);
    const int64_t nnz = text.doc_ptr[N_DOCS];
    REAL *M = room((size_t)(N_WORDS * K) * sizeof(REAL)), *counts = room((size_t)nnz * sizeof(REAL));
    REAL *alpha = room((size_t)K * sizeof(REAL)), own[N_DOCS];
    double *log_total = room((size_t)K * sizeof(double)), weights[N_DOCS], energy[N_DOCS];
    double *block_sums = room((size_t)(2 * K) * sizeof(double));
    for (int64_t i = 0; i < N_WORDS * K; i++) {
        double u = uniform(3, (uint64_t)i);
        for (int square = 0; square < 3; square++)
            u *= u;
        M[i] = (REAL)(300 * u);
    }
    for (int64_t i = 0; i < nnz; i++)
        counts[i] = (REAL)text.counts[i];
    for (int64_t k = 0; k < K; k++) {
        alpha[k] = (REAL)(0.1 + 0.1 * uniform(4, (uint64_t)k));
        log_total[k] = 5 + uniform(6, (uint64_t)k);
    }
    for (int64_t i = 0; i < N_DOCS; i++) {
        weights[i] = s > 0 ? s : 0.3 + 0.7 * uniform(5, (uint64_t)i);
        own[i] = (REAL)weights[i];
    }
    documents d = {
        .doc_ptr = text.doc_ptr, .word_of = text.word_of, .counts = counts, .words = text.words,
        .word_ptr = text.word_ptr, .word_doc = text.word_doc, .word_pos = text.word_pos,
        .alpha = alpha, .s = own,
        .B = room((size_t)(N_WORDS * padded) * sizeof(REAL)),
        .shift = room(N_WORDS * sizeof(REAL)), .mass = room(N_WORDS * sizeof(REAL)),
        .prior_mass = room(N_WORDS * sizeof(REAL)),
        .prior = room((size_t)(N_WORDS * padded / TOPIC_PADDING) * sizeof(REAL)),
        .gamma = room((size_t)(N_DOCS * K) * sizeof(REAL)),
        .topics = room((size_t)(N_DOCS * K) * sizeof(int32_t)),
        .weights = room((size_t)(N_DOCS * padded) * sizeof(REAL)),
        .n_active = room(N_DOCS * sizeof(int32_t)),
        .ratio = room((size_t)nnz * sizeof(REAL)), .log_scale = room(N_DOCS * sizeof(REAL)),
        .energy = energy, .sweeps = room(N_DOCS * sizeof(int32_t)),
        .n_docs = N_DOCS, .n_words = N_WORDS, .n_topics = K, .padded = padded,
        .log_rows = s == 0,
    };
    topic_state state = {N_WORDS, K, M, 0.8, 0.05};
    rows_problem rows = {&d, &state, log_total, CASES[c].point, text.words, s};
    estep_problem of_estep = {&d, 1e-15, 3000};
    statistics_problem update = {&d, weights, 0.7, M, block_sums};
    cvb0_problem of_cvb0 = {&d, 0, 0, 3, 2};

    status |= kernels->topic_rows(&rows, new_ticket());
    ROWS(c, &d, s);
    LIKELIHOOD(kernels, c, &state, &d);
    status |= kernels->estep(&of_estep, new_ticket());
    CHECK("gamma", c, d.gamma, N_DOCS, K, K, golden_gamma[c], CLOSE);
    check("energy", c, energy, N_DOCS, golden_energy[c], CLOSE);
    PARTITION(table, kernels, c, &state, &d);
    if (s == 0)
        return;
    status |= kernels->add_statistics(&update, new_ticket());
    CHECK("changed", c, M, N_WORDS, K, K, golden_changed[c], CLOSE);
    for (int64_t k = 0; k < K; k++)
        block_sums[k] += block_sums[K + k];
    check("sums", c, block_sums, K, golden_sums[c], CLOSE);
    if (s == 1) {
        status |= kernels->cvb0(&of_cvb0, new_ticket());
        CHECK("cvb0", *sampled, d.gamma, N_DOCS, K, K, golden_cvb0[*sampled], CLOSE);
        DRAWS(kernels, *sampled, &d, &update);
        ++*sampled;
    }
}

static void LDA(const kernel_table *table, const lda_kernels *kernels)
{
    int sampled = 0;
    SPECIAL(kernels);
    for (int c = 0; c < N_CASES; c++)
        CASE(table, kernels, c, &sampled);
}
