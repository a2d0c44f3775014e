/* Self-test of the kernels, without Python: compiled for a platform and run there, it says whether
   they give what their twins in NumPy give (`golden.h`, made by golden.py).

   Hashes of whole numbers are equal everywhere. Floating-point results are compared with bounds,
   relative to the largest number of an array. For each instruction set a line says how many results
   were compared, the largest errors, and a hash of all their bits, which differs where rounding
   does. Memory is not freed: the process is short. */
#include "kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINE inline __attribute__((unused))
#include "splitmix.h"

#include "golden.h"

#define KEPT 24
enum { N_WORDS = 100, N_DOCS = 8, N_NODES = 6, N_CASES = 4 };
enum { N_UNITS = 70, N_STATE_WORDS = 2, N_STATES = 12, N_DATA = 6, N_FEATURES = 11, WIDTH = 16,
       N_PAIRS = N_UNITS * (N_UNITS + 1) / 2 };
enum { N_IMAGES = 70, N_CAUSES = 7 };

static const double NODES[N_NODES] = {0.02, 0.1, 0.3, 0.6, 0.9, 1.0};
static const struct {
    int64_t n_topics;
    double s; /* inverse temperature; 0: one for each document */
    int point;
} CASES[N_CASES] = {{5, 0.4, 0}, {300, 1, 0}, {37, 1, 1}, {37, 0, 0}};

static int n_checks, n_failures, status;
static double worst; /* error as a part of what is allowed */
static uint64_t bits;

static void *room(size_t size)
{
    void *memory = calloc(size ? size : 1, 1);
    if (!memory) {
        puts("no memory");
        exit(2);
    }
    return memory;
}

static int64_t *new_ticket(void)
{
    static int64_t ticket;
    ticket = 0;
    return &ticket;
}

static double uniform(uint64_t seed, uint64_t i)
{
    return (double)(mix64(((seed << 32) + i + 1) * GOLDEN) >> 11) * 0x1p-53;
}

static void check_hash(const char *name, int i, uint64_t got, uint64_t golden)
{
    n_checks++;
    if (got == golden)
        return;
    n_failures++;
    printf("  FAILED %s[%d]: hash %016" PRIx64 ", not %016" PRIx64 "\n", name, i, got, golden);
}

static void note_bits(const double *x, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        uint64_t word;
        memcpy(&word, x + j, sizeof(word));
        bits = mix64(bits + word + GOLDEN);
    }
}

static void compare(const char *name, int i, const double *got, int64_t n, const double *golden,
                    double bound)
{
    const int64_t kept = n < KEPT ? n : KEPT;
    double largest = 0, error = 0, mean = 0;
    for (int64_t j = 0; j < n; j++)
        mean += got[j] / (double)n;
    for (int64_t j = 0; j <= kept; j++) {
        double difference = fabs((j < kept ? got[j * n / kept] : mean) - golden[j]);
        largest = fabs(golden[j]) > largest ? fabs(golden[j]) : largest;
        error = difference <= error ? error : difference; /* a NaN is an error that stays */
    }
    n_checks++;
    if (error <= bound * largest) {
        worst = error / (bound * largest) > worst ? error / (bound * largest) : worst;
        return;
    }
    n_failures++;
    printf("  FAILED %s[%d]: error %.2g of %.2g, allowed are %.0e\n", name, i, error / largest,
           largest, bound);
}

static void check(const char *name, int i, const double *got, int64_t n, const double *golden,
                  double bound)
{
    note_bits(got, n);
    compare(name, i, got, n, golden, bound);
}

typedef struct {
    int64_t doc_ptr[N_DOCS + 1], word_ptr[N_WORDS + 1], word_pos[N_DOCS * N_WORDS];
    int32_t word_of[N_DOCS * N_WORDS], words[N_WORDS], word_doc[N_DOCS * N_WORDS];
    double counts[N_DOCS * N_WORDS];
} corpus;

static void make_corpus(corpus *text)
{
    int64_t n = 0;
    for (int64_t d = 0; d < N_DOCS; d++) {
        text->doc_ptr[d] = n;
        for (int64_t v = 0; v < N_WORDS; v++) {
            const uint64_t i = (uint64_t)(d * N_WORDS + v);
            if (d == 3 || uniform(1, i) >= 0.25)
                continue;
            text->word_of[n] = (int32_t)v;
            text->counts[n] = d == 5 && n == text->doc_ptr[d] ? 1000 : 1 + floor(4 * uniform(2, i));
            n++;
        }
    }
    text->doc_ptr[N_DOCS] = n;
    n = 0;
    for (int64_t v = 0; v < N_WORDS; v++) {
        text->words[v] = (int32_t)v;
        text->word_ptr[v] = n;
        for (int64_t d = 0; d < N_DOCS; d++)
            for (int64_t i = text->doc_ptr[d]; i < text->doc_ptr[d + 1]; i++)
                if (text->word_of[i] == v) {
                    text->word_doc[n] = (int32_t)d;
                    text->word_pos[n++] = i;
                }
    }
    text->word_ptr[N_WORDS] = n;
}

/* G(x + s) / G(x) at all nodes, from 2^FIRST_OCTAVE on, as `fractional_moments` wants it. */
enum { FIRST_OCTAVE = -8, N_INTERVALS = 24 << OCTAVE_BITS };
static double *ratios(const kernel_table *table)
{
    double x[N_INTERVALS + 1], column[N_INTERVALS + 1];
    double *all = room((size_t)((N_INTERVALS + 1) * N_NODES) * sizeof(double));
    for (int i = 0; i <= N_INTERVALS; i++)
        x[i] = ldexp(1 + (i % (1 << OCTAVE_BITS)) / (double)(1 << OCTAVE_BITS),
                     FIRST_OCTAVE + (i >> OCTAVE_BITS));
    for (int j = 0; j < N_NODES; j++) {
        table->lda_f64.gamma_ratio(N_INTERVALS + 1, x, NODES[j], column);
        for (int i = 0; i <= N_INTERVALS; i++)
            all[i * N_NODES + j] = column[i];
    }
    return all;
}

/* How far results may be from the twins, which compute in double precision: those of a formula, and
   those of a fixed point, where the errors of the rows add up. */
#define REAL float
#define ACCURATE 2e-5
#define CLOSE 2e-4
#define CHECK check_f32
#define SPECIAL special_f32
#define PARTITION partition_f32
#define LIKELIHOOD likelihood_f32
#define DRAWS draws_f32
#define ROWS rows_f32
#define CASE case_f32
#define LDA lda_f32
#define as_doubles as_doubles_f32
#include "selftest.h"
#undef REAL
#undef ACCURATE
#undef CLOSE
#undef CHECK
#undef SPECIAL
#undef PARTITION
#undef LIKELIHOOD
#undef DRAWS
#undef ROWS
#undef CASE
#undef LDA
#undef as_doubles
#define REAL double
#define ACCURATE 1e-11
#define CLOSE 1e-10
#define CHECK check_f64
#define SPECIAL special_f64
#define PARTITION partition_f64
#define LIKELIHOOD likelihood_f64
#define DRAWS draws_f64
#define ROWS rows_f64
#define CASE case_f64
#define LDA lda_f64
#define as_doubles as_doubles_f64
#include "selftest.h"

static void factorial_sweeps(const kernel_table *table)
{
    for (int c = 0; c < 2; c++) {
        const int64_t n_patterns = c == 0 ? 1 : 3, K = N_CAUSES;
        double projections[N_CAUSES * N_IMAGES], s[N_IMAGES], nu[N_CAUSES * N_IMAGES];
        double gram[3 * N_CAUSES * N_CAUSES], bias[3 * N_CAUSES];
        double energy[N_IMAGES], entropy[N_IMAGES];
        int64_t pattern[N_IMAGES];
        for (int64_t i = 0; i < K * N_IMAGES; i++) {
            projections[i] = 4 * uniform(10, (uint64_t)i) - 2;
            nu[i] = uniform(14, (uint64_t)i);
        }
        for (int64_t p = 0; p < n_patterns; p++)
            for (int64_t k = 0; k < K; k++)
                for (int64_t l = 0; l < K; l++)
                    gram[(p * K + k) * K + l] = 0.5
                                                * (uniform(11, (uint64_t)((p * K + k) * K + l))
                                                   + uniform(11, (uint64_t)((p * K + l) * K + k)));
        for (int64_t i = 0; i < n_patterns * K; i++)
            bias[i] = -uniform(12, (uint64_t)i);
        for (int64_t n = 0; n < N_IMAGES; n++) {
            pattern[n] = n % n_patterns;
            s[n] = uniform(13, (uint64_t)n);
        }
        sweep_problem problem = {N_IMAGES, K, n_patterns, projections, gram, bias, pattern,
                                 s, 2.0, 3, nu, energy, entropy};
        status |= table->bernoulli_sweep(&problem, new_ticket());
        check("nu", c, nu, K * N_IMAGES, golden_nu[c], 1e-11);
        check("sweep_energy", c, energy, N_IMAGES, golden_sweep_energy[c], 1e-11);
        check("entropy", c, entropy, N_IMAGES, golden_entropy[c], 1e-11);
    }
}

/* Whatever the order of a datum's states is. */
static uint64_t hash_states(const uint64_t *states)
{
    uint64_t result = 0;
    for (uint64_t n = 0; n < N_DATA; n++)
        for (int64_t i = 0; i < N_STATES; i++) {
            uint64_t hash = 0;
            for (int64_t w = 0; w < N_STATE_WORDS; w++)
                hash = mix64(hash + *states++ + GOLDEN);
            result += mix64(hash + n);
        }
    return result;
}

static void truncated_esteps(const kernel_table *table)
{
    static uint64_t states[N_DATA * N_STATES * N_STATE_WORDS], first[N_DATA * N_STATES * N_STATE_WORDS];
    static uint64_t keys[N_DATA], gaps[N_UNITS];
    static uint32_t alike[N_UNITS], different[N_UNITS];
    static double fields[N_DATA * N_UNITS], guides[N_DATA * N_UNITS], means[N_DATA * N_UNITS];
    static double couplings[N_UNITS * N_UNITS], second[N_PAIRS], free_energy[N_DATA];
    static double weights[(N_UNITS + 1) * WIDTH], q[N_DATA * N_STATES], sums[(N_UNITS + 1) * WIDTH];
    for (uint64_t n = 0; n < N_DATA; n++)
        keys[n] = mix64(n + 100);
    for (uint64_t h = 0; h < N_UNITS; h++) {
        gaps[h] = h ? gaps[h - 1] / 16 * 15 : UINT64_MAX;
        alike[h] = 4096;
        different[h] = (uint32_t)(4000 + floor(20000 * uniform(20, h)));
        for (uint64_t g = 0; g < N_UNITS; g++)
            couplings[h * N_UNITS + g] = g == h ? 0
                                                : (uniform(21, h * N_UNITS + g) - 0.5)
                                                      + (uniform(21, g * N_UNITS + h) - 0.5);
    }
    for (uint64_t i = 0; i < N_DATA * N_UNITS; i++) {
        fields[i] = 2 * uniform(22, i) - 1;
        guides[i] = uniform(24, i) * 0.5;
    }
    for (uint64_t h = 0; h <= N_UNITS; h++)
        for (uint64_t j = 0; j < WIDTH; j++)
            weights[h * WIDTH + j] = j < N_FEATURES ? 2 * uniform(23, h * N_FEATURES + j) - 1
                                                    : (h == N_UNITS ? -1000 : 0);
    for (int c = 0; c < 2; c++) {
        truncated_problem p = {
            .n_data = N_DATA, .n_states = N_STATES, .n_units = N_UNITS, .n_words = N_STATE_WORDS,
            .states = first, .keys = keys, .seed = 9, .iteration = 0,
            .prior = {c ? different : alike, c ? NULL : gaps},
            .fields = fields, .inverse_temperature = c ? 0.7 : 1,
            .free_energy = free_energy, .means = means,
            .couplings = couplings, .second = second,
            .width = WIDTH, .weights = weights, .responsibilities = q, .sums = sums,
        };
        status |= table->truncated.initial_states(&p, new_ticket());
        check_hash("first_states", c, hash_states(first), golden_first_states[c]);
        p.states = states;
        p.iteration = 3;
        p.n_prior = 6;
        p.n_marginal = 7;
        p.marginals = c ? guides : NULL;

        memcpy(states, first, sizeof(states));
        status |= table->truncated.gaussian_estep(&p, new_ticket());
        check_hash("gaussian_states", c, hash_states(states), golden_gaussian_states[c]);
        check("gaussian_free_energy", c, free_energy, N_DATA, golden_gaussian_free_energy[c], 1e-11);
        check("gaussian_means", c, means, N_DATA * N_UNITS, golden_gaussian_means[c], 1e-10);
        check("gaussian_second", c, second, N_PAIRS, golden_gaussian_second[c], 1e-10);

        memcpy(states, first, sizeof(states));
        status |= table->truncated.bernoulli_estep(&p, new_ticket());
        check_hash("bernoulli_states", c, hash_states(states), golden_bernoulli_states[c]);
        check("bernoulli_free_energy", c, free_energy, N_DATA, golden_bernoulli_free_energy[c],
              1e-11);
        check("bernoulli_means", c, means, N_DATA * N_UNITS, golden_bernoulli_means[c], 1e-10);
        status |= table->truncated.bernoulli_expectations(&p, new_ticket());
        for (int64_t h = 1; h <= N_UNITS; h++)
            memmove(sums + h * N_FEATURES, sums + h * WIDTH, N_FEATURES * sizeof(double));
        check("bernoulli_sums", c, sums, (N_UNITS + 1) * N_FEATURES, golden_bernoulli_sums[c], 1e-10);
    }
}

int main(void)
{
    int failures = 0;
    for (const kernel_table *const *table = available_kernels(); *table; table++) {
        double worst_single;
        n_checks = n_failures = status = 0;
        worst = 0;
        bits = 0;
        lda_f32(*table, &(*table)->lda_f32);
        worst_single = worst;
        worst = 0;
        lda_f64(*table, &(*table)->lda_f64);
        factorial_sweeps(*table);
        truncated_esteps(*table);
        if (status) {
            puts("  FAILED: a kernel had no memory");
            n_failures++;
        }
        printf("%s: %d results, %d failed; largest errors of the bounds: float %.2f, double %.2f; "
               "bits %016" PRIx64 "\n",
               (*table)->isa, n_checks, n_failures, worst_single, worst, bits);
        failures += n_failures;
    }
    return failures != 0;
}
