/* The judge of lay_axpby: it knows the public header only. */
#include "scaled.h"

#include "../../there.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sums_double(lay_type x, lay_type y)
{
    return x == LAY_F64 || y == LAY_F64;
}

/* Halfway between two numbers of a 16-bit type, or a hair beside that: where a second rounding would show. */
static double draw_halfway(random_source *from)
{
    const int is_half = random_one_in(from, 2), bits = is_half ? 10 : 7;
    const int least = is_half ? -14 : -126, exponent = (int)random_in(from, least - bits - 1, is_half ? 15 : 127);
    const int kept = exponent < least ? bits - (least - exponent) : bits; /* behind the first one */
    const double unit = ldexp(1, exponent - kept);
    const double halfway = ldexp(1, exponent) + unit * (double)random_in(from, 0, (1 << (kept > 0 ? kept : 0)) - 1);
    static const double beside[] = { 0, 0, 0x1p-23, -0x1p-23, 0x1p-40, -0x1p-40, 0x1p-52, -0x1p-52 };
    return (halfway + unit / 2) * (1 + random_of(from, beside)) * (random_one_in(from, 2) ? -1 : 1);
}

static double draw(random_source *from, int kind)
{
    static const double special[] = {
        0,       -0.0,         1,       -1,           INFINITY,        -INFINITY, NAN,      65504,
        65519.9, 65520,        -65536,  0x1p-24,      0x1p-25,         0x1.8p-25, 0x1p-133, 0x1p-134,
        FLT_MAX, FLT_TRUE_MIN, DBL_MAX, DBL_TRUE_MIN, 0x1.fffffefp127, 0x1p-150
    };
    if (kind == 0)
        return 2 * random_unit(from) - 1;
    if (kind == 1)
        return (double)random_in(from, -40, 40);
    if (kind == 2)
        return random_of(from, special);
    if (kind == 3)
        return draw_halfway(from);
    return ldexp(2 * random_unit(from) - 1, (int)random_in(from, kind == 4 ? -30 : -1074, kind == 4 ? 30 : 1023));
}

static double draw_factor(lay_type sum, random_source *from)
{
    static const double usual[] = { 0, 0, 0, 1, 1, 1, -1, 0.5, -0.0, 3, 0x1p-20, 0x1p20 };
    const double factor = random_one_in(from, 3) ? draw(from, (int)random_in(from, 0, 5)) : random_of(from, usual);
    return oracle_round(sum, factor);
}

static operand make(lay_type type, lay_desc *desc, int has_values, random_source *from)
{
    const int64_t count = lay_desc_extent(desc, NULL);
    const int usual = (int)random_in(from, 0, 6); /* 6: of all kinds */
    double *values = oracle_memory((size_t)count * sizeof *values);
    for (int64_t i = 0; i < count; i++)
        values[i] = oracle_round(type, draw(from, usual == 6 ? (int)random_in(from, 0, 5) : usual));
    const operand_place place = (operand_place)random_in(from, OPERAND_ANYWHERE, OPERAND_FLUSH_HIGH);
    const operand made =
        operand_make(type, desc, has_values ? values : NULL, count > 0 ? place : OPERAND_ANYWHERE, from);
    free(values);
    return made;
}

scaled scaled_make(lay_desc *x, lay_desc *y, random_source *from)
{
    scaled of = { .options = LAY_OPTIONS_INIT, .is_conjugated = random_one_in(from, 4) };
    const lay_type type_x = (lay_type)random_in(from, LAY_F32, LAY_BF16),
                   type_y = (lay_type)random_in(from, LAY_F32, LAY_BF16);
    const lay_type sum = sums_double(type_x, type_y) ? LAY_F64 : LAY_F32;
    of.alpha = draw_factor(sum, from);
    of.beta = draw_factor(sum, from);
    of.x = make(type_x, x, 1, from);
    of.y = make(type_y, y, of.beta != 0, from);
    return of;
}

void scaled_free(scaled *of)
{
    operand_free(&of->x);
    operand_free(&of->y);
}

lay_status scaled_run(scaled *of)
{
    const lay_type sum = sums_double(of->x.type, of->y.type) ? LAY_F64 : LAY_F32;
    const trial_scalar alpha = trial_scalar_of(sum, of->alpha), beta = trial_scalar_of(sum, of->beta);
    const there_block blocks[] = { { of->x.memory, of->x.bytes, &of->x.zero },
                                   { of->y.memory, of->y.bytes, &of->y.zero } };
    there_send(2, blocks, 0, &of->options);
    const lay_status status = lay_axpby(of->x.type, of->x.desc, &alpha, of->alpha == 0 ? NULL : of->x.zero, of->y.type,
                                        of->y.desc, &beta, of->y.zero, of->is_conjugated, &of->options);
    there_fetch();
    return status;
}

/* In the sum's type: terms whose factor is 0 are left out. */
static double compute(const scaled *of, double x, double y)
{
    if (sums_double(of->x.type, of->y.type)) {
        const double scaled_x = of->alpha * x, scaled_y = of->beta * y;
        return of->beta == 0 ? of->alpha == 0 ? 0 : scaled_x : of->alpha == 0 ? scaled_y : scaled_x + scaled_y;
    }
    const float scaled_x = (float)of->alpha * (float)x, scaled_y = (float)of->beta * (float)y;
    return (double)(of->beta == 0 ? of->alpha == 0 ? 0 : scaled_x : of->alpha == 0 ? scaled_y : scaled_x + scaled_y);
}

/* Of finite numbers: two products, a sum and the last rounding, each by half a unit or half a denormal. */
static int is_close(const scaled *of, double x, double y, double got)
{
    static const long double unit[] = {
        [LAY_F32] = 0x1p-24L, [LAY_F64] = 0x1p-53L, [LAY_F16] = 0x1p-11L, [LAY_BF16] = 0x1p-8L
    };
    static const long double least[] = {
        [LAY_F32] = 0x1p-150L, [LAY_F64] = 0x1p-1075L, [LAY_F16] = 0x1p-25L, [LAY_BF16] = 0x1p-134L
    };
    const lay_type sum = sums_double(of->x.type, of->y.type) ? LAY_F64 : LAY_F32, to = of->y.type;
    const long double first = of->alpha == 0 ? 0 : (long double)of->alpha * (long double)x,
                      second = of->beta == 0 ? 0 : (long double)of->beta * (long double)y, exact = first + second;
    const long double bound = 2.01L * unit[sum] * (fabsl(first) + fabsl(second)) + 4 * least[sum] +
                              1.01L * unit[to] * (fabsl(first) + fabsl(second)) + least[to] +
                              LDBL_EPSILON * fabsl(exact);
    return fabsl((long double)got - exact) <= bound;
}

static int are_same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

int scaled_is_right(scaled *of, char *why, size_t size)
{
    const operand *x = &of->x, *y = &of->y;
    const char *const before = y->before + ((char *)y->zero - y->memory); /* its address of offset 0 */
    for (int64_t i = 0; i < y->rows; i++)
        for (int64_t j = 0; j < y->columns; j++) {
            const int64_t at = y->row[i] + y->column[j];
            const double from = oracle_load(x->type, x->zero, x->row[i] + x->column[j]);
            const double old = oracle_load(y->type, before, at), got = oracle_load(y->type, y->zero, at);
            const double wanted = oracle_round(y->type, compute(of, from, old));
            if (are_same(wanted, got) && (!isfinite(wanted) || is_close(of, from, of->beta == 0 ? 0 : old, got)))
                continue;
            snprintf(why, size, "%a x + %a y, types %d and %d, at %lld, %lld: x %a, y %a, got %a, not %a", of->alpha,
                     of->beta, (int)x->type, (int)y->type, (long long)i, (long long)j, from, old, got, wanted);
            return 0;
        }
    snprintf(why, size, "%a x + %a y, types %d and %d: another element was written", of->alpha, of->beta, (int)x->type,
             (int)y->type);
    return operand_is_untouched(x) && operand_gaps_are_kept(y);
}
