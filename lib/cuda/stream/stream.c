/* Products that pass through a device: who may, what a run would do, and why. */
#include "cuda/stream/stream.h"

#include "base/text.h"
#include "cpu/scale.h"
#include "cuda/launch/launch.h"
#include "cuda/stream/staging.h"
#include "cuda/stream/stream_copy.h"
#include "cuda/stream/stream_run.h"
#include "cuda/ways.h"

/* As a run would cut it that reads C and finds all of the device's memory free. */
static int choose_cut(const lay_problem *problem, const lay_setting *setting, const lay_launch *launch,
                      lay_stream_cut *cut)
{
    lay_stream_ask ask = lay_stream_ask_for(problem, setting, launch, 1);
    if (!ask.memory)
        ask.memory = launch->device->memory / 10 * 9;
    return lay_stream_cut_choose(&ask, cut);
}

/* By sizes, types, places and machine. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason = lay_stream_wins(problem, setting);
    if (reason)
        return reason;
    return lay_device_get(setting->device, &reason) ? NULL : reason;
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    lay_job *job = &branch->job;
    lay_launch *launch = job->data;
    lay_stream_cut cut;
    const char *reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    job->threads = setting->threads;
    if (problem->k.extent == 0) { /* C = beta C alone */
        job->kernel = "none";
        return NULL;
    }
    if (lay_launch_choose(problem, device, setting->options->kernel, 1, launch, &reason) < 0)
        return reason;
    if (!choose_cut(problem, setting, launch, &cut))
        return "options.device_memory does not hold the smallest tiles";
    job->kernel = launch->kernel->name;
    job->workspace = cut.bytes;
    /* Tiles of C have contiguous rows: of both ways round the one in which C has them too. */
    job->seconds = cut.seconds * (lay_axes_favour_columns(&problem->result_m, &problem->result_n) ? 1 : 1.1);
    return NULL;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return lay_stream_run(branch, call);
}

/* C lies in host memory, with all operands of the setting: one pass over it is no work for a device. */
static lay_status scale(lay_branch *branch, const lay_call *call)
{
    lay_scale(&branch->problem, branch->setting.threads, call->beta, call->c);
    return LAY_OK;
}

static void add_operand(lay_text *text, const char *name, const lay_axis *rows, const lay_axis *columns,
                        lay_place place, int64_t size)
{
    const int by_columns = lay_axes_favour_columns(rows, columns);
    const lay_axis *outer = by_columns ? rows : columns, *inner = by_columns ? columns : rows;
    const char *how = place == LAY_PLACE_DEVICE ? "used in place"
                      : place == LAY_PLACE_PINNED && lay_axes_pitch(outer, inner, size)
                          ? "page-locked: copied by the device"
                          : "through page-locked buffers";
    lay_text_add(text, "  %s %s memory: %s\n", name, place == LAY_PLACE_DEVICE ? "in device" : "in host", how);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    const lay_launch *launch = branch->job.data;
    const int64_t size = (int64_t)lay_type_size(problem->types.left);
    lay_stream_cut cut;
    if (!launch->kernel || !choose_cut(problem, setting, launch, &cut))
        return;
    lay_text_add(text, "passes through device %d, %s\n", launch->device->number, launch->device->name);
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &problem->left_m, &problem->left_k,
                setting->place[LAY_LEFT], size);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &problem->right_k, &problem->right_n,
                setting->place[LAY_RIGHT], size);
    add_operand(text, "C", &problem->result_m, &problem->result_n, setting->place[LAY_RESULT], size);
    lay_text_add(text, "tiles     %lld x %lld of C, k in %lld of %lld; blocks of %lld x %lld tiles, %s\n",
                 (long long)cut.tile_m, (long long)cut.tile_n, (long long)cut.chunks, (long long)cut.tile_k,
                 (long long)cut.block_m, (long long)cut.block_n, cut.is_by_columns ? "down first" : "across first");
    lay_text_add(text,
                 "memory    %.1f MiB of the device's (%s), room for %d pieces of %s, %d of %s, %d sums, %d tiles\n",
                 (double)cut.bytes / 0x1p20, setting->options->device_memory ? "options.device_memory" : "as is free",
                 cut.left_slots, lay_problem_operand(problem, LAY_LEFT), cut.right_slots,
                 lay_problem_operand(problem, LAY_RIGHT), cut.sum_slots, cut.c_slots);
    if (launch->slices > 1)
        lay_text_add(text, "sum       %d slices of %d steps, as on the device\n", launch->slices, launch->slice_k);
    lay_text_add(text, "kernels\n");
    lay_launch_explain_rows(problem, launch, setting->options->kernel, text);
}

const lay_order lay_order_stream = {
    .name = "stream",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_AS_THEY_ARE,
    .refuse = refuse,
    .scale = scale,
};

const lay_way lay_way_stream = {
    .name = "in tiles",
    .order = &lay_order_stream,
    .data = sizeof(lay_launch),
    .prepare = prepare,
    .run = run,
    .explain = explain,
};
