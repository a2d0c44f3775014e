/* Vector types of one precision and one instruction set, by GNU vector extensions.

   Included once for every (REAL, VBYTES) pair, so it has no include guard. GCC and Clang lower
   the same source to SSE2, AVX2, AVX-512 or NEON; no intrinsics, no -march. */

#define VL ((ptrdiff_t)(VBYTES / sizeof(REAL)))
#define vec FN(vec)
#define ivec FN(ivec)
#define uvec FN(uvec)
#define quad FN(quad)

typedef REAL vec __attribute__((vector_size(VBYTES)));
typedef INT ivec __attribute__((vector_size(VBYTES)));
/* The same vector at any address: rows of M and of the caller's arrays are not aligned. */
typedef REAL uvec __attribute__((vector_size(VBYTES), aligned(sizeof(REAL)), may_alias));
typedef REAL quad __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

static INLINE vec FN(load)(const REAL *p) { return *(const uvec *)p; }
static INLINE void FN(store)(REAL *p, vec x) { *(uvec *)p = x; }
static INLINE vec FN(splat)(REAL x) { return (vec){0} + x; }
static INLINE vec FN(select)(ivec mask, vec a, vec b)
{
    return (vec)(((ivec)a & mask) | ((ivec)b & ~mask));
}
static INLINE vec FN(max)(vec a, vec b) { return FN(select)(a > b, a, b); }
static INLINE vec FN(min)(vec a, vec b) { return FN(select)(a < b, a, b); }

/* Partial load and store of n < VL lanes; the rest are `fill`. */
static INLINE vec FN(load_part)(const REAL *p, ptrdiff_t n, REAL fill)
{
    REAL t[VBYTES / sizeof(REAL)];
    for (ptrdiff_t i = 0; i < VL; i++)
        t[i] = i < n ? p[i] : fill;
    return FN(load)(t);
}
static INLINE void FN(store_part)(REAL *p, vec x, ptrdiff_t n)
{
    REAL t[VBYTES / sizeof(REAL)];
    FN(store)(t, x);
    memcpy(p, t, (size_t)n * sizeof(REAL));
}
static INLINE vec FN(load_n)(const REAL *p, ptrdiff_t n, REAL fill)
{
    return n >= VL ? FN(load)(p) : FN(load_part)(p, n, fill);
}
static INLINE void FN(store_n)(REAL *p, vec x, ptrdiff_t n)
{
    if (n >= VL)
        FN(store)(p, x);
    else
        FN(store_part)(p, x, n);
}

/* Lane sums of four vectors at once: fold each to four lanes, then one 4 x 4 transposition. */
static INLINE quad FN(fold)(vec x)
{
    union {
        vec v;
        quad q[sizeof(vec) / sizeof(quad) ? sizeof(vec) / sizeof(quad) : 1];
    } u;
    u.v = x;
#if VBYTES / REAL_BYTES == 16
    return (u.q[0] + u.q[1]) + (u.q[2] + u.q[3]);
#elif VBYTES / REAL_BYTES == 8
    return u.q[0] + u.q[1];
#elif VBYTES / REAL_BYTES == 4
    return u.q[0];
#else /* two lanes: doubles of the baseline */
    return (quad){u.v[0], u.v[1], 0, 0};
#endif
}
/* Sum, and maximum, over the lanes of one vector. */
static INLINE REAL FN(hsum)(vec x)
{
    quad q = FN(fold)(x);
    return (q[0] + q[1]) + (q[2] + q[3]);
}
static INLINE REAL FN(hmax)(vec x)
{
    REAL t[VBYTES / sizeof(REAL)];
    FN(store)(t, x);
    for (ptrdiff_t w = VL / 2; w >= 1; w /= 2)
        for (ptrdiff_t i = 0; i < w; i++)
            t[i] = t[i] > t[i + w] ? t[i] : t[i + w];
    return t[0];
}
static INLINE quad FN(hsum4)(vec a, vec b, vec c, vec d)
{
    quad x = FN(fold)(a), y = FN(fold)(b), z = FN(fold)(c), w = FN(fold)(d);
    quad t0 = SHUFFLE(x, y, 0, 4, 1, 5), t1 = SHUFFLE(x, y, 2, 6, 3, 7);
    quad t2 = SHUFFLE(z, w, 0, 4, 1, 5), t3 = SHUFFLE(z, w, 2, 6, 3, 7);
    quad s0 = t0 + t1, s1 = t2 + t3; /* x0+x2 y0+y2 x1+x3 y1+y3 | z, w alike */
    return SHUFFLE(s0, s1, 0, 1, 4, 5) + SHUFFLE(s0, s1, 2, 3, 6, 7);
}
