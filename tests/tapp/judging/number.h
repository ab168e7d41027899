/* Elements of TAPP's types as numbers of higher precision, and back. */
#ifndef LAY_TESTS_TAPP_NUMBER_H
#define LAY_TESTS_TAPP_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "tapp.h"

#define NUMBER_TYPES 6

/* What results are judged by: it has eleven bits more than f64 on x86, and more elsewhere. */
typedef struct number {
    long double re, im;
} number;

const char *type_name(TAPP_datatype type);
size_t type_size(TAPP_datatype type);
int type_is_complex(TAPP_datatype type);

/* The type's significant bits, the hidden one too: its unit roundoff is 2^-bits. */
int type_bits(TAPP_datatype type);

/* The element offset elements behind zero; real ones have the imaginary part 0. */
number number_load(TAPP_datatype type, const void *zero, int64_t offset);

/* Rounded to the type's number next to it, of two to the even one. */
void number_store(TAPP_datatype type, void *zero, int64_t offset, number value);

static inline number number_sum(number x, number y)
{
    return (number){ x.re + y.re, x.im + y.im };
}

static inline number number_product(number x, number y)
{
    return (number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

static inline number number_conjugate(number x)
{
    return (number){ x.re, -x.im };
}

/* Of each part its size; and the most that the parts of a product are made of. */
static inline number number_size(number x)
{
    return (number){ x.re < 0 ? -x.re : x.re, x.im < 0 ? -x.im : x.im };
}

static inline number number_size_product(number x, number y)
{
    return (number){ x.re * y.re + x.im * y.im, x.re * y.im + x.im * y.re };
}

#endif
