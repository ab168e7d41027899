/* The text of a solve function: WIDE right sides at a time, ROWS of their elements in registers. Included by each level
 * and type after its registers' header (real, vec, LANES), NAME, ROWS and NV; see solve.h.
 *
 *   ROWS rows:  acc[0][0] .. acc[0][NV-1]    <- elements of WIDE = NV registers of right sides
 *               ..                              less M's numbers before the diagonal times rows solved before,
 *               acc[ROWS-1][0] ..               then less those of each other, the first one first
 *
 * So an element's sum goes in the order of M's columns, each step one fused multiply-add. */
#include <math.h>
#include <string.h>

#include "blas/solve/solve.h"

enum { WIDE = NV * LANES, MOST = LAYBLAS_SOLVE_MOST, GROUPS = MOST / ROWS, LINE = 64 / (int)sizeof(real) };

/* M as it is read: of each ROWS rows their numbers column by column, up to the triangle's end. */
typedef struct packed {
    _Alignas(64) real m[ROWS * ROWS * (GROUPS * (GROUPS + 1) / 2)];
    real diagonal[MOST], inverse[MOST];
    int groups;
    enum { AS_IT_IS, MULTIPLIED, DIVIDED } how; /* what is left of an element, by the diagonal: of ones, or the other */
} packed;

static void pack(const layblas_solve *of, packed *to)
{
    const real *const m = of->m;
    real *next = to->m;
    to->groups = (of->n + ROWS - 1) / ROWS;
    for (int g = 0; g < to->groups; g++)
        for (int p = 0; p < (g + 1) * ROWS; p++)
            for (int i = g * ROWS; i < (g + 1) * ROWS; i++)
                *next++ = i < of->n && p < i ? m[i * of->m_row + p * of->m_column] : 0;
    to->how = of->is_unit ? AS_IT_IS : MULTIPLIED;
    for (int i = 0; i < to->groups * ROWS; i++) {
        to->diagonal[i] = i < of->n && !of->is_unit ? m[i * (of->m_row + of->m_column)] : 1;
        to->inverse[i] = 1 / to->diagonal[i];
        if (!isnormal(to->inverse[i])) /* which would lose digits, or all */
            to->how = DIVIDED;
    }
}

static inline __attribute__((always_inline)) vec divide(const packed *of, vec left, int row)
{
    switch (of->how) {
    case MULTIPLIED:
        return vec_mul(left, vec_set(of->inverse[row]));
    case DIVIDED:
        return left / vec_set(of->diagonal[row]);
    default:
        return left;
    }
}

/* Rows solved so far are in t, WIDE elements each. */
static void solve_rows(const packed *of, real *t)
{
    const real *m = of->m;
    for (int g = 0; g < of->groups; g++) {
        real *const own = t + g * ROWS * WIDE;
        vec acc[ROWS][NV];
        UNROLLED
        for (int i = 0; i < ROWS; i++) {
            UNROLLED
            for (int v = 0; v < NV; v++)
                acc[i][v] = vec_load(own + i * WIDE + v * LANES);
        }
        for (const real *x = t; x < own; x += WIDE, m += ROWS) {
            UNROLLED
            for (int i = 0; i < ROWS; i++) {
                UNROLLED
                for (int v = 0; v < NV; v++)
                    acc[i][v] = vec_fnma(vec_set(m[i]), vec_load(x + v * LANES), acc[i][v]);
            }
        }
        UNROLLED
        for (int p = 0; p < ROWS; p++) {
            UNROLLED
            for (int v = 0; v < NV; v++) {
                acc[p][v] = divide(of, acc[p][v], g * ROWS + p);
                vec_store(own + p * WIDE + v * LANES, acc[p][v]);
            }
            UNROLLED
            for (int i = p + 1; i < ROWS; i++) {
                UNROLLED
                for (int v = 0; v < NV; v++)
                    acc[i][v] = vec_fnma(vec_set(m[p * ROWS + i]), acc[p][v], acc[i][v]);
            }
        }
        m += ROWS * ROWS;
    }
}

/* Right sides between B and t, side by side or each in a line of its own. Ahead of them, those that come next are asked
 * for: where each line has a page of its own, no prefetcher sees them coming. */
static void bring(const layblas_solve *of, const real *b, int count, int is_followed, real alpha, real *t)
{
    if (of->b_next == 1)
        for (int i = 0; i < of->n; i++) {
            const real *const from = b + i * of->b_row;
            for (int w = 0; w < WIDE && is_followed; w += LINE)
                __builtin_prefetch(from + WIDE + w, 1, 3);
            for (int w = 0; w < count; w++)
                t[i * WIDE + w] = alpha * from[w];
        }
    else
        for (int w = 0; w < count; w++) {
            const real *const from = b + w * of->b_next;
            for (int i = 0; i < of->n && is_followed; i += LINE)
                __builtin_prefetch(from + WIDE * of->b_next + i * of->b_row, 1, 3);
            for (int i = 0; i < of->n; i++)
                t[i * WIDE + w] = alpha * from[i * of->b_row];
        }
}

static void put_back(const layblas_solve *of, real *b, int count, const real *t)
{
    if (of->b_next == 1)
        for (int i = 0; i < of->n; i++)
            memcpy(b + i * of->b_row, t + i * WIDE, (size_t)count * sizeof(real));
    else
        for (int w = 0; w < count; w++)
            for (int i = 0; i < of->n; i++)
                b[w * of->b_next + i * of->b_row] = t[i * WIDE + w];
}

void NAME(const layblas_solve *of)
{
    packed triangle;
    _Alignas(64) real t[MOST * WIDE];
    real *b = of->b;
    pack(of, &triangle);
    memset(t, 0, (size_t)(triangle.groups * ROWS * WIDE) * sizeof(real));
    for (int64_t done = 0; done < of->count; done += WIDE, b += WIDE * of->b_next) {
        const int count = of->count - done < WIDE ? (int)(of->count - done) : WIDE;
        bring(of, b, count, of->count - done >= 2 * WIDE, *(const real *)of->alpha, t);
        solve_rows(&triangle, t);
        put_back(of, b, count, t);
    }
}
