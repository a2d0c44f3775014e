/* Documents at fixed topics by CVB0 (Asuncion et al. 2009, eq. 9), to predict by:
   phi_vk in proportion to (gamma_k - phi_vk) B_vk.

   One sweep over all topics says which are at work. Only these are swept further. A topic at rest
   has its prior as weight, so what all of them add to the mixture of a word is known from
   sum_k alpha_k B_vk. First a token stays in its own counts, until changes are noise: under `rough`
   times the square root of the document's tokens. Fixed points follow the noise. Then the token is
   left out: where it is the only one of a topic, the topic would take more of it than sampling
   gives this topic. */

#define MOST_WORKING 512 /* topics at work; documents of more go to the fixed point in place of it */
#define MOST_LEFT_OUT 96 /* those that leave tokens out, for which phi is kept: */
#define LOOK_BYTES 1024 /* of each row that are looked at together */
#define STAYS_AT_WORK ((REAL)2) /* their least gamma over alpha, which doubles likewise */

/* Least g of a topic at work: the fewer tokens a topic has, the less the first look says of it. */
static INLINE REAL FN(least_at_work)(REAL topics_per_token)
{
    const double least = 0.5 + 0.25 * log2((double)topics_per_token);
    return (REAL)(least < 0.5 ? 0.5 : least > 1.5 ? 1.5 : least);
}

/* The first weights of all topics, half of them even, half as alpha, and what follows for words. */
static INLINE void FN(first_weights)(scratch *z, ptrdiff_t n_topics, ptrdiff_t stride,
                                     ptrdiff_t padded, REAL tokens)
{
    const REAL half = (z->alpha_total + tokens) / 2, even = half / (REAL)n_topics;
    for (ptrdiff_t k = 0; k < padded; k++)
        z->w[k] = k < n_topics ? even + half * (z->alpha[k] / z->alpha_total) : 0;
    for (ptrdiff_t v = 0; v < stride; v += VL) {
        const vec by_prior = FN(load)(z->prior_mass + v) / z->alpha_total;
        const vec mixture = even * FN(load)(z->mass + v) + half * by_prior;
        FN(store)(z->r + v, FN(load)(z->n + v) / (mixture + TINY));
    }
}

/* gamma of the topics `from` to `to`: what follows from w and g if they are at work, and
   alpha / (1 - g) at rest, where they would stay while g does. Leaves it in g, or 0 at rest.
   Returns how many are at work. */
static INLINE ptrdiff_t FN(set_to_work)(scratch *z, ptrdiff_t from, ptrdiff_t to, REAL least)
{
    ivec working = {0};
    for (ptrdiff_t k = from; k < to; k += VL) {
        const vec a = FN(load)(z->alpha + k), g = FN(load)(z->g + k);
        const ivec works = g >= least;
        const vec rest = a / (1 - FN(min)(g, FN(splat)(AT_REST)));
        const vec gamma = FN(select)(works, a + FN(load)(z->w + k) * g, rest);
        working -= works;
        FN(store)(z->gamma + k, gamma);
        FN(store)(z->g + k, (vec)((ivec)gamma & works));
    }
    return (ptrdiff_t)FN(hsum)(__builtin_convertvector(working, vec));
}

/* Compacts the topics at work. They are found and copied some at a time, while their part of the
   rows is in a cache. Returns how many they are, or more than MOST_WORKING. */
static INLINE ptrdiff_t FN(first_look)(scratch *z, ptrdiff_t n_topics, ptrdiff_t n_words,
                                       ptrdiff_t stride, ptrdiff_t padded, REAL least)
{
    const ptrdiff_t part = LOOK_BYTES / sizeof(REAL);
    ptrdiff_t n_active = 0;
    for (ptrdiff_t k = 0; k < padded; k += part) {
        const ptrdiff_t end = k + part < padded ? k + part : padded;
        FN(gather_part)(z, n_words, k, end, padded - end < part ? padded - end : part);
        const ptrdiff_t working = FN(set_to_work)(z, k, end, least);
        if (n_active + working > MOST_WORKING)
            return n_active + working;
        n_active = FN(compact_part)(z, k, end < n_topics ? end : n_topics, stride, n_active);
    }
    return n_active;
}

/* Sweeps over the topics in g, whose gamma and weights they leave in c_gamma and c_w. Returns how
   many sweeps they were. */
static INLINE int64_t FN(sweep_noise)(scratch *z, ptrdiff_t padded, ptrdiff_t stride,
                                      ptrdiff_t n_active, REAL limit, int64_t max_iter)
{
    const size_t bytes = (size_t)(n_active + VL - 1) / VL * VL * sizeof(REAL);
    FN(pad_active)(z, n_active);
    for (ptrdiff_t v = 0; v < stride; v += VL) {
        vec rest = FN(load)(z->prior_mass + v);
        for (ptrdiff_t j = 0; j < n_active; j++)
            rest -= z->c_alpha[j] * FN(load)(z->block + j * stride + v);
        FN(store)(z->tail + v, FN(max)(rest, FN(splat)(0)));
    }
    for (int64_t sweep = 1;; sweep++) {
        ptrdiff_t kept;
        quad steps;
        memcpy(z->c_w, z->c_gamma, bytes);
        FN(fetch_coming)(z, padded);
        FN(sweep_block)(z, stride, n_active, z->tail);
        steps = FN(update_active)(z, n_active, 1, 0, &kept);
        if (steps[0] < limit || sweep >= max_iter)
            return sweep;
    }
}

/* Keeps the compacted topics that have tokens of their own. Gamma of the others goes to its place,
   and what they add to the mixtures to the tail. Returns how many stay. */
static INLINE ptrdiff_t FN(keep_working)(scratch *z, ptrdiff_t stride, ptrdiff_t n_active)
{
    REAL least = STAYS_AT_WORK;
    ptrdiff_t working, m = 0;
    for (;; least *= 2) {
        working = 0;
        for (ptrdiff_t j = 0; j < n_active; j++)
            working += z->c_gamma[j] >= least * z->c_alpha[j];
        if (working <= MOST_LEFT_OUT)
            break;
    }
    /* No branches on which topics stay, which cannot be predicted. */
    for (ptrdiff_t j = 0; j < n_active; j++)
        z->c_step[j] = z->c_gamma[j] >= least * z->c_alpha[j] ? 0 : z->c_w[j];
    for (ptrdiff_t v = 0; v < stride; v += VL) {
        vec tail = FN(load)(z->tail + v);
        for (ptrdiff_t j = 0; j < n_active; j++) {
            const vec part = z->c_step[j] * FN(load)(z->block + z->place[j] * stride + v);
            tail += part;
        }
        FN(store)(z->tail + v, tail);
    }
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const int32_t id = z->id[j];
        const int stays = z->c_gamma[j] >= least * z->c_alpha[j];
        z->gamma[id] = stays ? z->c_alpha[j] : z->c_gamma[j]; /* for those that stay: no tokens */
        z->id[m] = id;
        z->place[m] = z->place[j];
        z->c_alpha[m] = z->c_alpha[j];
        z->c_w[m] = z->c_w[j];
        z->c_gamma[m] = z->c_gamma[j];
        m += stays;
    }
    return m;
}

/* phi of a vector of words from v on: r_v is n_v / sum_k w_k B_vk over all topics. */
static INLINE void FN(first_shares)(scratch *z, ptrdiff_t v, ptrdiff_t stride, ptrdiff_t n_active)
{
    const vec n = FN(load)(z->n + v), r = FN(load)(z->r + v), none = {0};
    const vec inverse = FN(select)(n > 0, r / n, none);
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const vec part = z->c_w[j] * FN(load)(z->block + z->place[j] * stride + v);
        FN(store)(z->extra + j * stride + v, part * inverse);
    }
}

/* The next phi of `nv` vectors of words from v on, and its sums over words. The tokens that topics
   have are in c_w. */
static INLINE void FN(share_chunk)(scratch *z, ptrdiff_t v, ptrdiff_t stride, ptrdiff_t n_active,
                                   int nv)
{
    vec n[4], size[4], mixture[4], inverse[4];
    for (int i = 0; i < nv; i++) {
        n[i] = FN(load)(z->n + v + i * VL);
        size[i] = FN(min)(n[i], FN(splat)(1));
        mixture[i] = FN(load)(z->tail + v + i * VL) + TINY;
    }
    for (ptrdiff_t j = 0; j < n_active; j++) {
        const REAL *row = z->block + z->place[j] * stride + v;
        const REAL tokens = z->c_w[j], alpha = z->c_alpha[j];
        REAL *share = z->extra + j * stride + v;
        for (int i = 0; i < nv; i++) {
            const vec others = FN(max)(tokens - size[i] * FN(load)(share + i * VL), FN(splat)(0));
            const vec part = (alpha + others) * FN(load)(row + i * VL);
            mixture[i] += part;
            FN(store)(share + i * VL, part);
        }
    }
    for (int i = 0; i < nv; i++) {
        inverse[i] = 1 / mixture[i];
        n[i] *= inverse[i];
        FN(store)(z->r + v + i * VL, n[i]);
    }
    for (ptrdiff_t j = 0; j < n_active; j++) {
        REAL *share = z->extra + j * stride + v, *sums = z->sums + j * VL;
        vec sum = v ? FN(load)(sums) : FN(splat)(0);
        for (int i = 0; i < nv; i++) {
            const vec part = FN(load)(share + i * VL);
            sum += n[i] * part;
            FN(store)(share + i * VL, part * inverse[i]);
        }
        FN(store)(sums, sum);
    }
}
static INLINE void FN(next_shares)(scratch *z, ptrdiff_t stride, ptrdiff_t n_active)
{
    for (ptrdiff_t v = 0; v < stride; v += 4 * VL) {
        switch (stride - v < 4 * VL ? (stride - v) / VL : 4) {
        case 1:
            FN(share_chunk)(z, v, stride, n_active, 1);
            break;
        case 2:
            FN(share_chunk)(z, v, stride, n_active, 2);
            break;
        case 3:
            FN(share_chunk)(z, v, stride, n_active, 3);
            break;
        default:
            FN(share_chunk)(z, v, stride, n_active, 4);
        }
    }
}

/* Leaves tokens out of the counts that they follow, of the topics that are compacted. The other
   topics are a constant to these, and keep their proportions to each other. */
static INLINE void FN(leave_out_own)(scratch *z, ptrdiff_t padded, ptrdiff_t stride,
                                     ptrdiff_t n_active, int64_t n_sweeps)
{
    vec before = {0}, after = {0};
    REAL scale;
    for (ptrdiff_t v = 0; v < stride; v += VL)
        FN(first_shares)(z, v, stride, n_active);
    for (ptrdiff_t j = 0; j < n_active; j++)
        z->c_w[j] = z->c_gamma[j] - z->c_alpha[j];
    for (int64_t sweep = 0; sweep < n_sweeps; sweep++) {
        FN(fetch_coming)(z, padded);
        FN(next_shares)(z, stride, n_active);
        for (ptrdiff_t j = 0; j < n_active; j += VL)
            FN(store)(z->c_w + j, FN(lane_sums)(z->sums + j * VL, n_active - j));
    }
    for (ptrdiff_t k = 0; k < padded; k += VL)
        before += FN(load)(z->gamma + k) - FN(load)(z->alpha + k);
    for (ptrdiff_t v = 0; v < stride; v += VL)
        after += FN(load)(z->r + v) * FN(load)(z->tail + v);
    scale = FN(hsum)(before) > NO_TOPIC ? FN(hsum)(after) / FN(hsum)(before) : 0;
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        const vec a = FN(load)(z->alpha + k);
        FN(store)(z->gamma + k, a + (FN(load)(z->gamma + k) - a) * scale);
    }
    for (ptrdiff_t j = 0; j < n_active; j++)
        z->gamma[z->id[j]] = z->c_alpha[j] + z->c_w[j];
}

/* gamma of a document; returns the sweeps that kept tokens in. */
static INLINE int64_t FN(cvb0_document)(scratch *z, ptrdiff_t n_topics, ptrdiff_t padded,
                                        ptrdiff_t n_words, const cvb0_problem *problem)
{
    const ptrdiff_t stride = (n_words + GROUP - 1) / GROUP * GROUP;
    const REAL tokens = FN(total)(z->n, stride), rounding = 8 * EPSILON * tokens;
    const double noise = problem->rough * sqrt((double)tokens);
    const double wanted = problem->tol * (double)n_topics, most = noise > wanted ? noise : wanted;
    const REAL limit = most > (double)rounding ? (REAL)most : rounding;
    const REAL least = FN(least_at_work)((REAL)n_topics / tokens);
    ptrdiff_t n_active;
    int64_t sweeps;
    FN(first_weights)(z, n_topics, stride, padded, tokens);
    n_active = FN(first_look)(z, n_topics, n_words, stride, padded, least);
    if (n_active > MOST_WORKING)
        return FN(settle)(z, n_topics, padded, n_words, problem->tol, problem->max_iter);
    sweeps = FN(sweep_noise)(z, padded, stride, n_active, limit, problem->max_iter);
    n_active = FN(keep_working)(z, stride, n_active);
    FN(leave_out_own)(z, padded, stride, n_active, problem->n_own);
    return sweeps;
}

static int FN(cvb0)(const void *given, int64_t *ticket)
{
    const cvb0_problem *problem = given;
    const documents *p = problem->documents;
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics, padded = (ptrdiff_t)p->padded;
    const REAL *prior_mass = p->prior_mass;
    const ptrdiff_t working = padded < MOST_WORKING ? padded : MOST_WORKING;
    const ptrdiff_t most = working > padded / WORKING ? working : padded / WORKING;
    scratch z;
    if (FN(make_scratch)(&z, p, most, padded < MOST_LEFT_OUT ? padded : MOST_LEFT_OUT))
        return -1;
    z.alpha_total = 0;
    for (ptrdiff_t k = 0; k < padded; k++) {
        z.alpha[k] = k < n_topics ? ((const REAL *)p->alpha)[k] : 0;
        z.alpha_total += z.alpha[k];
    }
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ESTEP_BLOCK;
        int64_t last = first + ESTEP_BLOCK < p->n_docs ? first + ESTEP_BLOCK : p->n_docs;
        if (first >= p->n_docs)
            break;
        for (int64_t d = first; d < last; d++) {
            const int64_t start = p->doc_ptr[d];
            const ptrdiff_t n_words = (ptrdiff_t)(p->doc_ptr[d + 1] - start);
            if (n_words == 0) {
                FN(store_empty)(p, d);
                continue;
            }
            FN(load_words)(&z, p, start, n_words, 1);
            for (ptrdiff_t v = 0; v < n_words; v++)
                z.prior_mass[v] = prior_mass[p->word_of[start + v]];
            for (ptrdiff_t v = n_words; v % TOPIC_PADDING; v++)
                z.prior_mass[v] = 1;
            p->sweeps[d] = (int32_t)FN(cvb0_document)(&z, n_topics, padded, n_words, problem);
            memcpy((REAL *)p->gamma + d * n_topics, z.gamma, (size_t)n_topics * sizeof(REAL));
        }
    }
    free(z.memory);
    return 0;
}
