/* Images: dense lines, in blocks that caches hold. */
#include "rewrite/mixed_images.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "layout/build.h"
#include "plan/branch.h"
#include "threads/workspace.h"

enum {
    ALIGNMENT = 64,
    MOST_BLOCKS = 64,
    SMALL = 1 << 15 /* bytes */
};

/* The ways of the order read what A and B hold as it is. */
static int reads_as_they_are(const lay_branch *branch)
{
    const lay_order *order = branch->setting.order;
    return order->mixes && order->mixes(&branch->problem);
}

int lay_mixed_is_turned(const lay_branch *branch, int operand)
{
    const lay_types *types = &branch->problem.types;
    return operand != LAY_RESULT && lay_types_are_half_complex(types) && branch->problem.posed.is_conjugated[operand] &&
           lay_type_is_complex(lay_types_at(types, operand));
}

int lay_mixed_needs(const lay_branch *branch, int operand)
{
    const lay_types *types = &branch->problem.types;
    if (operand == LAY_RESULT)
        return types->result != types->sum;
    return !reads_as_they_are(branch) &&
           (lay_types_at(types, operand) != lay_types_widened(types, operand) || lay_mixed_is_turned(branch, operand));
}

lay_change lay_mixed_change(const lay_branch *branch, int operand, int is_addend)
{
    const lay_types *types = &branch->problem.types;
    return (lay_change){ .from = is_addend ? types->addend : lay_types_at(types, operand),
                         .to = lay_types_widened(types, operand),
                         .is_conjugated = is_addend ? branch->problem.posed.is_addend_conjugated
                                                    : lay_mixed_is_turned(branch, operand) };
}

const lay_desc *lay_mixed_whole(const lay_branch *branch, int operand)
{
    return lay_posed_operand(&branch->problem.posed, operand);
}

int lay_mixed_dimension(const lay_branch *branch, lay_cut cut, int operand)
{
    const int rank = lay_desc_rank(lay_mixed_whole(branch, operand));
    switch (cut) {
    case LAY_CUT_BATCH:
        return rank == 3 ? 0 : -1;
    case LAY_CUT_ROWS:
        return operand == LAY_RIGHT ? -1 : rank - 2;
    case LAY_CUT_COLUMNS:
        return operand == LAY_LEFT ? -1 : rank - 1;
    default:
        return -1;
    }
}

int64_t lay_mixed_extent(const lay_branch *branch, lay_cut cut)
{
    const lay_problem *problem = &branch->problem;
    return cut == LAY_CUT_BATCH     ? problem->batch.extent
           : cut == LAY_CUT_ROWS    ? problem->m.extent
           : cut == LAY_CUT_COLUMNS ? problem->n.extent
                                    : 1;
}

const char *lay_mixed_part(const lay_desc *desc, int dimension, int64_t first, int64_t count, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[3];
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    for (int i = 0; i < lay_desc_rank(desc); i++)
        dims[i] = i == dimension ? lay_dim_slice(&arena, lay_dim_load(&arena, desc, i), first, count)
                                 : lay_dim_load(&arena, desc, i);
    const lay_status status = lay_desc_finish(&arena, lay_desc_rank(desc), dims, out);
    return status == LAY_OK           ? NULL
           : status == LAY_ERR_MEMORY ? lay_no_memory
                                      : "a layout is more intricate than views of its parts can be";
}

/* Whether columns lie next to each other in an operand rather than rows. */
static int is_by_rows(const lay_problem *problem, int operand)
{
    switch (operand) {
    case LAY_LEFT:
        return problem->left_k.run >= problem->left_m.run;
    case LAY_RIGHT:
        return problem->right_n.run >= problem->right_k.run;
    default:
        return problem->result_n.run >= problem->result_m.run;
    }
}

int lay_mixed_lay_out(const lay_branch *branch, lay_cut cut, int64_t count, int operand, lay_mixed_frame *out)
{
    const lay_desc *desc = lay_mixed_whole(branch, operand);
    const int rank = lay_desc_rank(desc), by_rows = is_by_rows(&branch->problem, operand);
    const int near = by_rows ? rank - 1 : rank - 2, far = by_rows ? rank - 2 : rank - 1;
    const int64_t size = lay_size_of(lay_types_widened(&branch->problem.types, operand));
    const int64_t unit = max_of(ALIGNMENT / size, 1), page = 4096;
    int64_t pitch, bytes;
    out->rank = rank;
    for (int i = 0; i < rank; i++)
        out->extents[i] = i == lay_mixed_dimension(branch, cut, operand) ? count : lay_desc_map(desc, i)->extent;
    if (!fits_add(out->extents[near], 2 * unit, &pitch))
        return 0;
    /* What the first cache holds lies as densely as operands often do, and is copied in one go. */
    const int is_small = out->extents[near] < SMALL && out->extents[far] < SMALL &&
                         out->extents[near] * out->extents[far] * size <= SMALL;
    pitch = is_small ? out->extents[near] : round_up(out->extents[near], unit);
    if (pitch * size % page == 0 && out->extents[far] > 1) /* lines a page apart meet in the same sets of a cache */
        pitch += unit;
    out->strides[near] = 1;
    out->strides[far] = pitch;
    if (!fits_mul(pitch, out->extents[far], &bytes))
        return 0;
    out->strides[0] = rank == 3 ? bytes : out->strides[0];
    if ((rank == 3 && !fits_mul(bytes, out->extents[0], &bytes)) || !fits_mul(bytes, size, &bytes) ||
        bytes > INT64_MAX / 8)
        return 0;
    out->bytes = lay_workspace_part((size_t)bytes);
    return 1;
}

size_t lay_mixed_bytes(const lay_branch *branch, lay_cut cut, int64_t count, int is_cut)
{
    size_t bytes = 0;
    lay_mixed_frame of;
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (lay_mixed_needs(branch, i) && (lay_mixed_dimension(branch, cut, i) >= 0) == is_cut)
            bytes += lay_mixed_lay_out(branch, cut, count, i, &of) ? of.bytes : SIZE_MAX / 8;
    return bytes;
}

int64_t lay_mixed_least(const lay_branch *branch, lay_cut cut)
{
    if (cut == LAY_CUT_BATCH)
        return 1;
    const int is_along =
        cut == LAY_CUT_ROWS ? is_by_rows(&branch->problem, LAY_LEFT) : !is_by_rows(&branch->problem, LAY_RIGHT);
    return is_along ? LAY_MIXED_LINES : LAY_MIXED_ACROSS;
}

int64_t lay_mixed_count(const lay_branch *branch, lay_cut cut, size_t most)
{
    const int64_t extent = lay_mixed_extent(branch, cut), lines = lay_mixed_least(branch, cut);
    const size_t each = max_of((int64_t)(lay_mixed_bytes(branch, cut, lines, 1) / (size_t)lines), 1);
    const int64_t fitting = max_of(max_of((int64_t)(most / each), ceil_div(extent, MOST_BLOCKS)), 1);
    return max_of(min_of(ceil_div(fitting, lines) * lines, extent), 1);
}
