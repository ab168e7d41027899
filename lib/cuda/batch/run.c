/* The launch of a batch, in the caller's stream. */
#include <limits.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cuda/batch/batch.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "plan/branch.h"

/* Of the batch's first product. */
static void *find_first(const void *zero, const lay_axis *x, const lay_axis *y, const lay_axis *batch, lay_type type)
{
    const int64_t elements = lay_offsets_base(x, y) + lay_axis_offset(batch, 0);
    return (char *)(uintptr_t)zero + elements * (int64_t)lay_type_size(type);
}

static lay_cuda_batch_operand operand_of(const lay_batch_fetch *fetch, const void *first, lay_cuda_offsets batch,
                                         lay_type type)
{
    return (lay_cuda_batch_operand){ .first = first,
                                     .batch = batch,
                                     .is_along = fetch->is_along,
                                     .bytes = lay_batch_fall_back(fetch->bytes, first, type) };
}

static lay_cuda_scalar scalar_of(const void *from, lay_type type)
{
    const lay_scalar read = lay_scalar_read(from, type);
    return type == LAY_F64 ? (lay_cuda_scalar){ .f64 = read.f64 } : (lay_cuda_scalar){ .f32 = read.f32 };
}

/* Arguments but for the operands. */
static lay_cuda_batch_args args_of(const lay_branch *branch, const lay_kept *own, const lay_call *call, int k,
                                   const lay_batch_grid *grid, lay_cuda_offsets batch[LAY_OPERANDS])
{
    const lay_problem *problem = &branch->problem;
    const lay_batch_launch *launch = branch->job.data;
    const lay_type type = problem->types.result;
    lay_cuda_args plain = { 0 };
    lay_offsets_fill(problem, &plain, own->block, NULL);
    lay_offsets_fill_batch(problem, own->block, batch);
    lay_cuda_batch_args args = {
        .m = (int)problem->m.extent,
        .n = (int)problem->n.extent,
        .k = k,
        .units = (int)((int64_t)grid->tiles_m * grid->tiles_n * problem->batch.extent),
        .c = find_first(call->c, &problem->result_m, &problem->result_n, &problem->result_batch, type),
        .result_batch = batch[LAY_RESULT],
        .within = { plain.left_m, plain.left_k, plain.right_k, plain.right_n, plain.result_m, plain.result_n },
        .alpha = scalar_of(call->alpha, problem->types.sum),
        .beta = scalar_of(call->beta, problem->types.sum),
        .slice_k = launch->slice_k,
        .tiles_m = grid->tiles_m,
        .tiles_n = grid->tiles_n
    };
    args.c_bytes = lay_batch_fall_back(launch->c_bytes, args.c, type);
    return args;
}

static lay_status put_grid(const lay_branch *branch, const lay_batch_grid *grid, int left, int right, void *args)
{
    const lay_batch_launch *launch = branch->job.data;
    const int is_early = LAY_CUDA_SM90 && launch->device->sm == 90; /* every row of such a build waits in turn */
    lay_put product = lay_put_of_row(grid->kernel, left, right, grid->blocks);
    product.shared = grid->shared;
    product.cluster = lay_batch_together(grid->kernel);
    return lay_put_kernel(&product, args, is_early, branch->setting.options->stream);
}

static int is_in_boxes(const void *address)
{
    return (uintptr_t)address % 16 == 0;
}

static lay_status put_boxed(const lay_branch *branch, const lay_kept *own, const lay_call *call, const void *left,
                            const void *right)
{
    const lay_batch_launch *launch = branch->job.data;
    const lay_cuda_kernel *row = launch->grid.kernel;
    lay_cuda_batch_boxed_args args;
    lay_cuda_offsets batch[LAY_OPERANDS];
    args.of = args_of(branch, own, call, (int)branch->problem.k.extent, &launch->grid, batch);
    const lay_batch_turn of_left = { row->bk, row->bm, 1 }, of_right = { row->bk, row->bn, lay_batch_together(row) };
    const lay_batch_turn of_result = { LAY_CUDA_BATCH_LEAVING_COLUMNS, LAY_CUDA_BATCH_LEAVING_ROWS, 1 };
    lay_status status = lay_batch_boxes_fill(&launch->left_boxes, row, of_left, left, &args.left);
    if (status == LAY_OK)
        status = lay_batch_boxes_fill(&launch->right_boxes, row, of_right, right, &args.right);
    args.leaves_in_boxes =
        launch->leaves_in_boxes && is_in_boxes(args.of.c) && lay_scalar_is(call->beta, branch->problem.types.sum, 0);
    if (status == LAY_OK && args.leaves_in_boxes)
        status = lay_batch_boxes_fill(&launch->result_boxes, row, of_result, args.of.c, &args.result);
    return status != LAY_OK
               ? status
               : put_grid(branch, &launch->grid, launch->left_boxes.is_across, launch->right_boxes.is_across, &args);
}

static lay_status put_product(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    (void)partial;
    const lay_problem *problem = &branch->problem;
    const lay_batch_launch *launch = branch->job.data;
    const lay_type type = problem->types.result;
    lay_cuda_offsets batch[LAY_OPERANDS];
    const void *left = find_first(call->left, &problem->left_m, &problem->left_k, &problem->left_batch, type);
    const void *right = find_first(call->right, &problem->right_k, &problem->right_n, &problem->right_batch, type);
    if (launch->grid.kernel->boxes && is_in_boxes(left) && is_in_boxes(right))
        return put_boxed(branch, own, call, left, right);
    lay_cuda_batch_args args = args_of(branch, own, call, (int)problem->k.extent, &launch->unboxed, batch);
    args.left = operand_of(&launch->left, left, batch[LAY_LEFT], type);
    args.right = operand_of(&launch->right, right, batch[LAY_RIGHT], type);
    const int is_by_direction = lay_type_size(type) == 2;
    return put_grid(branch, &launch->unboxed, is_by_direction && !launch->left.is_along,
                    is_by_direction && !launch->right.is_along, &args);
}

/* Of no product. */
static lay_status put_scale(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    (void)partial;
    const lay_batch_launch *launch = branch->job.data;
    lay_cuda_offsets batch[LAY_OPERANDS];
    lay_cuda_batch_args args = args_of(branch, own, call, 0, &launch->unboxed, batch);
    return put_grid(branch, &launch->unboxed, 0, 0, &args);
}

/* Whether operands lie where boxes may begin. */
static int are_in_boxes(const lay_problem *problem, const lay_call *call)
{
    const lay_type type = problem->types.result;
    return is_in_boxes(find_first(call->left, &problem->left_m, &problem->left_k, &problem->left_batch, type)) &&
           is_in_boxes(find_first(call->right, &problem->right_k, &problem->right_n, &problem->right_batch, type));
}

lay_status lay_batch_run(lay_branch *branch, const lay_call *call)
{
    lay_branch *const otherwise = ((const lay_batch_launch *)branch->job.data)->otherwise;
    return otherwise && !are_in_boxes(&branch->problem, call) ? lay_branch_run(otherwise, call)
                                                              : lay_kept_run(branch, call, put_product, 1);
}

lay_status lay_batch_scale(lay_branch *branch, const lay_call *call)
{
    lay_branch *const otherwise = ((const lay_batch_launch *)branch->job.data)->otherwise;
    return otherwise ? lay_branch_scale(otherwise, call) : lay_kept_run(branch, call, put_scale, 0);
}

static lay_status load_row(const lay_device *device, const lay_cuda_kernel *row)
{
    const int most = (int)device->shared_per_block;
    const int shared = (int)min_of(row->shared + LAY_CUDA_BATCH_MOST_OFFSETS, most); /* of any launch of it */
    for (int i = 0; i < 4; i++) {
        const void *function = row->function[i / 2][i % 2];
        const lay_status status = function ? lay_launch_load_function(function, shared) : LAY_OK;
        if (status != LAY_OK)
            return status;
    }
    return LAY_OK;
}

lay_status lay_batch_load(const lay_branch *branch)
{
    const lay_batch_launch *launch = branch->job.data;
    const lay_status status = load_row(launch->device, launch->grid.kernel);
    return status == LAY_OK && !launch->otherwise ? load_row(launch->device, launch->unboxed.kernel) : status;
}
