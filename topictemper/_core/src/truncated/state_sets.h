/* Sets of distinct packed states: membership by hashing, the best by partial sorting. */

/* Hashes of states, with open addressing; 0 is empty. A hash is a sum of random numbers of 64 bits,
   one for each unit, so that it stands for the state: of n pairs of states, n / 2^64 would be taken
   for equal, and one of them left out. */
typedef struct {
    uint64_t *hashes;
    int64_t mask;
} state_table;

static INLINE int64_t table_size(int64_t n_states)
{
    int64_t size = 4;
    while (size < 2 * n_states)
        size *= 2;
    return size;
}

static INLINE void clear_table(state_table *table)
{
    memset(table->hashes, 0, (size_t)(table->mask + 1) * sizeof(*table->hashes));
}

static INLINE uint64_t hash_units(const uint64_t *numbers, const int32_t *units, int64_t n_on,
                                  uint64_t hash)
{
    for (int64_t i = 0; i < n_on; i++)
        hash += numbers[units[i]];
    return hash;
}

/* Where a state is, or would be. */
static INLINE uint64_t *find_state(const state_table *table, uint64_t hash)
{
    int64_t slot = (int64_t)hash & table->mask;
    while (table->hashes[slot] && table->hashes[slot] != hash)
        slot = (slot + 1) & table->mask;
    return table->hashes + slot;
}

static INLINE void copy_state(uint64_t *to, const uint64_t *from, int64_t n_words)
{
    for (int64_t w = 0; w < n_words; w++)
        to[w] = from[w];
}

static INLINE void pack(const int32_t *units, int64_t n_on, uint64_t *state, int64_t n_words)
{
    memset(state, 0, (size_t)n_words * sizeof(*state));
    for (int64_t i = 0; i < n_on; i++)
        state[units[i] >> 6] |= (uint64_t)1 << (units[i] & 63);
}

/* Numbers of the units that are on, in rising order; how many. No branch depends on where they are,
   only on how many there are. */
static INLINE int64_t unpack(const uint64_t *state, int64_t n_words, int32_t *units)
{
    int64_t n = 0;
    for (int64_t first = 0; first < n_words; first += 64) {
        const int64_t last = n_words < first + 64 ? n_words : first + 64;
        uint64_t filled = 0; /* words that are not empty */
        for (int64_t w = last - 1; w >= first; w--)
            filled = filled << 1 | (state[w] != 0);
        if (!filled)
            continue;
        int64_t w = first + __builtin_ctzll(filled);
        uint64_t word = state[w];
        for (;;) {
            units[n++] = (int32_t)(64 * w + __builtin_ctzll(word));
            word &= word - 1;
            filled &= filled - (uint64_t)(word == 0);
            if (!filled)
                break;
            w = first + __builtin_ctzll(filled);
            word = word ? word : state[w];
        }
    }
    return n;
}

/* The k-th largest (from 0) of x[0..n), which is overwritten, in linear time. No branch depends on
   a single number. */
static double kth_largest(double *x, int64_t n, int64_t k)
{
    for (;;) {
        const double a = x[0], b = x[n / 2], c = x[n - 1];
        const double pivot = a > b ? (b > c ? b : (a > c ? c : a)) : (a > c ? a : (b > c ? c : b));
        int64_t n_above = 0, n_below = 0, left = 0;
        for (int64_t i = 0; i < n; i++) {
            n_above += x[i] > pivot;
            n_below += x[i] < pivot;
        }
        if (k >= n_above && k < n - n_below)
            return pivot;
        if (k < n_above) {
            for (int64_t i = 0; left < n_above; i++) {
                x[left] = x[i];
                left += x[i] > pivot;
            }
        } else {
            for (int64_t i = 0; left < n_below; i++) {
                x[left] = x[i];
                left += x[i] < pivot;
            }
            k -= n - n_below;
        }
        n = left;
    }
}

/* Where in lists of units those of a state are. All together may be more than 2^31. */
typedef struct {
    int64_t at, n;
} span;

/* Put the largest of n_new log-joints of other states in the places of smaller ones of a set. */
static INLINE void keep_largest(uint64_t *own, double *joint, span *spans, int64_t n_states,
                                const uint64_t *others, int64_t n_new, int64_t n_words,
                                double *sorted)
{
    const int64_t n = n_states + n_new;
    memcpy(sorted, joint, (size_t)n * sizeof(*sorted));
    const double least = kth_largest(sorted, n, n_states - 1);
    int64_t ties = n_states, next = n_states;
    for (int64_t i = 0; i < n; i++)
        ties -= joint[i] > least;
    for (int64_t i = 0; i < n_states; i++) {
        if (joint[i] > least || (joint[i] == least && ties-- > 0))
            continue;
        while (next < n - 1 && !(joint[next] > least || (joint[next] == least && ties-- > 0)))
            next++; /* to what is kept of the rest; the bound is for NaN */
        joint[i] = joint[next], spans[i] = spans[next];
        copy_state(own + i * n_words, others + (next - n_states) * n_words, n_words);
        next += next < n - 1;
    }
}

/* Order states by their numbers of units: loops over units then have no surprises for the
   processor. `room` and `joint_room` take as many states and log-joints, `spans` twice as many,
   `starts` n_units + 2 numbers. Whether any state has moved. */
static INLINE int order_by_size(uint64_t *own, double *joint, span *spans, int64_t n_states,
                                int64_t n_words, int64_t n_units, uint64_t *room,
                                double *joint_room, int32_t *starts)
{
    span *span_room = spans + n_states;
    int64_t ordered = 1;
    while (ordered < n_states && spans[ordered - 1].n <= spans[ordered].n)
        ordered++;
    if (ordered == n_states)
        return 0;
    memset(starts, 0, (size_t)(n_units + 2) * sizeof(*starts));
    for (int64_t i = 0; i < n_states; i++)
        starts[spans[i].n + 1]++;
    for (int64_t size = 0; size < n_units; size++)
        starts[size + 1] += starts[size];
    for (int64_t i = 0; i < n_states; i++) {
        const int64_t to = starts[spans[i].n]++;
        copy_state(room + to * n_words, own + i * n_words, n_words);
        joint_room[to] = joint[i];
        span_room[to] = spans[i];
    }
    memcpy(own, room, (size_t)(n_states * n_words) * sizeof(*own));
    memcpy(joint, joint_room, (size_t)n_states * sizeof(*joint));
    memcpy(spans, span_room, (size_t)n_states * sizeof(*spans));
    return 1;
}
