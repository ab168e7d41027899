/* Plain products, as docs/numerics.md has them. Of split ones: model_split.c. */
#include "model.h"

#include <math.h>
#include <stdlib.h>

#include "../../oracle.h"

enum {
    LONGEST_BLOCK = 512,
    KC_UNIT = 8,
    SMALL = 64,        /* m and n, at most, */
    SLICED_BLOCKS = 8, /* and blocks, at least, of a product in slices, */
    SLICE_BLOCKS = 2,  /* of so many blocks each, */
    MOST_SLICES = 128, /* unless these are too many */
    LEAST_PARTIAL_SUMS = 32,
    PARTIAL_BYTES = 64,
    MOST_PARTIALS = 16,
    PIECE = 2048 /* steps of 16-bit types */
};

static int64_t min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t max(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t divide_up(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

/* ---- arithmetic: f64 in f64, all others in f32 ------------------------------------------------- */

static double multiply(const model_product *of, double x, double y)
{
    return of->type == LAY_F64 ? x * y : (double)((float)x * (float)y);
}

static double add(const model_product *of, double x, double y)
{
    return of->type == LAY_F64 ? x + y : (double)((float)x + (float)y);
}

static double multiply_add(const model_product *of, double x, double y, double z)
{
    if (!of->is_fused)
        return add(of, multiply(of, x, y), z);
    return of->type == LAY_F64 ? fma(x, y, z) : (double)fmaf((float)x, (float)y, (float)z);
}

double model_update(const model_product *of, double alpha, double sum, double beta, double c)
{
    return beta == 0 ? multiply(of, alpha, sum) : multiply_add(of, alpha, sum, multiply(of, beta, c));
}

/* ---- sums of one block ------------------------------------------------------------------------- */

double model_chain(const model_product *of, const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t p = 0; p < count; p++)
        sum = multiply_add(of, a[p], b[p], sum);
    return sum;
}

static double sum_partials(const model_product *of, const double *a, const double *b, int64_t count)
{
    const int partials = PARTIAL_BYTES / (of->type == LAY_F64 ? 8 : 4);
    double sum[MOST_PARTIALS] = { 0 };
    for (int64_t p = 0; p < count; p++)
        sum[p % partials] = multiply_add(of, a[p], b[p], sum[p % partials]);
    for (int half = partials / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] = add(of, sum[l], sum[l + half]);
    return sum[0];
}

/* ---- sums of blocks ---------------------------------------------------------------------------- */

int64_t model_kc(int64_t k)
{
    const int64_t even = divide_up(k, divide_up(k, LONGEST_BLOCK));
    return min(k, divide_up(even, KC_UNIT) * KC_UNIT);
}

/* c = alpha sum + beta c, block by block, each of them a chain. */
static double add_blocks(const model_product *of, const double *a, const double *b, int64_t count, int64_t kc,
                         double alpha, double beta, double c)
{
    for (int64_t p = 0; p < count; p += kc)
        c = model_update(of, alpha, model_chain(of, a + p, b + p, min(kc, count - p)), p == 0 ? beta : 1, c);
    return c;
}

/* Blocks in partial sums, added up from +0. */
static double add_partial_sums_blocks(const model_product *of, const double *a, const double *b, int64_t count)
{
    const int64_t kc = model_kc(count);
    double sum = 0;
    for (int64_t p = 0; p < count; p += kc)
        sum = multiply_add(of, 1, sum_partials(of, a + p, b + p, min(kc, count - p)), sum);
    return sum;
}

/* Slices of blocks, added up from +0. */
static double add_slices(const model_product *of, const double *a, const double *b, int64_t slice, int64_t kc)
{
    double sum = 0;
    for (int64_t p = 0; p < of->k; p += slice)
        sum = multiply_add(of, 1, add_blocks(of, a + p, b + p, min(slice, of->k - p), kc, 1, 0, 0), sum);
    return sum;
}

/* Limbs of 16-bit types, each added as a product of FP32 is to C, with alpha 1 and beta 1, but the first 0. */
static double add_pieces(const model_product *of, const double *a, const double *b)
{
    const int is_vector = of->m == 1 || of->n == 1;
    double sum = 0;
    for (int64_t p = 0; p < of->k; p += PIECE) {
        const int64_t count = min(PIECE, of->k - p);
        const double beta = p == 0 ? 0 : 1;
        if (is_vector && count >= LEAST_PARTIAL_SUMS)
            sum = model_update(of, 1, add_partial_sums_blocks(of, a + p, b + p, count), beta, sum);
        else
            sum = add_blocks(of, a + p, b + p, count, model_kc(count), 1, beta, sum);
    }
    return sum;
}

/* ---- elements ---------------------------------------------------------------------------------- */

static int is_narrow(const model_product *of)
{
    return of->type == LAY_F16 || of->type == LAY_BF16;
}

/* In FP32, every product and the sum rounded by itself at every level, and then to the type. */
static double finish_narrow(const model_product *of, double sum, double c)
{
    const double first = multiply(of, of->alpha, sum);
    return oracle_round(of->type, of->beta == 0 ? first : add(of, first, multiply(of, of->beta, c)));
}

static double element(const model_product *of, const double *a, const double *b, double c)
{
    if (is_narrow(of))
        return finish_narrow(of, add_pieces(of, a, b), c);
    if ((of->m == 1 || of->n == 1) && of->k >= LEAST_PARTIAL_SUMS)
        return model_update(of, of->alpha, add_partial_sums_blocks(of, a, b, of->k), of->beta, c);
    const int64_t kc = model_kc(of->k), blocks = divide_up(of->k, kc);
    if (of->m > SMALL || of->n > SMALL || blocks < SLICED_BLOCKS)
        return add_blocks(of, a, b, of->k, kc, of->alpha, of->beta, c);
    const int64_t slice = kc * max(SLICE_BLOCKS, divide_up(blocks, MOST_SLICES));
    return model_update(of, of->alpha, add_slices(of, a, b, slice, kc), of->beta, c);
}

/* Without a product. */
static double scale(const model_product *of, double c)
{
    const double scaled = multiply(of, of->beta, c);
    return is_narrow(of) ? oracle_round(of->type, scaled) : scaled;
}

void model_multiply(const model_product *of, double *to)
{
    double *const column = oracle_memory((size_t)of->k * sizeof *column);
    const int has_product = of->k > 0 && of->alpha != 0;
    for (int64_t j = 0; j < of->n && !(of->limbs && has_product); j++) {
        for (int64_t p = 0; p < of->k && has_product; p++)
            column[p] = of->b[p * of->n + j];
        for (int64_t i = 0; i < of->m; i++) {
            const double c = of->beta == 0 ? 0 : of->c[i * of->n + j];
            to[i * of->n + j] = has_product     ? element(of, of->a + i * of->k, column, c)
                                : of->beta == 0 ? 0
                                                : scale(of, c);
        }
    }
    free(column);
    if (of->limbs && has_product)
        model_multiply_split(of, to);
}
