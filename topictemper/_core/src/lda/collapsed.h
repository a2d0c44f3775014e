/* Zero-order collapsed inference of documents at fixed topics, without taking a token's own share
   away, as Foulds et al. 2013: q(z) in proportion to gamma B with gamma = alpha + N, where
   mean-field inference has exp(psi(gamma)). cvb0.h takes it away.

   theta = gamma / sum(gamma) is then the one maximum of the concave
   sum_v n_v log sum_k theta_k B_vk + sum_k alpha_k log theta_k, so any way may lead to it. Most
   topics rest: they have little but their prior. Sweeps over all topics take turns with sweeps over
   the others alone, to which the topics at rest are a constant. The last sweep is one over all
   topics, so that none is left out. Their rows are what takes time: a sweep over all that follows
   one over some knows the mixtures of the words already. */

#define WORKING 2 /* one topic in so many may be at work in a block */
#define AT_REST ((REAL)0.9) /* a topic with a smaller g rests */
#define AT_REST_FIRST ((REAL)2) /* the same at first, if topics have less than a token each */
#define LEAST_FALL ((REAL)1e-3) /* no weight falls further at once, however small its prior is */
#define IN_TURN 32 /* most sweeps over the topics at work between two over all */
#define FALLS 3 /* sweeps over all topics after which weights fall; plain steps never lose */

/* gamma = alpha + w g; returns sum |gamma - w|. */
static INLINE REAL FN(step_all)(scratch *z, ptrdiff_t padded)
{
    vec change = {0};
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        vec old = FN(load)(z->w + k), new = FN(load)(z->alpha + k) + old * FN(load)(z->g + k);
        change += FN(max)(new - old, old - new);
        FN(store)(z->gamma + k, new);
    }
    return FN(hsum)(change);
}

/* Leaves the weights of the topics at work, whose g is not below `at_rest`, in g, and those of the
   others in w: gamma, or if they may `fall` and do, the alpha / (1 - g) at which they would stay
   while g does. Returns how many are at work. */
static INLINE ptrdiff_t FN(part)(scratch *z, ptrdiff_t padded, REAL at_rest, int fall)
{
    const REAL least = fall ? LEAST_FALL : 1;
    ivec working = {0};
    for (ptrdiff_t k = 0; k < padded; k += VL) {
        vec a = FN(load)(z->alpha + k), g = FN(load)(z->g + k), gamma = FN(load)(z->gamma + k);
        ivec works = g >= at_rest;
        vec lowest = FN(max)(a / (1 - FN(min)(g, FN(splat)(AT_REST))), gamma * least);
        vec rest = FN(select)(g < AT_REST, FN(min)(lowest, gamma), gamma);
        working -= works;
        FN(store)(z->g + k, (vec)((ivec)gamma & works));
        FN(store)(z->w + k, (vec)((ivec)rest & ~works));
    }
    return (ptrdiff_t)FN(hsum)(__builtin_convertvector(working, vec));
}

/* Sweeps over the topics in g, `most` of them or IN_TURN; w gets their weights, and r what follows
   from all weights. Returns the number of sweeps. */
static INLINE int64_t FN(sweep_working)(scratch *z, ptrdiff_t n_topics, ptrdiff_t padded,
                                        ptrdiff_t stride, REAL limit, int64_t most)
{
    const ptrdiff_t n_active = FN(compact)(z, n_topics, stride);
    const size_t bytes = (size_t)(n_active + VL - 1) / VL * VL * sizeof(REAL);
    int64_t sweep = 0;
    FN(pad_active)(z, n_active);
    for (ptrdiff_t v = 0; v < stride; v += 4)
        *(quad *)(z->tail + v) = FN(mix)(z, v, padded);
    for (int plain_steps = 0; sweep < most && sweep < IN_TURN;) {
        ptrdiff_t kept;
        quad steps;
        memcpy(z->c_w, z->c_gamma, bytes);
        FN(fetch_coming)(z, padded);
        FN(sweep_block)(z, stride, n_active, z->tail);
        sweep++;
        steps = FN(update_active)(z, n_active, 1, 0, &kept);
        if (steps[0] < limit)
            break;
        if (++plain_steps >= 2 && FN(extrapolate)(z, n_active, steps))
            plain_steps = 0;
    }
    memcpy(z->c_w, z->c_gamma, bytes);
    FN(sweep_block)(z, stride, n_active, z->tail);
    for (ptrdiff_t j = 0; j < n_active; j++)
        z->w[z->id[j]] = z->c_gamma[j];
    return sweep;
}

static INLINE int64_t FN(settle)(scratch *z, ptrdiff_t n_topics, ptrdiff_t padded,
                                 ptrdiff_t n_words, double tol, int64_t max_iter)
{
    const ptrdiff_t stride = (n_words + GROUP - 1) / GROUP * GROUP;
    const REAL tokens = FN(total)(z->n, stride);
    const REAL rounding = 8 * EPSILON * tokens, wanted = (REAL)(tol * (double)n_topics);
    const REAL limit = wanted > rounding ? wanted : rounding;
    for (ptrdiff_t k = 0; k < padded; k++)
        z->w[k] = k < n_topics ? (z->alpha_total + tokens) / (REAL)n_topics : 0;
    FN(first_sweep)(z, n_words, stride, padded);
    int round = 0;
    for (int64_t sweep = 1;; sweep++) {
        const REAL change = FN(step_all)(z, padded);
        if (change < limit || sweep >= max_iter)
            return sweep;
        const REAL at_rest = round || tokens >= (REAL)n_topics ? AT_REST : AT_REST_FIRST;
        const int fall = round++ < FALLS;
        const ptrdiff_t working = FN(part)(z, padded, at_rest, fall);
        /* Later the topics at rest are what is slow: no need to be exact about the others. */
        const REAL near = fall || change < 5 * limit ? limit / 2 : change / 10;
        if (WORKING * working <= n_topics) {
            sweep += FN(sweep_working)(z, n_topics, padded, stride, near, max_iter - 1 - sweep);
            FN(gather)(z, n_words, padded);
        } else {
            for (ptrdiff_t k = 0; k < padded; k += VL)
                FN(store)(z->w + k, FN(load)(z->w + k) + FN(load)(z->g + k));
            FN(sweep_rows)(z, n_words, padded, 1);
        }
    }
}
