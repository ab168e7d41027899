/* C = beta C in blocks, by segments of unit stride. */
#include "cpu/scale.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "threads/parallel.h"

enum {
    TASK = 1 << 16, /* elements: 10 us or more, worth a second thread */
    ROWS = 256,
    COLUMNS = 1024,         /* of a block, by vectors of offsets */
    LONG_COLUMNS = 1 << 16, /* where the columns are one segment: short ones lose the prefetcher's help */
    WORTH_SEGMENTS = 8      /* mean length; below, element by element */
};

typedef struct job {
    const lay_axis *rows, *columns; /* columns: the side with the longer segments */
    int is_one_segment;             /* the columns */
    int64_t height, width;          /* of a block */
    int64_t column_blocks;
    lay_type type;
    size_t size;
    lay_scalar beta;
    int is_zero;
    char *c;
} job;

/* A factor without an imaginary part leaves the parts to themselves: else infinity times its 0 would be NaN. Both terms
 * are added: of a difference beside a sum gcc 12 makes vfmaddsub, where the build allows FMA, in vectors and not behind
 * them, though nothing is to be contracted. */
#define SCALE_COMPLEX(real, member)                                                                                    \
    static void scale_##member(const lay_scalar *beta, real *c, int64_t n)                                             \
    {                                                                                                                  \
        const real x = beta->member[0], y = beta->member[1];                                                           \
        const real other[2] = { -y, y };                                                                               \
        for (int64_t j = 0; y == 0 && j < 2 * n; j++)                                                                  \
            c[j] = x * c[j];                                                                                           \
        for (int64_t j = 0; y != 0 && j < n; j++) {                                                                    \
            const real re = c[2 * j], im = c[2 * j + 1];                                                               \
            c[2 * j] = x * re + other[0] * im;                                                                         \
            c[2 * j + 1] = x * im + other[1] * re;                                                                     \
        }                                                                                                              \
    }
SCALE_COMPLEX(float, c32)
SCALE_COMPLEX(double, c64)

static void scale_segment(const job *of, char *c, int64_t n)
{
    const lay_scalar beta = of->beta;
    float *const c32 = (float *)(void *)c;
    double *const c64 = (double *)(void *)c;
    if (of->is_zero)
        memset(c, 0, (size_t)n * of->size);
    else if (of->type == LAY_F32)
        for (int64_t j = 0; j < n; j++)
            c32[j] = beta.f32 * c32[j];
    else if (of->type == LAY_F64)
        for (int64_t j = 0; j < n; j++)
            c64[j] = beta.f64 * c64[j];
    else if (of->type == LAY_C32)
        scale_c32(&beta, c32, n);
    else
        scale_c64(&beta, c64, n);
}

static void scale_scattered(const job *of, char *c, const int64_t column[], int64_t n)
{
    const lay_scalar beta = of->beta;
    const int is_zero = of->is_zero;
    float *const c32 = (float *)(void *)c;
    double *const c64 = (double *)(void *)c;
    if (lay_type_is_complex(of->type))
        for (int64_t j = 0; j < n; j++)
            scale_segment(of, c + column[j] * (int64_t)of->size, 1);
    else if (of->type == LAY_F32)
        for (int64_t j = 0; j < n; j++)
            c32[column[j]] = is_zero ? 0.0f : beta.f32 * c32[column[j]];
    else
        for (int64_t j = 0; j < n; j++)
            c64[column[j]] = is_zero ? 0.0 : beta.f64 * c64[column[j]];
}

/* Where segments of unit stride begin, and after the last one n; how many. */
static int find_segments(const int64_t column[], int64_t n, int64_t start[])
{
    int found = 0;
    for (int64_t j = 0; j < n; j++)
        if (j == 0 || column[j] != column[j - 1] + 1)
            start[found++] = j;
    start[found] = n;
    return found;
}

static void scale_block(void *argument, int64_t number)
{
    const job *of = argument;
    const int64_t i = number / of->column_blocks * of->height, j = number % of->column_blocks * of->width;
    const int64_t rows = min_of(of->height, of->rows->extent - i), columns = min_of(of->width, of->columns->extent - j);
    const int64_t size = (int64_t)of->size;
    int64_t row[ROWS], column[COLUMNS], start[COLUMNS + 1];
    int segments = 1;
    start[0] = 0;
    start[1] = columns;
    lay_axis_offsets(of->rows, i, rows, row);
    lay_axis_offsets(of->columns, j, of->is_one_segment ? 1 : columns, column);
    if (!of->is_one_segment)
        segments = find_segments(column, columns, start);
    const int is_scattered = segments > 1 && segments * WORTH_SEGMENTS > columns;
    for (int64_t r = 0; r < rows; r++) {
        char *const c = of->c + row[r] * size;
        if (is_scattered)
            scale_scattered(of, c, column, columns);
        else
            for (int s = 0; s < segments; s++)
                scale_segment(of, c + column[start[s]] * size, start[s + 1] - start[s]);
    }
}

void lay_scale(const lay_problem *problem, int threads, const void *beta, void *c)
{
    if (lay_scalar_is(beta, problem->types.sum, 1))
        return;
    const lay_axis *m = &problem->result_m, *n = &problem->result_n;
    const int is_transposed = m->run > n->run;
    job whole = { .rows = is_transposed ? n : m,
                  .columns = is_transposed ? m : n,
                  .type = problem->types.result,
                  .size = lay_type_size(problem->types.result),
                  .beta = lay_scalar_read(beta, problem->types.sum),
                  .is_zero = lay_scalar_is(beta, problem->types.sum, 0),
                  .c = c };
    const int64_t rows = whole.rows->extent, columns = whole.columns->extent;
    whole.is_one_segment = whole.columns->run >= columns;
    whole.width = min_of(columns, whole.is_one_segment ? LONG_COLUMNS : COLUMNS);
    whole.height = min_of(ROWS, ceil_div(TASK, whole.width));
    whole.column_blocks = ceil_div(columns, whole.width);
    lay_parallel_for(threads, ceil_div(rows, whole.height) * whole.column_blocks, scale_block, &whole);
}
