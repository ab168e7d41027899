/* Keys, written and checked. Strides are exact: which lines of a cache meet hangs on every bit of them. */
#include "plan/tuning/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "levels.h"

static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16, LAY_C32, LAY_C64 };
enum { TYPES = sizeof types / sizeof types[0] };

static const char *const computes[] = {
    [LAY_COMPUTE_STRICT] = "strict", [LAY_COMPUTE_F32_SPLIT] = "f32_split", [LAY_COMPUTE_TF32] = "tf32",
    [LAY_COMPUTE_BF16] = "bf16",     [LAY_COMPUTE_FP16] = "fp16",           [LAY_COMPUTE_BF16X3] = "bf16x3",
};
enum { COMPUTES = sizeof computes / sizeof computes[0] };

/* What else it is: A, B, C conjugated; C is another tensor. */
static const char flags[] = "abcd";

uint64_t lay_key_hash(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void write_group(lay_text *text, char name, const lay_group *group)
{
    lay_text_add(text, " %c=%lld", name, (long long)group->extent);
    for (int i = 0; i < group->count; i++) {
        const lay_mode *mode = &group->mode[i];
        lay_text_add(text, "[%lld,%lld,%lld,%lld]", (long long)mode->extent, (long long)mode->stride[LAY_LEFT],
                     (long long)mode->stride[LAY_RIGHT], (long long)mode->stride[LAY_RESULT]);
    }
}

static const char *refuse(const lay_problem *problem, const lay_setting *setting, const lay_order *order)
{
    if (problem->batch.extent == 0 || problem->m.extent == 0 || problem->n.extent == 0 || problem->k.extent == 0)
        return "there is nothing to multiply";
    if (problem->posed.end)
        return "a product with an ending is planned by prediction";
    if (order->backend != LAY_BACKEND_CPU)
        return "tuning is of the CPU's ways, and a device has the product";
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] == LAY_PLACE_DEVICE)
            return "an operand lies in device memory";
    if (setting->panels[LAY_LEFT].kernel || setting->panels[LAY_RIGHT].kernel || problem->posed.is_m_in_order ||
        problem->posed.is_n_in_order)
        return "an operand is packed";
    if (setting->options->kernel)
        return "options.kernel names one";
    if (setting->options->skip || setting->options->grid_m)
        return setting->options->skip ? "options.skip leaves out some" : "options.grid_m and grid_n are given";
    if (!problem->batch.is_plain || !problem->m.is_plain || !problem->n.is_plain || !problem->k.is_plain)
        return "radices do not divide: there are no strides to know the product by";
    return NULL;
}

const char *lay_key_write(const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                          lay_text *text)
{
    const char *reason = refuse(problem, setting, order);
    if (reason)
        return reason;
    const lay_types *of = &problem->types;
    const lay_posed *posed = &problem->posed;
    const int is[] = { posed->is_conjugated[LAY_LEFT], posed->is_conjugated[LAY_RIGHT], posed->is_addend_conjugated,
                       posed->addend != NULL };
    const lay_compute compute = problem->compute == LAY_COMPUTE_AUTO ? LAY_COMPUTE_STRICT : problem->compute;
    lay_text_add(text, "%s,%s,%s,%s,%s %s -", lay_type_name(of->left), lay_type_name(of->right),
                 lay_type_name(of->result), lay_type_name(of->sum), lay_type_name(of->addend), computes[compute]);
    for (int i = 0; flags[i]; i++)
        if (is[i])
            lay_text_add(text, "%c", flags[i]);
    lay_text_add(text, " %s threads=%d %s sum=%lld,%lld,%d", lay_isa_name(setting->choice->isa), setting->threads,
                 order->name, (long long)problem->sum.block, (long long)problem->sum.slice,
                 problem->sum.has_partial_sums);
    write_group(text, 'b', &problem->batch);
    write_group(text, 'm', &problem->m);
    write_group(text, 'n', &problem->n);
    write_group(text, 'k', &problem->k);
    return text->length < text->size ? NULL : "it is too intricate to be written down";
}

/* ---- checking --------------------------------------------------------------------------------- */

/* Past a number of its own, least to most. 0: there is none. */
static int take_number(const char **at, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    if (**at != '-' && (**at < '0' || **at > '9'))
        return 0;
    const long long value = strtoll(*at, &end, 10); /* what overflows is no longer the number that was written */
    char again[32];
    const int length = snprintf(again, sizeof again, "%lld", value);
    if (end - *at != length || strncmp(*at, again, (size_t)length) != 0 || value < least || value > most)
        return 0;
    *out = value;
    *at = end;
    return 1;
}

static int take_text(const char **at, const char *text)
{
    const size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return 0;
    *at += length;
    return 1;
}

/* Past a name, of which behind comes next. */
static int take_name(const char **at, const char *name, char behind)
{
    const size_t length = strlen(name);
    if (strncmp(*at, name, length) != 0 || (*at)[length] != behind)
        return 0;
    *at += length + 1;
    return 1;
}

static int take_types(const char **at)
{
    enum { COUNT = 5 };
    for (int i = 0; i < COUNT; i++) {
        int found = 0;
        for (int j = 0; j < TYPES && !found; j++)
            found = take_name(at, lay_type_name(types[j]), i + 1 < COUNT ? ',' : ' ');
        if (!found)
            return 0;
    }
    return 1;
}

static int take_compute(const char **at)
{
    int found = 0;
    for (int i = LAY_COMPUTE_STRICT; i < COMPUTES && !found; i++)
        found = take_name(at, computes[i], ' ');
    return found;
}

static int take_flags(const char **at)
{
    if (!take_text(at, "-"))
        return 0;
    for (int i = 0; flags[i]; i++)
        *at += **at == flags[i];
    return take_text(at, " ");
}

static int take_isa(const char **at)
{
    int found = 0;
#define TAKE(name, level, set) found = found || take_name(at, name, ' ');
    LAY_ISA_LEVELS(TAKE)
#undef TAKE
    return found;
}

static const lay_order *take_order(const lay_table *table, const char **at)
{
    for (const lay_order *const *order = table->orders; *order; order++)
        if ((*order)->backend == LAY_BACKEND_CPU && take_name(at, (*order)->name, ' '))
            return *order;
    return NULL;
}

static int take_sum(const char **at)
{
    int64_t block, slice, is_partial;
    return take_text(at, "sum=") && take_number(at, 1, LAY_KC, &block) && take_text(at, ",") &&
           take_number(at, 1, INT64_MAX, &slice) && take_text(at, ",") && take_number(at, 0, 1, &is_partial);
}

/* " m=64[8,8,0,64][8,1,0,1]": modes whose extents make the group's. */
static int take_group(const char **at, char name)
{
    const char head[] = { ' ', name, '=', 0 };
    int64_t extent, product = 1, own, stride;
    int count = 0;
    if (!take_text(at, head) || !take_number(at, 1, INT64_MAX, &extent))
        return 0;
    for (; take_text(at, "["); count++) {
        if (count == LAY_MAX_MODES || !take_number(at, 1, INT64_MAX, &own) || !fits_mul(product, own, &product))
            return 0;
        for (int i = 0; i < LAY_OPERANDS; i++)
            if (!take_text(at, ",") || !take_number(at, INT64_MIN, INT64_MAX, &stride))
                return 0;
        if (!take_text(at, "]"))
            return 0;
    }
    return count == 0 || product == extent;
}

const char *lay_key_check(const lay_table *table, const char *text, const lay_order **order, int *is_unknown)
{
    const char *at = text;
    int64_t threads;
    *is_unknown = 0;
    if (!take_types(&at))
        return "there are no five types";
    if (!take_compute(&at))
        return "there is no such way to compute";
    if (!take_flags(&at))
        return "what is conjugated is not said";
    if (!take_isa(&at)) {
        *is_unknown = 1;
        return "there is no such ISA level";
    }
    if (!take_text(&at, "threads=") || !take_number(&at, 1, 4096, &threads) || !take_text(&at, " "))
        return "threads are no number from 1 to 4096";
    if (!(*order = take_order(table, &at))) {
        *is_unknown = 1;
        return "there is no such order of the sum on the CPU";
    }
    if (!take_sum(&at))
        return "the sum is not cut as sums are";
    for (const char *name = "bmnk"; *name; name++)
        if (!take_group(&at, *name))
            return "extents and strides are not those of a product";
    return *at ? "there is more than a product" : NULL;
}
