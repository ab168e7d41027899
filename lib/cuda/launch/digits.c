/* Digits of an axis. */
#include "cuda/launch/digits.h"

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

int lay_cuda_can_step(int64_t stride, int64_t size)
{
    return stride > 0 && stride * size % 16 == 0 && stride < most_stride / size;
}

int lay_cuda_inner_of(const lay_cuda_digits *digits)
{
    return digits->outer > 1 ? (int)digits->inner : INT32_MAX;
}
