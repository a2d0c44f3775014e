/* The variational E-step of one datum: draw, walk, select (Luecke et al. 2018, alg. 2).

   The paper drops draws that are there already. Where the posterior is nearly one state, all draws
   from its marginals are: so at T = 1 they walk to new states. While T > 1 they are dropped.

   What a model adds is two inline functions: the penalty of a state, whose hash stands for it, and
   what to do with those states of the new set whose weights count. */

typedef double (*penalty_function)(const void *model, const int32_t *units, int64_t n_on,
                                   uint64_t hash);
typedef void (*weight_function)(void *model, const int32_t *units, int64_t n_on, double weight);

/* Working set of a thread. */
typedef struct {
    uint64_t *drawn, *room; /* states that are new; room for as many as a datum has */
    uint64_t *touched;      /* units of the states whose weights count */
    uint64_t *numbers;      /* of the units: random, for hashes of states */
    double *joint, *weights, *fields;
    int32_t *sizes; /* of the datum's own states, then of new ones */
    int32_t *units, *all, *listed, *starts;
    int32_t *lists; /* units of the datum's own states */
    int64_t *at;    /* where those of each begin: all together may be more than 2^31 */
    int64_t n_heavy;     /* states whose weights count, and which they are */
    int32_t *heavy;
    int32_t guide[1 << GUIDE_BITS];
    uint32_t *thresholds;
    state_table table;
} workspace;

static void free_workspace(workspace *work)
{
    free(work->drawn);
    free(work->numbers);
    free(work->joint);
    free(work->sizes);
    free(work->thresholds);
    free(work->table.hashes);
}

static int new_workspace(workspace *work, const truncated_problem *p)
{
    const size_t n_states = (size_t)p->n_states, n_new = (size_t)(p->n_prior + p->n_marginal);
    const size_t n = n_states + n_new, units = (size_t)p->n_units;
    const int64_t size = table_size((int64_t)n);
    work->drawn = malloc((n + 1) * (size_t)p->n_words * sizeof(*work->drawn));
    work->numbers = malloc((units + n_states) * sizeof(*work->numbers));
    work->joint = malloc((2 * n + units) * sizeof(*work->joint));
    work->sizes = malloc((n + 4 * units + 2 + n_states * (1 + units)) * sizeof(*work->sizes));
    work->thresholds = malloc(units * sizeof(*work->thresholds));
    work->table = (state_table){malloc((size_t)size * sizeof(*work->table.hashes)), size - 1};
    if (!work->drawn || !work->numbers || !work->joint || !work->sizes || !work->thresholds
        || !work->table.hashes) {
        free_workspace(work);
        return -1;
    }
    work->room = work->drawn + n_new * (size_t)p->n_words;
    work->touched = work->room + n_states * (size_t)p->n_words;
    work->weights = work->joint + n;
    work->fields = work->weights + n;
    work->units = work->sizes + n;
    work->all = work->units + units;
    work->listed = work->all + units;
    work->starts = work->listed + units;
    work->heavy = work->starts + units + 2;
    work->lists = work->heavy + n_states;
    work->at = (int64_t *)(work->numbers + units);
    for (int32_t h = 0; h < p->n_units; h++) {
        work->all[h] = h;
        work->numbers[h] = mix64((uint64_t)(h + 1) * GOLDEN);
    }
    if (p->prior.gaps)
        make_guide(p->prior.gaps, p->n_units, work->guide);
    return 0;
}

static INLINE int64_t draw_prior(stream *random, const truncated_problem *p,
                                 const workspace *work)
{
    return p->prior.gaps
               ? draw_gaps(random, p->prior.gaps, work->guide, p->n_units, work->units)
               : draw_listed(random, work->all, p->n_units, p->prior.thresholds, work->units);
}

static INLINE double largest(const double *x, int64_t n)
{
    vec most = FN(load_n)(x, n, -INFINITY);
    for (int64_t i = VL; i < n; i += VL)
        most = FN(max)(FN(load_n)(x + i, n - i, -INFINITY), most);
    return FN(hmax)(most);
}

static INLINE double smallest(const double *x, int64_t n)
{
    vec least = FN(load_n)(x, n, INFINITY);
    for (int64_t i = VL; i < n; i += VL)
        least = FN(min)(FN(load_n)(x + i, n - i, INFINITY), least);
    return -FN(hmax)(-least);
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
                uint64_t *state = states + i * p->n_words, hash, *place;
                int64_t n_on = draw_prior(&random, p, &work);
                pack(work.units, n_on, state, p->n_words);
                while (hash = hash_units(work.numbers, work.units, n_on),
                       place = find_state(&work.table, hash), *place) {
                    const int64_t h = next_below(&random, p->n_units);
                    state[h >> 6] ^= (uint64_t)1 << (h & 63);
                    n_on = unpack(state, p->n_words, work.units);
                }
                *place = hash;
            }
        }
    }
    free_workspace(&work);
    return 0;
}

/* Weights of the datum's own states, and E[s], whose units that are not 0 are in `touched`. With
   `moved` states their lists of units are made anew, as far as their weights count. */
static INLINE void expect(const truncated_problem *p, workspace *work, const uint64_t *own,
                          int64_t n_words, int64_t n, int moved)
{
    const double shift = largest(work->joint, p->n_states), s = p->inverse_temperature;
    const double total = scaled_exp(work->joint, p->n_states, shift, s, work->weights);
    const double scale = 1 / total;
    double *means = p->means + n * p->n_units;
    p->free_energy[n] = s * shift + log(total);
    work->n_heavy = 0;
    for (int64_t i = 0; i < p->n_states; i++) {
        work->weights[i] *= scale;
        work->heavy[work->n_heavy] = (int32_t)i;
        work->n_heavy += work->weights[i] > SMALLEST_WEIGHT;
    }
    memset(means, 0, (size_t)p->n_units * sizeof(double));
    memset(work->touched, 0, (size_t)n_words * sizeof(*work->touched));
    int64_t next = 0;
    for (int64_t heavy = 0; heavy < work->n_heavy; heavy++) {
        const int32_t i = work->heavy[heavy];
        const uint64_t *state = own + i * n_words;
        if (moved) {
            work->at[i] = next;
            work->sizes[i] = (int32_t)unpack(state, n_words, work->lists + next);
            next += work->sizes[i];
        }
        const int32_t *units = work->lists + work->at[i];
        for (int64_t j = 0; j < work->sizes[i]; j++)
            means[units[j]] += work->weights[i];
        for (int64_t w = 0; w < n_words; w++)
            work->touched[w] |= state[w];
    }
}

/* Units that the marginal sampler may set, with their thresholds. */
static INLINE int64_t list_units(const truncated_problem *p, workspace *work, const uint64_t *own,
                                 int64_t n_words, int64_t n)
{
    const double *marginals;
    const int32_t *units = work->all;
    int64_t n_units = p->n_units, n_listed = 0;
    if (p->marginals) {
        marginals = p->marginals + n * p->n_units;
    } else {
        expect(p, work, own, n_words, n, 0);
        marginals = p->means + n * p->n_units;
        n_units = unpack(work->touched, n_words, work->units);
        units = work->units;
    }
    for (int64_t i = 0; i < n_units; i++) {
        const int32_t h = units[i];
        work->thresholds[h] = (uint32_t)(marginals[h] * (1 << THRESHOLD_BITS) + 0.5);
        work->listed[n_listed] = h;
        n_listed += work->thresholds[h] != 0;
    }
    return n_listed;
}

/* Changes a state that is there already, a random unit at a time, until it is new; to where its hash
   belongs, or, if it is still there after LONGEST_WALK changes, to where that is. `room` takes the
   state. */
#define LONGEST_WALK 8

static INLINE uint64_t *walk(const workspace *work, stream *random, int64_t n_units, uint64_t *room,
                             int64_t n_words, int64_t *n_on, uint64_t *hash)
{
    uint64_t *place;
    int64_t n_steps = 0;
    pack(work->units, *n_on, room, n_words);
    do {
        const int64_t h = next_below(random, n_units);
        const uint64_t bit = (uint64_t)1 << (h & 63);
        *hash += room[h >> 6] & bit ? -work->numbers[h] : work->numbers[h];
        room[h >> 6] ^= bit;
        place = find_state(&work->table, *hash);
    } while (*place == *hash && ++n_steps < LONGEST_WALK);
    *n_on = unpack(room, n_words, work->units);
    return place;
}

/* The fields of a datum; those of the next are asked for. */
static INLINE const double *fields_of(const truncated_problem *p, workspace *work, int64_t n)
{
    const int64_t first = n * p->n_units;
    if (p->fields) {
        FN(fetch)(p->fields + first + p->n_units, p->n_units);
        return p->fields + first;
    }
    for (int64_t h = 0; h < p->n_units; h++)
        work->fields[h] = p->single_fields[first + h];
    return work->fields;
}

/* The log-joint of a state, without the constant; its hash. */
static INLINE double log_joint(const workspace *work, const double *fields, const void *model,
                               penalty_function penalty, const int32_t *units, int64_t n_on,
                               uint64_t *hash)
{
    double joint = 0;
    *hash = GOLDEN; /* of the empty state */
    for (int64_t j = 0; j < n_on; j++) {
        joint += fields[units[j]];
        *hash += work->numbers[units[j]];
    }
    return joint - penalty(model, units, n_on, *hash);
}

/* `n_words` is p->n_words; as a constant, loops over words vanish. */
static INLINE void estep_datum(const truncated_problem *p, workspace *work, void *model,
                               penalty_function penalty, weight_function weigh, int64_t n_words,
                               int64_t n)
{
    const int64_t n_states = p->n_states, n_prior = p->n_prior;
    const double *fields = fields_of(p, work, n);
    uint64_t *own = p->states + n * n_states * n_words, hash;
    stream random = open_stream(p->seed, p->iteration, p->keys[n]);

    clear_table(&work->table);
    int64_t next = 0;
    for (int64_t i = 0; i < n_states; i++) {
        __builtin_prefetch(own + (n_states + i) * n_words); /* the next datum */
        work->at[i] = next;
        work->sizes[i] = (int32_t)unpack(own + i * n_words, n_words, work->lists + next);
        next += work->sizes[i];
    }
    for (int64_t i = 0; i < n_states; i++) {
        const int32_t *units = work->lists + work->at[i];
        work->joint[i] = log_joint(work, fields, model, penalty, units, work->sizes[i], &hash);
        *find_state(&work->table, hash) = hash;
    }

    /* What is below the datum's own states would not stay. */
    const double least = smallest(work->joint, n_states);
    const int hot = p->inverse_temperature < 1;
    int64_t n_drawn = n_prior + p->n_marginal;
    int64_t count = n_states, n_listed = 0, n_subsets = 0;
    for (int64_t drawn = 0; drawn < n_drawn; drawn++) {
        int64_t n_on;
        if (drawn == n_prior) {
            n_listed = list_units(p, work, own, n_words, n);
            /* Where few states can be drawn, all of them are taken. While hot, more draws would be
               known; at T = 1 they walk to new states, so half of the draws are left for that. */
            const int64_t most = hot ? p->n_marginal : p->n_marginal / 2;
            if (n_listed < 63 && (int64_t)1 << n_listed <= most)
                n_subsets = (int64_t)1 << n_listed;
            if (hot && n_subsets)
                n_drawn = n_prior + n_subsets;
        }
        if (drawn < n_prior)
            n_on = draw_prior(&random, p, work);
        else if (drawn - n_prior < n_subsets)
            n_on = take_subset(work->listed, drawn - n_prior, work->units);
        else
            n_on = draw_listed(&random, work->listed, n_listed, work->thresholds, work->units);
        hash = hash_units(work->numbers, work->units, n_on);
        uint64_t *place = find_state(&work->table, hash);
        uint64_t *room = work->drawn + (count - n_states) * n_words;
        if (*place == hash && drawn - n_prior >= n_subsets && !hot)
            place = walk(work, &random, p->n_units, room, n_words, &n_on, &hash);
        if (*place == hash)
            continue;
        *place = hash;
        work->joint[count] = log_joint(work, fields, model, penalty, work->units, n_on, &hash);
        if (work->joint[count] <= least)
            continue;
        pack(work->units, n_on, room, n_words);
        work->sizes[count++] = (int32_t)n_on;
    }
    if (count > n_states)
        keep_largest(own, work->joint, work->sizes, n_states, work->drawn, count - n_states,
                     n_words, work->weights);
    const int moved = order_by_size(own, work->joint, work->sizes, n_states, n_words, p->n_units,
                                    work->room, work->weights, work->starts)
                      || count > n_states;
    if (moved || !p->n_marginal || p->marginals)
        expect(p, work, own, n_words, n, moved);
    for (int64_t heavy = 0; heavy < work->n_heavy; heavy++) {
        const int32_t i = work->heavy[heavy];
        weigh(model, work->lists + work->at[i], work->sizes[i], work->weights[i]);
    }
}
