/* Panels found in a layout: by all offsets of its two dimensions, as radices that do not divide leave no strides. */
#include "cpu/packed/lying.h"

#include "base/arith.h"

enum { AT_ONCE = 256, MOST = 1 << 16 /* indices that are tried: a plan is to take no time */ };

/* The same of an axis that has strides. */
static int has_strides(const lay_axis *axis, int64_t count, int64_t run, int64_t step, int64_t unit)
{
    const lay_leaf *const inner = &axis->mode[axis->count - 1];
    if (count <= 1)
        return 1;
    if (axis->count == 1)
        return inner->stride == unit && (count <= run || step == run * unit);
    return inner->stride == unit &&
           (count <= inner->extent ? count <= run || step == run * unit
                                   : axis->count == 2 && inner->extent == run && axis->mode[0].stride == step);
}

/* Whether index i of the axis has the offset base + i / run * step + i % run * unit, of the first count. */
static int is_stepping(const lay_axis *axis, int64_t count, int64_t run, int64_t step, int64_t unit)
{
    int64_t offset[AT_ONCE], base = 0;
    if (axis->class != LAY_AXIS_TABLE)
        return axis->count > 0 ? has_strides(axis, count, run, step, unit) : count <= 1;
    if (count > MOST)
        return 0;
    for (int64_t i = 0, now; i < count; i += now) {
        now = min_of(AT_ONCE, count - i);
        lay_axis_offsets(axis, i, now, offset);
        base = i == 0 ? offset[0] : base;
        for (int64_t j = 0; j < now; j++)
            if (offset[j] - base != (i + j) / run * step + (i + j) % run * unit)
                return 0;
    }
    return 1;
}

/* From the first of run indices to the first of the next ones; 0 where there are no more. */
static int64_t find_step(const lay_axis *axis, int64_t run)
{
    return axis->extent > run ? lay_axis_offset(axis, run) - lay_axis_offset(axis, 0) : 0;
}

int lay_lying_find(const lay_axis *across, const lay_axis *along, int width, int64_t kc, lay_lying *out)
{
    const int64_t lines = across->extent / width * width, steps = along->extent;
    *out = (lay_lying){ .lines = 0 };
    if (lines == 0 || steps == 0 || !is_stepping(across, width, width, 0, 1) ||
        !is_stepping(along, min_of(steps, kc), kc, 0, width))
        return 0;
    const lay_lying found = { .lines = lines,
                              .base = lay_axis_offset(across, 0) + lay_axis_offset(along, 0),
                              .panel = find_step(across, width),
                              .block = find_step(along, kc) };
    if (found.panel < 0 || found.block < 0 || !is_stepping(across, lines, width, found.panel, 1) ||
        !is_stepping(along, steps, kc, found.block, width))
        return 0;
    *out = found;
    return 1;
}
