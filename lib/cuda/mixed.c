/* Products of several types whose operands lie in a device's memory: images are made in the order of the caller's
 * stream, in workspace that the branch may keep. */
#include "rewrite/mixed.h"

#include "base/status.h"
#include "cuda/image.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/memory/device.h"
#include "cuda/ways.h"
#include "cuda_copy.h"
#include "plan/branch.h"
#include "storage/copy.h"

static const char *prepare(lay_branch *branch)
{
    enum { SHARE = 4 }; /* of the device's memory: there is no other way */
    const char *reason;
    if (branch->setting.order->backend == LAY_BACKEND_CPU)
        return "images are made in host memory";
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    const lay_mixed_place place = { .where = LAY_PLACE_DEVICE,
                                    .most_bytes = device->memory / SHARE,
                                    .predict = lay_cuda_predict_change };
    if ((reason = lay_mixed_prepare(branch, &place)))
        return reason;
    lay_job *job = &branch->job;
    job->is_prompt = 0;
    job->needs = (lay_needs){ .partial = ((const lay_mixed *)job->data)->bytes };
    job->workspace = job->needs.partial + branch->child->job.workspace;
    return NULL;
}

static lay_status put_copy(const lay_branch *branch, const lay_mixed_copy *of)
{
    lay_copy_job job;
    lay_copy_prepare(&of->change, of->from, of->src, of->to, of->dst, &job);
    return lay_copy_on_device(&job, branch->setting.device, branch->setting.options->stream);
}

static lay_status put_block(const lay_branch *branch, int number, const lay_call *call, char *images)
{
    lay_mixed_copy next;
    lay_status status = LAY_OK;
    for (int i = 0; i < LAY_OPERANDS && status == LAY_OK; i++)
        if (lay_mixed_copy_in(branch, number, i, call, images, &next))
            status = put_copy(branch, &next);
    if (status != LAY_OK)
        return status;
    lay_branch *const child = lay_mixed_child(branch, number);
    const lay_call inner = lay_mixed_call(branch, number, call, images);
    status = child->way->run(child, &inner);
    return status == LAY_OK && lay_mixed_copy_out(branch, number, call, images, &next) ? put_copy(branch, &next)
                                                                                       : status;
}

static lay_status put_product(const lay_branch *branch, lay_kept *kept, const lay_call *call, void *images)
{
    const lay_mixed *own = branch->job.data;
    (void)kept;
    for (int i = 0; i < own->count; i++) {
        const lay_status status = put_block(branch, i, call, images);
        if (status != LAY_OK)
            return i > 0 ? lay_fail_spoilt(status) : status;
    }
    return LAY_OK;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    const lay_status status = lay_mixed_check_addend(branch, call);
    return status ? status : lay_kept_run(branch, call, put_product, 1);
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    const lay_mixed_copy of = lay_mixed_scale(branch, call);
    const lay_status status = lay_mixed_check_addend(branch, call);
    return status ? status : put_copy(branch, &of);
}

/* Whichever of them its copies take. */
static lay_status load(const lay_branch *branch)
{
    const int number = lay_cuda_changed_number(branch->problem.types.sum);
    const void *const functions[] = { lay_cuda_changed_lines[number], lay_cuda_changed_tiles[number],
                                      lay_cuda_changed_lines_by_vectors[number] };
    lay_status status = LAY_OK;
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = functions[i] ? lay_launch_load_function(functions[i], 0) : LAY_OK;
    return status;
}

/* The first block's child is the branch's own, and reserved by who reserves this one. */
static lay_status reserve(lay_branch *branch)
{
    const lay_mixed *own = branch->job.data;
    lay_status status = lay_kept_reserve(branch);
    for (int i = 1; i < own->count && status == LAY_OK; i++)
        status = lay_branch_reserve(own->block[i].child);
    return status;
}

static void release(lay_branch *branch)
{
    lay_kept_release(branch);
    lay_mixed_release(branch);
}

const lay_way lay_way_device_mixed = {
    .name = "mixed",
    .takes = LAY_TAKES_MIXED | LAY_TAKES_ADDEND | LAY_TAKES_BATCH | LAY_TAKES_COMPLEX,
    .only = LAY_TAKES_MIXED,
    .data = sizeof(lay_mixed),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = lay_mixed_explain,
    .load = load,
    .reserve = reserve,
    .release = release,
};
