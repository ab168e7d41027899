/* Products that pass through a device: who may, what a run would do, and why. */
#include "cuda/stream/stream.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cpu/scale.h"
#include "cuda/launch/launch.h"
#include "cuda/stream/staging.h"
#include "cuda/stream/stream_copy.h"
#include "cuda/stream/stream_run.h"
#include "cuda/ways.h"

/* By sizes, types, places and machine. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason = lay_stream_wins(problem, setting);
    if (reason)
        return reason;
    return lay_device_get(setting->device, &reason) ? NULL : reason;
}

/* Devices that the caller names share what lies in host memory. */
static int count_devices(const lay_setting *setting)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] == LAY_PLACE_DEVICE)
            return 1;
    return setting->options->device_count > 1 ? setting->options->device_count : 1;
}

static int has_same_sum(const lay_launch *x, const lay_launch *y)
{
    return x->kernel->order == y->kernel->order && x->slices == y->slices && x->slice_k == y->slice_k &&
           (x->kernel == y->kernel || x->kernel->order != LAY_CUDA_LANES);
}

/* The launches of the whole product on every device: equal bits rest on their adding alike. */
static const char *find_launches(const lay_problem *problem, const lay_setting *setting, lay_stream_job *own)
{
    const char *const wanted = setting->options->kernel, *reason;
    for (int i = 0; i < own->devices; i++) {
        lay_stream_device *const to = &own->device[i];
        to->number = i ? setting->options->devices[i] : setting->device;
        const lay_device *device = lay_device_get(to->number, &reason);
        if (!device || lay_launch_choose(problem, device, wanted, 1, &to->launch, &reason) < 0)
            return reason;
        if (!has_same_sum(&own->device[0].launch, &to->launch))
            return "options.devices has one that adds in another order than the first";
    }
    return NULL;
}

/* As a run would share it that reads C and finds all of the devices' memory free. */
static int choose_share(const lay_problem *problem, const lay_setting *setting, lay_stream_job *own)
{
    const int least = setting->bench & LAY_BENCH_ALL_DEVICES ? own->devices : 1;
    lay_stream_ask ask[LAY_DEVICES_MOST];
    double seconds[LAY_DEVICES_MOST];
    for (int i = 0; i < own->devices; i++)
        ask[i] = lay_stream_ask_for(problem, setting, &own->device[i].launch, 1);
    const int fits = lay_stream_share_choose(ask, own->devices, least, &own->share, seconds);
    for (int i = 0; i < own->devices; i++)
        own->device[i].seconds = seconds[i];
    return fits;
}

/* The same of a part's cut. */
static int choose_cut(const lay_branch *branch, int part, lay_stream_cut *cut)
{
    const lay_stream_job *const own = branch->job.data;
    lay_stream_ask ask[LAY_DEVICES_MOST];
    for (int i = 0; i < own->share.parts; i++)
        ask[i] = lay_stream_ask_for(&branch->problem, &branch->setting, &own->device[i].launch, 1);
    const lay_stream_ask of_part = lay_stream_share_ask(&own->share, ask, part);
    return lay_stream_cut_choose(&of_part, cut);
}

/* Bytes of device memory, of all parts together. */
static size_t count_bytes(const lay_branch *branch)
{
    size_t bytes = 0;
    for (int part = 0; part < ((const lay_stream_job *)branch->job.data)->share.parts; part++) {
        lay_stream_cut cut;
        bytes += choose_cut(branch, part, &cut) ? cut.bytes : 0;
    }
    return bytes;
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    lay_job *job = &branch->job;
    lay_stream_job *own = job->data;
    const char *reason;
    if (!lay_device_get(setting->device, &reason))
        return reason;
    job->threads = setting->threads;
    if (problem->k.extent == 0) { /* C = beta C alone */
        job->kernel = "none";
        return NULL;
    }
    own->devices = count_devices(setting);
    own->device = calloc((size_t)own->devices, sizeof *own->device);
    if (!own->device)
        return lay_no_memory;
    if ((reason = find_launches(problem, setting, own)))
        return reason;
    if (!choose_share(problem, setting, own))
        return "options.device_memory does not hold the smallest tiles";
    job->kernel = own->device[0].launch.kernel->name;
    job->workspace = count_bytes(branch);
    job->devices = own->share.parts;
    /* Tiles of C have contiguous rows: of both ways round the one in which C has them too. */
    job->seconds = own->share.seconds * (lay_axes_favour_columns(&problem->result_m, &problem->result_n) ? 1 : 1.1);
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
    const char *how = place == LAY_PLACE_DEVICE                          ? "used in place"
                      : lay_stream_is_copied(rows, columns, place, size) ? "page-locked: copied by the device"
                                                                         : "through page-locked buffers";
    lay_text_add(text, "  %s %s memory: %s\n", name, place == LAY_PLACE_DEVICE ? "in device" : "in host", how);
}

/* How many of the devices that are named share it, and why not more or fewer. */
static void add_share(const lay_branch *branch, lay_text *text)
{
    const lay_stream_job *const own = branch->job.data;
    const lay_stream_share *const share = &own->share;
    if (own->devices == 1) {
        if (branch->setting.options->device_count > 1)
            lay_text_add(text, "shared    not: options.devices are for operands that all lie in host memory\n");
        return;
    }
    lay_text_add(text, "shared    by %d of %d devices: %d x %d parts of %lld x %lld of C, which device%s", share->parts,
                 own->devices, share->down, share->across, (long long)share->rows, (long long)share->columns,
                 share->parts > 1 ? "s" : "");
    for (int i = 0; i < share->parts; i++)
        lay_text_add(text, "%s %d", i ? "," : "", own->device[i].number);
    lay_text_add(text, " %s\n", share->parts > 1 ? "have" : "has");
    lay_text_add(text, "predicted");
    for (int i = 0; i < own->devices; i++)
        if (isfinite(own->device[i].seconds))
            lay_text_add(text, "%s %d in %.3g ms", i ? "," : "", i + 1, 1e3 * own->device[i].seconds);
    lay_text_add(text, "\n");
}

/* Of the first part, which no other one is larger than. */
static void add_cut(const lay_branch *branch, const lay_stream_cut *cut, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_stream_job *const own = branch->job.data;
    lay_text_add(text, "tiles     %lld x %lld of C, k in %lld of %lld; blocks of %lld x %lld tiles, %s\n",
                 (long long)cut->tile_m, (long long)cut->tile_n, (long long)cut->chunks, (long long)cut->tile_k,
                 (long long)cut->block_m, (long long)cut->block_n, cut->is_by_columns ? "down first" : "across first");
    lay_text_add(text, "memory    %.1f MiB of %s (%s), room for %d pieces of %s, %d of %s, %d sums, %d tiles\n",
                 (double)cut->bytes / 0x1p20, own->share.parts > 1 ? "each device's" : "the device's",
                 branch->setting.options->device_memory ? "options.device_memory" : "as is free", cut->left_slots,
                 lay_problem_operand(problem, LAY_LEFT), cut->right_slots, lay_problem_operand(problem, LAY_RIGHT),
                 cut->sum_slots, cut->c_slots);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    const lay_stream_job *own = branch->job.data;
    const int64_t size = (int64_t)lay_type_size(problem->types.left);
    lay_stream_cut cut;
    if (!own->device || !choose_cut(branch, 0, &cut))
        return;
    const lay_launch *launch = &own->device[0].launch;
    for (int i = 0; i < own->share.parts; i++)
        lay_text_add(text, "passes through device %d, %s\n", own->device[i].number, own->device[i].launch.device->name);
    add_share(branch, text);
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &problem->left_m, &problem->left_k,
                setting->place[LAY_LEFT], size);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &problem->right_k, &problem->right_n,
                setting->place[LAY_RIGHT], size);
    add_operand(text, "C", &problem->result_m, &problem->result_n, setting->place[LAY_RESULT], size);
    add_cut(branch, &cut, text);
    if (launch->slices > 1)
        lay_text_add(text, "sum       %d slices of %d steps, as on the device\n", launch->slices, launch->slice_k);
    lay_text_add(text, "kernels\n");
    lay_launch_explain_rows(problem, launch, setting->options->kernel, text);
}

static void release(lay_branch *branch)
{
    free(((lay_stream_job *)branch->job.data)->device);
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
    .data = sizeof(lay_stream_job),
    .prepare = prepare,
    .run = run,
    .explain = explain,
    .release = release,
};
