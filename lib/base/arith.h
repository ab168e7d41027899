/* int64_t arithmetic that tells when it overflows: each returns 1 when the result fits, else 0. */
#ifndef LAY_BASE_ARITH_H
#define LAY_BASE_ARITH_H

#include <stdint.h>

static inline int fits_add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline int fits_mul(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline int64_t ceil_div(int64_t a, int64_t b) /* a >= 0, b >= 1; never overflows */
{
    return a / b + (a % b != 0);
}

static inline int64_t round_up(int64_t a, int64_t unit) /* a >= 0, unit >= 1: to the next multiple */
{
    return ceil_div(a, unit) * unit;
}

static inline int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The greatest common divisor; of a and 0 it is a. */
static inline int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
