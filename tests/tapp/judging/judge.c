/* What D must be, by a plain sum in higher precision, and how far from it each element may lie.
 *
 * In any order of the sum, and wherever alpha enters, an element is off by at most gamma(n) T in each of its parts,
 * where T is what the part would be if nothing cancelled, gamma(n) = n u / (1 - n u), u the unit roundoff and n the
 * number of roundings on the longest way from an input to D. What rounds operands first adds twice its own u. Small
 * integers have no roundings at all: then T fits the fewest bits that take part, and D is to be exact. */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* alpha, beta, C, the conversion to D, and a factor of its own for inputs that are summed alone */
#define OTHER_ROUNDINGS 16

/* Bits: of what is multiplied, of the sums, and the fewest of all. */
typedef struct precision {
    int factors, sums, fewest;
} precision;

static int least(int x, int y)
{
    return x < y ? x : y;
}

static precision precision_of(const typing *types)
{
    const int inputs = least(type_bits(types->a), type_bits(types->b));
    const int output = type_bits(types->d), all = least(least(inputs, type_bits(types->c)), output);
    precision is = { all, all, all };
    switch (types->prec) {
    case TAPP_F32F32_ACCUM_F32:
        is.factors = is.sums = 24;
        break;
    case TAPP_F64F64_ACCUM_F64:
        is.factors = is.sums = 53;
        break;
    case TAPP_F16F16_ACCUM_F16:
        is.factors = is.sums = 11;
        break;
    case TAPP_F16F16_ACCUM_F32:
        is.factors = 11;
        is.sums = 24;
        break;
    case TAPP_BF16BF16_ACCUM_F32:
        is.factors = 8;
        is.sums = 24;
        break;
    }
    is.sums = least(is.sums, output); /* sums in memory have D's type */
    is.fewest = least(all, least(is.factors, is.sums));
    return is;
}

/* One element: its value, and what it would be if nothing cancelled. */
typedef struct element {
    number value, size;
} element;

static number operand(const tensor *of, int64_t offset)
{
    const number x = number_load(of->type, of->zero, offset);
    return of->op == TAPP_CONJUGATE ? number_conjugate(x) : x;
}

static void add_product(element *to, number scale, number x)
{
    to->value = number_sum(to->value, number_product(scale, x));
    to->size = number_sum(to->size, number_size_product(number_size(scale), number_size(x)));
}

static element wanted(const tensor_problem *problem, int nout, const int out[], const int64_t index[], int nsum,
                      const int sum[], int is_empty)
{
    int64_t first_a = 0, first_b = 0, first_c = 0, at[MOST_LABELS] = { 0 };
    for (int i = 0; i < nout; i++) {
        first_a += index[i] * problem->a.step[out[i]];
        first_b += index[i] * problem->b.step[out[i]];
        first_c += index[i] * problem->c.step[out[i]];
    }
    element products = { { 0, 0 }, { 0, 0 } };
    if (!is_empty)
        do {
            int64_t offset_a = first_a, offset_b = first_b;
            for (int i = 0; i < nsum; i++) {
                offset_a += at[i] * problem->a.step[sum[i]];
                offset_b += at[i] * problem->b.step[sum[i]];
            }
            add_product(&products, operand(&problem->a, offset_a), operand(&problem->b, offset_b));
        } while (next_index(problem, nsum, sum, at));

    element of = { number_product(problem->alpha, products.value),
                   number_size_product(number_size(problem->alpha), products.size) };
    if (problem->beta.re != 0 || problem->beta.im != 0)
        add_product(&of, problem->beta, operand(&problem->c, first_c));
    if (problem->d.op == TAPP_CONJUGATE)
        of.value = number_conjugate(of.value);
    return of;
}

static long double bound_of(const tensor_problem *problem, number size, int64_t terms)
{
    const precision has = precision_of(&problem->types);
    const long double largest = size.re > size.im ? size.re : size.im;
    if (problem->of_integers && 4 * largest <= ldexpl(1, has.fewest))
        return 0;
    const int is_complex = type_is_complex(problem->d.type);
    const long double roundings = (is_complex ? 2 : 1) * (long double)terms + OTHER_ROUNDINGS;
    const long double unit = ldexpl(1, -has.sums);
    const long double gamma = roundings * unit / (1 - roundings * unit) + roundings * LDBL_EPSILON;
    const int finest = type_bits(problem->a.type) > type_bits(problem->b.type) ? type_bits(problem->a.type)
                                                                               : type_bits(problem->b.type);
    const long double rounded = finest > has.factors ? 2.5L * ldexpl(1, -has.factors) : 0;
    return gamma + rounded;
}

/* Written so that NaN is not right. */
static int part_is_right(long double got, long double want, long double bound)
{
    return fabsl(got - want) <= bound;
}

static void tell_miss(const tensor_problem *problem, int nout, const int64_t index[], number got, number want,
                      number bound, char *note, size_t size)
{
    int length = snprintf(note, size, "D at");
    for (int i = 0; i < nout && (size_t)length < size; i++)
        length += snprintf(note + length, size - (size_t)length, " %lld", (long long)index[i]);
    if ((size_t)length < size)
        snprintf(note + length, size - (size_t)length, " is %.17Lg%+.17Lgi, not %.17Lg%+.17Lgi within %.3Lg%+.3Lgi; ",
                 got.re, got.im, want.re, want.im, bound.re, bound.im);
    const size_t used = strlen(note);
    describe_problem(problem, note + used, size - used);
}

int output_is_right(const tensor_problem *problem, const char *before, char *note, size_t size)
{
    int out[MOST_LABELS], sum[MOST_LABELS];
    int64_t index[MOST_LABELS] = { 0 }, terms = 1, points = 1;
    const int nout = labels_of_output(problem, out), nsum = labels_summed(problem, sum);
    for (int i = 0; i < nsum; i++)
        terms *= problem->extent[sum[i]];
    for (int i = 0; i < nout; i++)
        points *= problem->extent[out[i]];

    const tensor *d = &problem->d;
    const size_t element_size = type_size(d->type);
    char *expected = test_memory(d->bytes);
    memcpy(expected, before, d->bytes);
    int is_right = 1;
    if (points > 0)
        do {
            int64_t offset = 0;
            for (int i = 0; i < nout; i++)
                offset += index[i] * d->step[out[i]];
            const size_t at = (size_t)(d->zero - d->memory) + (size_t)(offset * (int64_t)element_size);
            memcpy(expected + at, d->memory + at, element_size);
            if (!is_right)
                continue;
            const element want = wanted(problem, nout, out, index, nsum, sum, terms == 0);
            const number got = number_load(d->type, d->zero, offset);
            const number bound = { bound_of(problem, want.size, terms) * want.size.re,
                                   bound_of(problem, want.size, terms) * want.size.im };
            is_right = part_is_right(got.re, want.value.re, bound.re) && part_is_right(got.im, want.value.im, bound.im);
            if (!is_right)
                tell_miss(problem, nout, index, got, want.value, bound, note, size);
        } while (next_index(problem, nout, out, index));
    if (is_right && memcmp(expected, d->memory, d->bytes) != 0) {
        is_right = 0;
        const int length = snprintf(note, size, "something beside D's elements was written; ");
        describe_problem(problem, note + length, size - (size_t)length);
    }
    free(expected);
    return is_right;
}
