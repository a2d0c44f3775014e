/* exp, log, psi and ratios of gamma functions on vectors, free of branches and of libm.

   Arguments of psi and of the ratios are Dirichlet parameters: positive, up to about 1e30.
   Both shift the argument up by a recurrence and then use the asymptotic series
   (Abramowitz and Stegun 6.3.18 and 6.1.47); SHIFT and the number of terms follow the precision. */

#if REAL_BYTES == 4
#define EXP_LOW -87.33654f
#define EXP_HIGH 88.02969f
#define LN2_HI 0.693359375f
#define LN2_LO -2.12194440e-4f
#define MAGIC 12582912.0f /* 1.5 * 2^23: adding it rounds to an integer in the low bits */
#define MANTISSA 23
#define EXPONENT_OF_1 127
#define SQRT_HALF_BITS 0x3f3504f3
#define SHIFT 6
#define RATIO_TERMS 6
#define LARGE_ARGUMENT 1e4f
#define HUGE_ARGUMENT 2e6f /* u^3 below is finite; 6/x is rounding by then */
#define TINY 1e-37f
#else
#define EXP_LOW -708.39641853226408
#define EXP_HIGH 709.0
#define LN2_HI 6.93147180369123816490e-01
#define LN2_LO 1.90821492927058770002e-10
#define MAGIC 6755399441055744.0
#define MANTISSA 52
#define EXPONENT_OF_1 1023
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdLL
#define SHIFT 12
#define RATIO_TERMS 14
#define HUGE_ARGUMENT 1e16
#define TINY 1e-300
#endif

/* exp(x); 0 below EXP_LOW, so that a vanishing weight is an exact zero. */
static INLINE vec FN(exp)(vec x)
{
    vec y = FN(min)(FN(max)(x, FN(splat)(EXP_LOW)), FN(splat)(EXP_HIGH));
    vec t = y * (REAL)1.44269504088896340736 + MAGIC;
    vec k = t - MAGIC;
    vec r = y - k * (REAL)LN2_HI - k * (REAL)LN2_LO;
    vec p;
#if REAL_BYTES == 4
    p = r * (1.0f / 5040) + 1.0f / 720;
#else
    p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
#endif
    p = p * r + (REAL)(1.0 / 120);
    p = p * r + (REAL)(1.0 / 24);
    p = p * r + (REAL)(1.0 / 6);
    p = p * r + (REAL)0.5;
    p = p * r + (REAL)1;
    p = p * r + (REAL)1;
    p = (vec)((ivec)p + (((ivec)t - (ivec)FN(splat)(MAGIC)) << MANTISSA));
    return (vec)((ivec)p & (x >= (REAL)EXP_LOW));
}

/* log(x) for normal x > 0: Cephes' polynomial in single precision, fdlibm's in double. */
static INLINE vec FN(log)(vec x)
{
    ivec bits = (ivec)x - (INT)SQRT_HALF_BITS;
    ivec e = bits >> MANTISSA;
    vec k = __builtin_convertvector(e, vec);
    vec f = (vec)((ivec)x - (e << MANTISSA)) - 1, r;
#if REAL_BYTES == 4
    vec z = f * f;
    r = f * 7.0376836292e-2f - 1.1514610310e-1f;
    r = r * f + 1.1676998740e-1f;
    r = r * f - 1.2420140846e-1f;
    r = r * f + 1.4249322787e-1f;
    r = r * f - 1.6668057665e-1f;
    r = r * f + 2.0000714765e-1f;
    r = r * f - 2.4999993993e-1f;
    r = r * f + 3.3333331174e-1f;
    r = r * f * z + k * LN2_LO - z * 0.5f;
    return f + r + k * LN2_HI;
#else
    vec s = f / (f + 2), z = s * s, h = f * f * 0.5;
    r = z * 1.479819860511658591e-01 + 1.531383769920937332e-01;
    r = r * z + 1.818357216161805012e-01;
    r = r * z + 2.222219843214978396e-01;
    r = r * z + 2.857142874366239149e-01;
    r = r * z + 3.999999999940941908e-01;
    r = r * z + 6.666666666666735130e-01;
    r = r * z;
    return k * LN2_HI - ((h - (s * (h + r) + k * LN2_LO)) - f);
#endif
}

/* psi(x) = log(y) - sum, where y and sum are what both psi and exp(psi) need. */
static INLINE vec FN(psi_parts)(vec x, vec *sum)
{
#if REAL_BYTES == 4
    /* psi(x) = psi(x + 1) - 1/x, and exp(psi(x + 1)) = z + P(z^2) / (z Q(z^2)) with z = x + 1/2: a
       rational least-maximum fit, relative error 2e-8. One division serves it and 1/x. */
    const ivec large = x > LARGE_ARGUMENT; /* exp(psi(x)) = x - 1/2 there, and no power overflows */
    vec c = FN(min)(x, FN(splat)(LARGE_ARGUMENT)), z = c + 0.5f, t = z * z;
    vec p = ((t * 0.0416654447292f + 0.0610747889042f) * t + 0.0147385615389f) * t
            + 0.000318946181618f;
    vec q = z * (((t + 1.61942462249f) * t + 0.521877032811f) * t + 0.028378430512f);
    vec inverse = 1 / (c * q);
    *sum = (vec)((ivec)(q * inverse) & ~large);
    return FN(select)(large, x - 0.5f, z + p * (c * inverse));
#else
    /* sum_i 1/(x+i) over SHIFT terms, paired from both ends: (x+i)(x+n-1-i) = u + i(n-1-i). */
    vec c = FN(min)(x, FN(splat)(HUGE_ARGUMENT)); /* the sum is nothing there; u^2 must be finite */
    vec u = c * (c + (SHIFT - 1)), v = c * 2 + (SHIFT - 1);
    vec y = x + SHIFT, q = 1 / y, z = q * q, t;
    *sum = v * (1 / u + (u * 2 + 28) / ((u + 10) * (u + 18)) + (u * 2 + 52) / ((u + 24) * (u + 28))
                + 1 / (u + 30));
    t = z * (-691.0 / 32760) + 1.0 / 132;
    t = t * -z + 1.0 / 240;
    t = t * -z + 1.0 / 252;
    t = t * -z + 1.0 / 120;
    t = t * -z + 1.0 / 12;
    *sum += q * 0.5 + z * t;
    return y;
#endif
}
static INLINE vec FN(psi)(vec x)
{
    vec sum, y = FN(psi_parts)(x, &sum);
    return FN(log)(y) - sum;
}
/* exp(s psi(x)); at s = 1 no logarithm is needed. */
static INLINE vec FN(exp_psi)(vec x, REAL s)
{
    vec sum, y = FN(psi_parts)(x, &sum);
    if (s == 1)
        return y * FN(exp)(-sum);
    return FN(exp)((FN(log)(y) - sum) * s);
}

/* Coefficients c_n of log G(y+s)/G(y) ~ s log y + sum_n c_n / y^n,
   c_n = (-1)^(n+1) (B_{n+1}(s) - B_{n+1}) / (n (n+1)), B_n(s) the Bernoulli polynomials. */
static INLINE void FN(ratio_coefficients)(double s, REAL *c)
{
    static const double bernoulli[16] = {1, -0.5, 1.0 / 6, 0, -1.0 / 30, 0, 1.0 / 42, 0,
                                         -1.0 / 30, 0, 5.0 / 66, 0, -691.0 / 2730, 0, 7.0 / 6, 0};
    for (int n = 1; n <= RATIO_TERMS; n++) {
        double binomial = 1, sum = 0; /* sum over j < m of C(m,j) B_j s^(m-j), m = n + 1 */
        int m = n + 1;
        double power[17];
        power[0] = 1;
        for (int j = 1; j <= m; j++)
            power[j] = power[j - 1] * s;
        for (int j = 0; j < m; j++) {
            sum += binomial * bernoulli[j] * power[m - j];
            binomial = binomial * (m - j) / (j + 1);
        }
        c[n - 1] = (REAL)((n % 2 ? sum : -sum) / ((double)n * m));
    }
}

/* G(x+s)/G(x), given log(x + SHIFT) and 1/(x + SHIFT), which many s share. */
static INLINE vec FN(ratio_shared)(vec x, vec log_y, vec inv_y, REAL s, const REAL *c)
{
    vec p = FN(splat)(c[RATIO_TERMS - 1]), low, high, z;
    for (int n = RATIO_TERMS - 2; n >= 0; n--)
        p = p * inv_y + c[n];
    /* prod_i (x+i)/(x+i+s), in products that stay finite up to HUGE_ARGUMENT */
    x = FN(min)(x, FN(splat)(HUGE_ARGUMENT));
    z = x + s;
#if REAL_BYTES == 4
    low = x * (x + 1) * (x + 2) / (z * (z + 1) * (z + 2));
    high = (x + 3) * (x + 4) * (x + 5) / ((z + 3) * (z + 4) * (z + 5));
#else
    low = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5)
          / (z * (z + 1) * (z + 2) * (z + 3) * (z + 4) * (z + 5));
    high = (x + 6) * (x + 7) * (x + 8) * (x + 9) * (x + 10) * (x + 11)
          / ((z + 6) * (z + 7) * (z + 8) * (z + 9) * (z + 10) * (z + 11));
#endif
    return low * high * FN(exp)(log_y * s + p * inv_y);
}
static INLINE vec FN(gamma_ratio)(vec x, REAL s, const REAL *c)
{
    vec y = x + SHIFT;
    return FN(ratio_shared)(x, FN(log)(y), 1 / y, s, c);
}
