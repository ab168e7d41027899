/* A row of lines scaled, added up and converted: loops that compilers make vectors of, at each level its own. Included
 * by a row, which then defines it. */
#include <math.h>
#include <string.h>

#include "cpu_blend.h"

#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* to may be x or y, index by index: nothing is carried from one to the next. */
#define SCALE_AND_ADD(name, real)                                                                                      \
    static void scale_##name(real alpha, const real *x, int64_t count, real *to)                                       \
    {                                                                                                                  \
        INDEPENDENT for (int64_t i = 0; i < count; i++) to[i] = alpha * x[i];                                          \
    }                                                                                                                  \
    static void add_##name(real alpha, const real *x, real beta, const real *y, int64_t count, real *to)               \
    {                                                                                                                  \
        INDEPENDENT for (int64_t i = 0; i < count; i++) to[i] = alpha * x[i] + beta * y[i];                            \
    }
SCALE_AND_ADD(f32, float)
SCALE_AND_ADD(f64, double)

static void widen(const float *from, int64_t count, double *restrict to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i];
}

static void narrow(const double *from, int64_t count, float *restrict to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void narrow_odd(const double *from, int64_t count, float *restrict to)
{
    for (int64_t i = 0; i < count; i++) {
        float rounded = (float)from[i];
        uint32_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        bits -= fabs(rounded) > fabs(from[i]);
        bits |= rounded != from[i];
        memcpy(&to[i], &bits, sizeof bits);
    }
}
