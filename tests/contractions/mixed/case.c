/* Cases: what they are made of, and how the library is called. */
#include "case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../there.h"
#include "../storage.h"

const element mixed_kinds[TYPES] = {
    [LAY_F32] = { .type = LAY_F32, .name = "f32", .part = LAY_F32, .parts = 1 },
    [LAY_F64] = { .type = LAY_F64, .name = "f64", .part = LAY_F64, .parts = 1 },
    [LAY_F16] = { .type = LAY_F16, .name = "f16", .part = LAY_F16, .parts = 1 },
    [LAY_BF16] = { .type = LAY_BF16, .name = "bf16", .part = LAY_BF16, .parts = 1 },
    [LAY_C32] = { .type = LAY_C32, .name = "c32", .part = LAY_F32, .parts = 2 },
    [LAY_C64] = { .type = LAY_C64, .name = "c64", .part = LAY_F64, .parts = 2 },
};

int mixed_is_complex(lay_type type)
{
    return mixed_kinds[type].parts == 2;
}

int mixed_is_served(const lay_type type[])
{
    return (mixed_is_complex(type[A]) || mixed_is_complex(type[B])) == mixed_is_complex(type[D]) &&
           !(mixed_is_complex(type[C]) && !mixed_is_complex(type[D]));
}

static lay_type find_sum(const lay_type type[], lay_sum_precision precision)
{
    int is_double = precision == LAY_SUM_F64;
    for (int i = 0; i < OPERANDS; i++)
        is_double |= mixed_kinds[type[i]].part == LAY_F64;
    return mixed_is_complex(type[D]) ? (is_double ? LAY_C64 : LAY_C32) : is_double ? LAY_F64 : LAY_F32;
}

void mixed_tell(const mixed *c, const char *why)
{
    fail_msg(
        "case %llu: A %s B %s C %s D %s (%s), sum %s, %lld of %lld x %lld x %lld, conjugated %u, alpha %g %g, beta "
        "%g %g, threads %d, isa %d: %s",
        (unsigned long long)c->nth, mixed_kinds[c->type[A]].name, mixed_kinds[c->type[B]].name,
        mixed_kinds[c->type[C]].name, mixed_kinds[c->type[D]].name,
        c->d == NO_D      ? "none"
        : c->d == D_APART ? "apart"
                          : "C",
        c->wide->name, (long long)c->extent[0], (long long)c->extent[1], (long long)c->extent[2],
        (long long)c->extent[3], c->conjugated, c->alpha.re, c->alpha.im, c->beta.re, c->beta.im, c->options.threads,
        (int)c->options.isa, why);
}

static void choose_types(mixed *c, random_source *from)
{
    do {
        for (int i = 0; i < OPERANDS; i++)
            c->type[i] = (lay_type)random_in(from, 0, TYPES - 1);
        c->d = random_of(from, ((const int[]){ NO_D, D_APART, D_APART, D_IS_C }));
        if (c->d != D_APART)
            c->type[C] = c->type[D];
    } while (!mixed_is_served(c->type));
    c->precision = random_one_in(from, 4) ? LAY_SUM_F64 : LAY_SUM_BY_TYPES;
    c->sum = find_sum(c->type, c->precision);
    c->wide = &mixed_kinds[c->sum];
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
    if (mixed_is_complex(c->sum) && random_one_in(from, 3))
        made.im = random_of(from, parts);
    return made;
}

int mixed_labels(const mixed *c, int which, int label[])
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
    const element *kind = &mixed_kinds[c->type[which]];
    const int rank = mixed_labels(c, which, label);
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

mixed mixed_make(uint64_t nth)
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

void mixed_free(mixed *c)
{
    for (int i = 0; i < OPERANDS; i++)
        if (c->of[i].memory) {
            tensor_free(&c->of[i]);
            free(c->value[i]);
        }
}

tensor *mixed_written(mixed *c)
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
    product.d = c->d == NO_D ? NULL : mixed_written(c)->desc;
    product.labels = labels;
    product.conjugated = c->conjugated;
    product.sum_precision = c->precision;
    lay_status status = lay_plan_create_product(&product, &c->options, &plan);
    if (status != LAY_OK)
        return status;
    const scalar alpha = scalar_of(c->wide, c->alpha), beta = scalar_of(c->wide, c->beta);
    status =
        lay_plan_run_product(plan, &alpha, c->of[A].zero, c->of[B].zero, &beta, c->of[C].zero, mixed_written(c)->zero);
    lay_plan_destroy(plan);
    return status;
}

lay_status mixed_run(mixed *c)
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

number mixed_turned(number x, int is_turned)
{
    return (number){ x.re, is_turned ? -x.im : x.im };
}
