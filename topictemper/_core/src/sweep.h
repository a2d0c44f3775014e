/* Sequential updates of Bernoulli factors, q(Z_nk) = Bernoulli(nu_kn), of a factorial mixture.

   Loops over LANES neighbours do the same to each, so that compilers turn them into vectors of
   whatever length the instruction set has, and an image has the same bits wherever it stands in
   its block. Blocks are fixed by the data, not by the number of threads. */
#ifndef TOPICTEMPER_SWEEP_H
#define TOPICTEMPER_SWEEP_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
/* Chosen when the library is loaded; elsewhere the compiler's baseline has to do. */
#define FOR_EVERY_ISA __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EVERY_ISA
#endif
#define INLINE inline __attribute__((always_inline))

/* exp(x) for x <= 0, without a branch: 2^k times the Taylor series on [-log 2 / 2, log 2 / 2]. */
static INLINE double exp_of_negative(double x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    double y = x > -708.0 ? x : -708.0;
    double t = y * 1.44269504088896340736 + magic, k = t - magic, p, power;
    double r = y - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    int64_t bits;
    p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    memcpy(&bits, &t, sizeof bits);
    bits = (int64_t)((uint64_t)(bits + 1023) << 52); /* the low bits of t are those of k */
    memcpy(&power, &bits, sizeof power);
    return x > -708.0 ? p * power : 0.0;
}

/* nu = 1 / (1 + exp(-logit)). Its entropy is log(1 + exp(-|logit|)) + |logit| min(nu, 1 - nu): of the
   first term the factor goes into `product`, so that many share one logarithm. */
static INLINE double bernoulli(double logit, double *product, double *rest)
{
    double size = fabs(logit), e = exp_of_negative(-size), near = 1.0 / (1.0 + e), far = e * near;
    *product *= 1.0 + e;
    *rest += size * far;
    return logit < 0 ? far : near;
}
#define SHARERS 512 /* factors are at most 2: so many cannot overflow */

/* Sums over l in [from, to) of g[l] nu[l][.]. */
static INLINE void others(const double *g, const double *nu, ptrdiff_t from, ptrdiff_t to,
                          double *restrict sum)
{
    ptrdiff_t l = from;
    for (ptrdiff_t i = 0; i < LANES; i++)
        sum[i] = 0;
    for (; l + 4 <= to; l += 4) {
        const double *x = nu + l * LANES;
        for (ptrdiff_t i = 0; i < LANES; i++)
            sum[i] += (g[l] * x[i] + g[l + 1] * x[i + LANES])
                      + (g[l + 2] * x[i + 2 * LANES] + g[l + 3] * x[i + 3 * LANES]);
    }
    for (; l < to; l++)
        for (ptrdiff_t i = 0; i < LANES; i++)
            sum[i] += g[l] * nu[l * LANES + i];
}

/* Ask for the next images: rows of K far apart, of which none is read for long. */
static INLINE void fetch(const double *rows, int64_t n_images, int64_t n_components, int64_t first)
{
    for (int64_t k = 0; k < n_components; k++)
        for (int64_t i = first; i < first + LANES && i < n_images; i += 8)
            __builtin_prefetch(rows + k * n_images + i);
}

/* All images share one Gram matrix: LANES images at a time. */
FOR_EVERY_ISA
static int sweep_shared(int64_t n_images, int64_t n_components, const double *projections,
                        const double *gram, const double *bias, const double *s, double precision,
                        int64_t n_sweeps, double *nu, double *energy, double *entropy,
                        int64_t *ticket)
{
    double *tile = malloc((size_t)n_components * LANES * sizeof(double));
    if (!tile)
        return -1;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * LANES;
        ptrdiff_t n = n_images - first < LANES ? (ptrdiff_t)(n_images - first) : LANES;
        double b[LANES] = {0}, c[LANES], x[LANES] = {0}, below[LANES], above[LANES];
        double energies[LANES], entropies[LANES], products[LANES];
        if (n <= 0)
            break;
        fetch(projections, n_images, n_components, first + LANES);
        fetch(nu, n_images, n_components, first + LANES);
        memcpy(b, s + first, (size_t)n * sizeof(double));
        memset(tile, 0, (size_t)n_components * LANES * sizeof(double));
        for (ptrdiff_t k = 0; k < n_components; k++)
            memcpy(tile + k * LANES, nu + k * n_images + first, (size_t)n * sizeof(double));
        for (int64_t sweep = 0; sweep < n_sweeps; sweep++) {
            memset(energies, 0, sizeof energies);
            memset(entropies, 0, sizeof entropies);
            for (ptrdiff_t i = 0; i < LANES; i++)
                products[i] = 1;
            for (ptrdiff_t k = 0; k < n_components; k++) {
                const double *g = gram + k * n_components;
                double *nu_k = tile + k * LANES;
                memcpy(x, projections + k * n_images + first, (size_t)n * sizeof(double));
                others(g, tile, 0, k, below);
                others(g, tile, k + 1, n_components, above);
                for (ptrdiff_t i = 0; i < LANES; i++)
                    c[i] = bias[k] + precision * (x[i] - below[i]);
                for (ptrdiff_t i = 0; i < LANES; i++)
                    nu_k[i] = bernoulli(b[i] * (c[i] - precision * above[i]), products + i,
                                        entropies + i);
                /* Pairs are counted with the later of the two, when both are new. */
                for (ptrdiff_t i = 0; i < LANES; i++)
                    energies[i] += nu_k[i] * c[i];
                if ((k + 1) % SHARERS && k + 1 < n_components)
                    continue;
                for (ptrdiff_t i = 0; i < LANES; i++) {
                    entropies[i] += log(products[i]);
                    products[i] = 1;
                }
            }
        }
        for (ptrdiff_t k = 0; k < n_components; k++)
            memcpy(nu + k * n_images + first, tile + k * LANES, (size_t)n * sizeof(double));
        memcpy(energy + first, energies, (size_t)n * sizeof(double));
        memcpy(entropy + first, entropies, (size_t)n * sizeof(double));
    }
    free(tile);
    return 0;
}

/* Every image has the Gram matrix of the pixels that it shows: one image at a time. */
FOR_EVERY_ISA
static int sweep_own(int64_t n_images, int64_t n_components, const double *projections,
                     const double *gram, const double *bias, const int64_t *pattern,
                     const double *s, double precision, int64_t n_sweeps, double *nu,
                     double *energy, double *entropy, int64_t *ticket)
{
    const ptrdiff_t K = n_components;
    double *memory = malloc(2 * (size_t)K * sizeof(double)), *own = memory, *fit = memory + K;
    if (!memory)
        return -1;
    for (;;) {
        int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * LANES;
        int64_t last = first + LANES < n_images ? first + LANES : n_images;
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
                    double new_nu = bernoulli(s[n] * (c - precision * rest), &product, &entropy_n);
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

#endif
