/* Segments of complex numbers to the two of real numbers that they have in an image (rewrite/complex.h). */
#include <string.h>

#include "rewrite/complex.h"

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint64_t words8 __attribute__((vector_size(16)));

/* Vectors of whole pairs: signs are bits. */
#define EXPAND(real, reals, words, pairs, swap)                                                                        \
    typedef struct signs_##real {                                                                                      \
        words conjugated, first, second;                                                                               \
        reals x, y;                                                                                                    \
    } signs_##real;                                                                                                    \
                                                                                                                       \
    static inline void expand_##reals(const signs_##real *by, int has_factor, const real *from, real *first,           \
                                      real *second, size_t bytes)                                                      \
    {                                                                                                                  \
        reals z = { 0 };                                                                                               \
        memcpy(&z, from, bytes);                                                                                       \
        z = (reals)((words)z ^ by->conjugated);                                                                        \
        if (has_factor)                                                                                                \
            z = by->x * z + by->y * swap(z);                                                                           \
        const words one = (words)z ^ by->first, two = (words)swap(z) ^ by->second;                                     \
        memcpy(first, &one, bytes);                                                                                    \
        memcpy(second, &two, bytes);                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    static inline void expand_all_##reals(const signs_##real *by, int has_factor, const real *from, real *first,       \
                                          real *second, int64_t count)                                                 \
    {                                                                                                                  \
        int64_t j = 0;                                                                                                 \
        for (; j + pairs <= count; j += pairs)                                                                         \
            expand_##reals(by, has_factor, from + 2 * j, first + 2 * j, second + 2 * j, sizeof(reals));                \
        for (; j < count; j++)                                                                                         \
            expand_##reals(by, has_factor, from + 2 * j, first + 2 * j, second + 2 * j, 2 * sizeof(real));             \
    }
#define SWAP_FLOATS(z)  __builtin_shufflevector(z, z, 1, 0, 3, 2)
#define SWAP_DOUBLES(z) __builtin_shufflevector(z, z, 1, 0)
EXPAND(float, floats, words4, 2, SWAP_FLOATS)
EXPAND(double, doubles, words8, 1, SWAP_DOUBLES)

static void expand_c32(const lay_expansion *of, const float *from, float *first, float *second, int64_t count)
{
    const uint32_t bit = 1u << 31,
                   own[] = { bit * (unsigned)of->first_negated[0], bit * (unsigned)of->first_negated[1] },
                   other[] = { bit * (unsigned)of->second_negated[0], bit * (unsigned)of->second_negated[1] };
    const float x = of->factor.c32[0], y = of->factor.c32[1];
    const uint32_t conjugated = bit * (unsigned)of->is_conjugated;
    const signs_float by = { .conjugated = { 0, conjugated, 0, conjugated },
                             .first = { own[0], own[1], own[0], own[1] },
                             .second = { other[0], other[1], other[0], other[1] },
                             .x = { x, x, x, x },
                             .y = { -y, y, -y, y } };
    if (of->has_factor)
        expand_all_floats(&by, 1, from, first, second, count);
    else
        expand_all_floats(&by, 0, from, first, second, count);
}

static void expand_c64(const lay_expansion *of, const double *from, double *first, double *second, int64_t count)
{
    const uint64_t bit = (uint64_t)1 << 63;
    const double x = of->factor.c64[0], y = of->factor.c64[1];
    const signs_double by = { .conjugated = { 0, bit * (unsigned)of->is_conjugated },
                              .first = { bit * (unsigned)of->first_negated[0], bit * (unsigned)of->first_negated[1] },
                              .second = { bit * (unsigned)of->second_negated[0],
                                          bit * (unsigned)of->second_negated[1] },
                              .x = { x, x },
                              .y = { -y, y } };
    if (of->has_factor)
        expand_all_doubles(&by, 1, from, first, second, count);
    else
        expand_all_doubles(&by, 0, from, first, second, count);
}

void lay_expand(const lay_expansion *of, const void *from, void *first, void *second, int64_t count)
{
    if (of->type == LAY_F32)
        expand_c32(of, from, first, second, count);
    else
        expand_c64(of, from, first, second, count);
}
