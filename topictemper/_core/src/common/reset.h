/* Forgets what depends on the precision. The compiler reports a macro that is missing here: its
   second definition differs from the first. */
#undef EXP_LOW
#undef EXP_HIGH
#undef LN2_HI
#undef LN2_LO
#undef MAGIC
#undef MANTISSA
#undef EXPONENT_OF_1
#undef SQRT_HALF_BITS
#undef SHIFT
#undef RATIO_TERMS
#undef LARGE_ARGUMENT
#undef HUGE_ARGUMENT
#undef TINY
#undef EPSILON
#undef LOG_LIGHT
#undef NEGLIGIBLE
#undef SMALL_WEIGHT
#undef UNIFORM_BITS
#undef REAL
#undef INT
#undef REAL_BYTES
#undef FN
