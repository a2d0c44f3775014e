/* Fractional moments of the topics.

   sum_v f(lambda_kv), f(x) = G(x + s_j) / G(x), for all nodes s_j at the cost of one: lambda is
   counted in intervals between which f is taken to be linear. There are 2^OCTAVE_BITS of the same
   length from each power of 2 to the next, so the first bits of a number tell which one it is in.
   f is concave, and linear at s = 1 and where x is far below s. Else the chords are below it by at
   most 1.5e-5 of it, and the sums by some 2e-6. */

#define INTERVAL_BITS (MANTISSA - OCTAVE_BITS)

/* Of the numbers in an interval: how many there are, and the sum of their places in it, from 0 to
   1. In double precision for any number of words. */
#define tally FN(tally)
typedef double tally __attribute__((vector_size(2 * sizeof(double))));

/* Counts a word's lambda of the topics from `row` on. */
static INLINE void FN(count_word)(const moments_problem *p, tally *tallies, const REAL *row,
                                  ptrdiff_t n_topics, REAL scale, REAL offset, INT lowest)
{
    const INT last = (INT)p->n_intervals - 1;
    for (ptrdiff_t k = 0; k < n_topics; k += VL) {
        const ptrdiff_t n = n_topics - k < VL ? n_topics - k : VL;
        INT interval[VBYTES / sizeof(REAL)];
        REAL place[VBYTES / sizeof(REAL)];
        const ivec bits = (ivec)(FN(load_n)(row + k, n_topics - k, 0) * scale + offset);
        const ivec one = (ivec)FN(splat)(1), low = ((INT)1 << INTERVAL_BITS) - 1 + (ivec){0};
        ivec which = (bits >> INTERVAL_BITS) - lowest;
        which = (which & (which >= 0) & (which <= last)) | (last & (which > last));
        memcpy(interval, &which, sizeof which);
        FN(store)(place, (vec)(((bits & low) << OCTAVE_BITS) | one) - 1);
        for (ptrdiff_t l = 0; l < n; l++)
            tallies[(k + l) * p->n_intervals + interval[l]] += (tally){1, (double)place[l]};
    }
}

/* Sums of all functions over the lambda of a topic. */
static INLINE void FN(sum_functions)(const moments_problem *p, const tally *tallies, double *out)
{
    const ptrdiff_t n_nodes = (ptrdiff_t)p->n_nodes;
    memset(out, 0, (size_t)n_nodes * sizeof(double));
    for (ptrdiff_t i = 0; i < p->n_intervals; i++) {
        const tally t = tallies[i];
        const double *from = p->table + i * n_nodes, *to = from + n_nodes;
        for (ptrdiff_t j = 0; t[0] > 0 && j < n_nodes; j++)
            out[j] += t[0] * from[j] + t[1] * (to[j] - from[j]);
    }
}

static int FN(fractional_moments)(const void *problem, int64_t *ticket)
{
    const moments_problem *p = problem;
    const topic_state *state = p->topics;
    const ptrdiff_t n_words = (ptrdiff_t)state->n_words, n_topics = (ptrdiff_t)state->n_topics;
    const REAL scale = (REAL)state->a, offset = (REAL)state->base;
    const INT lowest = (INT)(p->octave + EXPONENT_OF_1) * (1 << OCTAVE_BITS);
    const ptrdiff_t wanted = (n_topics / MOMENT_SHARES / VL + 1) * VL;
    const ptrdiff_t at_once = wanted < MOMENT_TOPICS ? wanted : MOMENT_TOPICS;
    const size_t bytes = (size_t)(at_once * p->n_intervals) * sizeof(tally);
    tally *tallies = malloc(bytes);
    if (!tallies)
        return -1;
    for (;;) {
        ptrdiff_t first = (ptrdiff_t)__atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * at_once;
        ptrdiff_t n = n_topics - first < at_once ? n_topics - first : at_once;
        if (first >= n_topics)
            break;
        memset(tallies, 0, bytes);
        for (ptrdiff_t v = 0; v < n_words; v++) {
            const REAL *row = (const REAL *)state->M + v * n_topics + first;
            if (v + 8 < n_words)
                FN(fetch)(row + 8 * n_topics, n);
            FN(count_word)(p, tallies, row, n, scale, offset, lowest);
        }
        for (ptrdiff_t k = 0; k < n; k++)
            FN(sum_functions)(p, tallies + k * p->n_intervals, p->out + (first + k) * p->n_nodes);
    }
    free(tallies);
    return 0;
}
