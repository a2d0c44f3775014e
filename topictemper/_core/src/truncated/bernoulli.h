/* Sigmoid belief network of one hidden layer: p(y_d = 1 | s) = sigmoid(W_d s + b_d).

   The penalty of a state is the sum over d of softplus(a_d), a = W s + b: it is the same for
   every datum. Rows of `weights` are units, the last row is b; they are padded to a multiple of
   `width` with weights of 0 and biases so low that they add nothing. */

/* softplus(a) = max(a, 0) + log(1 + exp(-|a|)): the product of this many terms, each at most 2,
   stays finite, so that they share one logarithm. */
#define LONGEST_PRODUCT 1000

/* Penalties of a thread's last states, each at the place that the hash of the state gives: many data
   share their states. At most so many, to stay in the cache. */
#define MOST_KNOWN 8192

typedef struct {
    uint64_t hash; /* 0 where there is none */
    double penalty;
} known_penalty;

typedef struct {
    int64_t n_units, width;
    const double *weights; /* (n_units + 1, width) */
    known_penalty *known;
    int64_t mask;
} bernoulli_model;

static INLINE vec activation(const bernoulli_model *m, const int32_t *units, int64_t n_on,
                             int64_t d)
{
    vec a = FN(load)(m->weights + m->n_units * m->width + d);
    for (int64_t i = 0; i < n_on; i++)
        a += FN(load)(m->weights + units[i] * m->width + d);
    return a;
}

/* Adds max(a, 0) to linear, multiplies product by 1 + exp(-|a|). */
static INLINE void add_softplus(vec a, vec *linear, vec *product)
{
    const vec zero = {0};
    vec positive = FN(max)(a, zero);
    *linear += positive;
    *product *= 1 + FN(exp)(a - 2 * positive);
}

static INLINE double sum_softplus(const bernoulli_model *m, const int32_t *units, int64_t n_on)
{
    const vec zero = {0};
    const int64_t longest = 2 * LONGEST_PRODUCT * VL;
    vec linear = zero, also = zero, logs = zero;
    for (int64_t start = 0; start < m->width; start += longest) {
        int64_t d = start, end = start + longest < m->width ? start + longest : m->width;
        vec product = zero + 1, other = zero + 1;
        for (; d + 2 * VL <= end; d += 2 * VL) { /* two at once, to hide latencies */
            add_softplus(activation(m, units, n_on, d), &linear, &product);
            add_softplus(activation(m, units, n_on, d + VL), &also, &other);
        }
        if (d < end)
            add_softplus(activation(m, units, n_on, d), &linear, &product);
        logs += FN(log)(product) + FN(log)(other);
    }
    return FN(hsum)(linear + also) + FN(hsum)(logs);
}

static INLINE double bernoulli_penalty(const void *model, const double *signs, const int32_t *units,
                                       int64_t n_on, uint64_t hash)
{
    const bernoulli_model *m = model;
    (void)signs;
    known_penalty *known = m->known + ((int64_t)hash & m->mask);
    if (known->hash != hash)
        *known = (known_penalty){hash, sum_softplus(m, units, n_on)};
    return known->penalty;
}

static INLINE void bernoulli_weigh(void *model, const double *signs, const int32_t *units,
                                   int64_t n_on, double weight)
{
    (void)model, (void)signs, (void)units, (void)n_on, (void)weight;
}

static int bernoulli_estep(const void *problem, int64_t *ticket)
{
    const truncated_problem *p = problem;
    workspace work;
    const int64_t n_states = p->n_data * p->n_states;
    const int64_t size = table_size(n_states < MOST_KNOWN / 2 ? n_states : MOST_KNOWN / 2);
    known_penalty *known = calloc((size_t)size, sizeof(*known));
    bernoulli_model model = {p->n_units, p->width, p->weights, known, size - 1};
    if (!known || new_workspace(&work, p)) {
        free(known);
        return -1;
    }
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * ROW_BLOCK;
        int64_t last = first + ROW_BLOCK < p->n_data ? first + ROW_BLOCK : p->n_data;
        if (first >= p->n_data)
            break;
        for (int64_t n = first; n < last; n++) {
            begin_datum(p, &work, n);
            estep_datum(p, &work, &model, bernoulli_penalty, bernoulli_weigh, p->n_words, n);
            memcpy(p->responsibilities + n * p->n_states, work.weights,
                   (size_t)p->n_states * sizeof(double));
        }
    }
    free_workspace(&work);
    free(known);
    return 0;
}

static INLINE vec weighted_sigmoid(const bernoulli_model *m, const int32_t *units, int64_t n_on,
                                   int64_t d, double weight)
{
    const vec a = activation(m, units, n_on, d), e = FN(exp)(-FN(max)(a, -a));
    return FN(select)(a < 0, e, (vec){0} + 1) / (1 + e) * weight;
}

/* Sums over data of E[s_h sigmoid(a_d)], and in the last row of E[sigmoid(a_d)]: (n_units + 1,
   width) for every block of data. With E[s_h] y_d they make the gradient. */
static int bernoulli_expectations(const void *problem, int64_t *ticket)
{
    const truncated_problem *p = problem;
    const bernoulli_model model = {p->n_units, p->width, p->weights, NULL, 0};
    const int64_t width = p->width, size = (p->n_units + 1) * width;
    const double *responsibilities = p->responsibilities;
    int32_t *units = malloc((size_t)(p->n_units + 1) * sizeof(*units));
    if (!units)
        return -1;
    for (;;) {
        int64_t block = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED), first = block * ROW_BLOCK;
        int64_t last = first + ROW_BLOCK < p->n_data ? first + ROW_BLOCK : p->n_data;
        if (first >= p->n_data)
            break;
        double *sums = p->sums + block * size;
        memset(sums, 0, (size_t)size * sizeof(*sums));
        for (int64_t i = first * p->n_states; i < last * p->n_states; i++) {
            if (responsibilities[i] <= SMALLEST_WEIGHT)
                continue;
            const int64_t n_on = unpack(p->states + i * p->n_words, p->n_words, units);
            units[n_on] = (int32_t)p->n_units;
            int64_t d = 0;
            for (; d + 2 * VL <= width; d += 2 * VL) { /* two at once, to hide latencies */
                const vec even = weighted_sigmoid(&model, units, n_on, d, responsibilities[i]);
                const vec odd = weighted_sigmoid(&model, units, n_on, d + VL, responsibilities[i]);
                for (int64_t j = 0; j <= n_on; j++) {
                    double *sum = sums + units[j] * width + d;
                    FN(store)(sum, FN(load)(sum) + even);
                    FN(store)(sum + VL, FN(load)(sum + VL) + odd);
                }
            }
            if (d < width) {
                const vec rest = weighted_sigmoid(&model, units, n_on, d, responsibilities[i]);
                for (int64_t j = 0; j <= n_on; j++) {
                    double *sum = sums + units[j] * width + d;
                    FN(store)(sum, FN(load)(sum) + rest);
                }
            }
        }
    }
    free(units);
    return 0;
}
