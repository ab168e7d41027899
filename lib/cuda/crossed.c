/* Rows that two operands store in two orders. */
#include "cuda/crossed.h"

#include "base/arith.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/lie.h"
#include "cuda/launch/offsets.h"
#include "cuda_strict.h"

enum { VECTOR = 16, LANES = 32 };

/* The mode that steps by 1 in an operand; -1: there is none. */
static int find_unit(const lay_group *group, int operand)
{
    for (int i = 0; i < group->count; i++)
        if (group->mode[i].stride[operand] == 1 && group->mode[i].extent > 1)
            return i;
    return -1;
}

/* Left's neighbours innermost, as many as fill a sector or, where these do not divide, a vector, or so many times as
 * many; around them C's; then the rest of left's, and all others as they were. */
static int cross(const lay_group *of, int64_t size, int times, lay_group *out)
{
    const int near = find_unit(of, LAY_LEFT), far = find_unit(of, LAY_RESULT);
    if (!of->is_plain || near < 0 || far < 0 || near == far || of->count == LAY_MAX_MODES)
        return 0;
    const lay_mode own = of->mode[near];
    const int64_t few = (own.extent % (LAY_CUDA_SECTOR / size) == 0 ? LAY_CUDA_SECTOR / size : VECTOR / size) * times;
    if (own.extent % few || few > LANES)
        return 0;
    *out = *of;
    out->count = 0;
    for (int i = 0; i < of->count; i++)
        if (i != near && i != far)
            out->mode[out->count++] = of->mode[i];
    lay_mode outer = own, inner = own;
    inner.extent = few;
    outer.extent = own.extent / few;
    for (int i = 0; i < LAY_OPERANDS; i++)
        outer.stride[i] = own.stride[i] * few;
    if (outer.extent > 1)
        out->mode[out->count++] = outer;
    out->mode[out->count++] = of->mode[far];
    out->mode[out->count++] = inner;
    out->is_reordered = 1;
    return 1;
}

int lay_launch_cross(const lay_problem *problem, int times, lay_problem *out)
{
    const lay_posed *posed = &problem->posed;
    const int is_transposed = problem->is_transposed, near = is_transposed ? 1 : 0;
    const int64_t size = lay_size_of(problem->types.left);
    if ((is_transposed ? posed->is_n_in_order : posed->is_m_in_order) || size > VECTOR)
        return 0;
    *out = *problem;
    if (!cross(&problem->m, size, times, &out->m))
        return 0;
    lay_axis_make(&out->m, LAY_LEFT, lay_operand_map(is_transposed ? posed->b : posed->a, near), &out->left_m);
    lay_axis_make(&out->m, LAY_RESULT, lay_operand_map(posed->c, near), &out->result_m);
    return 1;
}

static int log2_of(int64_t x)
{
    int log = 0;
    while (x >> (log + 1))
        log++;
    return log;
}

/* Columns come two by two, as parts of complex numbers do, and rows follow where they end. */
static int are_in_pairs(const lay_axis *rows, const lay_axis *columns)
{
    return rows->mode[rows->count - 1].stride == 2 && columns->count > 0 &&
           columns->mode[columns->count - 1].extent == 2 && columns->extent % 2 == 0 &&
           lay_axis_is_in_vectors(columns, rows, 2);
}

unsigned lay_launch_find_down(const lay_problem *problem)
{
    const lay_axis *rows = &problem->result_m, *columns = &problem->result_n;
    if (rows->class == LAY_AXIS_TABLE || columns->class == LAY_AXIS_TABLE || rows->count == 0)
        return 0;
    const lay_leaf *inner = &rows->mode[rows->count - 1];
    if (are_in_pairs(rows, columns))
        return LAY_CUDA_DOWN_PAIRS | lay_cuda_down(0, log2_of(min_of(inner->extent, LANES)));
    if (columns->count > 0 && columns->mode[columns->count - 1].stride == 1)
        return 0;
    if (inner->stride == 1)
        return lay_cuda_down(0, log2_of(min_of(inner->extent, LANES)));
    if (rows->count == 1 || inner[-1].stride != 1 || inner->extent > LANES || (inner->extent & (inner->extent - 1)))
        return 0;
    return lay_cuda_down(log2_of(inner->extent), log2_of(min_of(inner[-1].extent, LANES)));
}
