/* Binary sparse coding: p(y | s) = N(y; W s, sigma^2).

   The penalty of a state is the sum of G_gh = W_g.W_h / sigma^2 over pairs of its units (the
   squares are in the fields), so no sum over the dimensions of the data is left. With b for a base,
   r for the units that are not as there, and d_h = 1 - 2 b_h, a state is s = b + d r, and

       joint(s) = joint(b) + sum_h d_h r_h (fields - G b)_h - sum_(g < h) d_g d_h r_g r_h G_gh.

   The base has the units that are on in more than half of the states. E[s s^T] is the lower
   triangle alone, row by row: more of it stays in the cache. */

static INLINE int64_t triangle(int64_t row) { return row * (row + 1) >> 1; }

typedef struct {
    const double *couplings; /* W W^T / sigma^2; the diagonal is 0 */
    double *second;          /* E[s s^T] */
    int64_t n_units;
} gaussian_model;

static INLINE double gaussian_penalty(const void *model, const double *signs, const int32_t *units,
                                      int64_t n_on, uint64_t hash)
{
    const gaussian_model *m = model;
    double total = 0;
    (void)hash;
    for (int64_t i = 1; i < n_on; i++) {
        const double *row = m->couplings + units[i] * m->n_units;
        double sum = 0;
        for (int64_t j = 0; j < i; j++)
            sum += signs[units[j]] * row[units[j]];
        total += signs[units[i]] * sum;
    }
    return total;
}

/* Off the diagonal; units may be in any order. */
static INLINE void gaussian_weigh(void *model, const double *signs, const int32_t *units,
                                  int64_t n_on, double weight)
{
    gaussian_model *m = model;
    for (int64_t i = 1; i < n_on; i++) {
        const double signed_weight = signs[units[i]] * weight;
        for (int64_t j = 0; j < i; j++) {
            const int64_t g = units[i], h = units[j];
            m->second[g > h ? triangle(g) + h : triangle(h) + g] += signs[h] * signed_weight;
        }
    }
}

/* Adds two bits to one, 64 times at once; what is carried. */
static INLINE uint64_t add_bits(uint64_t *sum, uint64_t a, uint64_t b)
{
    const uint64_t carry = (*sum & (a | b)) | (a & b);
    *sum ^= a ^ b;
    return carry;
}

/* The units that are on in more than half of the states, in whatever order these are. For each unit
   there is a counter, whose bits are in different words; it starts so that its last bit says "more
   than half". */
static INLINE void vote(const uint64_t *own, int64_t n_states, int64_t n_words, uint64_t *base)
{
    const int64_t last = 64 - __builtin_clzll((uint64_t)n_states);
    const uint64_t start = ((uint64_t)1 << last) - 1 - (uint64_t)n_states / 2;
    for (int64_t w = 0; w < n_words; w++) {
        uint64_t counts[64];
        for (int64_t bit = 0; bit <= last; bit++)
            counts[bit] = -(start >> bit & 1);
        for (int64_t i = 0; i < n_states; i += 4) { /* four at once: fewer long carries */
            uint64_t four[4] = {0};
            for (int64_t j = 0; j < 4 && i + j < n_states; j++)
                four[j] = own[(i + j) * n_words + w];
            uint64_t carry = add_bits(counts + 1, add_bits(counts, four[0], four[1]),
                                      add_bits(counts, four[2], four[3]));
            for (int64_t bit = 2; bit <= last; bit++) {
                const uint64_t next = counts[bit] & carry;
                counts[bit] ^= carry;
                carry = next;
            }
        }
        base[w] = counts[last];
    }
}

static INLINE void choose_base(const truncated_problem *p, workspace *work,
                               const gaussian_model *model, int64_t n_words, int64_t n)
{
    for (int64_t i = 0; i < work->n_base; i++) { /* of the last datum */
        const int32_t g = work->base_units[i];
        work->near_signs[g] = 1;
        work->near_numbers[g] = work->numbers[g];
    }
    vote(p->states + n * p->n_states * n_words, p->n_states, n_words, work->base);
    work->n_base = unpack(work->base, n_words, work->base_units);
    if (!work->n_base)
        return;
    terms near = {0, GOLDEN, work->near_fields, work->near_signs, work->near_numbers};
    double *fields = work->near_fields;
    memcpy(fields, work->plain.fields, (size_t)p->n_units * sizeof(*fields));
    for (int64_t i = 0; i < work->n_base; i++) {
        const double *row = model->couplings + work->base_units[i] * p->n_units;
        for (int64_t h = 0; h < p->n_units; h++)
            fields[h] -= row[h];
    }
    for (int64_t i = 0; i < work->n_base; i++) {
        const int32_t g = work->base_units[i];
        near.joint += 0.5 * (work->plain.fields[g] + fields[g]); /* a pair is in two fields */
        near.hash += work->numbers[g];
        fields[g] = -fields[g];
        work->near_signs[g] = -1;
        work->near_numbers[g] = -work->numbers[g];
    }
    work->near = near;
}

/* What E[s s^T] has from units of the base, with E[s] = m: m_h for one of the base and another
   unit h, m_g + m_h - 1 for two of them. The diagonal is m. */
static INLINE void weigh_base(const truncated_problem *p, workspace *work, gaussian_model *model,
                              int64_t n_words, int64_t n)
{
    const double *means = p->means + n * p->n_units;
    const int64_t n_touched = unpack(work->touched, n_words, work->units);
    for (int64_t i = 0; i < n_touched; i++) {
        const int32_t h = work->units[i];
        double *row = model->second + triangle(h);
        const int in_base = work->near_signs[h] < 0;
        for (int64_t j = 0; j < work->n_base; j++) {
            const int32_t g = work->base_units[j];
            if (g < h)
                row[g] += in_base ? means[g] + means[h] - 1 : means[h];
            else if (g > h && !in_base)
                model->second[triangle(g) + h] += means[h];
        }
        row[h] += means[h];
    }
}

/* Little else is done for a state than to read it: constant numbers of words, for up to 320 units,
   take a seventh of the time away. */
static INLINE void gaussian_datum(const truncated_problem *p, workspace *work,
                                  gaussian_model *model, int64_t n)
{
#define WITH_WORDS(n_words)                                                                        \
    choose_base(p, work, model, n_words, n);                                                       \
    estep_datum(p, work, model, gaussian_penalty, gaussian_weigh, n_words, n);                     \
    weigh_base(p, work, model, n_words, n)
    begin_datum(p, work, n);
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

static int gaussian_estep(const void *problem, int64_t *ticket)
{
    const truncated_problem *p = problem;
    const int64_t size = triangle(p->n_units);
    workspace work;
    if (new_workspace(&work, p))
        return -1;
    for (;;) {
        int64_t block = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED), first = block * ROW_BLOCK;
        int64_t last = first + ROW_BLOCK < p->n_data ? first + ROW_BLOCK : p->n_data;
        if (first >= p->n_data)
            break;
        gaussian_model model = {p->couplings, p->second + block * size, p->n_units};
        memset(model.second, 0, (size_t)size * sizeof(double));
        for (int64_t n = first; n < last; n++)
            gaussian_datum(p, &work, &model, n);
    }
    free_workspace(&work);
    return 0;
}
