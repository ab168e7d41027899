/* Complex products whose expanded operand lies in a device's memory: images are made in the order of the caller's
 * stream, in workspace that the branch may keep. */
#include "rewrite/complex/complex.h"

#include "base/arith.h"
#include "base/status.h"
#include "cpu/scale.h"
#include "cuda/image.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "cuda/launch/rates.h"
#include "cuda/memory/device.h"
#include "cuda/ways.h"
#include "cuda_complex.h"
#include "plan/branch.h"
#include "storage/copy.h"

static int number_of(const lay_branch *branch)
{
    return lay_type_is_double(branch->problem.types.left);
}

/* The copy of the operand, and the launch that reads it and writes twice as much. */
static double predict(const lay_branch *branch, const lay_complex *own, const lay_complex_block *block)
{
    const lay_change change = lay_change_none(branch->problem.types.left);
    const char *reason;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    const double numbers =
        (double)block->lines * (double)branch->problem.k.extent * (double)lay_complex_matrices(branch, own);
    const double bytes = 3 * numbers * (double)lay_size_of(branch->problem.types.left);
    if (!device || own->bytes == 0)
        return device ? 0 : -1;
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    return lay_cuda_predict_change(branch, &change, block->source, block->target) + rates->expand +
           bytes / (rates->expand_reached * device->bytes_per_second);
}

static const char *prepare(lay_branch *branch)
{
    enum { SHARE = 16 /* of the device's memory */ };
    const lay_problem *problem = &branch->problem;
    const int side = lay_problem_expands(problem) ? LAY_RIGHT : LAY_LEFT;
    const char *reason;
    if (branch->setting.place[side] != LAY_PLACE_DEVICE)
        return "what is to be expanded lies in host memory";
    if (problem->is_batch &&
        (branch->setting.place[LAY_LEFT] != LAY_PLACE_DEVICE || branch->setting.place[LAY_RIGHT] != LAY_PLACE_DEVICE ||
         branch->setting.place[LAY_RESULT] != LAY_PLACE_DEVICE))
        return "a batch that lies in host memory passes one by one";
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    const lay_complex_place place = { .most_bytes = device->memory / SHARE, .predict = predict };
    if ((reason = lay_complex_prepare(branch, &place)))
        return reason;
    lay_job *job = &branch->job;
    job->is_prompt = 0;
    job->needs =
        (lay_needs){ .tables = lay_offsets_bytes(problem), .partial = ((const lay_complex *)job->data)->bytes };
    job->workspace = job->needs.tables + job->needs.partial + branch->child->job.workspace;
    return NULL;
}

static lay_status put_image(const lay_branch *branch, const lay_complex_block *block, const lay_expansion *expansion,
                            const void *operand, void *image)
{
    const lay_complex *own = branch->job.data;
    void *const stream = branch->setting.options->stream;
    const int is_double = number_of(branch);
    lay_copy_job job;
    const lay_change change = lay_change_none(branch->problem.types.left);
    lay_copy_prepare(&change, block->source, operand, block->target, image, &job);
    const lay_status status = lay_copy_on_device(&job, branch->setting.device, stream);
    if (status != LAY_OK)
        return status;
    lay_cuda_expand_args args = { .image = image,
                                  .segments = lay_complex_segments(branch, block),
                                  .length = lay_complex_length(branch, block),
                                  .pitch = own->pitch,
                                  .is_conjugated = expansion->is_conjugated,
                                  .has_factor = expansion->has_factor };
    for (int i = 0; i < 2; i++) {
        args.first_negated[i] = expansion->first_negated[i];
        args.second_negated[i] = expansion->second_negated[i];
        args.factor[i] = expansion->factor[i];
    }
    const lay_put put = { .name = "lay_cuda_expand",
                          .function = lay_cuda_expand[is_double],
                          .blocks = ceil_div(args.segments * args.length, LAY_CUDA_COMPLEX_EACH * LAY_CUDA_ADD_THREADS),
                          .threads = LAY_CUDA_ADD_THREADS };
    return lay_put_kernel(&put, &args, 0, stream);
}

/* C = beta C where it lies in the device's memory; of a batch one matrix after the other. */
static lay_status put_scale(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    const lay_problem *problem = &branch->problem;
    const lay_type type = problem->types.sum;
    lay_cuda_complex_scale_args of = {
        .args = { .m = (int)problem->m.extent, .n = (int)problem->n.extent, .k = (int)problem->k.extent },
        .beta = { lay_scalar_real(call->beta, type), lay_scalar_imaginary(call->beta, type) }
    };
    (void)partial;
    lay_offsets_fill(problem, &of.args, own->block, NULL);
    of.args.c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n, problem->types.result);
    const lay_put put = { .name = "lay_cuda_complex_scale",
                          .function = lay_cuda_complex_scale[number_of(branch)],
                          .blocks = ceil_div(problem->m.extent * problem->n.extent,
                                             LAY_CUDA_COMPLEX_EACH * LAY_CUDA_ADD_THREADS),
                          .threads = LAY_CUDA_ADD_THREADS };
    char *const first = of.args.c;
    lay_status status = LAY_OK;
    for (int64_t index = 0; index < problem->batch.extent && status == LAY_OK; index++) {
        of.args.c = first + lay_axis_offset(&problem->result_batch, index) * lay_size_of(problem->types.result);
        status = lay_put_kernel(&put, &of, 0, branch->setting.options->stream);
        status = status != LAY_OK && index ? lay_fail_spoilt(status) : status;
    }
    return status;
}

static lay_status scale_first(const lay_branch *branch, lay_kept *own, const lay_call *call)
{
    if (branch->setting.place[LAY_RESULT] == LAY_PLACE_DEVICE)
        return put_scale(branch, own, call, NULL);
    lay_scale(&branch->problem, branch->setting.threads, call->beta, call->c);
    return LAY_OK;
}

static lay_status put_product(const lay_branch *branch, lay_kept *kept, const lay_call *call, void *image)
{
    const lay_complex *own = branch->job.data;
    lay_complex_scalars scalars;
    lay_complex_split(branch, call, &scalars);
    const lay_call inner = lay_complex_call(branch, &scalars, call, image);
    const void *const operand = own->side == LAY_LEFT ? call->left : call->right;
    lay_status status = scalars.is_scaled_first ? scale_first(branch, kept, call) : LAY_OK;
    if (status != LAY_OK)
        return status;
    for (int i = 0; i < own->count; i++) {
        lay_branch *const child = i ? own->block[i].child : branch->child;
        status = put_image(branch, &own->block[i], &scalars.expansion, operand, image);
        if (status == LAY_OK)
            status = child->way->run(child, &inner);
        if (status != LAY_OK)
            return i || scalars.is_scaled_first ? lay_fail_spoilt(status) : status;
    }
    return LAY_OK;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_product, 1);
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_scale, 0);
}

static lay_status load(const lay_branch *branch)
{
    const lay_status status = lay_launch_load_function(lay_cuda_expand[number_of(branch)], 0);
    return status ? status : lay_launch_load_function(lay_cuda_complex_scale[number_of(branch)], 0);
}

/* The first block's child is the branch's own, and reserved by who reserves this one. */
static lay_status reserve(lay_branch *branch)
{
    const lay_complex *own = branch->job.data;
    lay_status status = lay_kept_reserve(branch);
    for (int i = 1; i < own->count && status == LAY_OK; i++)
        status = lay_branch_reserve(own->block[i].child);
    return status;
}

static void release(lay_branch *branch)
{
    lay_kept_release(branch);
    lay_complex_release(branch);
}

const lay_way lay_way_device_complex = {
    .name = "complex",
    .takes = LAY_TAKES_COMPLEX | LAY_TAKES_BATCH,
    .only = LAY_TAKES_COMPLEX,
    .data = sizeof(lay_complex),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = lay_complex_explain,
    .load = load,
    .reserve = reserve,
    .release = release,
};
