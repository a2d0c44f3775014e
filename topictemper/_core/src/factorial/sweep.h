/* Sequential updates of Bernoulli factors, q(Z_nk) = Bernoulli(nu_kn), of a factorial mixture.

   A tile holds TILE images side by side, each in a lane of its own, so the bits of an image do not
   depend on its place. Tiles are fixed by the data, not by the number of threads. */

#define VECTORS (TILE / VL) /* of a tile: enough independent work to hide the latency of exp */
#define ROWS 4  /* components whose sums over the others are made together, */
#define PANEL 2 /* and vectors: 8 accumulators, 6 loads for 8 multiply-adds */

/* Numbers as bits, without sign: sums of large ones wrap. */
typedef uint64_t FN(bits) __attribute__((vector_size(VBYTES)));

/* nu = 1 / (1 + exp(-logit)). Its entropy is -log(max(nu, 1 - nu)) + |logit| min(nu, 1 - nu): of the
   first term the factor goes into `product`, so that many share one logarithm.

   exp(r) = (q + p) / (q - p) with Cephes' polynomials on [-log 2 / 2, log 2 / 2], and exp(-|logit|) is
   2^k times that; so 1 / (1 + exp) needs one division and half the products of a series. */
static INLINE vec FN(bernoulli)(vec logit, vec *product, vec *rest)
{
    vec size = (vec)((ivec)logit & INT64_MAX); /* |logit| */
    vec t = MAGIC - size * 1.44269504088896340736, k = t - MAGIC;
    vec r = -size - k * LN2_HI - k * LN2_LO, z = r * r;
    vec p = (z * 1.26177193074810590878e-4 + 3.02994407707441961300e-2) * z + 1;
    vec q = (z * 3.00198505138664455042e-6 + 2.52448340349684104192e-3) * z, up, down, inverse;
    q = (q + 2.27265548208155028766e-1) * z + 2;
    p *= r;
    down = q - p;
    up = (vec)((FN(bits))(q + p) + (((FN(bits))t - (FN(bits))FN(splat)(MAGIC)) << MANTISSA));
    up = (vec)((ivec)up & (size <= -EXP_LOW));
    down = FN(select)(size <= -EXP_LOW, down, FN(splat)(1)); /* or no number where up is 0 */
    inverse = 1 / (down + up);
    up *= inverse;
    down *= inverse;
    *product *= down;
    *rest += size * up;
    return FN(select)(logit < 0, up, down);
}
#define SHARERS 512 /* factors are at least 1/2: so many cannot vanish; a multiple of ROWS */

/* Sums over l in [from, to) of g[.][l] nu[l][.] for ROWS components and PANEL vectors of a tile. */
static INLINE void FN(others)(const double *const *g, const double *nu, ptrdiff_t from, ptrdiff_t to,
                          vec *sums)
{
    vec a[ROWS][PANEL] = {{{0}}};
    for (ptrdiff_t l = from; l < to; l++)
        for (int j = 0; j < ROWS; j++)
            for (int i = 0; i < PANEL; i++)
                a[j][i] += g[j][l] * FN(load)(nu + l * TILE + i * VL);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < PANEL; i++)
            sums[j * VECTORS + i] = a[j][i];
}

/* Component k of a block, in every vector of a tile, given sums over the components outside; `own` are
   the entries of the Gram matrix inside the block, 0 with itself. */
static INLINE void FN(update)(ptrdiff_t j, const double *own, ptrdiff_t n_vectors, const vec *below,
                          const vec *above, const double *x, const double *s, double bias,
                          double precision, double *block, vec *products, vec *energies,
                          vec *entropies)
{
    for (ptrdiff_t v = 0; v < n_vectors; v++, block += VL) {
        vec sum = below[v], rest = above[v], c, nu;
        for (ptrdiff_t l = 0; l < j; l++)
            sum += own[l] * FN(load)(block + l * TILE);
        for (ptrdiff_t l = j + 1; l < ROWS; l++)
            rest += own[l] * FN(load)(block + l * TILE);
        c = bias + precision * (FN(load)(x + v * VL) - sum);
        nu = FN(bernoulli)(FN(load)(s + v * VL) * (c - precision * rest), products + v, entropies + v);
        FN(store)(block + j * TILE, nu);
        energies[v] += nu * c; /* pairs are counted with the later of the two, when both are new */
    }
}

/* Asks for a component's part of the next tile: rows lie far apart, and none is read for long. */
static INLINE void FN(fetch_next)(const double *row, ptrdiff_t n_left)
{
    for (ptrdiff_t i = TILE; i < 2 * TILE && i < n_left; i += 8)
        __builtin_prefetch(row + i);
}

/* Copies a part of a row into a tile or back. Its length is a constant except in the last tile,
   because calls of memcpy would take a tenth of a sweep. */
static INLINE void FN(copy)(double *to, const double *from, ptrdiff_t n)
{
    if (n < TILE)
        memcpy(to, from, (size_t)n * sizeof(double));
    else
        for (ptrdiff_t i = 0; i < TILE; i += VL)
            FN(store)(to + i, FN(load)(from + i));
}

/* All images share one Gram matrix: TILE images at a time. */
static int FN(sweep_shared)(const sweep_problem *p, int64_t *ticket)
{
    const int64_t n_images = p->n_images, n_components = p->n_components, n_sweeps = p->n_sweeps;
    const double *projections = p->projections, *gram = p->gram, *bias = p->bias, *s = p->s;
    const double precision = p->precision;
    double *nu = p->nu, *energy = p->energy, *entropy = p->entropy;
    const ptrdiff_t K = n_components, padded = (K + ROWS - 1) / ROWS * ROWS;
    char *memory = calloc((size_t)padded * TILE * sizeof(double) + 63, 1);
    double *tile = (double *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    if (!memory)
        return -1;
    for (;;) {
        const int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * TILE;
        const ptrdiff_t n = n_images - first < TILE ? (ptrdiff_t)(n_images - first) : TILE;
        const size_t bytes = (size_t)(n > 0 ? n : 0) * sizeof(double);
        const ptrdiff_t n_vectors = (n + VL - 1) / VL;
        vec below[ROWS][VECTORS], above[ROWS][VECTORS];
        vec energies[VECTORS], entropies[VECTORS], products[VECTORS];
        double row[TILE] = {0}, s_row[TILE] = {0};
        if (n <= 0)
            break;
        memcpy(s_row, s + first, bytes);
        for (ptrdiff_t k = 0; k < K; k++)
            FN(copy)(tile + k * TILE, nu + k * n_images + first, n);
        for (int64_t sweep = 0; sweep < n_sweeps; sweep++) {
            for (ptrdiff_t v = 0; v < VECTORS; v++) {
                energies[v] = entropies[v] = (vec){0};
                products[v] = FN(splat)(1);
            }
            for (ptrdiff_t top = 0; top < K; top += ROWS) {
                const ptrdiff_t end = top + ROWS < K ? top + ROWS : K;
                const double *g[ROWS];
                double own[ROWS][ROWS] = {{0}};
                for (ptrdiff_t j = 0; j < ROWS; j++) /* rows past the last are not used */
                    g[j] = gram + (top + j < K ? top + j : top) * K;
                for (ptrdiff_t j = 0; j < end - top; j++)
                    memcpy(own[j], g[j] + top, (size_t)(end - top) * sizeof(double));
                for (ptrdiff_t v = 0; v < n_vectors; v += PANEL) {
                    FN(others)(g, tile + v * VL, 0, top, &below[0][v]);
                    FN(others)(g, tile + v * VL, end, K, &above[0][v]);
                }
#pragma GCC unroll 4 /* ROWS: sums inside the block are then of known length */
                for (ptrdiff_t j = 0; j < ROWS; j++) {
                    const ptrdiff_t k = top + j;
                    const double *x = projections + k * n_images + first;
                    if (k >= K)
                        break;
                    if (sweep == 0) {
                        FN(fetch_next)(x, n_images - first);
                        FN(fetch_next)(nu + k * n_images + first, n_images - first);
                    }
                    if (n < TILE)
                        x = memcpy(row, x, bytes);
                    FN(update)(j, own[j], n_vectors, below[j], above[j], x, s_row, bias[k], precision,
                           tile + top * TILE, products, energies, entropies);
                }
                if (end % SHARERS && end < K)
                    continue;
                for (ptrdiff_t v = 0; v < n_vectors; v++) {
                    entropies[v] -= FN(log)(products[v]);
                    products[v] = FN(splat)(1);
                }
            }
        }
        for (ptrdiff_t k = 0; k < K; k++)
            FN(copy)(nu + k * n_images + first, tile + k * TILE, n);
        memcpy(energy + first, energies, bytes);
        memcpy(entropy + first, entropies, bytes);
    }
    free(memory);
    return 0;
}

static INLINE double FN(bernoulli_of_one)(double logit, double *product, double *rest)
{
    double size = fabs(logit), e = exp(-size), near = 1 / (1 + e), far = e * near;
    *product *= 1 + e;
    *rest += size * far;
    return logit < 0 ? far : near;
}

/* Every image has the Gram matrix of the pixels that it shows: one image at a time. */
static int FN(sweep_own)(const sweep_problem *p, int64_t *ticket)
{
    const int64_t n_images = p->n_images, n_components = p->n_components, n_sweeps = p->n_sweeps;
    const double *projections = p->projections, *gram = p->gram, *bias = p->bias, *s = p->s;
    const double precision = p->precision;
    double *nu = p->nu, *energy = p->energy, *entropy = p->entropy;
    const int64_t *pattern = p->pattern;
    const ptrdiff_t K = n_components;
    double *memory = malloc(2 * (size_t)K * sizeof(double)), *own = memory, *fit = memory + K;
    if (!memory)
        return -1;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * TILE;
        int64_t last = first + TILE < n_images ? first + TILE : n_images;
        if (first >= n_images)
            break;
        for (int64_t n = first; n < last; n++) {
            const double *G = gram + pattern[n] * K * K, *bias_n = bias + pattern[n] * K;
            double linear = 0, pairs = 0, entropy_n = 0, product = 1;
            for (ptrdiff_t k = 0; k < K; k++)
                own[k] = nu[k * n_images + n];
            memset(fit, 0, (size_t)K * sizeof(double));
            for (ptrdiff_t k = 0; k < K; k++)
                for (ptrdiff_t l = 0; l < K; l++)
                    fit[l] += own[k] * G[k * K + l];
            for (int64_t sweep = 0; sweep < n_sweeps; sweep++) {
                linear = entropy_n = 0;
                for (ptrdiff_t k = 0; k < K; k++) {
                    double rest = fit[k] - own[k] * G[k * K + k];
                    double c = bias_n[k] + precision * projections[k * n_images + n];
                    double logit = s[n] * (c - precision * rest);
                    double new_nu = FN(bernoulli_of_one)(logit, &product, &entropy_n);
                    double change = new_nu - own[k];
                    own[k] = new_nu;
                    linear += new_nu * c;
                    for (ptrdiff_t l = 0; l < K; l++)
                        fit[l] += change * G[k * K + l];
                    if ((k + 1) % SHARERS == 0 || k + 1 == K) {
                        entropy_n += log(product);
                        product = 1;
                    }
                }
            }
            for (ptrdiff_t k = 0; k < K; k++)
                pairs += own[k] * (fit[k] - own[k] * G[k * K + k]);
            for (ptrdiff_t k = 0; k < K; k++)
                nu[k * n_images + n] = own[k];
            energy[n] = linear - 0.5 * precision * pairs;
            entropy[n] = entropy_n;
        }
    }
    free(memory);
    return 0;
}

static int FN(bernoulli_sweep)(const void *problem, int64_t *ticket)
{
    const sweep_problem *p = problem;
    return p->n_patterns == 1 ? FN(sweep_shared)(p, ticket) : FN(sweep_own)(p, ticket);
}
