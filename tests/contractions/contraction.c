/* Contractions: their numbers and tensors, and the calls. */
#include "contraction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../there.h"

static const number not_a_number = { NAN, NAN };

static int is_zero(number x)
{
    return x.re == 0 && x.im == 0;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static double some_part(const contraction *c, random_source *from)
{
    static const double special[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
    const double x = 2 * random_unit(from) - 1;
    switch (c->data) {
    case NUMBERS_WHOLE:
        return (double)random_in(from, -4, 4);
    case NUMBERS_SIGNED:
        return x;
    case NUMBERS_WIDE:
        return ldexp(x, (int)random_in(from, -10, 10));
    default:
        return random_one_in(from, 20) ? random_of(from, special) : (double)random_in(from, -4, 4);
    }
}

static number some_number(const contraction *c, random_source *from)
{
    const number drawn = { some_part(c, from), c->kind->parts == 2 ? some_part(c, from) : 0 };
    return element_round(c->kind, drawn);
}

number contraction_number(const contraction *c, int which, int64_t at)
{
    const number x = c->value[which][at];
    return c->conjugated & 1u << which ? (number){ x.re, -x.im } : x;
}

static int64_t elements_of(const contraction *c, int which)
{
    int64_t count = 1;
    for (int d = 0; d < c->rank[which]; d++)
        count *= c->extent[c->label[which][d]];
    return count;
}

void contraction_fill(contraction *c, random_source *from)
{
    for (int which = A; which <= C; which++) {
        const int64_t count = elements_of(c, which);
        free(c->value[which]);
        c->value[which] = oracle_memory((size_t)count * sizeof(number));
        for (int64_t at = 0; at < count; at++)
            c->value[which][at] = some_number(c, from);
    }
}

/* ---- tensors ---------------------------------------------------------------------------------- */

static lay_desc *some_layout(const contraction *c, int which, storage_use use, random_source *from)
{
    axis axes[MAX_RANK];
    for (int d = 0; d < c->rank[which]; d++)
        axes[d] = c->axis[c->label[which][d]];
    return c->rank[which] == 0 ? NULL : storage_make(from, use, c->rank[which], axes);
}

/* The same function, nested otherwise. */
static lay_desc *second_of(const contraction *c, random_source *from)
{
    const axis *last = &c->axis[c->label[C][c->rank[C] - 1]];
    lay_desc *made = NULL;
    const axis again = axis_make(from, last->extent, 0);
    if (lay_desc_split(c->of[C].desc, c->rank[C] - 1, again.radices, again.radix, &made) != LAY_OK) {
        fprintf(stderr, "contractions: %s\n", lay_last_error());
        abort();
    }
    return made;
}

void contraction_place(contraction *c, random_source *from)
{
    for (int which = A; which <= C; which++) {
        const int is_written = which == C && c->d != D_APART;
        const storage_use use = is_written || c->keeps_numbers ? STORAGE_OUTPUT : STORAGE_INPUT;
        const int is_read = which == C ? !is_zero(c->beta) : contraction_has_product(c);
        tensor *const of = &c->of[which];
        *of = tensor_make(c->kind, some_layout(c, which, use, from));
        if (is_read) {
            tensor_write(of, c->value[which]);
            tensor_read(of, c->value[which]);
        } else
            tensor_fill(of, not_a_number);
        tensor_remember(of);
    }
    if (c->d == D_APART) {
        c->of[D] = tensor_make(c->kind, some_layout(c, C, STORAGE_OUTPUT, from));
        tensor_fill(&c->of[D], not_a_number);
        tensor_remember(&c->of[D]);
    } else if (c->d == D_IS_C && c->rank[C] > 0)
        c->second = second_of(c, from);
}

void contraction_free_tensors(contraction *c)
{
    for (int i = 0; i < TENSORS; i++)
        if (c->of[i].memory)
            tensor_free(&c->of[i]);
    lay_desc_destroy(c->second);
    c->second = NULL;
}

void contraction_free(contraction *c)
{
    contraction_free_tensors(c);
    for (int which = A; which <= C; which++)
        free(c->value[which]);
    *c = (contraction){ .kind = NULL };
}

tensor *contraction_output(contraction *c)
{
    return &c->of[c->d == D_APART ? D : C];
}

void contraction_restore(contraction *c)
{
    tensor *const output = contraction_output(c);
    memcpy(output->memory, output->before, output->bytes);
}

/* ---- calls ------------------------------------------------------------------------------------ */

lay_product contraction_product(const contraction *c)
{
    lay_product made = LAY_PRODUCT_INIT;
    made.type_a = made.type_b = made.type_c = made.type_d = c->kind->type;
    made.a = c->of[A].desc;
    made.b = c->of[B].desc;
    made.c = c->of[C].desc;
    made.d = c->d == D_APART ? c->of[D].desc : c->d == D_IS_C ? c->second : NULL;
    made.conjugated = c->conjugated;
    made.has_d = c->d != NO_D;
    made.sum_order = c->order;
    if (c->is_text)
        made.labels = c->text;
    made.labels_a = c->array[A];
    made.labels_b = c->array[B];
    made.labels_c = c->array[C];
    return made;
}

static lay_status run(const contraction *c, const lay_plan *plan, call_way way)
{
    const scalar alpha = scalar_of(c->kind, c->alpha), beta = scalar_of(c->kind, c->beta);
    const int has_product = contraction_has_product(c), has_d = c->d != NO_D;
    const void *const a = has_product ? c->of[A].zero : NULL, *const b = has_product ? c->of[B].zero : NULL;
    void *const own = c->of[C].zero, *const d = c->d == D_APART ? c->of[D].zero : own;
    void *const read = has_d && is_zero(c->beta) ? NULL : own;
    if (way == CALL_RUN && !has_d)
        return lay_plan_run(plan, &alpha, a, b, &beta, own);
    if (way != CALL_RUN_MANY)
        return lay_plan_run_product(plan, &alpha, a, b, &beta, read, has_d ? d : NULL);
    return lay_plan_run_many(plan, 1, &alpha, has_product ? &a : NULL, has_product ? &b : NULL, &beta,
                             read ? &read : NULL, has_d ? &d : NULL);
}

static lay_status call(const contraction *c, call_way way)
{
    const scalar alpha = scalar_of(c->kind, c->alpha), beta = scalar_of(c->kind, c->beta);
    lay_plan *plan;
    if (way == CALL_CONTRACT && c->is_text && c->d == NO_D && c->order == LAY_SUM_BY_LABELS && !c->conjugated)
        return lay_contract(c->kind->type, c->text, c->of[A].desc, c->of[B].desc, c->of[C].desc, &alpha, c->of[A].zero,
                            c->of[B].zero, &beta, c->of[C].zero, &c->options);
    const lay_product product = contraction_product(c);
    lay_status status = lay_plan_create_product(&product, &c->options, &plan);
    if (status != LAY_OK)
        return status;
    status = run(c, plan, way);
    lay_plan_destroy(plan);
    return status;
}

lay_status contraction_call(contraction *c, call_way way)
{
    there_block blocks[TENSORS];
    int count = 0;
    for (int i = 0; i < TENSORS; i++)
        if (c->of[i].memory)
            blocks[count++] = (there_block){ c->of[i].memory, c->of[i].bytes, &c->of[i].zero };
    there_send(count, blocks, (unsigned)(c->labels + c->rank[A] + c->options.threads), &c->options);
    const lay_status status = call(c, way);
    there_fetch();
    return status;
}

/* ---- words ------------------------------------------------------------------------------------ */

static int say_labels(const contraction *c, char *to, size_t size)
{
    int length = 0;
    if (c->is_text)
        return snprintf(to, size, "\"%s\"", c->text);
    for (int which = A; which <= C; which++) {
        for (int d = 0; d < c->rank[which]; d++)
            length += snprintf(to + length, size - (size_t)length, "%lld ", (long long)c->array[which][d]);
        length += snprintf(to + length, size - (size_t)length, "%s", which == A ? ", " : which == B ? "-> " : "");
    }
    return length;
}

void contraction_tell(const contraction *c, char *to, size_t size)
{
    static const char *const ds[] = { "no D", "D apart", "D is C" }, *const of[] = { "A", "B", "C" };
    char text[600];
    int length = say_labels(c, to, size);
    length +=
        snprintf(to + length, size - (size_t)length, ", %s, numbers %d, alpha %g %g, beta %g %g, %s, threads %d, by %s",
                 c->kind->name, (int)c->data, c->alpha.re, c->alpha.im, c->beta.re, c->beta.im, ds[c->d],
                 c->options.threads, c->order == LAY_SUM_BY_STORAGE ? "storage" : "labels");
    for (int which = A; which <= C; which++)
        if (c->conjugated & 1u << which)
            length += snprintf(to + length, size - (size_t)length, ", %s conjugated", of[which]);
    if (c->options.compute)
        length += snprintf(to + length, size - (size_t)length, ", compute %d by %s", (int)c->options.compute,
                           c->options.kernel ? c->options.kernel : "any kernel");
    for (int i = 0; i < TENSORS; i++)
        if (c->of[i].desc && lay_desc_format(c->of[i].desc, text, sizeof text) > 0)
            length += snprintf(to + length, size - (size_t)length, "\n  %c: %s", "ABCD"[i], text);
}
