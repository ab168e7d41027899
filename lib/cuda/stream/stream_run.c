/* A run from its memory to its end. Everything is put into streams, in an order in which nothing waits for what
 * comes later; the calling thread and its team fill and empty buffers meanwhile. */
#include "cuda/stream/stream_run.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cuda/launch/offsets.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream_state.h"

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
                           .link = device->link_per_second,
                           .rate = kernel->rate * device->multiprocessors * device->ghz * 1e9 };
    for (int i = 0; i < LAY_OPERANDS; i++)
        ask.is_on_host[i] = setting->place[i] != LAY_PLACE_DEVICE;
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

/* Sizes, and the memory for them. Where nothing says how much there is, first as if it were all free. */
static lay_status take_memory(lay_stream *own, const lay_setting *setting, size_t tables)
{
    lay_stream_ask ask = lay_stream_ask_for(own->problem, setting, &own->launch, own->reads_c);
    const size_t cap = ask.memory;
    ask.memory = cap ? cap : own->launch.device->memory / 10 * 9;
    ask.memory = ask.memory > tables ? ask.memory - tables : 0;
    for (int attempt = 0;; attempt++) {
        const int fits = lay_stream_cut_choose(&ask, &own->cut);
        if (!fits && cap && attempt == 0)
            return lay_fail(LAY_ERR_UNSUPPORTED,
                            "options.device_memory, %zu bytes, does not hold the smallest tiles of the product and %zu "
                            "bytes of offset tables",
                            cap, tables);
        if (!fits)
            return lay_fail(LAY_ERR_MEMORY, "%zu bytes of device memory do not hold the smallest tiles of the product",
                            ask.memory);
        const lay_status status =
            lay_device_take(setting->device, own->cut.bytes + tables, own->staging->in, &own->block);
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

static lay_status begin(lay_stream *own, const lay_setting *setting)
{
    const int is_all_host = own->left.is_on_host && own->right.is_on_host && own->c.is_on_host;
    const size_t tables = is_all_host ? 0 : lay_offsets_bytes(own->problem);
    lay_launch *const launch = &own->launch;
    lay_status status;
    if (!is_all_host && lay_stream_is_capturing(setting->options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and operands lie in host memory");
    /* Pieces are dense, in rows of whole lines; so are tiles, in rows of their own length. */
    if (own->left.is_on_host)
        launch->left = own->is_left_along ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR;
    if (own->right.is_on_host)
        launch->right = own->is_right_along ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR;
    if ((status = lay_launch_load(launch)) || (status = lay_staging_take(setting->device, &own->staging)))
        return status;
    own->mover.staging = own->staging;
    if ((status = take_memory(own, setting, tables)) || (status = make_slots(own)) ||
        (status = send_tables(own, tables)))
        return status;
    if (own->c.is_on_host) {
        const int64_t v = 16 / own->size, edge = lay_stream_columns(&own->cut, own->cut.across - 1).count;
        launch->is_c_vector = own->cut.tile_n % v == 0 && edge % v == 0;
    }
    return begin_streams(own, setting->options->stream, !is_all_host);
}

/* Until C is complete where it belongs. */
static lay_status end(lay_stream *own)
{
    lay_status status;
    void *event = NULL;
    while (own->mover.leavings > 0 || own->mover.outs > 0)
        if ((status = lay_move_on(&own->mover, 1)))
            return status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = lay_stream_put_event(own, &event, own->staging->compute[i])) ||
            (status = lay_stream_wait(own->staging->out, event)))
            return status;
    if ((status = lay_stream_put_event(own, &event, own->staging->out)))
        return status;
    return lay_move_await(&own->mover, event);
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

static lay_status run_steps(lay_stream *own)
{
    lay_status status;
    lay_stream_step step = lay_stream_first_step(&own->cut);
    do
        if ((status = lay_stream_do(own, &step)))
            return status;
    while (lay_stream_next_step(&own->cut, &step));
    return end(own);
}

lay_status lay_stream_run(const lay_branch *branch, const lay_call *call)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    const int is_f32 = problem->types.sum == LAY_F32;
    const double beta = is_f32 ? *(const float *)call->beta : *(const double *)call->beta;
    lay_stream own = { .problem = problem,
                       .launch = *(const lay_launch *)branch->job.data,
                       .size = (int64_t)lay_type_size(problem->types.left),
                       .is_left_along = lay_axes_favour_columns(&problem->left_m, &problem->left_k),
                       .is_right_along = !lay_axes_favour_columns(&problem->right_k, &problem->right_n),
                       .reads_c = beta != 0,
                       .is_cache_small = lay_machine_get()->l3 < (int64_t)LAY_STAGING_BUFFERS * LAY_STAGING_BYTES,
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

    int before;
    lay_status status = lay_device_enter(setting->device, &before);
    if (status != LAY_OK)
        return status;
    const int heeded = lay_captures_ignore();
    if ((status = begin(&own, setting)) == LAY_OK)
        status = run_steps(&own);
    if (status != LAY_OK)
        abandon(&own);
    if (own.staging)
        lay_device_give(own.block, own.staging->in);
    lay_staging_give(own.staging, status == LAY_OK || status == LAY_ERR_MEMORY || status == LAY_ERR_UNSUPPORTED);
    lay_captures_heed(heeded);
    lay_device_leave(before);
    free(own.slots);
    free(own.leaving);
    if (status != LAY_OK && (own.mover.has_written || (own.has_launched && !own.c.is_on_host)))
        return lay_fail_spoilt(status);
    return status;
}
