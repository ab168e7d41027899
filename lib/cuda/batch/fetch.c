/* Vectors of operands in batches: what lies together, in each product from the same place on. */
#include "cuda/batch/fetch.h"

#include <stdlib.h>

#include "base/arith.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"

/* Copies have 16 bytes or an element; 16-bit types go by 8 and 4 as well. */
static int next_fewer(int bytes, int size)
{
    return size == 2 ? bytes / 2 : size;
}

/* Elements behind the last whole vector lie together, too: a copy reads those that there are. */
static int has_no_rest(const lay_axis *near, int v)
{
    const int64_t stride = near->count ? near->mode[0].stride : 0;
    return near->extent % v == 0 || near->extent == 1 || (lay_axis_is_even(near) && stride == 1);
}

static int is_in_vectors(const lay_axis *near, const lay_axis *far, const lay_axis *batch, int v)
{
    return has_no_rest(near, v) && lay_axis_is_in_vectors(near, far, v) && lay_axis_steps_by(batch, v);
}

/* The most bytes that lie together along near. */
static int find_bytes(const lay_axis *near, const lay_axis *far, const lay_axis *batch, int size)
{
    int bytes = 16;
    while (bytes > size && !is_in_vectors(near, far, batch, bytes / size))
        bytes = next_fewer(bytes, size);
    return bytes;
}

lay_batch_fetch lay_batch_fetch_of(const lay_axis *across, const lay_axis *along, const lay_axis *batch, lay_type type,
                                   int is_left)
{
    const int size = (int)lay_type_size(type);
    const int by_along = find_bytes(along, across, batch, size), by_across = find_bytes(across, along, batch, size);
    if (by_along != by_across)
        return (lay_batch_fetch){ by_along > by_across, max_of(by_along, by_across) };
    if (by_along > size)
        return (lay_batch_fetch){ is_left, by_along };
    const lay_cuda_class class = lay_launch_classify(across, along, type);
    return (lay_batch_fetch){ class == LAY_CUDA_ALONG || class == LAY_CUDA_ALONG_VECTOR, size };
}

int lay_batch_written(const lay_problem *problem)
{
    const int size = (int)lay_type_size(problem->types.result);
    const lay_axis *columns = &problem->result_n, *rows = &problem->result_m;
    int bytes = 16;
    while (bytes > size && !(lay_axis_is_in_vectors(columns, rows, bytes / size) &&
                             lay_axis_steps_by(&problem->result_batch, bytes / size)))
        bytes = size == 2 && bytes == 16 ? 4 : size;
    return bytes;
}

int lay_batch_fall_back(int bytes, const void *address, lay_type type)
{
    while ((uintptr_t)address % (uintptr_t)bytes != 0 && bytes > (int)lay_type_size(type))
        bytes = next_fewer(bytes, (int)lay_type_size(type));
    return bytes;
}

/* How far its offsets are from the first, at most. */
static int64_t reach_of(const lay_axis *axis)
{
    enum { PIECE = 256 };
    int64_t reach = 0, offset[PIECE];
    if (axis->class != LAY_AXIS_TABLE) {
        for (int i = 0; i < axis->count; i++) /* no product of these overflows: lay_problem_check_bytes */
            reach += (axis->mode[i].extent - 1) * llabs(axis->mode[i].stride);
        return reach;
    }
    const int64_t base = lay_axis_offset(axis, 0);
    for (int64_t done = 0; done < axis->extent; done += PIECE) {
        const int64_t count = min_of(PIECE, axis->extent - done);
        lay_axis_offsets(axis, done, count, offset);
        for (int64_t i = 0; i < count; i++)
            reach = max_of(reach, llabs(offset[i] - base));
    }
    return reach;
}

int lay_batch_is_near(const lay_problem *problem)
{
    const lay_axis *const axes[] = { &problem->left_m,  &problem->left_k,   &problem->right_k,
                                     &problem->right_n, &problem->result_m, &problem->result_n };
    const int64_t size = (int64_t)lay_type_size(problem->types.result);
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        if (axes[i]->extent > 0 && reach_of(axes[i]) > INT32_MAX / size)
            return 0;
    return 1;
}
