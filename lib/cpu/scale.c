/* C = beta C, a strip of columns at a time. */
#include "cpu/scale.h"

#include "base/arith.h"

enum { STRIP = 256 };

static void scale_f32(float *c, const int64_t column[], int64_t n, float beta)
{
    for (int64_t j = 0; j < n; j++)
        c[column[j]] = beta == 0 ? 0.0f : beta * c[column[j]];
}

static void scale_f64(double *c, const int64_t column[], int64_t n, double beta)
{
    for (int64_t j = 0; j < n; j++)
        c[column[j]] = beta == 0 ? 0.0 : beta * c[column[j]];
}

static int is_one(const void *beta, lay_type type)
{
    return type == LAY_F32 ? *(const float *)beta == 1 : *(const double *)beta == 1;
}

void lay_scale(const lay_problem *problem, const void *beta, void *c)
{
    const int64_t m = problem->m.extent, n = problem->n.extent;
    int64_t row[STRIP], column[STRIP];
    if (is_one(beta, problem->type))
        return;
    for (int64_t i = 0; i < m; i += STRIP) {
        const int64_t rows = min_of(STRIP, m - i);
        lay_axis_offsets(&problem->result_m, i, rows, row);
        for (int64_t j = 0; j < n; j += STRIP) {
            const int64_t columns = min_of(STRIP, n - j);
            lay_axis_offsets(&problem->result_n, j, columns, column);
            for (int64_t r = 0; r < rows; r++)
                if (problem->type == LAY_F32)
                    scale_f32((float *)c + row[r], column, columns, *(const float *)beta);
                else
                    scale_f64((double *)c + row[r], column, columns, *(const double *)beta);
        }
    }
}
