/* The judge: every element of the output by a plain loop in a longer type. */
#include "contraction.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../there.h"

/* Sums and the sums of their terms' magnitudes, of both parts. */
typedef struct sums {
    long double re, im;
    double weight_re, weight_im;
} sums;

static void add_product(sums *s, const element *kind, number x, number y)
{
    s->re += (long double)x.re * y.re;
    s->weight_re += fabs(x.re * y.re);
    if (kind->parts == 1)
        return;
    s->re -= (long double)x.im * y.im;
    s->im += (long double)x.re * y.im + (long double)x.im * y.re;
    s->weight_re += fabs(x.im * y.im);
    s->weight_im += fabs(x.re * y.im) + fabs(x.im * y.re);
}

/* factor times x, added to s. */
static void add_scaled(sums *s, const element *kind, number factor, const sums *x)
{
    s->re += (long double)factor.re * x->re;
    s->weight_re += fabs(factor.re) * x->weight_re;
    if (kind->parts == 1)
        return;
    s->re -= (long double)factor.im * x->im;
    s->im += (long double)factor.re * x->im + (long double)factor.im * x->re;
    s->weight_re += fabs(factor.im) * x->weight_im;
    s->weight_im += fabs(factor.re) * x->weight_im + fabs(factor.im) * x->weight_re;
}

/* By how much the place in row-major values moves as each label's index grows: diagonals move in both dimensions. */
static void find_steps(const contraction *c, int which, int64_t step[MAX_LABELS])
{
    int64_t place = 1;
    for (int label = 0; label < c->labels; label++)
        step[label] = 0;
    for (int d = c->rank[which] - 1; d >= 0; d--) {
        const int label = c->label[which][d];
        step[label] += place;
        place *= c->extent[label];
    }
}

/* Which labels are summed, with their steps in A and B. */
typedef struct walk {
    int count;
    int64_t extent[MAX_LABELS], step[2][MAX_LABELS];
} walk;

static sums sum_up(const contraction *c, const walk *over, int64_t a, int64_t b)
{
    sums s = { 0 };
    int64_t index[MAX_LABELS] = { 0 };
    for (;;) {
        int d = over->count - 1;
        add_product(&s, c->kind, contraction_number(c, A, a), contraction_number(c, B, b));
        for (; d >= 0; d--) {
            a += over->step[A][d];
            b += over->step[B][d];
            if (++index[d] < over->extent[d])
                break;
            a -= over->step[A][d] * over->extent[d];
            b -= over->step[B][d] * over->extent[d];
            index[d] = 0;
        }
        if (d < 0)
            return s;
    }
}

/* docs/numerics.md, "The error": a rounding a step and a few more, in each part. Limbs cost some more where sums are
 * short, and so do a device's matrix units, which truncate. */
static double count_roundings(const contraction *c, int64_t steps)
{
    const double count = c->kind->parts * (double)steps;
    const lay_compute compute = c->options.compute;
    const int has_units = compute == LAY_COMPUTE_TF32 || compute == LAY_COMPUTE_BF16 ||
                          (there_is_elsewhere() && lay_type_size(c->kind->type) == 2);
    return count + 8 + (compute == LAY_COMPUTE_F32_SPLIT ? 80 : 0) + (has_units ? count / 4 + 30 : 0);
}

/* What rounded operands cost, of the product of magnitudes (include/layoutgemm.h, lay_compute). */
static double operands_rounding(lay_compute compute)
{
    return compute == LAY_COMPUTE_TF32 ? 0x1p-9 : compute == LAY_COMPUTE_BF16 ? 0x1.01p-7 : 0;
}

/* C is rounded once more. */
static int part_is_right(const contraction *c, int64_t steps, double got, long double wanted, double weight,
                         double *bound)
{
    const element *kind = c->kind;
    const double largest_sum = kind->part == LAY_F64 ? DBL_MAX : FLT_MAX;
    const double roundings = count_roundings(c, steps), factor = fabs(c->alpha.re) + fabs(c->alpha.im);
    *bound = 0;
    if (isnan(wanted))
        return isnan(got);
    if (isinf(wanted))
        return got == wanted;
    if (c->data == NUMBERS_WHOLE || c->data == NUMBERS_SPECIAL)
        return got == (kind->part == LAY_F64 ? wanted : oracle_round(kind->part, (double)wanted));
    if (weight > largest_sum / 2)
        return 1;
    *bound = (roundings * kind->unit + operands_rounding(c->options.compute)) * weight +
             (roundings + 2) * kind->least * fmax(1, factor);
    if (kind->last > 0)
        *bound += (fabs((double)wanted) + *bound) * kind->last + kind->last_least;
    if (fabsl(wanted) + *bound > kind->largest)
        return 1;
    return fabsl(got - wanted) <= *bound;
}

/* One element: the sum, where there is one, and C's. */
static sums want(const contraction *c, const walk *over, int64_t a, int64_t b, int64_t at)
{
    sums wanted = { 0 };
    if (contraction_has_product(c)) {
        const sums sum = sum_up(c, over, a, b);
        add_scaled(&wanted, c->kind, c->alpha, &sum);
    }
    if (c->beta.re != 0 || c->beta.im != 0) {
        const number before = contraction_number(c, C, at);
        const sums addend = { before.re, before.im, fabs(before.re), fabs(before.im) };
        add_scaled(&wanted, c->kind, c->beta, &addend);
    }
    return wanted;
}

static int elements_are_right(contraction *c, char *why, size_t size)
{
    walk over = { 0 };
    int64_t step[OPERANDS][MAX_LABELS], index[MAX_RANK] = { 0 };
    const tensor *output = contraction_output(c);
    const int64_t steps = contraction_steps(c);
    for (int which = A; which <= C; which++)
        find_steps(c, which, step[which]);
    for (int label = 0; label < c->labels; label++)
        if (step[C][label] == 0) {
            over.extent[over.count] = c->extent[label];
            over.step[A][over.count] = step[A][label];
            over.step[B][over.count++] = step[B][label];
        }
    for (int64_t at = 0; at < output->count; at++) {
        int64_t a = 0, b = 0;
        double bound;
        for (int d = 0; d < c->rank[C]; d++) {
            a += index[d] * step[A][c->label[C][d]];
            b += index[d] * step[B][c->label[C][d]];
        }
        const sums wanted = want(c, &over, a, b, at);
        const number got = element_load(c->kind, output->zero, output->offset[at]);
        if (!part_is_right(c, steps, got.re, wanted.re, wanted.weight_re, &bound) ||
            (c->kind->parts == 2 && !part_is_right(c, steps, got.im, wanted.im, wanted.weight_im, &bound))) {
            snprintf(why, size, "element %lld of the output is %.17g %.17g, not %.17Lg %.17Lg within %g", (long long)at,
                     got.re, got.im, wanted.re, wanted.im, bound);
            return 0;
        }
        next_index(output->rank, output->extent, index);
    }
    return 1;
}

int contraction_is_right(contraction *c, char *why, size_t size)
{
    for (int i = A; i < TENSORS; i++)
        if (c->of[i].memory && &c->of[i] != contraction_output(c) && !tensor_is_untouched(&c->of[i])) {
            snprintf(why, size, "%c is read alone, and has changed", "ABCD"[i]);
            return 0;
        }
    if (!elements_are_right(c, why, size))
        return 0;
    if (tensor_gaps_are_kept(contraction_output(c)))
        return 1;
    snprintf(why, size, "bytes between the output's elements have changed");
    return 0;
}
