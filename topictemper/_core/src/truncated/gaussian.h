/* Binary sparse coding: p(y | s) = N(y; W s, sigma^2).

   The penalty of a state is the sum of W_g.W_h / sigma^2 over pairs of its units (the squares are
   in the fields), so no sum over the dimensions of the data is left. Of symmetric matrices there is
   the lower triangle alone, row by row: more of it stays in the cache. */

static INLINE int64_t triangle(int64_t row) { return row * (row + 1) >> 1; }

typedef struct {
    const double *couplings; /* W W^T / sigma^2 */
    double *second;          /* E[s s^T] */
} gaussian_model;

static INLINE double gaussian_penalty(const void *model, const int32_t *units, int64_t n_on,
                                      uint64_t hash)
{
    const gaussian_model *m = model;
    (void)hash;
    /* Most states have one pair at most. */
    double total = n_on > 1 ? m->couplings[triangle(units[1]) + units[0]] : 0;
    for (int64_t i = 2; i < n_on; i++) {
        const double *row = m->couplings + triangle(units[i]);
        for (int64_t j = 0; j < i; j++)
            total += row[units[j]];
    }
    return total;
}

static INLINE void gaussian_weigh(void *model, const int32_t *units, int64_t n_on, double weight)
{
    gaussian_model *m = model;
    for (int64_t i = 0; i < n_on; i++) {
        double *row = m->second + triangle(units[i]);
        for (int64_t j = 0; j <= i; j++)
            row[units[j]] += weight;
    }
}

/* Little else is done for a state than to read it: constant numbers of words, for up to 320 units,
   take a seventh of the time away. */
static INLINE void gaussian_datum(const truncated_problem *p, workspace *work,
                                  gaussian_model *model, int64_t n)
{
#define WITH_WORDS(n_words)                                                                        \
    estep_datum(p, work, model, gaussian_penalty, gaussian_weigh, n_words, n)
    switch (p->n_words) {
    case 1:
        WITH_WORDS(1);
        break;
    case 2:
        WITH_WORDS(2);
        break;
    case 3:
        WITH_WORDS(3);
        break;
    case 4:
        WITH_WORDS(4);
        break;
    case 5:
        WITH_WORDS(5);
        break;
    default:
        WITH_WORDS(p->n_words);
    }
#undef WITH_WORDS
}

static int gaussian_estep(const truncated_problem *p, const double *couplings, double *second,
                          int64_t *ticket)
{
    const int64_t size = triangle(p->n_units);
    workspace work;
    if (new_workspace(&work, p))
        return -1;
    for (;;) {
        int64_t block = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED), first = block * ROW_BLOCK;
        int64_t last = first + ROW_BLOCK < p->n_data ? first + ROW_BLOCK : p->n_data;
        if (first >= p->n_data)
            break;
        gaussian_model model = {couplings, second + block * size};
        memset(model.second, 0, (size_t)size * sizeof(double));
        for (int64_t n = first; n < last; n++)
            gaussian_datum(p, &work, &model, n);
    }
    free_workspace(&work);
    return 0;
}
