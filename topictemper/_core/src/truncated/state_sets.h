/* Sets of distinct packed states: membership by hashing, the best by partial sorting. */

/* Open addressing over states kept elsewhere; an entry is the number of a state plus one. */
typedef struct {
    int32_t *entries;
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
    memset(table->entries, 0, (size_t)(table->mask + 1) * sizeof(*table->entries));
}

static INLINE void copy_state(uint64_t *to, const uint64_t *from, int64_t n_words)
{
    for (int64_t w = 0; w < n_words; w++)
        to[w] = from[w];
}

static INLINE int64_t first_slot(const state_table *table, const uint64_t *state, int64_t n_words)
{
    uint64_t hash = 0;
    for (int64_t w = 0; w < n_words; w++)
        hash = (hash ^ state[w]) * GOLDEN, hash ^= hash >> 32;
    return (int64_t)hash & table->mask;
}

/* Add state number `i` of `states`, which is known to be new. */
static INLINE void add_new_state(state_table *table, const uint64_t *states, int64_t i,
                                 int64_t n_words)
{
    int64_t slot = first_slot(table, states + i * n_words, n_words);
    while (table->entries[slot])
        slot = (slot + 1) & table->mask;
    table->entries[slot] = (int32_t)i + 1;
}

/* Add state number `i` of `states` unless an equal one is there; whether it was new. */
static INLINE int add_state(state_table *table, const uint64_t *states, int64_t i, int64_t n_words)
{
    const uint64_t *state = states + i * n_words;
    for (int64_t slot = first_slot(table, state, n_words);; slot = (slot + 1) & table->mask) {
        int32_t entry = table->entries[slot];
        if (entry == 0) {
            table->entries[slot] = (int32_t)i + 1;
            return 1;
        }
        const uint64_t *other = states + (entry - 1) * n_words;
        uint64_t difference = 0;
        for (int64_t w = 0; w < n_words; w++)
            difference |= state[w] ^ other[w];
        if (difference == 0)
            return 0;
    }
}

/* Numbers of the units that are on, in rising order; how many. */
static INLINE int64_t unpack(const uint64_t *state, int64_t n_words, int32_t *units)
{
    int64_t n = 0;
    for (int64_t w = 0; w < n_words; w++)
        for (uint64_t word = state[w]; word; word &= word - 1)
            units[n++] = (int32_t)(64 * w + __builtin_ctzll(word));
    return n;
}

/* The k-th largest (from 0) of x[0..n), which is reordered: Hoare's selection, linear time. */
static double kth_largest(double *x, int64_t n, int64_t k)
{
    int64_t low = 0, high = n - 1;
    while (low < high) {
        double a = x[low], b = x[(low + high) / 2], c = x[high];
        double pivot = a > b ? (b > c ? b : (a > c ? c : a)) : (a > c ? a : (b > c ? c : b));
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] > pivot)
                i++;
            while (x[j] < pivot)
                j--;
            if (i <= j) {
                double swapped = x[i];
                x[i++] = x[j];
                x[j--] = swapped;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
}

/* Keep the n_states largest of n log-joints, with their states, in the first n_states places. */
static INLINE void keep_largest(uint64_t *states, double *joint, double *sorted, int64_t n_states,
                                int64_t n, int64_t n_words)
{
    if (n == n_states)
        return;
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
        joint[i] = joint[next];
        copy_state(states + i * n_words, states + next * n_words, n_words);
        next += next < n - 1;
    }
}
