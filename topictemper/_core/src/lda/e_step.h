/* The tempered fixed point of phi and gamma (VT eq. 19), a document at a time.

   A document starts with all topics. Once most of them have fallen back to their prior, sweeps go
   over the rest only. At the end the dropped topics are reviewed with the final ratios, so that
   dropping them is exact to rounding. */

/* The prior, which all documents share. */
static INLINE void FN(load_prior)(scratch *z, const documents *p)
{
    const REAL *alpha = p->alpha;
    z->alpha_total = 0;
    z->least_alpha = alpha[0];
    z->even = 1;
    z->s = -1;
    z->most_rest = 0;
    for (ptrdiff_t k = 0; k < p->n_topics; k++) {
        z->even &= alpha[k] == alpha[0];
        z->least_alpha = alpha[k] < z->least_alpha ? alpha[k] : z->least_alpha;
        z->alpha_total += alpha[k];
    }
    for (ptrdiff_t k = 0; k < p->padded; k++)
        z->alpha[k] = k < p->n_topics ? alpha[k] : NO_TOPIC;
}

/* What depends on the prior and on the temperature alone. */
static INLINE void FN(set_temperature)(scratch *z, ptrdiff_t padded, REAL s)
{
    vec most = {0};
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        vec a = FN(load)(z->alpha + k), rest = FN(psi)(a) * s, w = FN(exp)(rest);
        FN(store)(z->rest + k, rest);
        FN(store)(z->w_rest + k, w);
        /* A share under `falls_now` has w within e^(1/4) of w_rest, as psi'(a) < (1 + a) / a^2. A
           share under `falls_next` has w < a^2 / 4000, as psi(x) < -1/x: the next one is under
           `falls_now` unless the document's g grows to 1000. */
        vec falls_now = a * a / (1 + a) * (REAL)0.25;
        vec falls_next = s / ((REAL)8.3 - 2 * FN(log)(a)) - a;
        FN(store)(z->fading + k, FN(max)(falls_now, falls_next));
        most = FN(max)(most, w);
    }
    z->most_rest = FN(hmax)(most);
    z->s = s;
}

/* Counts and rows of B of a document's words. */
static INLINE void FN(load_words)(scratch *z, const documents *p, int64_t start, ptrdiff_t n_words,
                                  REAL s)
{
    const ptrdiff_t padded = (ptrdiff_t)p->padded;
    const REAL *B = p->B, *shift = p->shift, *mass = p->mass;
    const int64_t left = p->doc_ptr[p->n_docs] - start - n_words;
    z->B = B;
    z->coming = p->word_of + start + n_words;
    z->n_coming = left < n_words ? (ptrdiff_t)left : n_words;
    for (ptrdiff_t v = 0; v < n_words; v++) {
        const ptrdiff_t u = p->word_of[start + v];
        z->rows[v] = B + u * padded;
        z->shift[v] = shift[u];
        z->mass[v] = mass[u];
    }
    memcpy(z->n, (const REAL *)p->counts + start, (size_t)n_words * sizeof(REAL));
    for (ptrdiff_t v = 0; p->log_rows && v < n_words; v++) {
        REAL *own = z->extra + v * padded;
        vec sum = {0};
        for (ptrdiff_t k = 0; k < padded; k += VL) {
            vec b = FN(exp)(FN(load)(z->rows[v] + k) * s);
            sum += b;
            FN(store)(own + k, b);
        }
        z->rows[v] = own;
        z->mass[v] = FN(hsum)(sum);
    }
    /* Words that fill the last eight or more: any rows, and no tokens. */
    for (ptrdiff_t v = n_words; v % TOPIC_PADDING; v++) {
        z->rows[v] = z->rows[0];
        z->n[v] = z->r[v] = 0;
        z->mass[v] = 1;
    }
}

/* Asks for some rows of the documents to come: compacted sweeps leave memory idle. */
static INLINE void FN(fetch_coming)(scratch *z, ptrdiff_t padded)
{
    const ptrdiff_t most = BYTES_AHEAD / sizeof(REAL);
    for (int i = 0; i < ROWS_AHEAD && z->n_coming > 0; i++, z->n_coming--)
        FN(fetch)(z->B + *z->coming++ * padded, padded < most ? padded : most);
}

/* Where the sweeps of a document have ended. */
#define fixed_point FN(fixed_point)
typedef struct {
    ptrdiff_t n_active, sweeps;
    REAL log_scale; /* of the weights */
    int compacted;
} fixed_point;

static INLINE fixed_point FN(iterate)(scratch *z, ptrdiff_t n_topics, ptrdiff_t padded,
                                      ptrdiff_t n_words, ptrdiff_t stride, REAL s, REAL tokens,
                                      double tol, int64_t max_iter)
{
    const REAL share = s * tokens / (REAL)n_topics;
    const REAL few = FEW * s * tokens / (REAL)n_topics;
    const REAL small = NEGLIGIBLE * s * tokens / (REAL)n_topics;
    REAL limit = 8 * EPSILON * s * tokens; /* sums below this are rounding */
    REAL rounding = 100 * NEGLIGIBLE * z->least_alpha, log_scale = 0, unscale = 1;
    ptrdiff_t n_active = n_topics, kept, sweep = 0, most = max_iter;
    const int many = n_topics > MANY_TOPICS;
    int compacted = 0, converged, rounds = 0, lost = 0;

    rounding = EPSILON * tokens < rounding ? EPSILON * tokens : rounding;
    limit = (REAL)(tol * (double)n_topics) > limit ? (REAL)(tol * (double)n_topics) : limit;
    for (;;) {
        const int anew = rounds == 0 || lost, may_leave = rounds < MOST_ROUNDS;
        for (ptrdiff_t k = 0; anew && k < padded; k++)
            z->gamma[k] = k < n_topics ? z->alpha[k] + share : NO_TOPIC;
        compacted = converged = 0;
        log_scale = anew && z->even ? FN(weigh_evenly)(padded, s, z->gamma[0], z->w)
                                    : FN(weigh)(padded, s, z->gamma, z->w);
        while (!converged && !compacted && sweep++ < most) {
            if (sweep == 1 && z->even)
                FN(first_sweep)(z, n_words, stride, padded);
            else
                FN(sweep_rows)(z, n_words, padded, 1);
            unscale = log_scale == 0 ? 1 : (REAL)exp(-(double)log_scale);
            const REAL light = many ? FN(light_gamma)(z, padded, s) : 0;
            converged = FN(update_gamma)(z, padded, s, small, few, light, unscale, &kept) < limit;
            compacted = may_leave && COMPACTION * kept <= n_topics && (many || !converged);
            if (!compacted)
                log_scale = FN(weigh)(padded, s, z->gamma, z->w);
        }
        if (!compacted) {
            FN(sweep_rows)(z, n_words, padded, 0);
            break;
        }
        n_active = FN(compact)(z, n_topics, stride);
        FN(pad_active)(z, n_active);
        log_scale = FN(weigh)(n_active, s, z->c_gamma, z->c_w);
        for (ptrdiff_t fresh = 0; !converged && sweep++ < most;) {
            quad steps;
            FN(fetch_coming)(z, padded);
            FN(sweep_block)(z, stride, n_active, NULL);
            steps = FN(update_active)(z, n_active, s, small, &kept);
            converged = steps[0] < limit;
            if (kept < n_active) {
                n_active = FN(drop)(z, n_active);
                FN(pad_active)(z, n_active);
            }
            /* two plain steps are needed to see a ratio */
            if (!converged && ++fresh >= 2 && sweep < most
                && FN(extrapolate)(z, n_active, steps))
                fresh = 0;
            log_scale = FN(weigh)(n_active, s, z->c_gamma, z->c_w);
        }
        FN(sweep_block)(z, stride, n_active, NULL);
        const REAL reach = FN(reach)(z, stride);
        lost = !(reach * TINY < EPSILON); /* a word has no topic left: all come back to stay */
        if (!lost && log_scale == 0 && reach * z->most_rest <= rounding) {
            memcpy(z->gamma, z->alpha, (size_t)n_topics * sizeof(REAL));
            for (ptrdiff_t j = 0; j < n_active; j++)
                z->gamma[z->id[j]] = z->c_gamma[j];
            break;
        }
        if (!lost
            && !FN(review_dropped)(z, n_topics, padded, n_words, n_active, s, small, log_scale))
            break;
        rounds = lost ? MOST_ROUNDS : rounds + 1;
        most = sweep < most ? most : sweep + 1; /* shares of topics that come back are rough */
    }
    return (fixed_point){n_active, sweep < max_iter ? sweep : (ptrdiff_t)max_iter, log_scale,
                         compacted};
}

static INLINE void FN(store_document)(const scratch *z, const documents *p, int64_t d,
                                      int64_t start, ptrdiff_t n_words, fixed_point found)
{
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics, padded = (ptrdiff_t)p->padded;
    int32_t *topics = p->topics ? p->topics + d * n_topics : NULL;
    REAL *weights = p->weights ? (REAL *)p->weights + d * padded : NULL;
    p->sweeps[d] = (int32_t)found.sweeps;
    ((REAL *)p->log_scale)[d] = found.log_scale;
    memcpy((REAL *)p->gamma + d * n_topics, z->gamma, (size_t)n_topics * sizeof(REAL));
    memcpy((REAL *)p->ratio + start, z->r, (size_t)n_words * sizeof(REAL));
    if (found.compacted) {
        p->n_active[d] = (int32_t)found.n_active;
        if (topics)
            memcpy(topics, z->id, (size_t)found.n_active * sizeof(int32_t));
        if (weights) {
            memset(weights, 0, (size_t)padded * sizeof(REAL));
            for (ptrdiff_t j = 0; j < found.n_active; j++)
                weights[z->id[j]] = z->c_w[j];
        }
    } else {
        p->n_active[d] = (int32_t)n_topics;
        for (ptrdiff_t k = 0; topics && k < n_topics; k++)
            topics[k] = (int32_t)k;
        if (weights) {
            memcpy(weights, z->w, (size_t)n_topics * sizeof(REAL));
            memset(weights + n_topics, 0, (size_t)(padded - n_topics) * sizeof(REAL));
        }
    }
}

static INLINE void FN(store_empty)(const documents *p, int64_t d)
{
    memcpy((REAL *)p->gamma + d * p->n_topics, p->alpha, (size_t)p->n_topics * sizeof(REAL));
    p->n_active[d] = p->sweeps[d] = 0;
    ((REAL *)p->log_scale)[d] = 0;
    if (p->energy)
        p->energy[d] = 0;
}

static int FN(estep)(const void *given, int64_t *ticket)
{
    const estep_problem *problem = given;
    const documents *p = problem->documents;
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics, padded = (ptrdiff_t)p->padded;
    const int64_t *doc_ptr = p->doc_ptr;
    scratch z;
    if (FN(make_scratch)(&z, p, padded / COMPACTION, p->log_rows ? padded : 0))
        return -1;
    FN(load_prior)(&z, p);
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ESTEP_BLOCK;
        int64_t last = first + ESTEP_BLOCK < p->n_docs ? first + ESTEP_BLOCK : p->n_docs;
        if (first >= p->n_docs)
            break;
        for (int64_t d = first; d < last; d++) {
            const int64_t start = doc_ptr[d];
            const ptrdiff_t n_words = (ptrdiff_t)(doc_ptr[d + 1] - start);
            const ptrdiff_t stride = (n_words + GROUP - 1) / GROUP * GROUP;
            const REAL s = ((const REAL *)p->s)[d];
            if (n_words == 0) {
                FN(store_empty)(p, d);
                continue;
            }
            if (s != z.s)
                FN(set_temperature)(&z, padded, s);
            FN(load_words)(&z, p, start, n_words, s);
            const REAL tokens = FN(total)(z.n, stride);
            const fixed_point found = FN(iterate)(&z, n_topics, padded, n_words, stride, s, tokens,
                                                  problem->tol, problem->max_iter);
            FN(store_document)(&z, p, d, start, n_words, found);
            if (p->energy) {
                REAL one[VBYTES / sizeof(REAL)];
                FN(store)(one, FN(psi)(FN(splat)(z.alpha_total + s * tokens)));
                p->energy[d]
                    = found.compacted
                          ? FN(energy_block)(&z, n_words, stride, found.n_active, s, one[0], z.g)
                          : FN(energy_rows)(&z, n_words, padded, s, one[0], z.g);
            }
        }
    }
    free(z.memory);
    return 0;
}
