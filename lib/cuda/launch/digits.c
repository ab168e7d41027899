/* Digits of an axis. */
#include "cuda/launch/digits.h"

#include "base/arith.h"

enum { PIECE = 256 };

static const int64_t most_stride = (int64_t)1 << 40; /* bytes, of a tensor map */

const char *lay_cuda_find_digits(const lay_axis *axis, lay_cuda_digits *out)
{
    *out = (lay_cuda_digits){ .inner = axis->extent, .outer = 1 };
    if (axis->class == LAY_AXIS_TABLE)
        return "no radices: offsets from a table";
    if (axis->count > 2)
        return "blocks of blocks";
    if (axis->count > 0)
        out->stride = axis->mode[axis->count - 1].stride;
    if (axis->count == 2) {
        out->inner = axis->mode[1].extent;
        out->outer = axis->mode[0].extent;
        out->outer_stride = axis->mode[0].stride;
    }
    return NULL;
}

/* Indices up to the first that is not where the digits have it; all where each is. */
static int64_t count_in(const lay_axis *axis, const lay_cuda_digits *digits)
{
    int64_t offset[PIECE];
    const int64_t base = lay_axis_offset(axis, 0);
    for (int64_t done = 0; done < axis->extent; done += PIECE) {
        const int64_t count = min_of(PIECE, axis->extent - done);
        lay_axis_offsets(axis, done, count, offset);
        for (int64_t i = 0; i < count; i++)
            if (offset[i] - base != lay_cuda_digits_offset(digits, done + i))
                return done + i;
    }
    return axis->extent;
}

const char *lay_cuda_find_cut_digits(const lay_axis *axis, lay_cuda_digits *out)
{
    if (axis->class != LAY_AXIS_TABLE || axis->extent < 2)
        return lay_cuda_find_digits(axis, out);
    const int64_t base = lay_axis_offset(axis, 0), stride = lay_axis_offset(axis, 1) - base;
    *out = (lay_cuda_digits){ .inner = axis->extent, .outer = 1, .stride = stride };
    const int64_t inner = count_in(axis, out);
    out->inner = inner;
    out->outer = ceil_div(axis->extent, inner);
    if (out->outer > 1)
        out->outer_stride = lay_axis_offset(axis, inner) - base;
    return count_in(axis, out) == axis->extent ? NULL : "offsets from a table that are no blocks";
}

int lay_cuda_can_step(int64_t stride, int64_t size)
{
    return stride > 0 && stride * size % 16 == 0 && stride < most_stride / size;
}

int lay_cuda_inner_of(const lay_cuda_digits *digits)
{
    return digits->outer > 1 ? (int)digits->inner : INT32_MAX;
}
