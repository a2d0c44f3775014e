/* The variational E-step of one datum: draw, walk, select (Luecke et al. 2018, alg. 2).

   The paper drops draws that are there already. Where the posterior is nearly one state, all draws
   from its marginals are: so at T = 1 they walk to new states. While T > 1 they are dropped.

   Where most units of a datum are on in most of its states, a model may choose a base: within the
   E-step, states are then what differs from it, a few units, and the others cost nothing.

   What a model adds is two inline functions: the penalty of a state, whose hash stands for it, and
   what to do with those states of the new set whose weights count. */

/* Log-joints and hashes of states, as sums over units: those that are on, or those that are not as
   in the base of the datum. Of the latter, units of the base have the sign -1. */
typedef struct {
    double joint; /* of the state without such units, as is the hash */
    uint64_t hash;
    const double *fields, *signs;
    const uint64_t *numbers; /* random, for hashes of states */
} terms;

typedef double (*penalty_function)(const void *model, const double *signs, const int32_t *units,
                                   int64_t n_on, uint64_t hash);
typedef void (*weight_function)(void *model, const double *signs, const int32_t *units,
                                int64_t n_on, double weight);

/* Working set of a thread. */
typedef struct {
    uint64_t *drawn, *room; /* states that are new; room for as many as a datum has */
    uint64_t *touched;      /* units of the states whose weights count, or of the base */
    terms plain, near;      /* by units that are on; by those that are not as in the base */
    uint64_t *numbers, *near_numbers, *base;
    double *joint, *weights, *fields, *near_fields, *ones, *near_signs;
    int32_t *base_units;
    int64_t n_base;
    int32_t *lists; /* units of the datum's own states, then of new ones */
    span *spans;    /* where those of each state are */
    int32_t *units, *starts;
    int64_t n_heavy;     /* states whose weights count, and which they are */
    int32_t *heavy;
    int32_t guide[1 << GUIDE_BITS];
    unit_list prior, marginal;
    state_table table;
} workspace;

static void free_workspace(workspace *work)
{
    free(work->drawn);
    free(work->numbers);
    free(work->joint);
    free(work->lists);
    free(work->spans);
    free(work->table.hashes);
}

/* A list takes so many words for thresholds, and two bits for each unit. */
#define LIST_WORDS(n_words) (n_words * (64 / 4 + 2))

static void new_list(unit_list *list, uint64_t *words, int64_t n_words, int32_t *units)
{
    *list = (unit_list){
        .units = units,
        .sure = words,
        .base = words + n_words,
        .thresholds = words + 2 * n_words,
    };
}

static int new_workspace(workspace *work, const truncated_problem *p)
{
    const size_t n_states = (size_t)p->n_states, n_new = (size_t)(p->n_prior + p->n_marginal);
    const size_t n = n_states + n_new, units = (size_t)p->n_units, words = (size_t)p->n_words;
    const int64_t size = table_size((int64_t)n);
    work->drawn = malloc((n + 1) * words * sizeof(*work->drawn));
    work->numbers = calloc(2 * units + words + 2 * LIST_WORDS(words), sizeof(*work->numbers));
    work->joint = malloc((2 * n + 4 * units) * sizeof(*work->joint));
    work->lists = malloc(((n + (size_t)p->n_prior + 5) * units + 2 + n_states)
                         * sizeof(*work->lists));
    work->spans = malloc((n + n_states) * sizeof(*work->spans));
    work->table = (state_table){malloc((size_t)size * sizeof(*work->table.hashes)), size - 1};
    if (!work->drawn || !work->numbers || !work->joint || !work->lists || !work->spans
        || !work->table.hashes) {
        free_workspace(work);
        return -1;
    }
    work->room = work->drawn + n_new * words;
    work->touched = work->room + n_states * words;
    work->near_numbers = work->numbers + units;
    work->base = work->near_numbers + units;
    uint64_t *lists = work->base + words;
    work->weights = work->joint + n;
    work->fields = work->weights + n;
    work->near_fields = work->fields + units;
    work->ones = work->near_fields + units;
    work->near_signs = work->ones + units;
    work->units = work->lists + (n + (size_t)p->n_prior) * units;
    work->base_units = work->units + units;
    work->starts = work->base_units + units;
    work->heavy = work->starts + units + 2;
    int32_t *listed = work->heavy + n_states;
    work->n_base = 0;
    new_list(&work->prior, lists, p->n_words, listed);
    new_list(&work->marginal, lists + LIST_WORDS(words), p->n_words, listed + units);
    for (int32_t h = 0; h < p->n_units; h++) {
        work->numbers[h] = work->near_numbers[h] = mix64((uint64_t)(h + 1) * GOLDEN);
        work->ones[h] = work->near_signs[h] = 1;
        add_unit(&work->prior, h, p->prior.thresholds[h], 0);
    }
    work->prior.n_drawn = p->n_units;
    if (p->prior.gaps)
        make_guide(p->prior.gaps, p->n_units, work->guide);
    return 0;
}

static INLINE int64_t draw_prior(stream *random, const truncated_problem *p,
                                 const workspace *work, int32_t *units)
{
    return p->prior.gaps ? draw_gaps(random, p->prior.gaps, work->guide, p->n_units, units)
                         : draw_listed(random, &work->prior, units);
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
static int initial_states(const void *problem, int64_t *ticket)
{
    const truncated_problem *p = problem;
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
                int64_t n_on = draw_prior(&random, p, &work, work.units);
                pack(work.units, n_on, state, p->n_words);
                while (hash = hash_units(work.numbers, work.units, n_on, GOLDEN),
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

/* Weights of the datum's own states, and E[s], whose units that are not 0 are in `touched`. */
static INLINE void expect(const truncated_problem *p, workspace *work, const uint64_t *own,
                          int64_t n_words, int64_t n)
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
    copy_state(work->touched, work->base, n_words);
    for (int64_t heavy = 0; heavy < work->n_heavy; heavy++) {
        const int32_t i = work->heavy[heavy];
        const uint64_t *state = own + i * n_words;
        const span list = work->spans[i];
        for (int64_t j = 0; j < list.n; j++)
            means[work->lists[list.at + j]] += work->weights[i];
        for (int64_t w = 0; w < n_words; w++)
            work->touched[w] |= state[w];
    }
    for (int64_t i = 0; i < work->n_base; i++) {
        double *mean = means + work->base_units[i];
        *mean = *mean < 1 ? 1 - *mean : 0; /* not below 0 by rounding */
    }
}

static INLINE uint64_t threshold_of(double probability)
{
    return (uint64_t)(probability * (1 << THRESHOLD_BITS) + 0.5);
}

static INLINE uint64_t in_state(const uint64_t *state, int64_t h)
{
    return state[h >> 6] >> (h & 63) & 1;
}

/* Units that the marginal sampler may set; after them, those of the base that it may not. */
static INLINE void list_units(const truncated_problem *p, workspace *work, const uint64_t *own,
                              int64_t n_words, int64_t n)
{
    const double *marginals = p->means + n * p->n_units;
    unit_list *list = &work->marginal;
    list->n = 0;
    int64_t n_units = p->n_units;
    if (p->marginals) {
        marginals = p->marginals + n * p->n_units;
    } else {
        expect(p, work, own, n_words, n);
        n_units = unpack(work->touched, n_words, work->units);
    }
    for (int64_t i = 0; i < n_units; i++) {
        const int32_t h = p->marginals ? (int32_t)i : work->units[i];
        const uint64_t threshold = threshold_of(marginals[h]);
        if (threshold)
            add_unit(list, h, threshold, in_state(work->base, h));
    }
    list->n_drawn = list->n;
    for (int64_t i = 0; i < work->n_base; i++)
        if (!threshold_of(marginals[work->base_units[i]]))
            add_unit(list, work->base_units[i], 0, 1);
}

/* Changes a state that is there already, a random unit at a time, until it is new; to where its
   hash belongs, or, if it is still there after LONGEST_WALK changes, to where that is. */
#define LONGEST_WALK 8

static INLINE uint64_t *walk(const workspace *work, stream *random, int64_t n_units,
                             int64_t n_words, int32_t *units, int64_t *n_on, uint64_t *hash)
{
    uint64_t *place, *room = work->room;
    int64_t n_steps = 0;
    pack(units, *n_on, room, n_words);
    do {
        const int64_t h = next_below(random, n_units);
        const uint64_t bit = (uint64_t)1 << (h & 63);
        *hash += room[h >> 6] & bit ? -work->near.numbers[h] : work->near.numbers[h];
        room[h >> 6] ^= bit;
        place = find_state(&work->table, *hash);
    } while (*place == *hash && ++n_steps < LONGEST_WALK);
    *n_on = unpack(room, n_words, units);
    return place;
}

/* The fields of a datum, whose base is empty; those of the next are asked for. */
static INLINE void begin_datum(const truncated_problem *p, workspace *work, int64_t n)
{
    const int64_t first = n * p->n_units;
    const double *fields = work->fields;
    if (p->fields) {
        FN(fetch)(p->fields + first + p->n_units, p->n_units);
        fields = p->fields + first;
    } else {
        for (int64_t h = 0; h < p->n_units; h++)
            work->fields[h] = p->single_fields[first + h];
    }
    work->plain = work->near = (terms){0, GOLDEN, fields, work->ones, work->numbers};
}

/* The log-joint of a state, without the constant; its hash. */
static INLINE double log_joint(const terms *of, const void *model, penalty_function penalty,
                               const int32_t *units, int64_t n_on, uint64_t *hash)
{
    double joint = of->joint;
    *hash = of->hash;
    for (int64_t j = 0; j < n_on; j++) {
        joint += of->fields[units[j]];
        *hash += of->numbers[units[j]];
    }
    return joint - penalty(model, of->signs, units, n_on, *hash);
}

/* From states to what differs from the base, or back. */
static INLINE void exchange(uint64_t *states, int64_t n_states, const workspace *work,
                            int64_t n_words)
{
    if (work->n_base)
        for (int64_t i = 0; i < n_states; i++, states += n_words)
            for (int64_t w = 0; w < n_words; w++)
                states[w] ^= work->base[w];
}

/* Draws states that are not there yet, and lists their units: of draws from the prior those that
   are on, of the others those that are not as in the base. `n_new` takes how many there are of
   both. */
static INLINE void draw_states(const truncated_problem *p, workspace *work, const uint64_t *own,
                               int64_t n_words, int64_t n, int64_t n_new[2])
{
    const int hot = p->inverse_temperature < 1;
    const terms *of = &work->plain;
    stream random = open_stream(p->seed, p->iteration, p->keys[n]);
    span *found = work->spans + p->n_states;
    int64_t next = found[-1].at + found[-1].n;
    int64_t n_drawn = p->n_prior + p->n_marginal, n_subsets = 0;
    n_new[0] = n_new[1] = 0;
    for (int64_t drawn = 0; drawn < n_drawn; drawn++) {
        const int64_t from_marginals = drawn - p->n_prior;
        int32_t *units = work->lists + next;
        int64_t n_on;
        if (from_marginals == 0) {
            of = &work->near;
            list_units(p, work, own, n_words, n);
            const int64_t n_listed = work->marginal.n_drawn;
            /* Where few states can be drawn, all of them are taken. While hot, more draws would be
               known; at T = 1 they walk to new states, so half of the draws are left for that. */
            const int64_t most = hot ? p->n_marginal : p->n_marginal / 2;
            if (n_listed < 63 && (int64_t)1 << n_listed <= most)
                n_subsets = (int64_t)1 << n_listed;
            if (hot && n_subsets)
                n_drawn = p->n_prior + n_subsets;
        }
        if (from_marginals < 0)
            n_on = draw_prior(&random, p, work, units);
        else if (from_marginals < n_subsets)
            n_on = take_subset(&work->marginal, (uint64_t)from_marginals, units);
        else
            n_on = draw_listed(&random, &work->marginal, units);
        uint64_t hash = hash_units(of->numbers, units, n_on, of->hash);
        uint64_t *place = find_state(&work->table, hash);
        if (*place == hash && from_marginals >= n_subsets && !hot)
            place = walk(work, &random, p->n_units, n_words, units, &n_on, &hash);
        if (*place == hash)
            continue;
        *place = hash;
        n_new[from_marginals >= 0]++;
        *found++ = (span){next, n_on};
        next += n_on;
    }
}

/* Log-joints of new states; those below all of the datum's own would not stay. How many may. */
static INLINE int64_t choose_new(workspace *work, int64_t n_states, const int64_t n_new[2],
                                 const void *model, penalty_function penalty, int64_t n_words)
{
    const double least = smallest(work->joint, n_states);
    const span *drawn = work->spans + n_states, *last = drawn + n_new[0] + n_new[1] - 1;
    int64_t count = n_states, end = last->at + last->n;
    for (int64_t i = 0; i < n_new[0] + n_new[1]; i++) {
        const int from_prior = i < n_new[0];
        const terms *of = from_prior ? &work->plain : &work->near;
        uint64_t *state = work->drawn + (count - n_states) * n_words, hash;
        int32_t *units = work->lists + drawn[i].at;
        work->spans[count] = drawn[i];
        work->joint[count] = log_joint(of, model, penalty, units, drawn[i].n, &hash);
        const int better = work->joint[count] > least;
        if (from_prior && !better) /* as most are */
            continue;
        pack(units, drawn[i].n, state, n_words);
        if (from_prior) {
            exchange(state, 1, work, n_words);
            work->spans[count] = (span){end, unpack(state, n_words, work->lists + end)};
            end += work->spans[count].n;
        }
        count += better; /* without a branch, which nobody could predict */
    }
    return count;
}

/* After begin_datum, and the choice of a base. `n_words` is p->n_words; as a constant, loops over
   words vanish. */
static INLINE void estep_datum(const truncated_problem *p, workspace *work, void *model,
                               penalty_function penalty, weight_function weigh, int64_t n_words,
                               int64_t n)
{
    const int64_t n_states = p->n_states;
    uint64_t *own = p->states + n * n_states * n_words;
    int64_t next = 0, n_new[2];

    clear_table(&work->table);
    exchange(own, n_states, work, n_words);
    for (int64_t i = 0; i < n_states; i++) {
        __builtin_prefetch(own + (n_states + i) * n_words); /* the next datum */
        work->spans[i] = (span){next, unpack(own + i * n_words, n_words, work->lists + next)};
        next += work->spans[i].n;
    }
    for (int64_t i = 0; i < n_states; i++) {
        const span list = work->spans[i];
        uint64_t hash;
        work->joint[i] = log_joint(&work->near, model, penalty, work->lists + list.at, list.n,
                                   &hash);
        *find_state(&work->table, hash) = hash;
    }
    draw_states(p, work, own, n_words, n, n_new);
    const int64_t n_better = choose_new(work, n_states, n_new, model, penalty, n_words) - n_states;
    if (n_better)
        keep_largest(own, work->joint, work->spans, n_states, work->drawn, n_better, n_words,
                     work->weights);
    const int moved = order_by_size(own, work->joint, work->spans, n_states, n_words, p->n_units,
                                    work->room, work->weights, work->starts)
                      || n_better;
    if (moved || !p->n_marginal || p->marginals)
        expect(p, work, own, n_words, n);
    for (int64_t heavy = 0; heavy < work->n_heavy; heavy++) {
        const int32_t i = work->heavy[heavy];
        const span list = work->spans[i];
        weigh(model, work->near.signs, work->lists + list.at, list.n, work->weights[i]);
    }
    exchange(own, n_states, work, n_words);
}
