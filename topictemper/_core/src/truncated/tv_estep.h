/* The variational E-step of one datum: draw, deduplicate, select (Luecke et al. 2018, alg. 2).

   What a model adds is two inline functions: the penalty of a state, and what to do with those
   states of the new set whose weights count. */

typedef double (*penalty_function)(const void *model, const int32_t *units, int64_t n_on);
typedef void (*weight_function)(void *model, const int32_t *units, int64_t n_on, double weight);

/* Working set of a thread. */
typedef struct {
    uint64_t *states; /* the datum's own, then candidates */
    double *joint, *weights;
    int32_t *units, *all, *listed;
    int32_t guide[1 << GUIDE_BITS];
    uint32_t *thresholds;
    state_table table;
} workspace;

static void free_workspace(workspace *work)
{
    free(work->states);
    free(work->joint);
    free(work->weights);
    free(work->units);
    free(work->thresholds);
    free(work->table.entries);
}

static int new_workspace(workspace *work, const truncated_problem *p)
{
    const size_t n = (size_t)(p->n_states + p->n_prior + p->n_marginal), units = (size_t)p->n_units;
    const int64_t size = table_size((int64_t)n);
    work->states = malloc(n * (size_t)p->n_words * sizeof(*work->states));
    work->joint = malloc(n * sizeof(*work->joint));
    work->weights = malloc(n * sizeof(*work->weights));
    work->units = malloc(3 * units * sizeof(*work->units));
    work->thresholds = malloc(units * sizeof(*work->thresholds));
    work->table = (state_table){malloc((size_t)size * sizeof(*work->table.entries)), size - 1};
    if (!work->states || !work->joint || !work->weights || !work->units || !work->thresholds
        || !work->table.entries) {
        free_workspace(work);
        return -1;
    }
    work->all = work->units + units;
    work->listed = work->all + units;
    for (int32_t h = 0; h < p->n_units; h++)
        work->all[h] = h;
    if (p->prior.gaps)
        make_guide(p->prior.gaps, p->n_units, work->guide);
    return 0;
}

static INLINE void draw_prior(stream *random, const truncated_problem *p, const workspace *work,
                              uint64_t *state, int64_t n_words)
{
    if (p->prior.gaps)
        draw_gaps(random, p->prior.gaps, work->guide, p->n_units, state, n_words);
    else
        draw_listed(random, work->all, p->n_units, p->prior.thresholds, state, n_words);
}

static INLINE double largest(const double *x, int64_t n)
{
    double most = x[0];
    for (int64_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* out = exp(scale (x - shift)), and its sum; in the order of vectors, whatever the thread. */
static INLINE double scaled_exp(const double *x, int64_t n, double shift, double scale, double *out)
{
    vec total = {0};
    for (int64_t i = 0; i < n; i += VL) {
        vec e = FN(exp)((FN(load_n)(x + i, n - i, -INFINITY) - shift) * scale);
        FN(store_n)(out + i, e, n - i);
        total += e;
    }
    return FN(hsum)(total);
}

/* Distinct states for every datum: draws from the prior; one that is there already walks, a
   random unit at a time, until it is new. */
static int initial_states(const truncated_problem *p, int64_t *ticket)
{
    workspace work;
    if (new_workspace(&work, p))
        return -1;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ROW_BLOCK;
        int64_t last = first + ROW_BLOCK < p->n_data ? first + ROW_BLOCK : p->n_data;
        if (first >= p->n_data)
            break;
        for (int64_t n = first; n < last; n++) {
            uint64_t *states = p->states + n * p->n_states * p->n_words;
            stream random = open_stream(p->seed, p->iteration, p->keys[n]);
            clear_table(&work.table);
            for (int64_t i = 0; i < p->n_states; i++) {
                uint64_t *state = states + i * p->n_words;
                draw_prior(&random, p, &work, state, p->n_words);
                while (!add_state(&work.table, states, i, p->n_words)) {
                    int64_t h = next_below(&random, p->n_units);
                    state[h >> 6] ^= (uint64_t)1 << (h & 63);
                }
            }
        }
    }
    free_workspace(&work);
    return 0;
}

/* Units that the marginal sampler may set, with their thresholds: E[s] under the old states. */
static INLINE int64_t marginal_thresholds(const truncated_problem *p, workspace *work, int64_t n_words,
                                          int64_t n)
{
    double *marginals = p->means + n * p->n_units;
    int64_t n_listed = 0;
    if (p->marginals) {
        memcpy(marginals, p->marginals + n * p->n_units, (size_t)p->n_units * sizeof(double));
    } else {
        const double shift = largest(work->joint, p->n_states);
        const double total = scaled_exp(work->joint, p->n_states, shift, p->inverse_temperature,
                                        work->weights);
        memset(marginals, 0, (size_t)p->n_units * sizeof(double));
        for (int64_t i = 0; i < p->n_states; i++) {
            const double weight = work->weights[i] / total;
            if (weight <= SMALLEST_WEIGHT)
                continue;
            const int64_t n_on = unpack(work->states + i * n_words, n_words, work->units);
            for (int64_t j = 0; j < n_on; j++)
                marginals[work->units[j]] += weight;
        }
    }
    for (int32_t h = 0; h < p->n_units; h++) {
        work->thresholds[h] = (uint32_t)(marginals[h] * (1 << THRESHOLD_BITS) + 0.5);
        work->listed[n_listed] = h;
        n_listed += work->thresholds[h] != 0;
    }
    return n_listed;
}

/* `n_words` is p->n_words, as a constant where it is small. */
static INLINE void estep_datum(const truncated_problem *p, workspace *work, void *model,
                               penalty_function penalty, weight_function weigh, int64_t n_words,
                               int64_t n)
{
    const int64_t n_states = p->n_states, n_prior = p->n_prior;
    const double *fields = p->fields + n * p->n_units;
    double *means = p->means + n * p->n_units;
    uint64_t *own = p->states + n * n_states * n_words;
    const size_t bytes = (size_t)(n_states * n_words) * sizeof(uint64_t);
    stream random = open_stream(p->seed, p->iteration, p->keys[n]);
    int64_t count = 0, n_listed = 0;

    memcpy(work->states, own, bytes);
    clear_table(&work->table);
    for (int64_t drawn = 0; drawn < n_states + n_prior + p->n_marginal; drawn++) {
        uint64_t *state = work->states + count * n_words;
        if (drawn < n_states) {
            add_new_state(&work->table, work->states, count, n_words);
        } else {
            if (drawn == n_states + n_prior)
                n_listed = marginal_thresholds(p, work, n_words, n);
            if (drawn < n_states + n_prior)
                draw_prior(&random, p, work, state, n_words);
            else
                draw_listed(&random, work->listed, n_listed, work->thresholds, state, n_words);
            if (!add_state(&work->table, work->states, count, n_words))
                continue;
        }
        const int64_t n_on = unpack(state, n_words, work->units);
        double joint = 0;
        for (int64_t j = 0; j < n_on; j++)
            joint += fields[work->units[j]];
        work->joint[count++] = joint - penalty(model, work->units, n_on);
    }
    keep_largest(work->states, work->joint, work->weights, n_states, count, n_words);
    memcpy(own, work->states, bytes);

    const double shift = largest(work->joint, n_states);
    const double s = p->inverse_temperature;
    const double total = scaled_exp(work->joint, n_states, shift, s, work->weights);
    p->free_energy[n] = s * shift + log(total);
    memset(means, 0, (size_t)p->n_units * sizeof(double));
    for (int64_t i = 0; i < n_states; i++) {
        const double weight = work->weights[i] /= total;
        if (weight <= SMALLEST_WEIGHT)
            continue;
        const int64_t n_on = unpack(own + i * n_words, n_words, work->units);
        weigh(model, work->units, n_on, weight);
        for (int64_t j = 0; j < n_on; j++)
            means[work->units[j]] += weight;
    }
}

/* Loops over words vanish for up to 128 units. */
static INLINE void estep_any_datum(const truncated_problem *p, workspace *work, void *model,
                                   penalty_function penalty, weight_function weigh, int64_t n)
{
    if (p->n_words == 1)
        estep_datum(p, work, model, penalty, weigh, 1, n);
    else if (p->n_words == 2)
        estep_datum(p, work, model, penalty, weigh, 2, n);
    else
        estep_datum(p, work, model, penalty, weigh, p->n_words, n);
}
