/* Triangular systems of few unknowns and many right sides, by registers: what trsm's triangles are at the diagonal. */
#ifndef LAYBLAS_SOLVE_SOLVE_H
#define LAYBLAS_SOLVE_SOLVE_H

#include <stdint.h>

enum { LAYBLAS_SOLVE_MOST = 64 /* unknowns */ };

/* M X = alpha B in B's place, M lower triangular. Steps are in elements and may be negative. */
typedef struct layblas_solve {
    int n; /* unknowns, at most LAYBLAS_SOLVE_MOST */
    int is_unit;
    int64_t count;           /* right sides */
    const void *alpha;       /* one of the type */
    const void *m;           /* M's first element, which is */
    int64_t m_row, m_column; /* so far from the one below it, and the one beside it */
    void *b;                 /* of the first right side the first element, */
    int64_t b_row, b_next;   /* so far from its next one, and from the next side's first */
} layblas_solve;

/* A right side has the same bits alone and among others. */
typedef void layblas_solve_fn(const layblas_solve *of);
layblas_solve_fn layblas_solve_f32_avx2, layblas_solve_f64_avx2, layblas_solve_f32_avx512, layblas_solve_f64_avx512;

/* For a real type, the best one that this CPU has and LAY_ISA allows; NULL: none. */
layblas_solve_fn *layblas_find_solve(int is_double);

#endif
