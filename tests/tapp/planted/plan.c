/* Making a plan of the plain library: labels found, extents compared, D looked at. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

typedef struct operand {
    const plain_info *info;
    const int64_t *idx;
} operand;

static plain_label *label_of(plain_plan *plan, int64_t name, int64_t extent)
{
    if (faulty("labels of 32 bits"))
        name = (int32_t)name;
    for (int i = 0; i < plan->nlabel; i++)
        if (plan->labels[i].name == name)
            return &plan->labels[i];
    plain_label *added = &plan->labels[plan->nlabel++];
    *added = (plain_label){ .name = name, .extent = extent };
    return added;
}

static TAPP_error add_operand(plain_plan *plan, int which, const operand *from)
{
    plan->type[which] = from->info->type;
    for (int i = 0; i < from->info->nmode; i++) {
        plain_label *label = label_of(plan, from->idx[i], from->info->extents[i]);
        int64_t stride = from->info->strides[i];
        if (label->extent != from->info->extents[i] && !faulty("extents not compared"))
            return PLAIN_EXTENTS;
        if (stride < 0 && faulty("negative strides turned"))
            stride = -stride;
        if (stride == 0 && which != OF_D && faulty("strides of 0 are 1"))
            stride = label->extent > 1;
        if (label->is_in[which] && faulty(which == OF_D ? "no diagonal of D" : "no diagonals of inputs"))
            label->step[which] = 0;
        label->step[which] += stride;
        label->is_in[which] = 1;
    }
    return PLAIN_OK;
}

static int is_like(const operand *c, const operand *d)
{
    if (c->info->nmode != d->info->nmode)
        return 0;
    for (int i = 0; i < c->info->nmode; i++)
        if (c->idx[i] != d->idx[i] || c->info->extents[i] != d->info->extents[i])
            return 0;
    return 1;
}

static int by_step(const void *one, const void *other)
{
    const int64_t x = llabs(((const plain_label *)one)->step[OF_D]);
    const int64_t y = llabs(((const plain_label *)other)->step[OF_D]);
    return (x > y) - (x < y);
}

/* Each step, in ascending order, leads beyond all that the smaller ones reach. */
static int overlaps_itself(const plain_plan *plan)
{
    plain_label labels[TENSORS * PLAIN_MODES];
    memcpy(labels, plan->labels, sizeof(labels[0]) * (size_t)plan->nout);
    qsort(labels, (size_t)plan->nout, sizeof(labels[0]), by_step);
    int64_t reach = 0;
    for (int i = 0; i < plan->nout; i++) {
        if (labels[i].extent > 1 && llabs(labels[i].step[OF_D]) <= reach)
            return 1;
        reach += labels[i].extent > 1 ? (labels[i].extent - 1) * llabs(labels[i].step[OF_D]) : 0;
    }
    return 0;
}

static TAPP_error fill_plan(plain_plan *plan, const operand of[TENSORS])
{
    TAPP_error error = add_operand(plan, OF_D, &of[OF_D]);
    plan->nout = plan->nlabel;
    for (int i = 0; !error && i < OF_D; i++)
        if (i != OF_C)
            error = add_operand(plan, i, &of[i]);
    if (error)
        return error;
    if (!is_like(&of[OF_C], &of[OF_D]) && !faulty("C not compared"))
        return PLAIN_STRUCTURE;
    if (is_like(&of[OF_C], &of[OF_D]))
        error = add_operand(plan, OF_C, &of[faulty("C has the strides of D") ? OF_D : OF_C]);
    plan->type[OF_C] = of[OF_C].info->type;
    for (int i = 0; i < plan->nout; i++)
        if (!plan->labels[i].is_in[OF_A] && !plan->labels[i].is_in[OF_B] && !faulty("first index of D alone"))
            return PLAIN_LABEL_OF_D;
        else if (!plan->labels[i].is_in[OF_A] && !plan->labels[i].is_in[OF_B])
            plan->labels[i].extent = 1;
    return error ? error : overlaps_itself(plan) && !faulty("D not looked at") ? PLAIN_ALIASED : PLAIN_OK;
}

TAPP_error TAPP_create_tensor_product(TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
                                      TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
                                      TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
                                      TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
                                      TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec)
{
    static plain_plan the_only;
    const operand operands[TENSORS] = { { (const plain_info *)A, idx_A },
                                        { (const plain_info *)B, idx_B },
                                        { (const plain_info *)C, idx_C },
                                        { (const plain_info *)D, idx_D } };
    (void)handle;
    plain_plan *made = faulty("one plan for all") ? &the_only : malloc(sizeof(*made));
    *made = (plain_plan){ .op = { op_A, op_B, op_C, op_D }, .prec = prec };
    const TAPP_error error = fill_plan(made, operands);
    if (error && made != &the_only)
        free(made);
    else
        *plan = (TAPP_tensor_product)made;
    return error;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan)
{
    if (!faulty("one plan for all"))
        free((void *)plan);
    return PLAIN_OK;
}
