/* Walking one dimension of one operand. */
#include "plan/axis.h"

#include "base/arith.h"

enum { SAMPLE = 64 };

const char *lay_axis_class_name(lay_axis_class class)
{
    static const char *const names[] = { "unit", "strided", "nested", "table" };
    return names[class];
}

static void fold_leaves(lay_axis *axis)
{
    int kept = 0;
    for (int i = 1; i < axis->count; i++) {
        lay_leaf *outer = &axis->mode[kept];
        const lay_leaf inner = axis->mode[i];
        if (outer->stride == inner.stride * inner.extent)
            *outer = (lay_leaf){ outer->extent * inner.extent, inner.stride };
        else
            axis->mode[++kept] = inner;
    }
    if (axis->count > 0)
        axis->count = kept + 1;
}

static int64_t sample_run(const lay_axis *axis)
{
    int64_t offset[SAMPLE], runs = 1;
    const int64_t count = min_of(axis->extent, SAMPLE);
    if (count == 0)
        return 1;
    lay_axis_offsets(axis, 0, count, offset);
    for (int64_t i = 1; i < count; i++)
        runs += offset[i] != offset[i - 1] + 1;
    return count / runs;
}

/* operand's digits of a plain group. */
static void take_digits(const lay_group *group, int operand, lay_axis *axis)
{
    axis->base = group->extent > 0 ? lay_map_offset(axis->map, 0) : 0;
    axis->map = NULL;
    axis->count = group->count;
    for (int i = 0; i < group->count; i++)
        axis->mode[i] = (lay_leaf){ group->mode[i].extent, group->mode[i].stride[operand] };
    fold_leaves(axis);
    const lay_leaf *inner = axis->count ? &axis->mode[axis->count - 1] : NULL;
    const int is_unit = !inner || inner->stride == 1;
    axis->class = axis->count > 1 ? LAY_AXIS_NESTED : is_unit ? LAY_AXIS_UNIT : LAY_AXIS_STRIDED;
    axis->run = !inner ? 1 : is_unit ? inner->extent : 1;
}

void lay_axis_make(const lay_group *group, int operand, const lay_node *map, lay_axis *axis)
{
    *axis = (lay_axis){ .extent = group->extent, .class = LAY_AXIS_TABLE, .map = map, .run = 1 };
    if (!map) {
        axis->class = LAY_AXIS_STRIDED;
        return;
    }
    if (group->is_plain) {
        take_digits(group, operand, axis);
        return;
    }
    /* The radices of two operands do not divide, but this one alone may have strides. */
    lay_group own;
    lay_group_refine((const lay_node *[]){ map, NULL, NULL }, &own);
    if (own.is_plain)
        take_digits(&own, 0, axis);
    else
        axis->run = sample_run(axis);
}

static void fill(int64_t from, int64_t stride, int64_t count, int64_t out[])
{
    for (int64_t i = 0; i < count; i++)
        out[i] = from + stride * i;
}

void lay_axis_offsets(const lay_axis *axis, int64_t first, int64_t count, int64_t out[])
{
    if (axis->class == LAY_AXIS_TABLE) {
        lay_map_offsets(axis->map, first, count, out);
        return;
    }
    if (axis->count <= 1) {
        const int64_t stride = axis->count ? axis->mode[0].stride : 0;
        fill(axis->base + stride * first, stride, count, out);
        return;
    }
    int64_t digit[LAY_MAX_MODES], at = axis->base, rest = first;
    const int last = axis->count - 1;
    for (int i = last; i >= 0; i--) {
        digit[i] = rest % axis->mode[i].extent;
        rest /= axis->mode[i].extent;
        at += digit[i] * axis->mode[i].stride;
    }
    const lay_leaf inner = axis->mode[last];
    for (int64_t done = 0; done < count;) {
        const int64_t run = min_of(inner.extent - digit[last], count - done);
        fill(at, inner.stride, run, out + done);
        done += run;
        at -= digit[last] * inner.stride; /* to the start of this innermost mode, then one on outside */
        digit[last] = 0;
        for (int i = last - 1; i >= 0; i--) {
            at += axis->mode[i].stride;
            if (++digit[i] < axis->mode[i].extent)
                break;
            at -= axis->mode[i].extent * axis->mode[i].stride;
            digit[i] = 0;
        }
    }
}

void lay_axis_walk_start(const lay_axis *axis, int64_t index, lay_axis_walk *out)
{
    out->axis = axis;
    out->index = index;
    out->offset = lay_axis_offset(axis, index);
    for (int i = axis->count - 1; axis->class == LAY_AXIS_NESTED && i >= 0; index /= axis->mode[i--].extent)
        out->digit[i] = index % axis->mode[i].extent;
}

void lay_axis_walk_on(lay_axis_walk *walk, int64_t by)
{
    const lay_axis *const axis = walk->axis;
    walk->index += by;
    if (axis->class != LAY_AXIS_NESTED) {
        walk->offset = walk->index < axis->extent ? lay_axis_offset(axis, walk->index) : 0;
        return;
    }
    for (int i = axis->count - 1; by > 0 && i >= 0; i--) {
        const lay_leaf own = axis->mode[i];
        int64_t carry = 0;
        walk->digit[i] += by;
        walk->offset += by * own.stride;
        while (walk->digit[i] >= own.extent) {
            walk->digit[i] -= own.extent;
            walk->offset -= own.extent * own.stride;
            carry++;
        }
        by = carry;
    }
}
