/* The tile function of a SIMD row: MR x NR sums in registers, NR = NV registers. Included by a row
 * after the registers' header (vec_f32.h or vec_f64.h of its level) and its MR, NV.
 *
 *   one step:  b[0..NV)   <- NV registers of B              acc[0][0] .. acc[0][NV-1]
 *              for i:  x  <- A's entry i in all lanes        ...            fma(x, b[v], .)
 *                                                            acc[MR-1][0] ..
 *
 * Fewer rows and fewer registers across (an edge) are computed as such, by the same text with
 * smaller constants, so a thin product does not pay for a full tile. */
#include <assert.h>

#include "kernel.h"

enum {
    NR = NV * LANES,
    UNROLL = 4, /* steps between two prefetches, and the price of the loop's own instructions */
    LINE = 64   /* bytes of a cache line */
};

/* A row of C is NR elements anywhere: up to one line more than they fill. */
static inline void prefetch_to_write(const real *c, int vecs)
{
    for (int at = 0; at < vecs * LANES; at += LINE / (int)sizeof(real))
        __builtin_prefetch(c + at, 1, 3);
    __builtin_prefetch(c + vecs * LANES - 1, 1, 3);
}

static inline __attribute__((always_inline)) void add_step(vec acc[MR][NV], const real *a, const real *b, int rows,
                                                           int vecs)
{
    vec y[NV];
#pragma GCC unroll 8
    for (int v = 0; v < vecs; v++)
        y[v] = vec_load(b + v * LANES);
#pragma GCC unroll 32
    for (int i = 0; i < rows; i++) {
        const vec x = vec_set(a[i]);
#pragma GCC unroll 8
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_fma(x, y[v], acc[i][v]);
    }
}

/* Rows and registers are constants where this is called. */
static inline __attribute__((always_inline)) void compute_part(const lay_tile *t, int rows, int vecs)
{
    vec acc[MR][NV];
    const real *a = t->a, *b = t->b;
    real *c = t->c;
    const int64_t *row = t->row;
    const char *ahead = t->next_a;
    int64_t left = t->k;

#pragma GCC unroll 32
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_zero();

    /* C's rows are asked for early and one at a time, so that the panels' own lines are not queued
     * behind them. */
    for (int i = 0; left >= UNROLL; left -= UNROLL, a += UNROLL * MR, b += UNROLL * NR, i++) {
        if (i < rows)
            prefetch_to_write(c + row[i], vecs);
        else
            __builtin_prefetch(ahead += LINE, 0, 3);
#pragma GCC unroll 8
        for (int u = 0; u < UNROLL; u++)
            add_step(acc, a + u * MR, b + u * NR, rows, vecs);
    }
    for (; left > 0; left--, a += MR, b += NR)
        add_step(acc, a, b, rows, vecs);

    const int last = vecs - 1, rest = t->n - last * LANES; /* columns in the last register */
    const lanes some = first_lanes(rest);
    const vec alpha = vec_set(*(const real *)t->alpha);
    const real scale = *(const real *)t->beta;
    if (scale == 0) {
#pragma GCC unroll 32
        for (int i = 0; i < rows; i++) {
            real *to = c + row[i];
#pragma GCC unroll 8
            for (int v = 0; v < last; v++)
                vec_store(to + v * LANES, vec_mul(alpha, acc[i][v]));
            if (rest == LANES)
                vec_store(to + last * LANES, vec_mul(alpha, acc[i][last]));
            else
                vec_store_some(to + last * LANES, some, vec_mul(alpha, acc[i][last]));
        }
        return;
    }
    const vec beta = vec_set(scale);
#pragma GCC unroll 32
    for (int i = 0; i < rows; i++) {
        real *to = c + row[i];
#pragma GCC unroll 8
        for (int v = 0; v < last; v++)
            vec_store(to + v * LANES, vec_fma(alpha, acc[i][v], vec_mul(beta, vec_load(to + v * LANES))));
        if (rest == LANES) {
            const vec old = vec_load(to + last * LANES);
            vec_store(to + last * LANES, vec_fma(alpha, acc[i][last], vec_mul(beta, old)));
        } else {
            const vec old = vec_load_some(to + last * LANES, some);
            vec_store_some(to + last * LANES, some, vec_fma(alpha, acc[i][last], vec_mul(beta, old)));
        }
    }
}

static inline __attribute__((always_inline)) void compute_rows(const lay_tile *t, int rows)
{
    assert(NV <= 3);
    if (t->n <= LANES)
        compute_part(t, rows, 1);
    else if (NV == 2 || t->n <= 2 * LANES)
        compute_part(t, rows, 2);
    else
        compute_part(t, rows, NV);
}

static void compute_tile(const lay_tile *t)
{
    assert(1 <= t->m && t->m <= MR && 1 <= t->n && t->n <= NR);
    switch (t->m) {
#define CASE(ROWS)                                                                                                     \
    case ROWS:                                                                                                         \
        if (ROWS <= MR)                                                                                                \
            compute_rows(t, ROWS);                                                                                     \
        break
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
        CASE(10);
        CASE(11);
        CASE(12);
#undef CASE
    }
    static_assert(MR <= 12, "a case for each number of rows");
}
