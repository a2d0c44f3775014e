/* Special functions on arrays, for callers in numpy. */

static void FN(array_psi)(int64_t n, const real *x_, real *out_)
{
    const REAL *x = x_;
    REAL *out = out_;
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(psi)(FN(load_n)(x + i, n - i, 1)), n - i);
}
static void FN(array_gamma_ratio)(int64_t n, const real *x_, double s, real *out_)
{
    const REAL *x = x_;
    REAL *out = out_, c[RATIO_TERMS];
    FN(ratio_coefficients)(s, c);
    for (ptrdiff_t i = 0; i < n; i += VL)
        FN(store_n)(out + i, FN(gamma_ratio)(FN(load_n)(x + i, n - i, 1), (REAL)s, c), n - i);
}
