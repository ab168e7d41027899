/* Offsets from axes. A table holds offsets from the axis's first index, whose own offset belongs to the operand's
 * address: so the address that a kernel gets is that of an element, and tells how operands are aligned. */
#include "cuda/launch/offsets.h"

#include <stddef.h>

#include "base/arith.h"
#include "cuda/launch/launch.h"

int lay_axis_is_even(const lay_axis *axis)
{
    return axis->class != LAY_AXIS_TABLE && axis->count <= 1;
}

static int64_t find_base(const lay_axis *axis)
{
    int64_t first = 0;
    if (axis->extent > 0)
        lay_axis_offsets(axis, 0, 1, &first);
    return first;
}

int64_t lay_offsets_base(const lay_axis *x, const lay_axis *y)
{
    return find_base(x) + find_base(y);
}

void *lay_offsets_element(const void *zero, const lay_axis *x, const lay_axis *y, lay_type type)
{
    return (char *)zero + lay_offsets_base(x, y) * (int64_t)lay_type_size(type);
}

size_t lay_axis_offsets_bytes(const lay_axis *axis)
{
    return lay_axis_is_even(axis) ? 0 : ((size_t)axis->extent * sizeof(int64_t) + 15) / 16 * 16;
}

/* An axis of the problem and its place in the arguments. */
typedef struct pair {
    size_t axis, offsets;
} pair;

static const pair pairs[] = {
    { offsetof(lay_problem, left_m), offsetof(lay_cuda_args, left_m) },
    { offsetof(lay_problem, left_k), offsetof(lay_cuda_args, left_k) },
    { offsetof(lay_problem, right_k), offsetof(lay_cuda_args, right_k) },
    { offsetof(lay_problem, right_n), offsetof(lay_cuda_args, right_n) },
    { offsetof(lay_problem, result_m), offsetof(lay_cuda_args, result_m) },
    { offsetof(lay_problem, result_n), offsetof(lay_cuda_args, result_n) },
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* Behind them, the batch's: of LAY_LEFT, LAY_RIGHT, LAY_RESULT. */
static const size_t batches[] = { offsetof(lay_problem, left_batch), offsetof(lay_problem, right_batch),
                                  offsetof(lay_problem, result_batch) };
enum { AXES = PAIRS + LAY_OPERANDS };

static const lay_axis *axis_of(const lay_problem *problem, int i)
{
    return (const lay_axis *)((const char *)problem + (i < PAIRS ? pairs[i].axis : batches[i - PAIRS]));
}

size_t lay_offsets_bytes(const lay_problem *problem)
{
    size_t bytes = 0;
    for (int i = 0; i < AXES; i++)
        bytes += lay_axis_offsets_bytes(axis_of(problem, i));
    return bytes;
}

static void fill_table(const lay_axis *axis, int64_t table[])
{
    const int64_t base = find_base(axis);
    lay_axis_offsets(axis, 0, axis->extent, table);
    for (int64_t i = 0; i < axis->extent; i++)
        table[i] -= base;
}

/* The offsets of an axis: a stride, or its table, with what is known of its segments. */
static lay_cuda_offsets offsets_of(const lay_axis *axis, const int64_t *table)
{
    if (lay_axis_is_even(axis))
        return (lay_cuda_offsets){ .stride = axis->count ? axis->mode[0].stride : 0 };
    if (axis->class != LAY_AXIS_NESTED || axis->count != 2)
        return (lay_cuda_offsets){ .table = table };
    const lay_leaf outer = axis->mode[0], inner = axis->mode[1]; /* run <= extent: it fits, where a kernel serves */
    const int run = inner.extent <= INT32_MAX ? (int)inner.extent : 0;
    return (lay_cuda_offsets){ .table = table,
                               .stride = inner.stride,
                               .jump = outer.stride - inner.extent * inner.stride,
                               .run = run,
                               .inverse = run > 0 ? UINT32_MAX / (unsigned)run : 0 };
}

int64_t lay_offsets_go_on(lay_cuda_offsets *offsets, int64_t first)
{
    if (!offsets->table)
        return first * offsets->stride;
    offsets->table += first;
    if (offsets->run && first % offsets->run == 0)
        offsets->base += first * offsets->stride + first / offsets->run * offsets->jump;
    else
        offsets->run = 0; /* its first segment would be a short one */
    return 0;
}

void lay_offsets_fill(const lay_problem *problem, lay_cuda_args *args, const void *tables, void *host)
{
    size_t at = 0;
    for (int i = 0; i < AXES; i++) {
        const lay_axis *axis = axis_of(problem, i);
        const int is_even = lay_axis_is_even(axis);
        if (args && i < PAIRS)
            *(lay_cuda_offsets *)((char *)args + pairs[i].offsets) =
                offsets_of(axis, (const int64_t *)((const char *)tables + at));
        if (host && !is_even)
            fill_table(axis, (int64_t *)((char *)host + at));
        at += lay_axis_offsets_bytes(axis);
    }
}

void lay_offsets_fill_batch(const lay_problem *problem, const void *tables, lay_cuda_offsets batch[LAY_OPERANDS])
{
    size_t at = 0;
    for (int i = 0; i < AXES; i++) {
        const lay_axis *axis = axis_of(problem, i);
        if (i >= PAIRS)
            batch[i - PAIRS] = offsets_of(axis, (const int64_t *)((const char *)tables + at));
        at += lay_axis_offsets_bytes(axis);
    }
}

enum { PIECE = 256 };

int lay_axis_steps_by(const lay_axis *axis, int v)
{
    if (axis->class != LAY_AXIS_TABLE) {
        int64_t steps = 0;
        for (int i = 0; i < axis->count; i++)
            steps |= axis->mode[i].stride;
        return steps % v == 0;
    }
    int64_t offset[PIECE];
    const int64_t base = find_base(axis);
    for (int64_t done = 0; done < axis->extent; done += PIECE) {
        const int64_t count = min_of(PIECE, axis->extent - done);
        lay_axis_offsets(axis, done, count, offset);
        for (int64_t i = 0; i < count; i++)
            if ((offset[i] - base) % v != 0)
                return 0;
    }
    return 1;
}

/* Each whole group of v indices is contiguous, and begins at a multiple of v from the first. */
static int goes_in_vectors(const lay_axis *axis, int v)
{
    if (axis->extent < v)
        return 1;
    if (axis->class != LAY_AXIS_TABLE) {
        const lay_leaf inner = axis->mode[axis->count - 1]; /* extent >= v > 1: there is one */
        int64_t steps = 0;
        for (int i = 0; i < axis->count - 1; i++)
            steps |= axis->mode[i].stride;
        return inner.stride == 1 && (axis->count == 1 || inner.extent % v == 0) && steps % v == 0;
    }
    int64_t offset[PIECE]; /* PIECE is a multiple of every v */
    const int64_t base = find_base(axis);
    for (int64_t done = 0; done + v <= axis->extent; done += PIECE) {
        const int64_t count = min_of(PIECE, (axis->extent - done) / v * v);
        lay_axis_offsets(axis, done, count, offset);
        for (int64_t i = 0; i < count; i++)
            if (i % v ? offset[i] != offset[i - 1] + 1 : (offset[i] - base) % v != 0)
                return 0;
    }
    return 1;
}

int lay_axis_is_in_vectors(const lay_axis *across, const lay_axis *along, int v)
{
    return goes_in_vectors(across, v) && lay_axis_steps_by(along, v);
}

/* How far the second index lies from the first. */
static int64_t find_step(const lay_axis *axis)
{
    int64_t offset[2];
    if (axis->extent < 2)
        return INT64_MAX;
    lay_axis_offsets(axis, 0, 2, offset);
    return offset[1] < offset[0] ? offset[0] - offset[1] : offset[1] - offset[0];
}

lay_cuda_class lay_launch_classify(const lay_axis *across, const lay_axis *along, lay_type type)
{
    const int v = 16 / (int)lay_type_size(type);
    const int64_t across_vectors = lay_axis_is_in_vectors(across, along, v) ? across->extent / v : 0;
    const int64_t along_vectors = lay_axis_is_in_vectors(along, across, v) ? along->extent / v : 0;
    if (across_vectors || along_vectors)
        return across_vectors >= along_vectors ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG_VECTOR;
    if (across->run != along->run)
        return across->run > along->run ? LAY_CUDA_ACROSS : LAY_CUDA_ALONG;
    return find_step(across) <= find_step(along) ? LAY_CUDA_ACROSS : LAY_CUDA_ALONG;
}
