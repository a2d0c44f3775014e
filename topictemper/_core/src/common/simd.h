/* Vector types of one precision and one instruction set, by GNU vector extensions.

   Included once for every (REAL, VBYTES) pair, so it has no include guard. GCC and Clang lower
   the same source to SSE2, AVX2, AVX-512 or NEON; no intrinsics, no -march. */

#define VL ((ptrdiff_t)(VBYTES / sizeof(REAL)))
#define vec FN(vec)
#define ivec FN(ivec)
#define uvec FN(uvec)
#define quad FN(quad)
#define octet FN(octet)

typedef REAL vec __attribute__((vector_size(VBYTES)));
typedef INT ivec __attribute__((vector_size(VBYTES)));
/* The same vector at any address: rows of M and of the caller's arrays are not aligned. */
typedef REAL uvec __attribute__((vector_size(VBYTES), aligned(sizeof(REAL)), may_alias));
typedef REAL octet __attribute__((vector_size(8 * sizeof(REAL)), aligned(sizeof(REAL))));
typedef REAL quad __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

/* Half as many numbers, or as many, if they are double; in double precision. */
#define DL ((ptrdiff_t)(VBYTES / sizeof(double)))
#define dvec FN(dvec)
#define half FN(half)
typedef double dvec __attribute__((vector_size(VBYTES)));
typedef REAL half
    __attribute__((vector_size(VBYTES / 8 * REAL_BYTES), aligned(sizeof(REAL)), may_alias));
static INLINE dvec FN(load_double)(const REAL *p)
{
    return __builtin_convertvector(*(const half *)p, dvec);
}

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

/* Copies whole vectors to aligned places that are not read soon: their lines need not be loaded
   before they are written. END_OF_STREAM comes before other threads read them. */
typedef long long FN(integers) __attribute__((vector_size(VBYTES), may_alias));
static INLINE void FN(stream)(REAL *to, const REAL *from, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i += VL)
        STREAM((FN(integers) *)(to + i), (FN(integers))FN(load)(from + i));
}

/* Asks for a row to be in the cache soon: the words of a batch lie anywhere. */
static INLINE void FN(fetch)(const REAL *row, ptrdiff_t n)
{
    for (ptrdiff_t k = 0; k < n; k += (ptrdiff_t)(64 / sizeof(REAL)))
        __builtin_prefetch(row + k, 0, 2);
}

/* Half a vector of eight or sixteen lanes. */
#define LOW_8(x) SHUFFLE(x, x, 0, 1, 2, 3, 4, 5, 6, 7)
#define HIGH_8(x) SHUFFLE(x, x, 8, 9, 10, 11, 12, 13, 14, 15)
#define LOW_4(x) SHUFFLE(x, x, 0, 1, 2, 3)
#define HIGH_4(x) SHUFFLE(x, x, 4, 5, 6, 7)

/* Folds the lanes of one vector to four by sums. */
static INLINE quad FN(fold)(vec x)
{
#if VBYTES / REAL_BYTES == 16
    octet y = LOW_8(x) + HIGH_8(x);
    return LOW_4(y) + HIGH_4(y);
#elif VBYTES / REAL_BYTES == 8
    return LOW_4(x) + HIGH_4(x);
#elif VBYTES / REAL_BYTES == 4
    return (quad)x;
#else /* two lanes: doubles of the baseline */
    return (quad){x[0], x[1], 0, 0};
#endif
}

#define CHOOSE(mask, a, b)                                                                         \
    ((__typeof__(a))(((mask) & (__typeof__(mask))(a)) | (~(mask) & (__typeof__(mask))(b))))
#define MAX(a, b) CHOOSE((a) > (b), a, b)

/* Sum, and maximum, over the lanes of one vector. */
static INLINE REAL FN(hsum)(vec x)
{
    quad q = FN(fold)(x);
    return (q[0] + q[1]) + (q[2] + q[3]);
}
static INLINE REAL FN(hmax)(vec x)
{
    quad q;
    REAL a, b;
#if VBYTES / REAL_BYTES == 16
    octet y = MAX(LOW_8(x), HIGH_8(x));
    q = MAX(LOW_4(y), HIGH_4(y));
#elif VBYTES / REAL_BYTES == 8
    q = MAX(LOW_4(x), HIGH_4(x));
#elif VBYTES / REAL_BYTES == 4
    q = (quad)x;
#else
    q = (quad){x[0], x[1], x[0], x[1]};
#endif
    a = q[0] > q[1] ? q[0] : q[1];
    b = q[2] > q[3] ? q[2] : q[3];
    return a > b ? a : b;
}
/* Lane sums of four vectors at once: fold each to four lanes, then one 4 x 4 transposition. */
static INLINE quad FN(hsum4)(vec a, vec b, vec c, vec d)
{
    quad x = FN(fold)(a), y = FN(fold)(b), z = FN(fold)(c), w = FN(fold)(d);
    quad t0 = SHUFFLE(x, y, 0, 4, 1, 5), t1 = SHUFFLE(x, y, 2, 6, 3, 7);
    quad t2 = SHUFFLE(z, w, 0, 4, 1, 5), t3 = SHUFFLE(z, w, 2, 6, 3, 7);
    quad s0 = t0 + t1, s1 = t2 + t3; /* x0+x2 y0+y2 x1+x3 y1+y3 | z, w alike */
    return SHUFFLE(s0, s1, 0, 1, 4, 5) + SHUFFLE(s0, s1, 2, 3, 6, 7);
}

/* Lane sums of the first n of VL vectors that lie one after another; 0 in the other lanes. */
static INLINE vec FN(lane_sums)(const REAL *x, ptrdiff_t n)
{
#if VBYTES / REAL_BYTES == 2
    return (vec){x[0] + x[1], n > 1 ? x[2] + x[3] : 0};
#else
    quad q[VBYTES / (4 * REAL_BYTES)];
    const quad lane = {0, 1, 2, 3};
    for (ptrdiff_t i = 0; i < VL / 4; i++, x += 4 * VL) {
        q[i] = (quad){0};
        if (4 * i < n) {
            q[i] = FN(hsum4)(FN(load)(x), FN(load)(x + VL), FN(load)(x + 2 * VL),
                             FN(load)(x + 3 * VL));
            if (4 * i + 4 > n)
                q[i] = CHOOSE(lane < (REAL)(n - 4 * i), q[i], (quad){0});
        }
    }
#if VBYTES / REAL_BYTES == 16
    octet a = SHUFFLE(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
    octet b = SHUFFLE(q[2], q[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif VBYTES / REAL_BYTES == 8
    return (vec)SHUFFLE(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return (vec)q[0];
#endif
#endif
}
