/* Which of the solve functions this CPU has: those of the best ISA level up to LAY_ISA, as products have it. */
#include "blas/solve/solve.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct level {
    const char *allowed_by; /* what LAY_ISA may be */
    layblas_solve_fn *solve[2];
} level;
enum {
#ifdef LAYBLAS_HAS_AVX512
    AVX512,
#endif
#ifdef LAYBLAS_HAS_AVX2
    AVX2,
#endif
    LEVELS
};
static const level levels[LEVELS + 1] = {
#ifdef LAYBLAS_HAS_AVX512
    [AVX512] = { "avx512 amx", { layblas_solve_f32_avx512, layblas_solve_f64_avx512 } },
#endif
#ifdef LAYBLAS_HAS_AVX2
    [AVX2] = { "avx2 avx512 amx", { layblas_solve_f32_avx2, layblas_solve_f64_avx2 } },
#endif
    [LEVELS] = { "", { NULL, NULL } },
};

static int is_there(int which)
{
#ifdef LAYBLAS_HAS_AVX512
    if (which == AVX512)
        return __builtin_cpu_supports("avx512f");
#endif
#ifdef LAYBLAS_HAS_AVX2
    if (which == AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return which == LEVELS;
}

static int find(void)
{
    const char *const cap = getenv("LAY_ISA");
    int which = 0;
    while (!is_there(which) || (which < LEVELS && cap && *cap && !strstr(levels[which].allowed_by, cap)))
        which++;
    return which;
}

layblas_solve_fn *layblas_find_solve(int is_double)
{
    enum { UNREAD = -1 };
    static _Atomic int found = UNREAD;
    if (found == UNREAD)
        found = find();
    return levels[found].solve[is_double];
}
