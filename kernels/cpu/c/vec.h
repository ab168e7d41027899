/* LANES REALs in vectors of 128 bits, as the compiler has them: each product and each sum is rounded by itself. */
#include <string.h>

#include "cpu/simd/unrolled.h"

typedef REAL real;
typedef REAL vec __attribute__((vector_size(16)));
typedef int lanes; /* the first so many */

static inline vec vec_zero(void)
{
    return (vec){ 0 };
}

static inline vec vec_set(real x)
{
    return x - (vec){ 0 }; /* -0 stays what it is */
}

static inline vec vec_load(const real *from)
{
    vec x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void vec_store(real *to, vec x)
{
    memcpy(to, &x, sizeof x);
}

static inline vec vec_add(vec x, vec y)
{
    return x + y;
}

static inline vec vec_mul(vec x, vec y)
{
    return x * y;
}

static inline vec vec_fma(vec x, vec y, vec z)
{
    return x * y + z;
}

static inline lanes first_lanes(int count)
{
    return count;
}

static inline vec vec_load_some(const real *from, lanes which)
{
    vec x = { 0 };
    for (int i = 0; i < which; i++)
        x[i] = from[i];
    return x;
}

static inline void vec_store_some(real *to, lanes which, vec x)
{
    for (int i = 0; i < which; i++)
        to[i] = x[i];
}
