/* Images in a device's memory: copied in the order of the caller's stream, into workspace that the branch may keep. */
#include "rewrite/image.h"

#include "cuda/image.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cuda/copy/choose.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/lie.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/rates.h"
#include "cuda/memory/device.h"
#include "cuda/ways.h"
#include "plan/branch.h"
#include "storage/copy.h"

/* Elements that lie together on one side, from a line on along the axes that go on where it ends. */
static double find_run(const lay_copy_axes *axes, int64_t line, int is_to)
{
    int64_t run = line;
    for (int i = 0; i < axes->count && (is_to ? axes->axis[i].to : axes->axis[i].from) == run; i++)
        run *= axes->axis[i].extent;
    return (double)run;
}

/* Times as long as in whole segments: short ones fill a part of the sectors of 32 bytes that pass. */
static double find_waste(const lay_copy_job *job)
{
    const double to = find_run(&job->columns, job->line, 1) * (double)job->size;
    const double from = find_run(&job->rows, job->line, 0) * (double)job->from_size;
    return (fmax(1, LAY_CUDA_SECTOR / to) + fmax(1, LAY_CUDA_SECTOR / from)) / 2;
}

/* Seconds of a copy that changes nothing, by the kernel that would do it: of tiles, those that are not whole cost their
 * threads' time, less where they move vectors; and each block takes its while. */
static double predict_plain(const lay_copy_job *job, const lay_device *device, double pass)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    lay_cuda_copy_args args;
    const lay_cuda_copy_form form = lay_cuda_copy_choose(job, NULL, NULL, &args);
    if (!form.moved)
        return rates->copied * pass;
    const double there = (double)args.column_count / (double)(args.tiles_across << args.log_columns) *
                         ((double)args.row_count / (double)(args.tiles_along << args.log_rows));
    const double times = form.moved >= 16  ? rates->copied
                         : form.moved == 8 ? (rates->copied + rates->copied_ones) / 2
                         : form.moved == 4 ? rates->copied_ones
                                           : rates->copied_halves * rates->copied_ones;
    const double seconds = times * pass * pow(there, form.moved >= 8 ? -rates->copied_part : -rates->copied_part_ones);
    return fmax(seconds,
                (double)form.blocks * rates->copied_block / (rates->copied_resident * device->multiprocessors));
}

/* Of job's elements, seconds: both sides pass once, faster what the second cache holds. */
static double predict_job(const lay_copy_job *job, const lay_device *device, int is_copy)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const double bytes = (double)job->elements * (double)(job->from_size + job->size);
    const double rate = device->bytes_per_second * (bytes < (double)device->l2 / 2 ? rates->copied_cached : 1);
    const double pass = bytes * find_waste(job) / rate;
    return rates->copy + (is_copy ? predict_plain(job, device, pass) : rates->changed * pass);
}

static int has_tables(const lay_copy_axes *axes)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->axis[i].from_map)
            return 1;
    return 0;
}

/* NULL: there is none. */
static const lay_device *device_of(const lay_branch *branch)
{
    const char *reason;
    return lay_device_get(branch->setting.device, &reason);
}

/* Of a copy between two layouts, or of a change; and whether it goes by tables. Negative where there is no device. */
static double predict(const lay_device *device, const lay_change *change, const lay_desc *from, const lay_desc *to,
                      int is_copy, int *by_tables)
{
    static _Alignas(16) char nowhere[16]; /* aligned as images are */
    lay_copy_job job;
    lay_copy_prepare(change, from, nowhere, to, nowhere, &job);
    *by_tables = has_tables(&job.columns) || has_tables(&job.rows) || has_tables(&job.outers);
    return device ? predict_job(&job, device, is_copy && !*by_tables) : -1;
}

double lay_cuda_predict_copy(const lay_branch *branch, lay_type type, const lay_desc *from, const lay_desc *to)
{
    int by_tables;
    const lay_change change = lay_change_none(type);
    const double seconds = predict(device_of(branch), &change, from, to, 1, &by_tables);
    return by_tables ? -1 : seconds;
}

double lay_cuda_predict_change(const lay_branch *branch, const lay_change *change, const lay_desc *from,
                               const lay_desc *to)
{
    int by_tables;
    const lay_device *device = device_of(branch);
    const double seconds = predict(device, change, from, to, 0, &by_tables);
    if (!device || !by_tables)
        return seconds;
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    return rates->changed_tables + rates->changed_apart * seconds;
}

/* Whether an operand's neighbours, one way or the other, are neighbours in memory, too. */
static int is_near(const lay_axis *rows, const lay_axis *columns)
{
    const lay_axis *const both[] = { rows, columns };
    for (int i = 0; i < 2; i++)
        if (both[i]->extent <= 1 || (both[i]->count > 0 && llabs(both[i]->mode[both[i]->count - 1].stride) == 1))
            return 1;
    return 0;
}

/* What goes by strides alone, one of each operand's 1, needs no image, and no memory that a captured stream could not
 * take. */
static int goes_by_strides(const lay_problem *problem)
{
    return lay_offsets_bytes(problem) == 0 && is_near(&problem->left_m, &problem->left_k) &&
           is_near(&problem->right_k, &problem->right_n) && is_near(&problem->result_m, &problem->result_n);
}

/* Any operand may be the better for a copy, however long its segments are: who reads vectors is not who reads elements
 * one by one (bench/LOG.md, 107). */
static const char *prepare(lay_branch *branch)
{
    enum { SHARE = 16 /* of the device's memory */ };
    const lay_problem *problem = &branch->problem;
    const char *reason;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    if (goes_by_strides(problem) && !branch->setting.bench)
        return "operands are addressed by strides";
    if (branch->setting.options->stream == cudaStreamPerThread)
        return "runs in cudaStreamPerThread share no workspace";
    const lay_image_place place = { .lines_first = 1,
                                    .tries_all_sets = 1,
                                    .may_lie_otherwise = 1,
                                    .most_bytes = device->memory / SHARE,
                                    .predict_copy = lay_cuda_predict_copy };
    if ((reason = lay_image_prepare(branch, &place)))
        return reason;
    const lay_images *images = branch->job.data;
    lay_job *job = &branch->job;
    job->needs =
        (lay_needs){ .tables = images->desc[LAY_RESULT] ? lay_offsets_bytes(problem) : 0, .partial = images->bytes };
    job->workspace = job->needs.tables + job->needs.partial + branch->child->job.workspace;
    return NULL;
}

static lay_status put_copy(const lay_branch *branch, int operand, const lay_desc *from, const void *src,
                           const lay_desc *to, void *dst)
{
    lay_copy_job job;
    const lay_change change = lay_change_none(lay_types_at(&branch->problem.types, operand));
    lay_copy_prepare(&change, from, src, to, dst, &job);
    return lay_copy_on_device(&job, branch->setting.device, branch->setting.options->stream);
}

static lay_status put_product(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    const lay_images *images = branch->job.data;
    const lay_call inner = lay_image_call(images, call, partial);
    const void *const at[] = { call->left, call->right, call->c };
    const int is_read = !lay_scalar_is(call->beta, branch->problem.types.sum, 0);
    lay_status status = LAY_OK;
    (void)own;
    for (int i = 0; i < LAY_OPERANDS && status == LAY_OK; i++)
        if (images->desc[i] && (i != LAY_RESULT || is_read))
            status =
                put_copy(branch, i, lay_image_of(branch, i), at[i], images->desc[i], (char *)partial + images->at[i]);
    if (status == LAY_OK)
        status = branch->child->way->run(branch->child, &inner);
    if (status == LAY_OK && images->desc[LAY_RESULT])
        status =
            put_copy(branch, LAY_RESULT, images->desc[LAY_RESULT], inner.c, lay_image_of(branch, LAY_RESULT), call->c);
    return status;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_product, 1);
}

/* C of a batch by way of its image: who scales one matrix as it lies knows no batch. */
static lay_status put_scaled(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    const lay_images *images = branch->job.data;
    const lay_desc *image = images->desc[LAY_RESULT], *as_it_lies = lay_image_of(branch, LAY_RESULT);
    const lay_call inner = lay_image_call(images, call, partial);
    (void)own;
    lay_status status = lay_scalar_is(call->beta, branch->problem.types.sum, 0)
                            ? LAY_OK
                            : put_copy(branch, LAY_RESULT, as_it_lies, call->c, image, inner.c);
    if (status == LAY_OK)
        status = lay_branch_scale(branch->child, &inner);
    return status == LAY_OK ? put_copy(branch, LAY_RESULT, image, inner.c, as_it_lies, call->c) : status;
}

/* The order's own reads this branch's tables, which there are where C has an image; else C is the child's, too. */
static lay_status scale(lay_branch *branch, const lay_call *call)
{
    const lay_images *images = branch->job.data;
    if (!images->desc[LAY_RESULT])
        return lay_branch_scale(branch->child, call);
    return branch->problem.is_batch ? lay_kept_run(branch, call, put_scaled, 1)
                                    : branch->setting.order->scale(branch, call);
}

/* C is scaled as it lies. */
static lay_status load(const lay_branch *branch)
{
    return lay_launch_load_function(lay_cuda_scale[branch->problem.types.result], 0);
}

static void release(lay_branch *branch)
{
    lay_kept_release(branch);
    lay_image_release(branch);
}

const lay_way lay_way_device_image = {
    .name = "image",
    .order = &lay_order_device,
    .takes = LAY_TAKES_BATCH,
    .data = sizeof(lay_images),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = lay_image_explain,
    .load = load,
    .reserve = lay_kept_reserve,
    .release = release,
};

const lay_way lay_way_device_image_narrow = {
    .name = "image",
    .order = &lay_order_device_narrow,
    .takes = LAY_TAKES_BATCH,
    .data = sizeof(lay_images),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = lay_image_explain,
    .load = load,
    .reserve = lay_kept_reserve,
    .release = release,
};
