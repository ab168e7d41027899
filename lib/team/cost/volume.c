/* Volumes of a product's ways, and what none gets below. */
#include "team/cost/volume.h"

#include <math.h>

#include "base/arith.h"

enum { A, B, C };

lay_volume lay_volume_of(const lay_share *share, int64_t m, int64_t n, int64_t k, lay_stays stays)
{
    const lay_share *const s = share;
    switch (stays) {
    case LAY_STAYS_A: /* its steps of B, all columns; the sums of its rows */
        return (
            lay_volume){ { 0, s->a_rows ? s->a_batch * s->a_steps * n - s->batch_ab * s->steps_ab * s->b_columns : 0,
                           s->a_steps ? s->a_batch * s->a_rows * n - s->batch_ac * s->rows_ac * s->c_columns : 0 } };
    case LAY_STAYS_B:
        return (
            lay_volume){ { s->b_columns ? s->b_batch * s->b_steps * m - s->batch_ab * s->steps_ab * s->a_rows : 0, 0,
                           s->b_steps ? s->b_batch * s->b_columns * m - s->batch_bc * s->columns_bc * s->c_rows : 0 } };
    default:
        return (lay_volume){ { s->c_columns ? s->c_batch * s->c_rows * k - s->batch_ac * s->rows_ac * s->a_steps : 0,
                               s->c_rows ? s->c_batch * s->c_columns * k - s->batch_bc * s->columns_bc * s->b_steps : 0,
                               0 } };
    }
}

/* Three cases, by how often p cuts the sides: the longest alone, two of them, all three. */
static double least_of_one(double m, double n, double k, double places)
{
    const double most = fmax(m, fmax(n, k)), least = fmin(m, fmin(n, k)), middle = m * n * k / most / least;
    if (least <= 0)
        return 0;
    if (places <= most / middle)
        return (most * middle + most * least) / places + middle * least;
    if (places <= most * middle / (least * least))
        return 2 * sqrt(most * middle * least * least / places) + most * middle / places;
    return 3 * pow(m * n * k / places, 2.0 / 3);
}

/* A square of C, unless one of its sides is as long as C's. */
static double least_of_one_whole_k(double m, double n, double k, double places)
{
    const double longer = fmax(m, n), shorter = fmin(m, n);
    return places * shorter <= longer ? k * (longer / places + shorter) : 2 * k * sqrt(m * n / places);
}

typedef double least(double m, double n, double k, double places);

static double least_of_batch(least *of_one, double batch, double m, double n, double k, double places)
{
    const double share = batch / places, whole = floor(share), rest = share - whole;
    return (whole > 0 ? whole * of_one(m, n, k, 1) : 0) +
           (rest > 0 ? of_one(m, n, k, whole > 0 ? 1 / rest : places / batch) : 0);
}

double lay_volume_least(double batch, double m, double n, double k, double places)
{
    return least_of_batch(least_of_one, batch, m, n, k, places);
}

double lay_volume_least_whole_k(double batch, double m, double n, double k, double places)
{
    return least_of_batch(least_of_one_whole_k, batch, m, n, k, places);
}
