/* The launches of such a product, one after the other in the caller's stream: images of operands that need them, the
 * product, the sum of its slices. */
#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/mma/mma.h"
#include "cuda_narrow.h"

enum { ALIGNMENT = 256 }; /* of images, one behind the other */

/* One operand on its way into the arguments. */
typedef struct side {
    lay_mma_view view;
    lay_cuda_class as;
    int extent;  /* lines */
    void *image; /* NULL: none is reserved */
    void *taken; /* for this run alone: an image of an operand that would be read in place, were it aligned */
} side;

static size_t image_size(const lay_mma_view *view)
{
    return view->is_image ? (view->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : 0;
}

static size_t partial_size(const lay_problem *problem, const lay_mma *mma)
{
    const int slices = mma->launch.slices;
    return slices > 1 ? (size_t)slices * (size_t)problem->m.extent * (size_t)problem->n.extent * sizeof(float) : 0;
}

lay_needs lay_mma_needs(const lay_problem *problem, const lay_mma *mma)
{
    return (lay_needs){ .tables = lay_offsets_bytes(problem),
                        .partial = image_size(&mma->left) + image_size(&mma->right) + partial_size(problem, mma) };
}

static lay_narrow_pack_kind pack_of(lay_type type, lay_type units)
{
    if (units == LAY_F32)
        return LAY_NARROW_COPY_32;
    return type != LAY_F32 ? LAY_NARROW_COPY_16 : units == LAY_F16 ? LAY_NARROW_F32_TO_F16 : LAY_NARROW_F32_TO_BF16;
}

/* The operand's image, which operand describes from then on. */
static lay_status put_image(const lay_branch *branch, const side *own, lay_type type, lay_mma_operand *operand)
{
    const lay_mma *mma = branch->job.data;
    const lay_mma_view *view = &own->view;
    const int steps = (int)branch->problem.k.extent;
    const lay_cuda_class as = lay_launch_fall_back(own->as, operand->first);
    const lay_narrow_pack_args args = {
        .from = operand->first,
        .near = view->is_across ? operand->lines : operand->steps,
        .far = view->is_across ? operand->steps : operand->lines,
        .nears = view->is_across ? own->extent : steps,
        .fars = view->is_across ? steps : own->extent,
        .is_vector = as == (view->is_across ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG_VECTOR),
        .to = own->image,
        .pitch = view->pitch,
    };
    lay_narrow_pack_both alone = { { args } };
    const int64_t parts = ceil_div((int64_t)args.fars * ceil_div(args.nears, 256), LAY_NARROW_PACK_THREADS / 32);
    const int64_t most = 16 * mma->launch.device->multiprocessors;
    const lay_put pack = lay_put_of_pass(mma->launch.kernel, (int)pack_of(type, mma->units), min_of(parts, most));
    const lay_cuda_offsets dense = { .stride = 1 }, apart = { .stride = view->pitch };
    *operand = (lay_mma_operand){ .first = own->image,
                                  .lines = view->is_across ? dense : apart,
                                  .steps = view->is_across ? apart : dense };
    return lay_put_kernel(&pack, &alone, 0, branch->setting.options->stream);
}

static lay_status put_operand(const lay_branch *branch, side *own, lay_type type, lay_mma_operand *operand)
{
    lay_status status = LAY_OK;
    if (!own->view.is_image && (uintptr_t)operand->first % 16 != 0) {
        own->view.is_image = 1;
        status = lay_device_take_once(branch->setting.device, own->view.bytes, branch->setting.options->stream,
                                      LAY_UNITS_UNALIGNED, &own->taken);
        own->image = own->taken;
    }
    return status == LAY_OK && own->view.is_image ? put_image(branch, own, type, operand) : status;
}

static lay_status put_multiply(const lay_launch *launch, const side *left, const side *right, lay_mma_args *args,
                               void *stream)
{
    const int kind = args->left.steps.table || args->right.steps.table ? LAY_MMA_ALONG_TABLE : LAY_MMA_ALONG;
    lay_put product = lay_put_of_row(launch->kernel, kind + left->view.is_across, kind + right->view.is_across,
                                     (int64_t)args->tiles_m * args->tiles_n);
    product.slices = args->slices;
    return lay_put_kernel(&product, args, 0, stream);
}

static lay_status put_run(const lay_branch *branch, lay_kept *own, const lay_call *call, void *workspace)
{
    const lay_problem *problem = &branch->problem;
    const lay_types *types = &problem->types;
    const lay_mma *mma = branch->job.data;
    const lay_launch *launch = &mma->launch;
    void *stream = branch->setting.options->stream;
    char *const images = workspace, *const behind = images + image_size(&mma->left);
    lay_cuda_args plain = { 0 };
    lay_offsets_fill(problem, &plain, own->block, NULL);
    lay_mma_args args = {
        .left = { .first = lay_offsets_element(call->left, &problem->left_m, &problem->left_k, types->left),
                  .lines = plain.left_m,
                  .steps = plain.left_k },
        .right = { .first = lay_offsets_element(call->right, &problem->right_k, &problem->right_n, types->right),
                   .lines = plain.right_n,
                   .steps = plain.right_k },
        .m = (int)problem->m.extent,
        .n = (int)problem->n.extent,
        .k = (int)problem->k.extent,
        .c_type = types->result,
        .c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n, types->result),
        .result_m = plain.result_m,
        .result_n = plain.result_n,
        .alpha = lay_scalar_read(call->alpha, types->sum).f32,
        .beta = lay_scalar_read(call->beta, types->sum).f32,
        .slices = launch->slices,
        .slice_k = launch->slice_k,
    };
    side left = { .view = mma->left, .as = launch->left, .extent = args.m, .image = images };
    side right = { .view = mma->right, .as = launch->right, .extent = args.n, .image = behind };
    lay_mma_args_tile(&args, launch->kernel);
    args.is_c_vector = launch->is_c_vector && (uintptr_t)args.c % 16 == 0;
    args.partial = args.slices > 1 ? (float *)(void *)(behind + image_size(&mma->right)) : NULL;
    lay_status status;
    if ((status = put_operand(branch, &left, types->left, &args.left)) == LAY_OK &&
        (status = put_operand(branch, &right, types->right, &args.right)) == LAY_OK &&
        (status = put_multiply(launch, &left, &right, &args, stream)) == LAY_OK && args.partial)
        status = lay_units_put_sum(problem, &plain, call, args.slices, args.partial, stream);
    lay_device_give(left.taken, stream);
    lay_device_give(right.taken, stream);
    return status;
}

lay_status lay_mma_multiply(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_run, 1);
}

lay_status lay_mma_load(const lay_branch *branch)
{
    const lay_mma *mma = branch->job.data;
    const lay_cuda_kernel *row = mma->launch.kernel;
    lay_status status = LAY_OK; /* which one a run takes hangs on addresses, too */
    for (int i = 0; i < LAY_MMA_WAYS * LAY_MMA_WAYS && status == LAY_OK; i++) {
        const void *const function = row->function[i / LAY_MMA_WAYS][i % LAY_MMA_WAYS];
        status = function ? lay_launch_load_function(function, row->shared) : LAY_OK;
    }
    return status ? status : lay_launch_load_others(row, branch->problem.types.result);
}
