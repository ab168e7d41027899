/* Products of several types: every set of types that is served, in any layouts, judged twice, by a plain sum of whole
 * numbers and, bit by bit, by the product of widened copies in the sum's type.
 *
 * test_contractions_mixed [CASES]. LAY_TEST_CASES, if set, says how many cases instead; a failure prints the number of
 * its case, and LAY_TEST_CASE=number runs that one alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "storage.h"

enum { USUAL_CASES = 12000, TYPES = 6, LABELS = 4 /* batch, rows, columns, steps */ };
enum { A, B, C, D, OPERANDS };

static const element kinds[TYPES] = {
    [LAY_F32] = { .type = LAY_F32, .name = "f32", .part = LAY_F32, .parts = 1 },
    [LAY_F64] = { .type = LAY_F64, .name = "f64", .part = LAY_F64, .parts = 1 },
    [LAY_F16] = { .type = LAY_F16, .name = "f16", .part = LAY_F16, .parts = 1 },
    [LAY_BF16] = { .type = LAY_BF16, .name = "bf16", .part = LAY_BF16, .parts = 1 },
    [LAY_C32] = { .type = LAY_C32, .name = "c32", .part = LAY_F32, .parts = 2 },
    [LAY_C64] = { .type = LAY_C64, .name = "c64", .part = LAY_F64, .parts = 2 },
};

static uint64_t only = UINT64_MAX, cases = USUAL_CASES;

typedef struct mixed {
    uint64_t nth;
    lay_type type[OPERANDS], sum;
    const element *wide; /* the sum's */
    lay_sum_precision precision;
    int64_t extent[LABELS];
    int has_batch[OPERANDS]; /* A, B, and C and D */
    enum { NO_D, D_APART, D_IS_C } d;
    unsigned conjugated;
    int of_integers;
    number alpha, beta;
    lay_options options;
    tensor of[OPERANDS];     /* what is written: D where it is apart, else C */
    number *value[OPERANDS]; /* row-major, before the call */
} mixed;

static int is_complex(lay_type type)
{
    return kinds[type].parts == 2;
}

static int is_served(const lay_type type[])
{
    return (is_complex(type[A]) || is_complex(type[B])) == is_complex(type[D]) &&
           !(is_complex(type[C]) && !is_complex(type[D]));
}

static lay_type find_sum(const lay_type type[], lay_sum_precision precision)
{
    int is_double = precision == LAY_SUM_F64;
    for (int i = 0; i < OPERANDS; i++)
        is_double |= kinds[type[i]].part == LAY_F64;
    return is_complex(type[D]) ? (is_double ? LAY_C64 : LAY_C32) : is_double ? LAY_F64 : LAY_F32;
}

static void tell(const mixed *c, const char *why)
{
    fail_msg(
        "case %llu: A %s B %s C %s D %s (%s), sum %s, %lld of %lld x %lld x %lld, conjugated %u, alpha %g %g, beta "
        "%g %g, threads %d, isa %d: %s",
        (unsigned long long)c->nth, kinds[c->type[A]].name, kinds[c->type[B]].name, kinds[c->type[C]].name,
        kinds[c->type[D]].name,
        c->d == NO_D      ? "none"
        : c->d == D_APART ? "apart"
                          : "C",
        c->wide->name, (long long)c->extent[0], (long long)c->extent[1], (long long)c->extent[2],
        (long long)c->extent[3], c->conjugated, c->alpha.re, c->alpha.im, c->beta.re, c->beta.im, c->options.threads,
        (int)c->options.isa, why);
}

/* ---- a case ----------------------------------------------------------------------------------- */

static void choose_types(mixed *c, random_source *from)
{
    do {
        for (int i = 0; i < OPERANDS; i++)
            c->type[i] = (lay_type)random_in(from, 0, TYPES - 1);
        c->d = random_of(from, ((const int[]){ NO_D, D_APART, D_APART, D_IS_C }));
        if (c->d != D_APART)
            c->type[C] = c->type[D];
    } while (!is_served(c->type));
    c->precision = random_one_in(from, 4) ? LAY_SUM_F64 : LAY_SUM_BY_TYPES;
    c->sum = find_sum(c->type, c->precision);
    c->wide = &kinds[c->sum];
}

static void choose_sizes(mixed *c, random_source *from)
{
    static const int64_t blocked[] = { 65, 129, 300 };
    const int is_large = random_one_in(from, 40);
    for (int i = 0; i < LABELS; i++)
        c->extent[i] = random_one_in(from, 60) ? 0 : random_in(from, 1, 9);
    c->has_batch[C] = c->has_batch[D] = random_one_in(from, 3);
    c->has_batch[A] = c->has_batch[C] && !random_one_in(from, 4);
    c->has_batch[B] = c->has_batch[C] && !random_one_in(from, 4);
    if (!c->has_batch[C])
        c->extent[0] = 1;
    else if (random_one_in(from, 20))
        c->extent[0] = random_in(from, 60, 200);
    for (int i = 1; i < LABELS && is_large && !c->has_batch[C]; i++)
        c->extent[i] = random_of(from, blocked);
    if (random_one_in(from, 15))
        c->extent[3] = random_in(from, 30, random_one_in(from, 3) ? 5000 : 2000);
    if (random_one_in(from, 8))
        c->extent[random_in(from, 1, 2)] = 1;
}

static number choose_scalar(const mixed *c, random_source *from)
{
    static const double parts[] = { 0, 1, 1, -1, 2, 0.5, -3 };
    number made = { random_of(from, parts), 0 };
    if (is_complex(c->sum) && random_one_in(from, 3))
        made.im = random_of(from, parts);
    return made;
}

/* The labels of an operand: batch, then two of rows, columns and steps. */
static int list_labels(const mixed *c, int which, int label[])
{
    static const int matrix[OPERANDS][2] = { { 1, 3 }, { 3, 2 }, { 1, 2 }, { 1, 2 } };
    int count = 0;
    if (c->has_batch[which])
        label[count++] = 0;
    label[count++] = matrix[which][0];
    label[count++] = matrix[which][1];
    return count;
}

static double draw(const mixed *c, lay_type part, random_source *from)
{
    if (c->of_integers)
        return (double)random_in(from, -3, 3);
    return oracle_round(part, 2 * random_unit(from) - 1);
}

static void place(mixed *c, int which, random_source *from)
{
    int label[3];
    axis axes[3];
    const element *kind = &kinds[c->type[which]];
    const int rank = list_labels(c, which, label);
    for (int i = 0; i < rank; i++)
        axes[i] = axis_make(from, c->extent[label[i]], 0);
    c->of[which] = tensor_make(kind, storage_make(from, which < C ? STORAGE_INPUT : STORAGE_OUTPUT, rank, axes));
    c->value[which] = oracle_memory((size_t)c->of[which].count * sizeof(number));
    for (int64_t at = 0; at < c->of[which].count; at++) {
        c->value[which][at].re = draw(c, kind->part, from);
        c->value[which][at].im = kind->parts == 2 ? draw(c, kind->part, from) : 0;
    }
    tensor_write(&c->of[which], c->value[which]);
    tensor_read(&c->of[which], c->value[which]); /* what shares a place */
    tensor_remember(&c->of[which]);
}

static mixed make_case(uint64_t nth)
{
    random_source from = random_case(7, nth);
    mixed c = { .nth = nth, .options = LAY_OPTIONS_INIT };
    choose_types(&c, &from);
    choose_sizes(&c, &from);
    c.conjugated = (unsigned)random_in(&from, 0, c.d == D_APART ? 7 : 3);
    c.of_integers = random_one_in(&from, 2);
    c.alpha = choose_scalar(&c, &from);
    c.beta = choose_scalar(&c, &from);
    c.options.threads = (int)random_in(&from, 1, 3);
    c.options.isa = random_one_in(&from, 4) ? LAY_ISA_C : LAY_ISA_AUTO;
    for (int i = 0; i < OPERANDS; i++)
        if (i != D || c.d == D_APART)
            place(&c, i, &from);
    return c;
}

static void free_case(mixed *c)
{
    for (int i = 0; i < OPERANDS; i++)
        if (c->of[i].memory) {
            tensor_free(&c->of[i]);
            free(c->value[i]);
        }
}

static tensor *written(mixed *c)
{
    return &c->of[c->d == D_APART ? D : C];
}

static lay_status plan_and_run(mixed *c)
{
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    char labels[16];
    snprintf(labels, sizeof labels, "%sik,%skj->%sij", c->has_batch[A] ? "b" : "", c->has_batch[B] ? "b" : "",
             c->has_batch[C] ? "b" : "");
    product.type_a = c->type[A];
    product.type_b = c->type[B];
    product.type_c = c->type[C];
    product.type_d = c->type[D];
    product.a = c->of[A].desc;
    product.b = c->of[B].desc;
    product.c = c->of[C].desc;
    product.d = c->d == NO_D ? NULL : written(c)->desc;
    product.labels = labels;
    product.conjugated = c->conjugated;
    product.sum_precision = c->precision;
    lay_status status = lay_plan_create_product(&product, &c->options, &plan);
    if (status != LAY_OK)
        return status;
    const scalar alpha = scalar_of(c->wide, c->alpha), beta = scalar_of(c->wide, c->beta);
    status = lay_plan_run_product(plan, &alpha, c->of[A].zero, c->of[B].zero, &beta, c->of[C].zero, written(c)->zero);
    lay_plan_destroy(plan);
    return status;
}

static lay_status call(mixed *c)
{
    there_block blocks[OPERANDS];
    int count = 0;
    for (int i = 0; i < OPERANDS; i++)
        if (c->of[i].memory)
            blocks[count++] = (there_block){ c->of[i].memory, c->of[i].bytes, &c->of[i].zero };
    there_send(count, blocks, (unsigned)c->nth, &c->options);
    const lay_status status = plan_and_run(c);
    there_fetch();
    return status;
}

/* ---- what it must be -------------------------------------------------------------------------- */

static number turned(number x, int is_turned)
{
    return (number){ x.re, is_turned ? -x.im : x.im };
}

static number product_of(number x, number y)
{
    return (number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

/* Where an operand's element of these indices is. */
static int64_t place_of(const mixed *c, int which, int64_t b, int64_t i, int64_t j, int64_t p)
{
    const int64_t index[LABELS] = { b, i, j, p };
    int label[3];
    int64_t at = 0;
    const int rank = list_labels(c, which, label);
    for (int d = 0; d < rank; d++)
        at = at * c->extent[label[d]] + index[label[d]];
    return at;
}

/* By plain sums, which whole numbers leave exact. */
static void sum_plainly(const mixed *c, number want[])
{
    for (int64_t b = 0; b < c->extent[0]; b++)
        for (int64_t i = 0; i < c->extent[1]; i++)
            for (int64_t j = 0; j < c->extent[2]; j++) {
                number sum = { 0, 0 };
                for (int64_t p = 0; p < c->extent[3]; p++) {
                    const number x = c->value[A][place_of(c, A, b, i, j, p)],
                                 y = c->value[B][place_of(c, B, b, i, j, p)];
                    const number term = product_of(turned(x, c->conjugated & 1), turned(y, c->conjugated & 2));
                    sum = (number){ sum.re + term.re, sum.im + term.im };
                }
                const int64_t at = place_of(c, C, b, i, j, 0);
                const number old = product_of(c->beta, turned(c->value[C][at], c->conjugated & 4));
                sum = product_of(c->alpha, sum);
                want[at] = (number){ sum.re + old.re, sum.im + old.im };
            }
}

/* Row-major elements of part, one or two parts of each number: rows' parts beside each other (0), columns' (1), or
 * numbers as they are (-1). */
static void *spread(const number values[], int64_t matrices, int64_t rows, int64_t columns, lay_type part, int parts,
                    int along, int is_turned)
{
    const int64_t count = matrices * rows * columns;
    char *const made = oracle_memory((size_t)(count * parts) * lay_type_size(part) + 1);
    for (int64_t at = 0; at < count; at++) {
        const number x = turned(values[at], is_turned);
        const int64_t row = at / columns, column = at % columns;
        const int64_t first = along == 0 ? 2 * row * columns + column : at * parts, step = along == 0 ? columns : 1;
        oracle_store(part, made, first, x.re);
        if (parts == 2)
            oracle_store(part, made, first + step, x.im);
    }
    return made;
}

static void gather(const void *from, int64_t rows, int64_t columns, lay_type part, int parts, int along, number to[])
{
    for (int64_t at = 0; at < rows * columns; at++) {
        const int64_t row = at / columns, column = at % columns;
        const int64_t first = along == 0 ? 2 * row * columns + column : at * parts, step = along == 0 ? columns : 1;
        to[at] = (number){ oracle_load(part, from, first), parts == 2 ? oracle_load(part, from, first + step) : 0 };
    }
}

/* Two operands of one 16-bit type meet in a device's matrix units, which is what these do with their widened copies. */
static lay_compute units_of(const mixed *c)
{
    const int is_narrow = lay_type_size(c->type[A]) == 2 && c->type[A] == c->type[B] && c->sum == LAY_F32;
    return !there_is_elsewhere() || !is_narrow ? LAY_COMPUTE_AUTO
           : c->type[A] == LAY_F16             ? LAY_COMPUTE_FP16
                                               : LAY_COMPUTE_BF16;
}

static lay_status create_and_run(const lay_product *product, const lay_options *options, const scalar *alpha,
                                 void *const at[], const scalar *beta)
{
    lay_plan *plan = NULL;
    lay_status status = lay_plan_create_product(product, options, &plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, alpha, at[A], at[B], beta, at[C]);
    lay_plan_destroy(plan);
    return status;
}

/* A product of one type of matrices side by side, in place, where the case's is: another place may have another order
 * of the sum. */
static void multiply(const mixed *c, lay_type type, const int64_t extent[], const int has_batch[], unsigned conjugated,
                     number alpha, number beta, void *a, void *b, void *to)
{
    void *zero[] = { a, b, to };
    there_block blocks[3];
    lay_options options = c->options;
    lay_product product = LAY_PRODUCT_INIT;
    lay_desc *desc[3];
    char labels[16];
    const int64_t side[3][2] = { { extent[1], extent[3] }, { extent[3], extent[2] }, { extent[1], extent[2] } };
    for (int i = 0; i < 3; i++) {
        const int64_t all[] = { extent[0], side[i][0], side[i][1] };
        const size_t count = (size_t)((has_batch[i] ? all[0] : 1) * all[1] * all[2]);
        assert_int_equal(lay_desc_natural(has_batch[i] ? 3 : 2, has_batch[i] ? all : all + 1, &desc[i]), LAY_OK);
        blocks[i] = (there_block){ zero[i], count * lay_type_size(type) + 1, &zero[i] };
    }
    snprintf(labels, sizeof labels, "%sik,%skj->%sij", has_batch[A] ? "b" : "", has_batch[B] ? "b" : "",
             has_batch[C] ? "b" : "");
    product.type_a = product.type_b = product.type_c = type;
    product.a = desc[0];
    product.b = desc[1];
    product.c = desc[2];
    product.labels = labels;
    product.conjugated = conjugated;
    const scalar x = scalar_of(&kinds[type], alpha), y = scalar_of(&kinds[type], beta);
    there_send(3, blocks, (unsigned)c->nth, &options);
    options.compute = units_of(c);
    lay_status status = create_and_run(&product, &options, &x, zero, &y);
    if (status == LAY_ERR_UNSUPPORTED && options.compute) { /* the device has no such units */
        options.compute = LAY_COMPUTE_AUTO;
        status = create_and_run(&product, &options, &x, zero, &y);
    }
    if (status != LAY_OK)
        tell(c, lay_last_error());
    there_fetch();
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

/* y = alpha x + beta y for count elements side by side; x NULL: y = beta y. */
static void blend(lay_type type, int64_t count, number alpha, const void *x, number beta, void *y)
{
    lay_desc *flat;
    const number none = { 0, 0 };
    const scalar factor = scalar_of(&kinds[type], x ? alpha : none), keep = scalar_of(&kinds[type], beta);
    assert_int_equal(lay_desc_natural(1, &count, &flat), LAY_OK);
    assert_int_equal(lay_axpby(type, flat, &factor, x, type, flat, &keep, y, 0, NULL), LAY_OK);
    lay_desc_destroy(flat);
}

/* Real times complex, of interleaved numbers at to: a real product of twice as many rows or columns. */
static void multiply_parts(const mixed *c, void *a, void *b, int along, void *to)
{
    const number one = { 1, 0 }, zero = { 0, 0 };
    const int64_t *const e = c->extent, count = e[0] * e[1] * e[2];
    const int64_t extent[LABELS] = { e[0], along == 0 ? 2 * e[1] : e[1], along == 0 ? e[2] : 2 * e[2], e[3] };
    const size_t bytes = (size_t)count * lay_type_size(c->sum);
    const int is_plain = c->alpha.im == 0;
    const lay_type part = c->wide->part;
    number *const values = oracle_memory((size_t)count * sizeof(number) + 1);
    if (is_plain && c->beta.im != 0)
        blend(c->sum, count, zero, NULL, c->beta, to);
    gather(to, e[0] * e[1], e[2], part, 2, 1, values);
    void *const sum = spread(values, e[0], e[1], e[2], part, 2, along, 0);
    multiply(c, part, extent, c->has_batch, 0, is_plain ? c->alpha : one,
             !is_plain         ? zero
             : c->beta.im != 0 ? one
                               : c->beta,
             a, b, sum);
    gather(sum, e[0] * e[1], e[2], part, 2, along, values);
    void *const done = spread(values, e[0], e[1], e[2], part, 2, 1, 0);
    if (is_plain)
        memcpy(to, done, bytes);
    else
        blend(c->sum, count, c->alpha, done, c->beta, to);
    free(done);
    free(sum);
    free(values);
}

static int has_product(const mixed *c)
{
    return c->extent[3] > 0 && (c->alpha.re != 0 || c->alpha.im != 0);
}

/* A matrix of 16-bit numbers meets a vector on the CPU: the sum alone is that of widened copies, chunk by chunk, and
 * what is added to it is not fused. */
static int reads_narrow_matrix(const mixed *c)
{
    const lay_type matrix = c->type[c->extent[2] == 1 ? A : B];
    return !there_is_elsewhere() && c->sum == LAY_F32 && (c->extent[1] == 1 || c->extent[2] == 1) &&
           c->extent[3] >= 32 && lay_type_size(matrix) == 2;
}

/* The product of widened copies in the sum's type. */
static void multiply_widened(const mixed *c, number want[])
{
    const lay_type part = c->wide->part;
    const int left = is_complex(c->type[A]), right = is_complex(c->type[B]), is_half = left != right;
    const int64_t *const e = c->extent, count = e[0] * e[1] * e[2];
    const int along = is_half ? (left ? 0 : 1) : -1, both = is_complex(c->sum) ? 2 : 1;
    void *const a = spread(c->value[A], c->has_batch[A] ? e[0] : 1, e[1], e[3], part, left ? 2 : 1,
                           left && is_half ? 0 : -1, is_half && (c->conjugated & 1));
    void *const b = spread(c->value[B], c->has_batch[B] ? e[0] : 1, e[3], e[2], part, right ? 2 : 1, right ? 1 : -1,
                           is_half && (c->conjugated & 2));
    void *const to = spread(c->value[C], e[0], e[1], e[2], part, both, -1, c->conjugated & 4);
    if (reads_narrow_matrix(c) && has_product(c)) {
        const number one = { 1, 0 }, zero = { 0, 0 };
        void *const sum = oracle_memory((size_t)count * sizeof(float) + 1);
        multiply(c, c->sum, e, c->has_batch, 0, one, zero, a, b, sum);
        blend(c->sum, count, c->alpha, sum, c->beta, to);
        free(sum);
    } else if (is_half && has_product(c))
        multiply_parts(c, a, b, along, to);
    else if (is_half)
        blend(c->sum, count, c->alpha, NULL, c->beta, to);
    else
        multiply(c, c->sum, e, c->has_batch, c->conjugated & 3, c->alpha, c->beta, a, b, to);
    gather(to, e[0] * e[1], e[2], part, both, -1, want);
    free(a);
    free(b);
    free(to);
}

static int is_same(const mixed *c, number got, number want)
{
    const element *kind = &kinds[c->type[D]];
    const double re = oracle_round(kind->part, want.re), im = kind->parts == 2 ? oracle_round(kind->part, want.im) : 0;
    return got.re == re && got.im == im;
}

static void compare(mixed *c, const number want[], const char *whose)
{
    const tensor *out = written(c);
    for (int64_t at = 0; at < out->count; at++) {
        const number got = element_load(out->kind, out->zero, out->offset[at]);
        char why[200];
        snprintf(why, sizeof why, "element %lld is %.17g %.17g, %s has %.17g %.17g", (long long)at, got.re, got.im,
                 whose, want[at].re, want[at].im);
        if (!is_same(c, got, want[at]))
            tell(c, why);
    }
}

static void run_case(uint64_t nth)
{
    mixed c = make_case(nth);
    if (call(&c) != LAY_OK)
        tell(&c, lay_last_error());
    const int64_t count = written(&c)->count;
    number *const want = oracle_memory((size_t)count * sizeof *want + 1);
    if (count > 0 && !(reads_narrow_matrix(&c) && c.extent[3] > 2048 /* a chunk */ && !c.of_integers)) {
        multiply_widened(&c, want);
        compare(&c, want, "the product of widened copies");
    }
    if (count > 0 && c.of_integers) {
        sum_plainly(&c, want);
        compare(&c, want, "the plain sum");
    }
    for (int i = 0; i < OPERANDS; i++)
        if (c.of[i].memory && &c.of[i] != written(&c) && !tensor_is_untouched(&c.of[i]))
            tell(&c, "an input has changed");
    if (!tensor_gaps_are_kept(written(&c)))
        tell(&c, "bytes between the output's elements have changed");
    free(want);
    free_case(&c);
}

static void products_of_mixed_types_are_right(void **state)
{
    (void)state;
    if (only != UINT64_MAX)
        run_case(only);
    for (uint64_t nth = 0; nth < cases && only == UINT64_MAX; nth++)
        run_case(nth);
}

/* ---- which there are -------------------------------------------------------------------------- */

/* Every four types: served by the rule, or refused with a sentence that names another. */
static void types_that_do_not_mix_are_refused_with_the_nearest(void **state)
{
    (void)state;
    lay_desc *desc;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 3, 3 }, &desc), LAY_OK);
    for (int nth = 0; nth < TYPES * TYPES * TYPES * TYPES; nth++) {
        const lay_type type[] = { (lay_type)(nth % TYPES), (lay_type)(nth / TYPES % TYPES),
                                  (lay_type)(nth / TYPES / TYPES % TYPES), (lay_type)(nth / TYPES / TYPES / TYPES) };
        lay_product product = LAY_PRODUCT_INIT;
        lay_plan *plan = NULL;
        product.type_a = type[A];
        product.type_b = type[B];
        product.type_c = type[C];
        product.type_d = type[D];
        product.a = product.b = product.c = product.d = desc;
        product.labels = "ik,kj->ij";
        const lay_status status = lay_plan_create_product(&product, NULL, &plan);
        assert_int_equal(status, is_served(type) ? LAY_OK : LAY_ERR_TYPE);
        if (status != LAY_OK)
            assert_non_null(strstr(lay_last_error(), " may be "));
        lay_plan_destroy(plan);
    }
    lay_desc_destroy(desc);
}

/* Numbers that only widening keeps: too large for f16, and a NaN and an infinity where they are. */
static void special_values_go_where_they_belong(void **state)
{
    (void)state;
    const uint16_t a[] = { 0x7bff, 0x7c00, 0x7e00, 0x0001 }; /* 65504, infinity, NaN, 2^-24 */
    const float b[] = { 65504, 0x1p100f };
    float d[4];
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_desc *column, *row, *matrix;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 4, 1 }, &column), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 1, 1 }, &row), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 4, 1 }, &matrix), LAY_OK);
    product.type_a = LAY_F16;
    product.a = column;
    product.b = row;
    product.c = matrix;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    for (int i = 0; i < 2; i++) {
        const float one = 1, zero = 0;
        assert_int_equal(lay_plan_run(plan, &one, a, &b[i], &zero, d), LAY_OK);
        assert_true(d[0] == 65504 * b[i]);
        assert_true(d[1] == b[i] / 0.0f);
        assert_true(d[2] != d[2]);
        assert_true(d[3] == 0x1p-24f * b[i]);
    }
    lay_plan_destroy(plan);
    lay_desc_destroy(column);
    lay_desc_destroy(row);
    lay_desc_destroy(matrix);
}

/* Of a plan of several types an operand is packed as a copy, in its own type. */
static void packed_operands_keep_their_type(void **state)
{
    (void)state;
    enum { SIDE = 600 };
    static uint16_t a[SIDE * SIDE];
    static float b[SIDE * SIDE], c[2][SIDE * SIDE];
    const float one = 1, zero = 0;
    random_source from = random_case(3, 3);
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_packed *packed[2];
    lay_desc *square;
    for (int i = 0; i < SIDE * SIDE; i++) {
        oracle_store(LAY_BF16, a, i, random_unit(&from));
        b[i] = (float)random_unit(&from);
    }
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ SIDE, SIDE }, &square), LAY_OK);
    product.type_a = LAY_BF16;
    product.a = product.b = product.c = square;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, a, b, &zero, c[0]), LAY_OK);
    assert_int_equal(lay_pack(plan, LAY_OPERAND_A, a, &packed[0]), LAY_OK);
    assert_int_equal(lay_pack(plan, LAY_OPERAND_B, b, &packed[1]), LAY_OK);
    assert_int_equal(lay_plan_run_packed(plan, &one, NULL, packed[0], NULL, packed[1], &zero, c[1]), LAY_OK);
    assert_memory_equal(c[0], c[1], sizeof c[0]);
    lay_packed_destroy(packed[0]);
    lay_packed_destroy(packed[1]);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}

/* Elements of two sizes may not even lie between each other. */
static void outputs_between_inputs_of_another_size_are_refused(void **state)
{
    (void)state;
    static char memory[400];
    const float one = 1, zero = 0;
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_desc *apart, *close;
    assert_int_equal(lay_desc_parse("[3:12][3:4]", &apart), LAY_OK); /* of f32, every other 8 bytes */
    assert_int_equal(lay_desc_parse("[3:3][3:1]", &close), LAY_OK);
    product.type_a = LAY_F16;
    product.a = product.b = close;
    product.c = apart;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, memory + 8, memory + 300, &zero, memory), LAY_ERR_OVERLAP);
    assert_int_equal(lay_plan_run(plan, &one, memory + 220, memory + 300, &zero, memory), LAY_OK);
    lay_plan_destroy(plan);
    lay_desc_destroy(apart);
    lay_desc_destroy(close);
}

/* A tensor of labels of its own, a diagonal and a scalar C: what is in front of products knows no types. */
static void labels_mix_types_too(void **state)
{
    (void)state;
    const uint16_t a[] = { 0x3f80, 0x4000, 0x4040, 0x4080 }; /* bfloat16: 1 2 3 4 */
    const double b[] = { 10, 100 };
    const float c = 3;
    float d = 0;
    const double alpha = 1, beta = 2;
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_desc *square, *line;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 2, 2 }, &square), LAY_OK);
    assert_int_equal(lay_desc_natural(1, (const int64_t[]){ 2 }, &line), LAY_OK);
    product.type_a = LAY_BF16;
    product.type_b = LAY_F64;
    product.a = square;
    product.b = line;
    product.labels = "ii,i->";
    product.has_d = 1;
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run_product(plan, &alpha, a, b, &beta, &c, &d), LAY_OK);
    assert_true(d == 416);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    lay_desc_destroy(line);
}

/* Row-major matrices of a shape whose images are made in blocks of columns, where caches are as they mostly are. */
static void blocks_of_columns_are_not_seen(void **state)
{
    (void)state;
    enum { M = 64, N = 4096, K = 256 };
    static float a[M * K], b[K * N], c[M * N], wanted[M * N];
    static uint16_t narrow[K * N], d[M * N];
    const float one = 1, half = 0.5f;
    random_source from = random_case(5, 5);
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ M, K }, (lay_desc **)&product.a), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ K, N }, (lay_desc **)&product.b), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ M, N }, (lay_desc **)&product.c), LAY_OK);
    for (int i = 0; i < M * K; i++)
        a[i] = (float)random_unit(&from);
    for (int i = 0; i < K * N; i++) {
        oracle_store(LAY_BF16, narrow, i, random_unit(&from));
        b[i] = (float)oracle_load(LAY_BF16, narrow, i);
    }
    for (int i = 0; i < M * N; i++)
        c[i] = wanted[i] = (float)random_unit(&from);
    assert_int_equal(lay_sgemm(product.a, product.b, product.c, one, a, b, half, wanted, &options), LAY_OK);
    product.type_b = LAY_BF16;
    product.type_d = LAY_BF16;
    product.d = product.c;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_run_product(plan, &one, a, narrow, &half, c, d), LAY_OK);
    lay_plan_destroy(plan);
    for (int i = 0; i < M * N; i++)
        assert_true(oracle_load(LAY_BF16, d, i) == oracle_round(LAY_BF16, wanted[i]));
    product.d = NULL;
    assert_int_equal(lay_plan_create_product(&product, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, a, narrow, &half, c), LAY_OK);
    assert_memory_equal(c, wanted, sizeof c);
    lay_plan_destroy(plan);
    lay_desc_destroy((lay_desc *)product.a);
    lay_desc_destroy((lay_desc *)product.b);
    lay_desc_destroy((lay_desc *)product.c);
}

/* To a device they would have to go there, and nobody takes them. */
static void operands_of_a_device_in_host_memory_are_refused(void **state)
{
    (void)state;
    lay_desc *square;
    lay_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    lay_product product = LAY_PRODUCT_INIT;
    const uint16_t a[9] = { 0 };
    const float b[9] = { 0 }, one = 1, zero = 0;
    float c[9] = { 5 };
    options.backend = LAY_BACKEND_CUDA;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 3, 3 }, &square), LAY_OK);
    product.type_a = LAY_BF16;
    product.a = product.b = product.c = square;
    product.labels = "ik,kj->ij";
    const lay_status status = lay_plan_create_product(&product, &options, &plan);
    assert_int_equal(status, plan ? LAY_OK : LAY_ERR_UNSUPPORTED); /* there is no device */
    if (plan) {
        assert_int_equal(lay_plan_run(plan, &one, a, b, &zero, c), LAY_ERR_UNSUPPORTED);
        assert_non_null(strstr(lay_last_error(), "several types"));
    }
    assert_true(c[0] == 5);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}

/* What a plan says of its images. */
static void explanations_name_the_types(void **state)
{
    (void)state;
    char text[8000];
    lay_desc *square;
    lay_plan *plan;
    lay_product product = LAY_PRODUCT_INIT;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 100, 100 }, &square), LAY_OK);
    product.type_a = LAY_BF16;
    product.type_b = LAY_C64;
    product.type_c = product.type_d = LAY_C32;
    product.a = product.b = product.c = square;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_true(lay_plan_explain(plan, text, sizeof text) < (int)sizeof text);
    assert_non_null(strstr(text, "A bf16, B c64, C c32, D c32, summed in c64"));
    assert_non_null(strstr(text, "A widened as [100"));
    assert_null(strstr(text, "B widened as"));
    assert_non_null(strstr(text, "D rounded from [100"));
    assert_non_null(strstr(text, "of B and C are columns of their own"));
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}

int main(int argc, char **argv)
{
    const char *limit = getenv("LAY_TEST_CASES"), *one = getenv("LAY_TEST_CASE");
    if (argc > 1 || limit)
        cases = strtoull(limit ? limit : argv[1], NULL, 10);
    if (one)
        only = strtoull(one, NULL, 10);
    if (!there_exists())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_mixed_types_are_right),
        cmocka_unit_test(types_that_do_not_mix_are_refused_with_the_nearest),
        cmocka_unit_test(special_values_go_where_they_belong),
        cmocka_unit_test(packed_operands_keep_their_type),
        cmocka_unit_test(outputs_between_inputs_of_another_size_are_refused),
        cmocka_unit_test(labels_mix_types_too),
        cmocka_unit_test(blocks_of_columns_are_not_seen),
        cmocka_unit_test(operands_of_a_device_in_host_memory_are_refused),
        cmocka_unit_test(explanations_name_the_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
