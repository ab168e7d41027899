/* Copies of the operands side by side in the sum's type, and products of one type of them. */
#include "widened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../there.h"

/* Row-major elements of part, one or two parts of each number: rows' parts beside each other (0), columns' (1), or
 * numbers as they are (-1). */
static void *spread(const number values[], int64_t matrices, int64_t rows, int64_t columns, lay_type part, int parts,
                    int along, int is_turned)
{
    const int64_t count = matrices * rows * columns;
    char *const made = oracle_memory((size_t)(count * parts) * lay_type_size(part) + 1);
    for (int64_t at = 0; at < count; at++) {
        const number x = mixed_turned(values[at], is_turned);
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
    const scalar x = scalar_of(&mixed_kinds[type], alpha), y = scalar_of(&mixed_kinds[type], beta);
    there_send(3, blocks, (unsigned)c->nth, &options);
    options.compute = units_of(c);
    lay_status status = create_and_run(&product, &options, &x, zero, &y);
    if (status == LAY_ERR_UNSUPPORTED && options.compute) { /* the device has no such units */
        options.compute = LAY_COMPUTE_AUTO;
        status = create_and_run(&product, &options, &x, zero, &y);
    }
    if (status != LAY_OK)
        mixed_tell(c, lay_last_error());
    there_fetch();
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

/* y = alpha x + beta y for count elements side by side; x NULL: y = beta y. */
static void blend(lay_type type, int64_t count, number alpha, const void *x, number beta, void *y)
{
    lay_desc *flat;
    const number none = { 0, 0 };
    const scalar factor = scalar_of(&mixed_kinds[type], x ? alpha : none), keep = scalar_of(&mixed_kinds[type], beta);
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

int reads_narrow_matrix(const mixed *c)
{
    const lay_type matrix = c->type[c->extent[2] == 1 ? A : B];
    return !there_is_elsewhere() && c->sum == LAY_F32 && (c->extent[1] == 1 || c->extent[2] == 1) &&
           c->extent[3] >= 32 && lay_type_size(matrix) == 2;
}

void multiply_widened(const mixed *c, number want[])
{
    const lay_type part = c->wide->part;
    const int left = mixed_is_complex(c->type[A]), right = mixed_is_complex(c->type[B]), is_half = left != right;
    const int64_t *const e = c->extent, count = e[0] * e[1] * e[2];
    const int along = is_half ? (left ? 0 : 1) : -1, both = mixed_is_complex(c->sum) ? 2 : 1;
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
