/* The oracle of products: truth, bounds, comparison. */
#include "oracle.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static_assert(LDBL_MANT_DIG >= 64, "the truth of f64 needs a longer type");

void *oracle_memory(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fputs("the tests are out of memory\n", stderr);
        abort();
    }
    return memory;
}

int oracle_parts(lay_type type)
{
    return type == LAY_C32 || type == LAY_C64 ? 2 : 1;
}

lay_type oracle_real(lay_type type)
{
    return type == LAY_C32 ? LAY_F32 : type == LAY_C64 ? LAY_F64 : type;
}

/* ---- storage ---------------------------------------------------------------------------------- */

/* Of a 16-bit type: bits behind the point, the exponent of the least normal number, and the largest number. */
typedef struct format {
    int fraction, least;
    double largest;
} format;

static format format_of(lay_type type)
{
    return type == LAY_F16 ? (format){ 10, -14, 65504 } : (format){ 7, -126, 0x1.fep127 };
}

/* 2^exponent, and the exponent of a number: both of double's normal numbers, whose bits are quicker than ldexp. */
static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static int exponent_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & 2047) - 1023;
}

double oracle_round(lay_type type, double value)
{
    type = oracle_real(type);
    if (type == LAY_F64 || isnan(value) || isinf(value) || value == 0)
        return value;
    if (type == LAY_F32)
        return (double)(float)value;
    const format of = format_of(type);
    const int exponent = exponent_of(value) > of.least ? exponent_of(value) : of.least;
    const double unit = power_of_two(exponent - of.fraction), near = rint(value / unit) * unit;
    return fabs(near) > of.largest ? copysign(INFINITY, value) : near;
}

static double value_of(lay_type type, unsigned bits)
{
    const format of = format_of(type);
    const unsigned exponents = type == LAY_F16 ? 31 : 255, exponent = bits >> of.fraction & exponents;
    const double fraction = (bits & ((1u << of.fraction) - 1)) * power_of_two(-of.fraction);
    const double size = exponent == exponents ? (fraction == 0 ? INFINITY : NAN)
                        : exponent == 0       ? fraction * power_of_two(of.least)
                                              : (1 + fraction) * power_of_two(of.least + (int)exponent - 1);
    return bits & 0x8000 ? -size : size;
}

static uint16_t bits_of(lay_type type, double value)
{
    const format of = format_of(type);
    const unsigned infinite = (type == LAY_F16 ? 31u : 255u) << of.fraction, sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(oracle_round(type, value));
    if (isnan(size))
        return (uint16_t)(infinite | 1u << (of.fraction - 1));
    if (isinf(size))
        return (uint16_t)(sign | infinite);
    if (size < power_of_two(of.least))
        return (uint16_t)(sign | (unsigned)(size * power_of_two(of.fraction - of.least)));
    const int exponent = exponent_of(size);
    const double fraction = size * power_of_two(of.fraction - exponent) - (1 << of.fraction);
    return (uint16_t)(sign + ((unsigned)(exponent - of.least + 1) << of.fraction) + (unsigned)fraction);
}

double oracle_load(lay_type type, const void *zero, int64_t offset)
{
    switch (type) {
    case LAY_F32:
        return (double)((const float *)zero)[offset];
    case LAY_F64:
        return ((const double *)zero)[offset];
    case LAY_C32:
    case LAY_C64:
        return oracle_load(oracle_real(type), zero, 2 * offset);
    default:
        return value_of(type, ((const uint16_t *)zero)[offset]);
    }
}

void oracle_store(lay_type type, void *zero, int64_t offset, double value)
{
    switch (type) {
    case LAY_F32:
        ((float *)zero)[offset] = (float)value;
        return;
    case LAY_F64:
        ((double *)zero)[offset] = value;
        return;
    case LAY_C32:
    case LAY_C64:
        oracle_store(oracle_real(type), zero, 2 * offset, value);
        oracle_store(oracle_real(type), zero, 2 * offset + 1, 0);
        return;
    default:
        ((uint16_t *)zero)[offset] = bits_of(type, value);
    }
}

void oracle_unite_nans(lay_type type, char *elements, int64_t count)
{
    static const struct {
        uint64_t magnitude, infinity;
    } of[] = { [LAY_F32] = { 0x7fffffff, 0x7f800000 },
               [LAY_F64] = { 0x7fffffffffffffff, 0x7ff0000000000000 },
               [LAY_F16] = { 0x7fff, 0x7c00 },
               [LAY_BF16] = { 0x7fff, 0x7f80 } };
    if (oracle_parts(type) == 2) {
        oracle_unite_nans(oracle_real(type), elements, 2 * count);
        return;
    }
    const size_t size = lay_type_size(type);
    for (int64_t i = 0; i < count; i++) {
        uint64_t element = 0;
        memcpy(&element, elements + (size_t)i * size, size); /* little-endian, as all that we run on */
        if ((element & of[type].magnitude) > of[type].infinity)
            memcpy(elements + (size_t)i * size, &of[type].magnitude, size);
    }
}

void oracle_offsets(const lay_desc *desc, int64_t **row, int64_t **column)
{
    const int64_t rows = lay_desc_extent(desc, "0"), columns = lay_desc_extent(desc, "1");
    *row = oracle_memory((size_t)rows * sizeof **row);
    *column = oracle_memory((size_t)columns * sizeof **column);
    const int64_t origin = lay_desc_offset(desc, 2, (int64_t[]){ 0, 0 });
    for (int64_t i = 0; i < rows; i++)
        (*row)[i] = lay_desc_offset(desc, 2, (int64_t[]){ i, 0 });
    for (int64_t j = 0; j < columns; j++)
        (*column)[j] = lay_desc_offset(desc, 2, (int64_t[]){ 0, j }) - origin;
}

void oracle_scatter(lay_type type, const lay_desc *desc, void *zero, const double *from)
{
    const int64_t rows = lay_desc_extent(desc, "0"), columns = lay_desc_extent(desc, "1");
    int64_t *row, *column;
    if (rows == 0 || columns == 0)
        return;
    oracle_offsets(desc, &row, &column);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            oracle_store(type, zero, row[i] + column[j], from[i * columns + j]);
    free(row);
    free(column);
}

void oracle_gather(lay_type type, const lay_desc *desc, const void *zero, double *to)
{
    const int64_t rows = lay_desc_extent(desc, "0"), columns = lay_desc_extent(desc, "1");
    int64_t *row, *column;
    if (rows == 0 || columns == 0)
        return;
    oracle_offsets(desc, &row, &column);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[i * columns + j] = oracle_load(type, zero, row[i] + column[j]);
    free(row);
    free(column);
}

/* ---- truth ------------------------------------------------------------------------------------ */

/* One row of A B, and of |A| |B| for the bound. A double holds the product of two floats exactly. */
static void sum_row(const oracle_problem *p, int64_t i, double sum[], long double long_sum[], double weight[])
{
    for (int64_t j = 0; j < p->n; j++)
        long_sum[j] = sum[j] = weight[j] = 0;
    for (int64_t q = 0; q < p->k; q++) {
        const double x = p->a[i * p->k + q];
        const double *const b = p->b + q * p->n;
        for (int64_t j = 0; j < p->n; j++)
            weight[j] += fabs(x * b[j]);
        if (p->type == LAY_F64)
            for (int64_t j = 0; j < p->n; j++)
                long_sum[j] += (long double)x * b[j];
        else
            for (int64_t j = 0; j < p->n; j++)
                sum[j] += x * b[j];
    }
    if (p->type != LAY_F64)
        for (int64_t j = 0; j < p->n; j++)
            long_sum[j] = sum[j];
}

/* docs/numerics.md, "The error". Underflow inside a sum is scaled by alpha like the sum. */
static double find_bound(const oracle_problem *p, double wanted, double weight)
{
    const int f64 = p->type == LAY_F64, is_half = p->type == LAY_F16 || p->type == LAY_BF16;
    const double u = f64 ? 0x1p-53 : 0x1p-24, eta = f64 ? 0x1p-1074 : 0x1p-149;
    const int64_t kc = p->is_one_chain && p->k > 512 ? p->k : 512;
    const double chain = (double)(p->k < kc ? p->k : kc), blocks = (double)((p->k + kc - 1) / kc);
    const int is_on_units = p->is_one_chain && (is_half || p->rounded > 0); /* in groups of 8 or 16 */
    const double roundings = is_on_units                            ? 10 * (double)(p->k / 8 + 1) + 20
                             : p->gate == ORACLE_RANDOM && !is_half ? 2 * sqrt(chain) + sqrt(blocks) + 4
                                                                    : chain + blocks + 4;
    const double bound = (roundings * u + p->rounded) * weight + (double)(p->k + 2) * eta * fmax(1, fabs(p->alpha));
    if (!is_half)
        return bound;
    const format of = format_of(p->type); /* and C is rounded once */
    return bound + (fabs(wanted) + bound) * power_of_two(-of.fraction - 1) + power_of_two(of.least - of.fraction - 1);
}

/* The largest number of the type. */
static double largest_of(lay_type type)
{
    return type == LAY_F64 ? DBL_MAX : type == LAY_F32 ? FLT_MAX : format_of(type).largest;
}

/* Claims about one element. */
static int is_right(const oracle_problem *p, double got, long double wanted, double weight, double *bound)
{
    *bound = 0;
    if (isnan(wanted))
        return isnan(got);
    if (isinf(wanted))
        return got == wanted;
    if (p->gate == ORACLE_EXACT)
        return got == (p->type == LAY_F64 ? wanted : oracle_round(p->type, (double)wanted));
    if (weight > (p->type == LAY_F64 ? DBL_MAX : FLT_MAX) / 2)
        return 1;
    *bound = find_bound(p, (double)wanted, weight);
    if (fabsl(wanted) + *bound > largest_of(p->type))
        return 1;
    return fabsl(got - wanted) <= *bound;
}

/* Re and Im of a sum, and of the sums of absolute values. */
typedef struct sums {
    long double re, im, weight_re, weight_im;
} sums;

/* (x + y i) (re + im i), and the same of absolute values; a factor that is real leaves the parts to themselves. */
static sums times(double x, double y, sums of)
{
    const sums real = { x * of.re, x * of.im, fabs(x) * of.weight_re, fabs(x) * of.weight_im };
    return y == 0 ? real
                  : (sums){ real.re - y * of.im, real.im + y * of.re, real.weight_re + fabs(y) * of.weight_im,
                            real.weight_im + fabs(y) * of.weight_re };
}

/* A B as a product of real numbers: A's rows as they are, [m][2 k], and for a number of B the 2 x 2 numbers that take
 * re and im of A's to re and im of the product, [2 k][2 n]. The caller frees a and b. */
static oracle_problem as_real(const oracle_problem *p)
{
    const double sign_a = p->is_conjugated[0] ? -1 : 1, sign_b = p->is_conjugated[1] ? -1 : 1;
    double *const a = oracle_memory((size_t)(2 * p->m * p->k) * sizeof *a);
    double *const b = oracle_memory((size_t)(4 * p->k * p->n) * sizeof *b);
    for (int64_t at = 0; at < p->m * p->k; at++) {
        a[2 * at] = p->a[2 * at];
        a[2 * at + 1] = sign_a * p->a[2 * at + 1];
    }
    for (int64_t q = 0; q < p->k; q++)
        for (int64_t j = 0; j < p->n; j++) {
            const double re = p->b[2 * (q * p->n + j)], im = sign_b * p->b[2 * (q * p->n + j) + 1];
            double *const of_re = b + 2 * q * 2 * p->n + 2 * j, *const of_im = of_re + 2 * p->n;
            of_re[0] = re, of_re[1] = im;
            of_im[0] = -im, of_im[1] = re;
        }
    return (oracle_problem){
        .type = oracle_real(p->type), .m = p->m, .n = 2 * p->n, .k = 2 * p->k, .a = a, .b = b, .gate = p->gate
    };
}

/* A row's number j against what it is to be; own: its sum, times alpha. A real sum of twice as many products has the
 * errors of one of its parts. */
static int complex_is_right(const oracle_problem *p, int64_t i, int64_t j, sums own, const double *got,
                            oracle_miss *miss)
{
    oracle_problem part = *p;
    part.type = oracle_real(p->type);
    part.k = 2 * p->k;
    part.alpha = fabs(p->alpha) + fabs(p->alpha_i);
    const int without_c = p->beta == 0 && p->beta_i == 0;
    const int64_t at = i * p->n + j;
    sums old = { 0, 0, 0, 0 };
    if (!without_c) {
        const double re = p->c[2 * at], im = p->c[2 * at + 1];
        old = times(p->beta, p->beta_i, (sums){ re, im, fabs(re), fabs(im) });
    }
    const long double wanted[] = { without_c ? own.re : own.re + old.re, without_c ? own.im : own.im + old.im };
    const long double weight[] = { own.weight_re + old.weight_re, own.weight_im + old.weight_im };
    for (int q = 0; q < 2; q++) {
        double bound;
        if (!is_right(&part, got[2 * at + q], wanted[q], (double)weight[q], &bound)) {
            *miss = (oracle_miss){ i, 2 * j + q, got[2 * at + q], (double)wanted[q], bound };
            return 0;
        }
    }
    return 1;
}

static int complex_product(const oracle_problem *p, const double *got, oracle_miss *miss)
{
    const int without_product = (p->alpha == 0 && p->alpha_i == 0) || p->k == 0;
    const oracle_problem real = without_product ? (oracle_problem){ 0 } : as_real(p);
    const size_t parts = (size_t)(2 * p->n);
    double *const sum = oracle_memory(parts * sizeof *sum), *const weight = oracle_memory(parts * sizeof *weight);
    long double *const long_sum = oracle_memory(parts * sizeof *long_sum);
    int right = 1;
    for (int64_t i = 0; i < p->m && right; i++) {
        if (!without_product)
            sum_row(&real, i, sum, long_sum, weight);
        for (int64_t j = 0; j < p->n && right; j++) {
            sums own = { 0, 0, 0, 0 };
            if (!without_product)
                own = times(p->alpha, p->alpha_i,
                            (sums){ long_sum[2 * j], long_sum[2 * j + 1], weight[2 * j], weight[2 * j + 1] });
            right = complex_is_right(p, i, j, own, got, miss);
        }
    }
    free(sum);
    free(weight);
    free(long_sum);
    free((void *)real.a);
    free((void *)real.b);
    return right;
}

int oracle_product(const oracle_problem *p, const double *got, oracle_miss *miss)
{
    if (oracle_parts(p->type) == 2)
        return complex_product(p, got, miss);
    double *const sum = oracle_memory((size_t)p->n * sizeof *sum), *const weight =
                                                                       oracle_memory((size_t)p->n * sizeof *sum);
    long double *const long_sum = oracle_memory((size_t)p->n * sizeof *long_sum);
    const int without_product = p->alpha == 0 || p->k == 0, without_c = p->beta == 0;
    int right = 1;
    for (int64_t i = 0; i < p->m && right; i++) {
        if (!without_product)
            sum_row(p, i, sum, long_sum, weight);
        for (int64_t j = 0; j < p->n && right; j++) {
            const double c = without_c ? 0 : p->c[i * p->n + j];
            const long double scaled = without_product ? 0 : p->alpha * long_sum[j];
            const long double wanted = without_c ? scaled : scaled + (long double)p->beta * c;
            const double size =
                (without_product ? 0 : fabs(p->alpha) * weight[j]) + (without_c ? 0 : fabs(p->beta * c));
            double bound;
            right = is_right(p, got[i * p->n + j], wanted, size, &bound);
            if (!right)
                *miss = (oracle_miss){ i, j, got[i * p->n + j], (double)wanted, bound };
        }
    }
    free(sum);
    free(weight);
    free(long_sum);
    return right;
}

/* ---- large products --------------------------------------------------------------------------- */

__extension__ typedef __int128 whole;

/* to = matrix [rows][columns] times from; 0 when an entry is no whole number. */
static int multiply_whole(const double *matrix, int64_t rows, int64_t columns, const whole from[], whole to[])
{
    for (int64_t i = 0; i < rows; i++) {
        to[i] = 0;
        for (int64_t j = 0; j < columns; j++) {
            const double x = matrix[i * columns + j];
            if (!(x == rint(x) && fabs(x) < 0x1p53))
                return 0;
            to[i] += (whole)(int64_t)x * from[j];
        }
    }
    return 1;
}

int check_large(const oracle_problem *p, const double *got, oracle_miss *miss)
{
    whole *const work = oracle_memory((size_t)(p->n + p->k + 3 * p->m) * sizeof *work);
    whole *const t = work, *const bt = t + p->n, *const abt = bt + p->k, *const ct = abt + p->m, *const old = ct + p->m;
    random_source from = { 20 };
    int right = 1;
    for (int trial = 0; trial < 2 && right; trial++) {
        for (int64_t j = 0; j < p->n; j++)
            t[j] = random_in(&from, -(1 << 20), 1 << 20);
        for (int64_t i = 0; i < p->m; i++)
            old[i] = 0;
        right = multiply_whole(p->b, p->k, p->n, t, bt) && multiply_whole(p->a, p->m, p->k, bt, abt) &&
                (p->beta == 0 || multiply_whole(p->c, p->m, p->n, t, old));
        const int finite = multiply_whole(got, p->m, p->n, t, ct);
        for (int64_t i = 0; i < p->m && right; i++) {
            const whole wanted = (whole)p->alpha * abt[i] + (whole)p->beta * old[i];
            right = finite && ct[i] == wanted;
            if (!right)
                *miss = (oracle_miss){ i, -1, finite ? (double)ct[i] : NAN, (double)wanted, 0 };
        }
    }
    free(work);
    return right;
}
