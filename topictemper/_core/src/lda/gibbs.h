/* Topics of tokens by collapsed Gibbs sampling at fixed topics.

   Random numbers depend on the key of the document and on the number of the draw alone, not on the
   thread or on other documents. The order in which a draw visits topics is the same for all
   instruction sets. */

#define MOST_TOKENS 64 /* of a word in a document; more of them share one draw */
#define FINEST 256 /* or more tokens of a long document: a draw is for such a part of it */
#define MOST_ABREAST 4096 /* tokens of a document */
#if REAL_BYTES == 4
#define UNIFORM_BITS 24
#else
#define UNIFORM_BITS 53
#endif

/* In [0, 1). */
static INLINE REAL FN(uniform)(stream *random)
{
    const int64_t bits = (int64_t)(next_word(random) >> (64 - UNIFORM_BITS));
    return (REAL)bits / (REAL)((int64_t)1 << UNIFORM_BITS);
}

/* The largest part of a count: a token, or more in a long document. */
static INLINE double FN(largest_part)(const documents *p, int64_t d)
{
    double total = 0;
    for (int64_t v = p->doc_ptr[d]; v < p->doc_ptr[d + 1]; v++)
        total += (double)((const REAL *)p->counts)[v];
    return total > FINEST ? total / FINEST : 1;
}
/* Parts that a count is split into. */
static INLINE ptrdiff_t FN(parts)(REAL count, double largest)
{
    const double wanted = ceil((double)count / largest);
    return wanted < MOST_TOKENS ? (ptrdiff_t)wanted : MOST_TOKENS;
}

#include "gibbs_crowded.h"
#include "gibbs_abreast.h"
#include "gibbs_own.h"

/* A thread's memory. */
#define sampler FN(sampler)
typedef struct {
    crowded one;
    abreast many;
    REAL *N, *taken;      /* over topics and over blocks of them; 0 between draws */
    REAL *left;           /* of the draw of a token */
    REAL *own;            /* room for `without_own` */
    int32_t *start, *met; /* topics that tokens start with, topics in the order they were met */
    int32_t *slot_of;     /* of a topic, else -1 */
    int32_t *order;       /* documents, those with most tokens first */
    ptrdiff_t most, most_abreast; /* tokens */
} sampler;

static INLINE ptrdiff_t FN(tokens)(const documents *p, int64_t d)
{
    const double largest = FN(largest_part)(p, d);
    ptrdiff_t n = 0;
    for (int64_t v = p->doc_ptr[d]; v < p->doc_ptr[d + 1]; v++)
        n += FN(parts)(((const REAL *)p->counts)[v], largest);
    return n;
}

/* Sizes of tokens are multiples of a unit, such that sums of them have no rounding. */
static INLINE REAL FN(unit)(const documents *p, int64_t d)
{
    REAL total = 1;
    for (int64_t v = p->doc_ptr[d]; v < p->doc_ptr[d + 1]; v++)
        total += ((const REAL *)p->counts)[v];
    return (REAL)ldexp(1, ilogb((double)total) + 2 - UNIFORM_BITS);
}

/* Documents of about as many tokens go abreast; sorted by counting. */
static int FN(sort_documents)(sampler *z, const documents *p)
{
    ptrdiff_t *n = malloc((size_t)(p->n_docs + 1) * sizeof *n);
    ptrdiff_t first[MOST_ABREAST + 2] = {0}, sum = 0;
    z->order = malloc((size_t)(p->n_docs + 1) * sizeof *z->order);
    z->most = z->most_abreast = 1;
    if (!n || !z->order) {
        free(n);
        return -1;
    }
    for (ptrdiff_t d = 0; d < p->n_docs; d++) {
        n[d] = FN(tokens)(p, d);
        z->most = n[d] > z->most ? n[d] : z->most;
        n[d] = n[d] > MOST_ABREAST ? MOST_ABREAST + 1 : n[d];
        z->most_abreast
            = n[d] <= MOST_ABREAST && n[d] > z->most_abreast ? n[d] : z->most_abreast;
        first[n[d]]++;
    }
    for (ptrdiff_t i = MOST_ABREAST + 1; i >= 0; i--) {
        const ptrdiff_t here = first[i];
        first[i] = sum;
        sum += here;
    }
    for (ptrdiff_t d = 0; d < p->n_docs; d++)
        z->order[first[n[d]]++] = (int32_t)d;
    free(n);
    return 0;
}

static void FN(free_sampler)(sampler *z)
{
    free(z->one.memory);
    free(z->many.memory);
    free(z->many.block);
    free(z->order);
    free(z->N);
    free(z->own);
    free(z->start);
}

static int FN(make_sampler)(sampler *z, const documents *p)
{
    const ptrdiff_t padded = (ptrdiff_t)p->padded;
    memset(z, 0, sizeof *z);
    if (FN(sort_documents)(z, p) || FN(make_crowded)(&z->one, z->most, padded)
        || FN(make_abreast)(&z->many, z->most_abreast))
        return -1;
    z->N = calloc((size_t)(padded + padded / TOPIC_PADDING + z->most), sizeof(REAL));
    z->own = malloc((size_t)padded * (VBYTES + sizeof(REAL)));
    z->start = malloc((size_t)(2 * z->most + padded) * sizeof(int32_t));
    if (!z->N || !z->own || !z->start)
        return -1;
    z->taken = z->N + padded;
    z->left = z->taken + padded / TOPIC_PADDING;
    z->met = z->start + z->most;
    z->slot_of = z->met + z->most;
    for (ptrdiff_t k = 0; k < padded; k++) {
        z->one.alpha[k] = k < p->n_topics ? ((const REAL *)p->alpha)[k] : 0;
        z->slot_of[k] = -1;
    }
    return 0;
}

/* Splits a document into tokens, and draws each from the prior, in proportion to alpha B: drawn
   given each other, all would follow the first few. No branches: they could not be foreseen. Sizes
   are written `stride` apart. */
static ptrdiff_t FN(start)(sampler *z, const documents *p, int64_t d, uint64_t key, int32_t *word,
                           REAL *size, ptrdiff_t stride)
{
    const ptrdiff_t padded = (ptrdiff_t)p->padded, n_blocks = padded / TOPIC_PADDING;
    const REAL unit = FN(unit)(p, d);
    const double largest = FN(largest_part)(p, d);
    stream random = {key, 0};
    ptrdiff_t n = 0;
    for (int64_t v = p->doc_ptr[d]; v < p->doc_ptr[d + 1]; v++) {
        const REAL *prior = (const REAL *)p->prior + p->word_of[v] * n_blocks;
        const REAL count = ((const REAL *)p->counts)[v];
        const ptrdiff_t parts = FN(parts)(count, largest);
        const REAL units = (REAL)rint((double)(count / (REAL)parts / unit));
        for (ptrdiff_t j = 0; j < parts; j++, n++) {
            const REAL u = FN(uniform)(&random) * prior[n_blocks - 1];
            int32_t block = 0;
            for (ptrdiff_t b = 0; b < n_blocks - 1; b++)
                block += prior[b] <= u;
            z->start[n] = block * TOPIC_PADDING;
            z->left[n] = u - (block ? prior[block - 1] : 0);
            word[n] = p->word_of[v];
            size[n * stride] = (units > 1 ? units : 1) * unit;
            __builtin_prefetch((const REAL *)p->B + word[n] * padded + z->start[n]);
        }
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL *row = (const REAL *)p->B + word[i] * padded + z->start[i];
        const REAL *alpha = z->one.alpha + z->start[i];
        const REAL u = z->left[i];
        REAL sum = 0;
        int32_t k = z->start[i];
        for (ptrdiff_t j = 0; j < TOPIC_PADDING - 1; j++) {
            sum += alpha[j] * row[j];
            k += sum <= u;
        }
        z->start[i] = k < p->n_topics ? k : (int32_t)p->n_topics - 1; /* rounding */
    }
    return n;
}

/* Gives a lane its document: slots for the topics that most tokens start with. Other tokens are
   without a topic until they are drawn. */
static void FN(seat)(sampler *z, const documents *p, ptrdiff_t l, int64_t d, uint64_t key)
{
    abreast *many = &z->many;
    const ptrdiff_t n = FN(start)(z, p, d, key, many->word + l * many->stride, many->size + l, VL);
    ptrdiff_t n_met = 0, used = 0;
    int32_t best[FIRST_SLOTS + 1];
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t k = z->start[i];
        z->met[n_met] = k;
        n_met += z->N[k] == 0;
        z->N[k] += many->size[i * VL + l];
    }
    for (ptrdiff_t i = 0; i < n_met; i++) {
        const int32_t k = z->met[i];
        ptrdiff_t j = used;
        if (used == FIRST_SLOTS && z->N[k] <= z->N[best[used - 1]])
            continue;
        for (; j > 0 && z->N[k] > z->N[best[j - 1]]; j--)
            best[j] = best[j - 1];
        best[j] = k;
        used += used < FIRST_SLOTS;
    }
    for (ptrdiff_t j = 0; j < used; j++) {
        z->slot_of[best[j]] = (int32_t)j;
        many->topic[l * MOST_SLOTS + j] = best[j];
        many->alpha[j * VL + l] = z->one.alpha[best[j]];
        many->N[j * VL + l] = z->N[best[j]];
    }
    for (ptrdiff_t i = 0; i < n; i++)
        many->slot[i * VL + l] = z->slot_of[z->start[i]];
    for (ptrdiff_t i = 0; i < n_met; i++) {
        z->slot_of[z->met[i]] = -1;
        z->N[z->met[i]] = 0;
    }
    many->document[l] = d;
    many->key[l] = key;
    many->used[l] = used;
    many->n_tokens[l] = n;
    many->n_slots = used > many->n_slots ? used : many->n_slots;
    many->longest = n > many->longest ? n : many->longest;
}

/* B of the slots, and the prior of each token. */
static void FN(fill_block)(abreast *z, const documents *p)
{
    const ptrdiff_t padded = (ptrdiff_t)p->padded, n_blocks = padded / TOPIC_PADDING;
    const REAL *B = p->B, *prior = p->prior;
    for (ptrdiff_t l = 0; l < VL; l++) {
        for (ptrdiff_t i = z->n_tokens[l]; i < z->longest; i++) {
            z->size[i * VL + l] = 0;
            z->slot[i * VL + l] = z->word[l * z->stride + i] = 0;
        }
        for (ptrdiff_t j = z->used[l]; j < z->n_slots; j++) {
            z->alpha[j * VL + l] = z->N[j * VL + l] = 0;
            z->topic[l * MOST_SLOTS + j] = 0;
        }
    }
    for (ptrdiff_t i = 0; i < z->longest; i++) {
        const REAL *row[VBYTES / sizeof(REAL)];
        for (ptrdiff_t l = 0; l < VL; l++) {
            const ptrdiff_t word = z->word[l * z->stride + i];
            row[l] = B + word * padded;
            z->prior[i * VL + l] = prior[(word + 1) * n_blocks - 1];
        }
        for (ptrdiff_t l = 0; l < VL; l++) {
            const int32_t *topic = z->topic + l * MOST_SLOTS;
            REAL *out = z->B + i * z->capacity * VL + l;
            for (ptrdiff_t j = 0; j < z->n_slots; j++)
                out[j * VL] = row[l][topic[j]];
        }
    }
    memset(z->sum, 0, (size_t)z->n_slots * VBYTES);
}

/* Outputs of a document whose sums of N over sweeps are in the place of its gamma. */
static void FN(finish)(const documents *p, int64_t d, const REAL *alpha, REAL n_kept, REAL *own)
{
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics, padded = (ptrdiff_t)p->padded;
    REAL *gamma = (REAL *)p->gamma + d * n_topics, *ratio = p->ratio, *weights;
    int32_t *topics = p->weights ? p->topics + d * n_topics : NULL;
    ptrdiff_t n = 0;
    for (ptrdiff_t k = 0; topics && k < n_topics; k++) {
        topics[n] = (int32_t)k; /* no branch; there is room, as n <= k */
        n += gamma[k] > 0;
    }
    for (ptrdiff_t k = 0; k < n_topics; k++)
        gamma[k] = alpha[k] + gamma[k] / n_kept;
    if (!topics)
        return;
    p->n_active[d] = (int32_t)n;
    weights = (REAL *)p->weights + d * padded;
    memset(weights, 0, (size_t)padded * sizeof(REAL));
    for (ptrdiff_t j = 0; j < n; j++)
        weights[topics[j]] = gamma[topics[j]];
    if (p->own) {
        FN(without_own)(p, d, n, own);
        return;
    }
    for (int64_t v = p->doc_ptr[d]; v < p->doc_ptr[d + 1]; v++) {
        const REAL *row = (const REAL *)p->B + p->word_of[v] * padded;
        REAL sum[4] = {0}; /* four, for their latency */
        ptrdiff_t j = 0;
        for (; j + 4 <= n; j += 4)
            for (ptrdiff_t i = 0; i < 4; i++)
                sum[i] += weights[topics[j + i]] * row[topics[j + i]];
        for (; j < n; j++)
            sum[0] += weights[topics[j]] * row[topics[j]];
        ratio[v] = ((const REAL *)p->counts)[v] / ((sum[0] + sum[1]) + (sum[2] + sum[3]) + TINY);
    }
}

/* A document by itself, over all topics, from the token `first` of a sweep on. */
static void FN(go_on)(sampler *z, const documents *p, const sampling_problem *problem, int64_t d,
                      uint64_t key, ptrdiff_t n_tokens, ptrdiff_t sweep, ptrdiff_t first)
{
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics;
    FN(sample_crowded)(&z->one, n_topics, (ptrdiff_t)p->padded, n_tokens, sweep, first, problem,
                       key, (REAL *)p->gamma + d * n_topics);
    if (p->drawn)
        memcpy((REAL *)p->drawn + d * n_topics, z->one.N, (size_t)n_topics * sizeof(REAL));
    FN(finish)(p, d, z->one.alpha, (REAL)problem->n_kept, z->own);
}
static void FN(sample_alone)(sampler *z, const documents *p, const sampling_problem *problem,
                             int64_t d)
{
    const ptrdiff_t n = FN(start)(z, p, d, problem->keys[d], z->met, z->one.size, 1);
    for (ptrdiff_t i = 0; i < n; i++) {
        z->one.row[i] = (const REAL *)p->B + z->met[i] * (ptrdiff_t)p->padded;
        z->one.topic[i] = z->start[i];
    }
    FN(go_on)(z, p, problem, d, problem->keys[d], n, 0, 0);
}

/* The tokens of a lane have as many topics as there are slots, and one more, which token i drew. */
static void FN(leave)(sampler *z, const documents *p, const sampling_problem *problem, ptrdiff_t l,
                      ptrdiff_t sweep, ptrdiff_t i, ptrdiff_t topic)
{
    abreast *many = &z->many;
    const int64_t d = many->document[l];
    REAL *sum = (REAL *)p->gamma + d * p->n_topics;
    for (ptrdiff_t j = 0; j < many->used[l]; j++)
        sum[many->topic[l * MOST_SLOTS + j]] += many->sum[j * VL + l];
    for (ptrdiff_t t = 0; t < many->n_tokens[l]; t++) {
        const ptrdiff_t word = many->word[l * many->stride + t];
        const INT slot = many->slot[t * VL + l];
        z->one.row[t] = (const REAL *)p->B + word * (ptrdiff_t)p->padded;
        z->one.size[t] = many->size[t * VL + l];
        z->one.topic[t] = slot < 0 || t == i ? -1 : many->topic[l * MOST_SLOTS + slot];
        many->size[t * VL + l] = 0;
    }
    z->one.topic[i] = (int32_t)topic;
    FN(go_on)(z, p, problem, d, many->key[l], many->n_tokens[l], sweep, i + 1);
    many->document[l] = -1;
}

/* The token i of a lane has hit what the slots leave. */
static int FN(admit_topic)(sampler *z, const documents *p, const sampling_problem *problem,
                           ptrdiff_t l, ptrdiff_t sweep, ptrdiff_t i, INT old, REAL u)
{
    abreast *many = &z->many;
    const ptrdiff_t k = FN(outside)(many, p, i, l, u, z->taken);
    ptrdiff_t j = old < 0 ? 0 : old;
    if (k >= 0) {
        j = FN(make_room)(many, l, (REAL *)p->gamma + many->document[l] * p->n_topics);
        if (j < 0) {
            FN(leave)(z, p, problem, l, sweep, i, k);
            return 0;
        }
        if (j == many->capacity && FN(widen)(many))
            return -1;
        FN(admit)(many, p, l, j, k);
    }
    many->slot[i * VL + l] = (INT)j;
    many->N[j * VL + l] += many->size[i * VL + l];
    return 0;
}

static int FN(sample_abreast)(sampler *z, const documents *p, const sampling_problem *problem)
{
    abreast *many = &z->many;
    for (ptrdiff_t sweep = 0; sweep < problem->n_burn_in + problem->n_kept; sweep++) {
        FN(fill_uniform)(many, sweep + 1);
        for (ptrdiff_t i = 0; i < many->longest; i++) {
            INT old[VBYTES / sizeof(REAL)], hit[VBYTES / sizeof(REAL)];
            ptrdiff_t hit_lanes[VBYTES / sizeof(REAL)], n = 0;
            REAL rests[VBYTES / sizeof(REAL)];
            ivec hits;
            memcpy(old, many->slot + i * VL, sizeof old);
            hits = FN(draw_abreast)(many, i, rests);
            if (!FN(any)(hits))
                continue;
            FN(store_int)(hit, hits);
            for (ptrdiff_t l = 0; l < VL; l++) {
                hit_lanes[n] = l;
                n += hit[l] != 0;
            }
            for (ptrdiff_t j = 0; j < n; j++) {
                const ptrdiff_t l = hit_lanes[j];
                if (FN(admit_topic)(z, p, problem, l, sweep, i, old[l], rests[l]))
                    return -1;
            }
        }
        for (ptrdiff_t j = 0; sweep >= problem->n_burn_in && j < many->n_slots; j++)
            FN(store)(many->sum + j * VL,
                      FN(load)(many->sum + j * VL) + FN(load)(many->N + j * VL));
    }
    for (ptrdiff_t l = 0; l < VL; l++) {
        const int64_t d = many->document[l];
        if (d < 0)
            continue;
        for (ptrdiff_t j = 0; j < many->used[l]; j++) {
            const ptrdiff_t place = d * p->n_topics + many->topic[l * MOST_SLOTS + j];
            ((REAL *)p->gamma)[place] += many->sum[j * VL + l];
            if (p->drawn)
                ((REAL *)p->drawn)[place] = many->N[j * VL + l];
        }
        FN(finish)(p, d, z->one.alpha, (REAL)problem->n_kept, z->own);
    }
    return 0;
}

static int FN(sample)(const void *given, int64_t *ticket)
{
    const sampling_problem *problem = given;
    const documents *p = problem->documents;
    const ptrdiff_t n_topics = (ptrdiff_t)p->n_topics;
    sampler z;
    int failed = FN(make_sampler)(&z, p);
    while (!failed) {
        const int64_t first = __atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) * VL;
        if (first >= p->n_docs)
            break;
        z.many.longest = z.many.n_slots = 0;
        z.many.capacity = FIRST_CAPACITY;
        for (ptrdiff_t l = 0; l < VL; l++) {
            const int64_t d = first + l < p->n_docs ? z.order[first + l] : -1;
            z.many.document[l] = -1;
            z.many.key[l] = 0;
            z.many.n_tokens[l] = z.many.used[l] = 0;
            if (d < 0)
                continue;
            memset((REAL *)p->gamma + d * n_topics, 0, (size_t)n_topics * sizeof(REAL));
            if (p->drawn)
                memset((REAL *)p->drawn + d * n_topics, 0, (size_t)n_topics * sizeof(REAL));
            if (FN(tokens)(p, d) > MOST_ABREAST)
                FN(sample_alone)(&z, p, problem, d);
            else
                FN(seat)(&z, p, l, d, problem->keys[d]);
        }
        FN(fill_block)(&z.many, p);
        failed = FN(sample_abreast)(&z, p, problem);
    }
    FN(free_sampler)(&z);
    return failed;
}
