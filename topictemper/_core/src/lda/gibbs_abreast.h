/* Gibbs sampling of documents abreast: every lane of the vectors is a document of its own.

   A document has slots for the topics that matter in it. All lanes draw for their next token at
   once: sums over slots run down the registers, without branches. What is left of the prior,
   alpha_k B_vk of the topics without a slot, is one more weight; a draw that hits it, which is
   rare, looks the topic up among all, and the topic gets a slot. So nothing is left out.

   A lane is not influenced by the others: what they have more of is 0 in its sums. */

#define FIRST_SLOTS 32 /* so many are kept though they may be empty */
#define FIRST_CAPACITY 40
#define MOST_SLOTS 64 /* a document that needs more is `crowded` */
#define abreast FN(abreast)
#define lanes_of_words FN(lanes_of_words)
typedef uint64_t lanes_of_words __attribute__((vector_size(8 * VBYTES / REAL_BYTES)));

/* Tables of vectors: `size[i * VL + l]` is that of the token i of the lane l. */
typedef struct {
    REAL *B;           /* (token, slot up to `capacity`): the topic's B of the token's word */
    REAL *size;        /* (token,): the share of the count of its word, 0 behind the last */
    REAL *prior;       /* (token,): sum of alpha_k B_vk over all topics */
    REAL *uniform;     /* (token,): of [0, 1), for the sweep */
    INT *slot;         /* (token,), -1: none yet */
    REAL *N, *alpha;   /* (slot,) */
    REAL *sum, *up_to; /* (slot,): N over sweeps, sums over the slots up to this */
    int32_t *topic;    /* (lane, slot up to MOST_SLOTS) */
    int32_t *word;     /* (lane, token up to `stride`): row of the batch */
    ptrdiff_t capacity, room, stride; /* slots in the block, and allocated; tokens of a lane */
    ptrdiff_t longest, n_slots;       /* the most of any lane */
    ptrdiff_t n_tokens[VBYTES / sizeof(REAL)], used[VBYTES / sizeof(REAL)]; /* of each lane */
    int64_t document[VBYTES / sizeof(REAL)];
    uint64_t key[VBYTES / sizeof(REAL)];
    void *memory, *block;
} abreast;

static REAL *FN(aligned)(void *memory)
{
    return (REAL *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}

static int FN(make_abreast)(abreast *z, ptrdiff_t tokens)
{
    /* Of a token as of a slot: four vectors, and a number for each lane. */
    const size_t of_each = 4 * VBYTES + (size_t)VL * sizeof(int32_t);
    z->room = FIRST_CAPACITY;
    z->stride = tokens;
    z->block = malloc((size_t)(tokens * z->room) * VBYTES + 64);
    z->memory = malloc((size_t)(tokens + MOST_SLOTS) * of_each + 64);
    if (!z->memory || !z->block)
        return -1;
    z->B = FN(aligned)(z->block);
    z->size = FN(aligned)(z->memory);
    z->prior = z->size + tokens * VL;
    z->uniform = z->prior + tokens * VL;
    z->slot = (INT *)(z->uniform + tokens * VL);
    z->N = (REAL *)(z->slot + tokens * VL);
    z->alpha = z->N + MOST_SLOTS * VL;
    z->sum = z->alpha + MOST_SLOTS * VL;
    z->up_to = z->sum + MOST_SLOTS * VL;
    z->topic = (int32_t *)(z->up_to + MOST_SLOTS * VL);
    z->word = z->topic + MOST_SLOTS * VL;
    return 0;
}

static INLINE ivec FN(load_int)(const INT *p)
{
    ivec x;
    memcpy(&x, p, sizeof x);
    return x;
}
static INLINE void FN(store_int)(INT *p, ivec x) { memcpy(p, &x, sizeof x); }
static INLINE int FN(any)(ivec mask)
{
    uint64_t part[VBYTES / 8], all = 0;
    memcpy(part, &mask, sizeof part);
    for (size_t i = 0; i < VBYTES / 8; i++)
        all |= part[i];
    return all != 0;
}

/* Uniforms of the draws of a sweep; that from the prior is the number 0. */
static INLINE void FN(fill_uniform)(abreast *z, ptrdiff_t number)
{
    lanes_of_words state;
    for (ptrdiff_t l = 0; l < VL; l++)
        state[l] = z->key[l] + (uint64_t)(number * z->n_tokens[l]) * GOLDEN;
    for (ptrdiff_t i = 0; i < z->longest; i++) {
        lanes_of_words x = state += GOLDEN;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x = (x ^ (x >> 31)) >> (64 - UNIFORM_BITS);
        FN(store)(z->uniform + i * VL,
                  __builtin_convertvector(__builtin_convertvector(x, ivec), vec)
                      / (REAL)((int64_t)1 << UNIFORM_BITS));
    }
}

/* Room for one more slot in the block. */
static int FN(widen)(abreast *z)
{
    const ptrdiff_t before = z->capacity, after = before * 2 < MOST_SLOTS ? before * 2 : MOST_SLOTS;
    if (after > z->room) {
        void *block = malloc((size_t)(z->stride * after) * VBYTES + 64);
        if (!block)
            return -1;
        memcpy(FN(aligned)(block), z->B, (size_t)(z->longest * before) * VBYTES);
        free(z->block);
        z->block = block;
        z->B = FN(aligned)(block);
        z->room = after;
    }
    for (ptrdiff_t i = z->longest - 1; i > 0; i--)
        memmove(z->B + i * after * VL, z->B + i * before * VL, (size_t)before * VBYTES);
    z->capacity = after;
    return 0;
}

/* Draws for the token i of every lane. A token that has hit the rest is in no slot, and its lane is
   marked in the mask that is returned, and in `rests` stands where. */
static INLINE ivec FN(draw_abreast)(abreast *z, ptrdiff_t i, REAL *rests)
{
    const ptrdiff_t n = z->n_slots;
    const REAL *B = z->B + i * z->capacity * VL;
    const vec size = FN(load)(z->size + i * VL);
    const ivec old = FN(load_int)(z->slot + i * VL);
    ivec j_all = {0}, k = (ivec){0} + (INT)n, before = {0};
    vec sum = {0}, inside = {0}, u;
    for (ptrdiff_t j = 0; j < n; j++, j_all += 1) {
        const vec alpha = FN(load)(z->alpha + j * VL), b = FN(load)(B + j * VL);
        const vec N = FN(load)(z->N + j * VL) - (vec)((ivec)size & (old == j_all));
        sum += (alpha + N) * b;
        inside += alpha * b;
        FN(store)(z->N + j * VL, N);
        FN(store)(z->up_to + j * VL, sum);
        __builtin_prefetch(B + (z->capacity + j) * VL);
    }
    inside = FN(max)(FN(load)(z->prior + i * VL) - inside, (vec){0});
    u = FN(load)(z->uniform + i * VL) * (sum + inside);
    for (ptrdiff_t j = 0; j < n; j++) {
        const ivec over = FN(load)(z->up_to + j * VL) > u;
        const vec more = (vec)((ivec)size & over & ~before);
        FN(store)(z->N + j * VL, FN(load)(z->N + j * VL) + more);
        k += over;
        before = over;
    }
    FN(store_int)(z->slot + i * VL, k);
    FN(store)(rests, u - sum);
    return (k == (INT)n) & (size > 0);
}

/* The topic without a slot at u, where their alpha_k B_vk lie one after another; -1 if rounding
   alone has led here. `taken` is over blocks, and 0. */
static ptrdiff_t FN(outside)(const abreast *z, const documents *p, ptrdiff_t i, ptrdiff_t l,
                             REAL u, REAL *taken)
{
    const ptrdiff_t padded = (ptrdiff_t)p->padded, n_blocks = padded / TOPIC_PADDING;
    const int32_t word = z->word[l * z->stride + i];
    const REAL *row = (const REAL *)p->B + word * padded, *alpha = p->alpha;
    const REAL *prior = (const REAL *)p->prior + word * n_blocks;
    ptrdiff_t last = -1, found = -1;
    for (ptrdiff_t j = 0; j < z->used[l]; j++) {
        const ptrdiff_t k = z->topic[l * MOST_SLOTS + j];
        taken[k / TOPIC_PADDING]
            += z->alpha[j * VL + l] * z->B[(i * z->capacity + j) * VL + l];
    }
    for (ptrdiff_t b = 0; b < n_blocks && found < 0; b++) {
        const REAL mass = prior[b] - (b ? prior[b - 1] : 0) - taken[b];
        uint32_t slots = 0;
        if (u >= mass) {
            u -= mass;
            continue;
        }
        for (ptrdiff_t j = 0; j < z->used[l]; j++) {
            const ptrdiff_t k = z->topic[l * MOST_SLOTS + j];
            slots |= k / TOPIC_PADDING == b ? 1u << k % TOPIC_PADDING : 0;
        }
        for (ptrdiff_t k = b * TOPIC_PADDING;
             k < (b + 1) * TOPIC_PADDING && k < p->n_topics && found < 0; k++) {
            const REAL x = slots >> k % TOPIC_PADDING & 1 ? 0 : alpha[k] * row[k];
            last = x > 0 ? k : last;
            u -= x;
            found = u < 0 && x > 0 ? k : -1;
        }
    }
    for (ptrdiff_t j = 0; j < z->used[l]; j++)
        taken[z->topic[l * MOST_SLOTS + j] / TOPIC_PADDING] = 0;
    return found < 0 ? last : found;
}

/* A slot for the topic k: the last one without tokens once there are FIRST_SLOTS, else a new one;
   -1 if there are too many. What the topic that was there before has, goes to `sum`. */
static ptrdiff_t FN(make_room)(abreast *z, ptrdiff_t l, REAL *sum)
{
    if (z->used[l] < FIRST_SLOTS)
        return z->used[l]++;
    for (ptrdiff_t j = z->used[l] - 1; j >= 0; j--)
        if (z->N[j * VL + l] == 0) {
            sum[z->topic[l * MOST_SLOTS + j]] += z->sum[j * VL + l];
            return j;
        }
    return z->used[l] < MOST_SLOTS ? z->used[l]++ : -1;
}

/* Puts the topic k into the slot j of a lane, in the place of what was there. */
static void FN(admit)(abreast *z, const documents *p, ptrdiff_t l, ptrdiff_t j, ptrdiff_t k)
{
    const REAL *B = p->B, *alpha = p->alpha;
    const ptrdiff_t padded = (ptrdiff_t)p->padded;
    const int32_t *word = z->word + l * z->stride;
    if (j == z->n_slots) {
        z->n_slots++;
        for (ptrdiff_t i = 0; i < z->longest; i++)
            FN(store)(z->B + (i * z->capacity + j) * VL, (vec){0});
        FN(store)(z->N + j * VL, (vec){0});
        FN(store)(z->alpha + j * VL, (vec){0});
        FN(store)(z->sum + j * VL, (vec){0});
    }
    for (ptrdiff_t i = 0; i < z->n_tokens[l]; i++)
        z->B[(i * z->capacity + j) * VL + l] = B[word[i] * padded + k];
    z->N[j * VL + l] = z->sum[j * VL + l] = 0;
    z->alpha[j * VL + l] = alpha[k];
    z->topic[l * MOST_SLOTS + j] = (int32_t)k;
}
