/* A run from its memory to its end. Everything is put into streams, on each device in an order in which nothing waits
 * for what comes later; the calling thread and its team fill and empty buffers meanwhile. */
#include "cuda/stream/stream_run.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cuda/launch/offsets.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream_state.h"

int lay_stream_is_copied(const lay_axis *rows, const lay_axis *columns, lay_place place, int64_t size)
{
    const int by_columns = lay_axes_favour_columns(rows, columns);
    return place == LAY_PLACE_PINNED &&
           lay_axes_pitch(by_columns ? rows : columns, by_columns ? columns : rows, size) > 0;
}

lay_stream_ask lay_stream_ask_for(const lay_problem *problem, const lay_setting *setting, const lay_launch *launch,
                                  int reads_c)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    const lay_device *device = launch->device;
    lay_stream_ask ask = { .m = problem->m.extent,
                           .n = problem->n.extent,
                           .k = problem->k.extent,
                           .size = (int64_t)lay_type_size(problem->types.left),
                           .reads_c = reads_c,
                           .slices = launch->slices,
                           .slice_k = launch->slice_k,
                           .can_resume = kernel->can_resume,
                           .row_m = kernel->bm,
                           .row_n = kernel->bn,
                           .blocks_at_once = device->multiprocessors * kernel->blocks_per_sm,
                           .memory = setting->options->device_memory,
                           .device = device->number,
                           .link = device->link_per_second,
                           .rate = kernel->rate * device->multiprocessors * device->ghz * 1e9,
                           .rates = lay_cuda_rates_get(device) };
    for (int i = 0; i < LAY_OPERANDS; i++)
        ask.is_on_host[i] = setting->place[i] != LAY_PLACE_DEVICE;
    const lay_place *const place = setting->place;
    ask.is_copied[LAY_LEFT] = lay_stream_is_copied(&problem->left_m, &problem->left_k, place[LAY_LEFT], ask.size);
    ask.is_copied[LAY_RIGHT] = lay_stream_is_copied(&problem->right_k, &problem->right_n, place[LAY_RIGHT], ask.size);
    /* Tiles of C are in rows of its rows. */
    ask.is_copied[LAY_RESULT] =
        place[LAY_RESULT] == LAY_PLACE_PINNED && lay_axes_pitch(&problem->result_m, &problem->result_n, ask.size) > 0;
    if (!ask.memory)
        ask.memory = device->memory / 10 * 9;
    return ask;
}

static void set_side(lay_stream *own, lay_side *of, const lay_setting *setting, int operand, const lay_axis *rows,
                     const lay_axis *columns, const void *zero)
{
    static const double large = 16 << 20; /* bytes */
    of->rows = rows;
    of->columns = columns;
    of->zero = zero;
    of->is_on_host = setting->place[operand] != LAY_PLACE_DEVICE;
    of->is_large = (double)rows->extent * (double)columns->extent * (double)own->size > large;
    if (setting->place[operand] == LAY_PLACE_PINNED)
        of->pitch = lay_axes_pitch(rows, columns, own->size);
}

/* What the part asks. */
static lay_stream_ask ask_for_part(const lay_stream *own, const lay_branch *branch, int part)
{
    const lay_stream_job *const job = branch->job.data;
    lay_stream_ask ask[LAY_DEVICES_MOST];
    for (int i = 0; i < job->share.parts; i++)
        ask[i] = lay_stream_ask_for(&branch->problem, &branch->setting, &job->device[i].launch, own->reads_c);
    return lay_stream_share_ask(&job->share, ask, part);
}

/* Sizes, and the memory for them. Where nothing says how much there is, first as if it were all free. */
static lay_status take_memory(lay_stream *own, lay_stream_ask ask, int is_capped, size_t tables)
{
    const size_t cap = ask.memory;
    ask.memory = ask.memory > tables ? ask.memory - tables : 0;
    for (int attempt = 0;; attempt++) {
        const int fits = lay_stream_cut_choose(&ask, &own->cut);
        if (!fits && is_capped && attempt == 0)
            return lay_fail(LAY_ERR_UNSUPPORTED,
                            "options.device_memory, %zu bytes, does not hold the smallest tiles of the product and %zu "
                            "bytes of offset tables",
                            cap, tables);
        if (!fits)
            return lay_fail(LAY_ERR_MEMORY, "%zu bytes of device memory do not hold the smallest tiles of the product",
                            ask.memory);
        const lay_status status = lay_device_take(own->device, own->cut.bytes + tables, own->staging->in, &own->block);
        if (status != LAY_ERR_MEMORY || attempt == 3)
            return status;
        size_t free, total;
        if (attempt == 0 && cudaMemGetInfo(&free, &total) == cudaSuccess && free / 10 * 9 < ask.memory)
            ask.memory = free / 10 * 9;
        else
            ask.memory /= 2;
    }
}

static void share_out(lay_side *of, lay_slot **next, int slots, size_t bytes, char **at)
{
    of->slot = *next;
    of->slots = slots;
    for (int i = 0; i < slots; i++, *at += bytes)
        of->slot[i] = (lay_slot){ .at = *at, .piece = -1 };
    *next += slots;
}

static lay_status make_slots(lay_stream *own)
{
    const lay_stream_cut *cut = &own->cut;
    const int count = cut->left_slots + cut->right_slots + cut->sum_slots + cut->c_slots;
    own->mover.room = cut->sum_slots + cut->c_slots + 1;
    own->slots = malloc((size_t)count * sizeof *own->slots);
    own->leaving = own->mover.leaving = malloc((size_t)own->mover.room * sizeof *own->leaving);
    if (!own->slots || !own->leaving)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the places of %d tiles", count);
    lay_slot *next = own->slots;
    char *at = own->block;
    own->left.comes_again = cut->left_slots < cut->down * cut->chunks;
    own->right.comes_again = cut->right_slots < cut->across * cut->chunks;
    share_out(&own->left, &next, cut->left_slots, cut->left_slot, &at);
    share_out(&own->right, &next, cut->right_slots, cut->right_slot, &at);
    share_out(&own->sums, &next, cut->sum_slots, cut->sum_slot, &at);
    share_out(&own->c, &next, cut->c_slots, cut->c_slot, &at);
    return LAY_OK;
}

/* Tables of the operands that lie on the device, behind all slots. */
static lay_status send_tables(lay_stream *own, size_t bytes)
{
    char *const tables = (char *)own->block + own->cut.bytes;
    lay_offsets_fill(own->problem, &own->args, tables, NULL);
    if (bytes == 0)
        return LAY_OK;
    void *const filled = malloc(bytes);
    if (!filled)
        return lay_fail(LAY_ERR_MEMORY, "no memory for offset tables of %zu bytes", bytes);
    lay_offsets_fill(own->problem, NULL, NULL, filled);
    const lay_status status = lay_device_fill(tables, filled, bytes, own->staging->in);
    free(filled);
    return status;
}

/* What the caller's stream has been given comes before all this, where operands lie on the device. */
static lay_status begin_streams(lay_stream *own, void *callers, int has_device_operands)
{
    void *event = NULL;
    lay_status status;
    if (has_device_operands &&
        ((status = lay_stream_put_event(own, &event, callers)) || (status = lay_stream_wait(own->staging->in, event))))
        return status;
    event = NULL;
    if ((status = lay_stream_put_event(own, &event, own->staging->in)) ||
        (status = lay_stream_wait(own->staging->out, event)))
        return status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = lay_stream_wait(own->staging->compute[i], event)))
            return status;
    return LAY_OK;
}

/* On the current device, which is the part's. */
static lay_status begin(lay_stream *own, const lay_branch *branch, int part)
{
    const lay_stream_job *const job = branch->job.data;
    const lay_options *const options = branch->setting.options;
    const int is_all_host = own->left.is_on_host && own->right.is_on_host && own->c.is_on_host;
    const size_t tables = is_all_host ? 0 : lay_offsets_bytes(own->problem);
    lay_launch *const launch = &own->launch;
    lay_status status;
    if (!is_all_host && lay_stream_is_capturing(options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and operands lie in host memory");
    /* Pieces are dense, in rows of whole lines; so are tiles, in rows of their own length. */
    if (own->left.is_on_host)
        launch->left = own->is_left_along ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR;
    if (own->right.is_on_host)
        launch->right = own->is_right_along ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR;
    if ((status = lay_launch_load(launch)) || (status = lay_staging_take(own->device, &own->staging)))
        return status;
    own->mover.staging = own->staging;
    if ((status = take_memory(own, ask_for_part(own, branch, part), options->device_memory > 0, tables)) ||
        (status = make_slots(own)) || (status = send_tables(own, tables)))
        return status;
    own->cut.first_m = lay_stream_share_rows(&job->share, part, own->problem->m.extent).first;
    own->cut.first_n = lay_stream_share_columns(&job->share, part, own->problem->n.extent).first;
    if (own->c.is_on_host) {
        const int64_t v = 16 / own->size, edge = lay_stream_columns(&own->cut, own->cut.across - 1).count;
        launch->is_c_vector = own->cut.tile_n % v == 0 && edge % v == 0;
    }
    return begin_streams(own, options->stream, !is_all_host);
}

/* Nothing of the run may go on in the caller's memory. */
static void abandon(lay_stream *own)
{
    if (!own->staging)
        return;
    cudaStreamSynchronize(own->staging->in);
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        cudaStreamSynchronize(own->staging->compute[i]);
    cudaStreamSynchronize(own->staging->out);
    (void)cudaGetLastError();
}

static lay_stream pose(const lay_branch *branch, const lay_call *call, int part)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    const lay_stream_job *const job = branch->job.data;
    const int is_f32 = problem->types.sum == LAY_F32;
    const double beta = is_f32 ? *(const float *)call->beta : *(const double *)call->beta;
    const int64_t buffers = (int64_t)job->share.parts * LAY_STAGING_BUFFERS;
    lay_stream own = { .problem = problem,
                       .device = job->device[part].number,
                       .launch = job->device[part].launch,
                       .size = (int64_t)lay_type_size(problem->types.left),
                       .is_left_along = lay_axes_favour_columns(&problem->left_m, &problem->left_k),
                       .is_right_along = !lay_axes_favour_columns(&problem->right_k, &problem->right_n),
                       .reads_c = beta != 0,
                       .is_cache_small = lay_machine_get()->l3 < buffers * LAY_STAGING_BYTES,
                       .mover = { .threads = branch->job.threads } };
    memcpy(&own.args.alpha, call->alpha, (size_t)own.size);
    memcpy(&own.args.beta, call->beta, (size_t)own.size);
    set_side(&own, &own.left, setting, LAY_LEFT, own.is_left_along ? &problem->left_m : &problem->left_k,
             own.is_left_along ? &problem->left_k : &problem->left_m, call->left);
    set_side(&own, &own.right, setting, LAY_RIGHT, own.is_right_along ? &problem->right_n : &problem->right_k,
             own.is_right_along ? &problem->right_k : &problem->right_n, call->right);
    set_side(&own, &own.c, setting, LAY_RESULT, &problem->result_m, &problem->result_n, call->c);
    own.args.left = (const char *)call->left + lay_offsets_base(&problem->left_m, &problem->left_k) * own.size;
    own.args.right = (const char *)call->right + lay_offsets_base(&problem->right_k, &problem->right_n) * own.size;
    own.args.c = (char *)call->c + lay_offsets_base(&problem->result_m, &problem->result_n) * own.size;
    return own;
}

/* Gives back what the part took, on its device. */
static void end(lay_stream *own, lay_status status)
{
    void *before;
    if (own->staging && lay_device_enter(own->device, &before) == LAY_OK) {
        if (status != LAY_OK)
            abandon(own);
        lay_device_give(own->block, own->staging->in);
        lay_staging_give(own->staging, status == LAY_OK || status == LAY_ERR_MEMORY || status == LAY_ERR_UNSUPPORTED);
    }
    free(own->slots);
    free(own->leaving);
}

/* All parts of a product, of which the first begun have begun: what each takes is had before the first step. */
static lay_status run_parts(const lay_branch *branch, const lay_call *call, lay_stream part[], int count)
{
    lay_status status = LAY_OK;
    int begun = 0, has_written = 0, before;
    for (; begun < count && status == LAY_OK; begun++) {
        part[begun] = pose(branch, call, begun);
        if ((status = lay_device_enter(part[begun].device, &before)) == LAY_OK)
            status = begin(&part[begun], branch, begun);
    }
    if (status == LAY_OK)
        status = lay_stream_drive(part, count);
    for (int i = 0; i < begun; i++) {
        end(&part[i], status);
        has_written |= part[i].mover.has_written || (part[i].has_launched && !part[i].c.is_on_host);
    }
    return status != LAY_OK && has_written ? lay_fail_spoilt(status) : status;
}

lay_status lay_stream_run(const lay_branch *branch, const lay_call *call)
{
    const int count = ((const lay_stream_job *)branch->job.data)->share.parts;
    lay_stream one, *const part = count > 1 ? malloc((size_t)count * sizeof *part) : &one;
    void *before;
    if (!part)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %d parts of a product", count);
    lay_status status = lay_device_enter(branch->setting.device, &before);
    if (status == LAY_OK) {
        const int heeded = lay_captures_ignore();
        status = run_parts(branch, call, part, count);
        lay_captures_heed(heeded);
        lay_device_leave(before);
    }
    if (part != &one)
        free(part);
    return status;
}
