/* layblas_vector, for complex numbers of two real: a register has LINES of them, each its own row's. Before it the
 * registers' header (real, vec), LINES, fused, vec_pair, vec_real, vec_imaginary, vec_one (one step of LINES rows) and
 * vec_turn (LINES steps of LINES rows). */
#include "blas/vector/vector.h"

enum { TOGETHER = 8, COLUMNS = 4 }; /* registers of sums: chains that hide each other's latency */
enum { ROWS = 256 };                /* whose sums are held; a multiple of TOGETHER * LINES */

/* x's steps as the two factors of each: (re, im) and (-im, re), the second one negated for a conjugated a. */
typedef struct factors {
    real first[LAYBLAS_VECTOR_STEPS][2], second[LAYBLAS_VECTOR_STEPS][2];
} factors;

static void fill(const layblas_vector *of, factors *to)
{
    const real *x = of->x, *const by = of->alpha;
    for (int64_t p = 0; p < of->steps; p++, x += 2 * of->x_step) {
        const real re = by[1] == 0 ? x[0] : by[0] * x[0] - by[1] * x[1];
        const real im = by[1] == 0 ? x[1] : by[0] * x[1] + by[1] * x[0];
        to->first[p][0] = re;
        to->first[p][1] = im;
        to->second[p][0] = of->is_conjugated ? im : -im;
        to->second[p][1] = of->is_conjugated ? -re : re;
    }
}

static inline __attribute__((always_inline)) vec add_step(vec sum, vec a, const factors *by, int64_t p)
{
    return vec_fma(vec_imaginary(a), vec_pair(by->second[p]), vec_fma(vec_real(a), vec_pair(by->first[p]), sum));
}

/* LINES rows side by side in each of `count` registers. */
static inline __attribute__((always_inline)) void sum_across(const layblas_vector *of, const factors *by, int64_t row,
                                                             int count, real *to)
{
    const real *a = (const real *)of->a + 2 * row;
    vec sum[TOGETHER];
    for (int v = 0; v < count; v++)
        sum[v] = vec_zero();
    for (int64_t p = 0; p < of->steps; p++, a += 2 * of->a_step)
        for (int v = 0; v < count; v++)
            sum[v] = add_step(sum[v], vec_load(a + 2 * LINES * v), by, p);
    for (int v = 0; v < count; v++)
        vec_store(to + 2 * LINES * v, sum[v]);
}

/* The same of rows that lie along k: LINES steps at a time are turned round in registers. */
static inline __attribute__((always_inline)) void sum_along(const layblas_vector *of, const factors *by, int64_t row,
                                                            int count, real *to)
{
    const real *const a = (const real *)of->a + 2 * row * of->a_step;
    const int64_t line = 2 * of->a_step, whole = of->steps / LINES * LINES;
    vec sum[COLUMNS];
    for (int v = 0; v < count; v++)
        sum[v] = vec_zero();
    for (int64_t p = 0; p < whole; p += LINES)
        for (int v = 0; v < count; v++) {
            vec turned[LINES];
            vec_turn(a + v * LINES * line + 2 * p, line, turned);
            for (int i = 0; i < LINES; i++)
                sum[v] = add_step(sum[v], turned[i], by, p + i);
        }
    for (int64_t p = whole; p < of->steps; p++)
        for (int v = 0; v < count; v++)
            sum[v] = add_step(sum[v], vec_one(a + v * LINES * line + 2 * p, line), by, p);
    for (int v = 0; v < count; v++)
        vec_store(to + 2 * LINES * v, sum[v]);
}

static void sum_one(const layblas_vector *of, const factors *by, int64_t row, real to[2])
{
    const int64_t line = 2 * (of->is_along ? of->a_step : 1), step = 2 * (of->is_along ? 1 : of->a_step);
    const real *a = (const real *)of->a + row * line;
    real re = 0, im = 0;
    for (int64_t p = 0; p < of->steps; p++, a += step) {
        re = fused(a[1], by->second[p][0], fused(a[0], by->first[p][0], re));
        im = fused(a[1], by->second[p][1], fused(a[0], by->first[p][1], im));
    }
    to[0] = re;
    to[1] = im;
}

/* Rows from .. end. */
static void sum_rows(const layblas_vector *of, const factors *by, int64_t from, int64_t end, real *to)
{
    const int64_t many = (of->is_along ? COLUMNS : TOGETHER) * LINES;
    int64_t row = from;
    for (; row + many <= end; row += many)
        if (of->is_along)
            sum_along(of, by, row, COLUMNS, to + 2 * (row - from));
        else
            sum_across(of, by, row, TOGETHER, to + 2 * (row - from));
    for (; row + LINES <= end; row += LINES)
        if (of->is_along)
            sum_along(of, by, row, 1, to + 2 * (row - from));
        else
            sum_across(of, by, row, 1, to + 2 * (row - from));
    for (; row < end; row++)
        sum_one(of, by, row, to + 2 * (row - from));
}

static void multiply(const layblas_vector *of)
{
    factors by;
    real sums[2 * ROWS];
    const real *const alpha = of->alpha, last = alpha[1] == 0 ? alpha[0] : 1, beta = *(const real *)of->beta;
    real *y = of->y;
    fill(of, &by);
    for (int64_t row = 0; row < of->rows; row += ROWS) {
        const int64_t count = of->rows - row < ROWS ? of->rows - row : ROWS;
        sum_rows(of, &by, row, row + count, sums);
        for (int64_t i = 0; i < count; i++, y += 2 * of->y_step)
            for (int t = 0; t < 2; t++)
                y[t] = beta == 0 ? last * sums[2 * i + t] : fused(last, sums[2 * i + t], beta * y[t]);
    }
}
