/* Steps in order: pieces are brought where they are not there yet, a launch for each step, tiles that are done
 * leave. Everything is put into streams, in an order in which nothing waits for what comes later; the calling thread
 * and its team fill and empty buffers meanwhile. */
#include "cuda/stream_run.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/stream_move.h"
#include "cuda/walks.h"

enum {
    LINE = 32,             /* elements, as in stream_cut.c */
    LEAST_WIDTH = 1 << 10, /* bytes of a rectangle's rows that a device may copy by itself */
    FULL_WIDTH = 1 << 14   /* from which it does so at the speed of the link */
};

/* Room for a piece or tile on the device. */
typedef struct slot {
    char *at;
    int64_t piece, turn;               /* what it holds, -1: nothing; when it was last used */
    void *ready;                       /* event: the piece has come, or the tile is done */
    void *used[LAY_STAGING_COMPUTE];   /* events: the last launches that read it, by stream */
    unsigned is_used;                  /* bits: which of these */
    void *gone;                        /* event: the tile before has left or is no longer wanted */
    int is_ready, is_gone, is_leaving; /* is_ready, is_gone: the event has been put */
} slot;

/* One operand's or result's places and how it moves. */
typedef struct side {
    const lay_axis *rows, *columns; /* of its images */
    const void *zero;
    int64_t pitch; /* bytes, where rectangles move by themselves */
    int is_on_host, is_large, comes_again, slots;
    slot *slot;
} side;

typedef struct run {
    const lay_problem *problem;
    lay_stream_cut cut;
    lay_launch launch;
    lay_cuda_args args; /* of the whole: operands on the device with their walks */
    lay_staging *staging;
    lay_mover mover;
    side left, right, sums, c;
    int is_left_along, is_right_along; /* contiguous along k */
    int reads_c, has_launched;
    int is_cache_small; /* does not hold the buffers until they have travelled */
    int64_t size, turn;
    void *block;
    slot *slots;
    lay_leaving *leaving;
} run;

static lay_status check(cudaError_t error, const char *call)
{
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, call);
}

static lay_status wait_for(void *stream, void *event)
{
    return check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}

/* Makes the event if there is none yet and puts it into stream. */
static lay_status put_event(run *own, void **event, void *stream)
{
    lay_status status;
    if (!*event && (status = lay_staging_event(own->staging, event)))
        return status;
    return check(cudaEventRecord(*event, stream), "cudaEventRecord");
}

/* ---- pieces of A and B ------------------------------------------------------------------------ */

static int64_t pitch_of(int64_t columns)
{
    return ceil_div(columns, LINE) * LINE;
}

static lay_image image_of(const run *own, const side *of, lay_stretch rows, lay_stretch columns, char *dense,
                          int64_t pitch)
{
    return (lay_image){ .rows = of->rows,
                        .columns = of->columns,
                        .zero = of->zero,
                        .first_row = rows.first,
                        .row_count = rows.count,
                        .first_column = columns.first,
                        .column_count = columns.count,
                        .dense = dense,
                        .pitch = pitch,
                        .size = own->size,
                        .is_streaming = own->is_cache_small };
}

/* The pitch for a rectangle that the device copies by itself, 0 where threads had better pack it: measured, rows of
 * 8 KiB came at 33 GB/s where pieces come again and again, packed at 45. */
static int64_t pitch_for(const run *own, const side *of, int64_t columns)
{
    const int64_t width = columns * own->size;
    const int is_swift = width == of->pitch || width >= FULL_WIDTH || !of->comes_again;
    return width >= LEAST_WIDTH && is_swift ? of->pitch : 0;
}

/* The slot that holds the piece: it has it already, or the one that was used longest ago gets it. */
static lay_status bring(run *own, side *of, int64_t piece, lay_stretch rows, lay_stretch columns, slot **out)
{
    slot *oldest = &of->slot[0];
    for (int i = 0; i < of->slots; i++) {
        slot *other = &of->slot[i];
        if (other->piece == piece) {
            other->turn = own->turn;
            *out = other;
            return LAY_OK;
        }
        if (other->turn < oldest->turn)
            oldest = other;
    }
    lay_status status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if (oldest->is_used >> i & 1 && (status = wait_for(own->staging->in, oldest->used[i])))
            return status;
    oldest->is_used = 0;
    oldest->piece = piece;
    oldest->turn = own->turn;
    const lay_image image = image_of(own, of, rows, columns, oldest->at, pitch_of(columns.count));
    if ((status = lay_move_in(&own->mover, &image, pitch_for(own, of, columns.count))) ||
        (status = put_event(own, &oldest->ready, own->staging->in)))
        return status;
    *out = oldest;
    return LAY_OK;
}

static lay_status note_use(run *own, slot *of, int stream)
{
    if (!of)
        return LAY_OK;
    of->is_used |= 1u << stream;
    return put_event(own, &of->used[stream], own->staging->compute[stream]);
}

/* Moves a walk on to its index first; what that adds to the address, in elements. */
static int64_t advance(lay_cuda_walk *walk, int64_t first)
{
    if (!walk->table)
        return first * walk->stride;
    walk->table += first;
    return 0;
}

static const void *move_to(const run *own, const void *address, lay_cuda_walk *x, int64_t first_x, lay_cuda_walk *y,
                           int64_t first_y)
{
    return (const char *)address + (advance(x, first_x) + advance(y, first_y)) * own->size;
}

/* The left and right of a step, where they lie on the device; the stream waits for what comes. */
static lay_status point_at_pieces(run *own, const lay_stream_step *step, lay_cuda_args *args, int stream, slot *used[2])
{
    const lay_stretch rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
    const lay_stretch steps = lay_stream_chunk(&own->cut, step->q);
    lay_status status;
    used[0] = used[1] = NULL;
    if (own->left.is_on_host) {
        const int along = own->is_left_along;
        const int64_t pitch = pitch_of(along ? steps.count : rows.count);
        if ((status = bring(own, &own->left, step->i * own->cut.chunks + step->q, along ? rows : steps,
                            along ? steps : rows, &used[0])))
            return status;
        args->left = used[0]->at;
        args->left_m = (lay_cuda_walk){ .stride = along ? pitch : 1 };
        args->left_k = (lay_cuda_walk){ .stride = along ? 1 : pitch };
    } else {
        args->left = move_to(own, args->left, &args->left_m, rows.first, &args->left_k, steps.first);
    }
    if (own->right.is_on_host) {
        const int along = own->is_right_along;
        const int64_t pitch = pitch_of(along ? steps.count : columns.count);
        if ((status = bring(own, &own->right, step->j * own->cut.chunks + step->q, along ? columns : steps,
                            along ? steps : columns, &used[1])))
            return status;
        args->right = used[1]->at;
        args->right_k = (lay_cuda_walk){ .stride = along ? 1 : pitch };
        args->right_n = (lay_cuda_walk){ .stride = along ? pitch : 1 };
    } else {
        args->right = move_to(own, args->right, &args->right_k, steps.first, &args->right_n, columns.first);
    }
    for (int i = 0; i < 2; i++)
        if (used[i] && (status = wait_for(own->staging->compute[stream], used[i]->ready)))
            return status;
    return LAY_OK;
}

/* ---- tiles ------------------------------------------------------------------------------------ */

/* A slot for tile number: all of the tile before is on its way, and stream waits until it is gone. */
static lay_status take_slot(run *own, side *of, int64_t number, void *stream, slot **out)
{
    slot *taken = *out = &of->slot[number % of->slots];
    lay_status status;
    while (taken->is_leaving)
        if ((status = lay_move_on(&own->mover, 1)))
            return status;
    return taken->is_gone ? wait_for(stream, taken->gone) : LAY_OK;
}

/* Where a tile of C is made: in place, or in a slot, with what C was where it is read. */
static lay_status point_at_c(run *own, const lay_stream_step *step, lay_cuda_args *args, int stream, slot *sum,
                             slot **made_in)
{
    const lay_stretch rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
    void *const compute = own->staging->compute[stream];
    lay_status status;
    *made_in = NULL;
    if (!own->c.is_on_host) {
        args->c = (void *)(uintptr_t)move_to(own, args->c, &args->result_m, rows.first, &args->result_n, columns.first);
        return LAY_OK;
    }
    if (own->c.slots == 0) {
        *made_in = sum;
    } else if ((status = take_slot(own, &own->c, step->number, own->reads_c ? own->staging->in : compute, made_in))) {
        return status;
    }
    args->c = (*made_in)->at;
    args->result_m = (lay_cuda_walk){ .stride = columns.count };
    args->result_n = (lay_cuda_walk){ .stride = 1 };
    if (!own->reads_c)
        return LAY_OK;
    const lay_image image = image_of(own, &own->c, rows, columns, (*made_in)->at, columns.count);
    if ((status = lay_move_in(&own->mover, &image, pitch_for(own, &own->c, columns.count))) ||
        (status = put_event(own, &(*made_in)->ready, own->staging->in)))
        return status;
    return wait_for(compute, (*made_in)->ready);
}

/* The tile is done in stream: what it lies in leaves for host memory, and the slot of its sums is free. */
static lay_status end_tile(run *own, const lay_stream_step *step, int stream, slot *sum, slot *made_in)
{
    void *const compute = own->staging->compute[stream];
    lay_status status;
    if (made_in) {
        const lay_stretch rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
        lay_leaving tile = { .image = image_of(own, &own->c, rows, columns, made_in->at, columns.count),
                             .pitch = pitch_for(own, &own->c, columns.count),
                             .is_leaving = &made_in->is_leaving };
        tile.image.is_to_host = 1;
        tile.image.is_streaming = own->c.is_large;
        if (!made_in->gone && (status = lay_staging_event(own->staging, &made_in->gone)))
            return status;
        if ((status = put_event(own, &made_in->ready, compute)))
            return status;
        made_in->is_gone = 1;
        tile.ready = made_in->ready;
        tile.gone = made_in->gone;
        if ((status = lay_move_out(&own->mover, &tile)))
            return status;
    }
    if (!sum || sum == made_in)
        return LAY_OK;
    sum->is_gone = 1;
    return put_event(own, &sum->gone, compute);
}

/* C of a tile from the sums of its slices, which other streams may have made. */
static lay_status add_slices(run *own, lay_cuda_args *args, slot *sum, int stream)
{
    void *const compute = own->staging->compute[stream];
    lay_status status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if (i != stream && sum->is_used >> i & 1 && (status = wait_for(compute, sum->used[i])))
            return status;
    args->partial = sum->at;
    args->slices = own->launch.slices;
    void *arguments[] = { args };
    const int64_t blocks = ceil_div((int64_t)args->m * args->n, LAY_CUDA_ADD_ELEMENTS);
    return check(cudaLaunchKernel(lay_cuda_add_slices[own->problem->type], (dim3){ (unsigned)blocks, 1, 1 },
                                  (dim3){ LAY_CUDA_ADD_THREADS, 1, 1 }, arguments, 0, compute),
                 "lay_cuda_add_slices");
}

/* ---- a step ----------------------------------------------------------------------------------- */

static lay_status do_step(run *own, const lay_stream_step *step)
{
    const lay_stream_cut *cut = &own->cut;
    const int64_t slices = own->launch.slices, slice = step->q / cut->chunks_a_slice;
    const int is_first = step->q % cut->chunks_a_slice == 0, is_last = step->q == cut->chunks - 1;
    const int has_slices = slices > 1;
    /* A tile's chunks follow each other in one stream, its slices may run beside each other. */
    const int stream = (int)((step->number + slice) % LAY_STAGING_COMPUTE);
    void *const compute = own->staging->compute[stream];
    lay_cuda_args args = own->args;
    slot *used[2], *sum = NULL, *made_in = NULL;
    lay_status status;
    own->turn++;
    args.m = (int)lay_stream_rows(cut, step->i).count;
    args.n = (int)lay_stream_columns(cut, step->j).count;
    args.k = (int)lay_stream_chunk(cut, step->q).count;
    if (cut->chunks > 1) {
        sum = &own->sums.slot[step->number % own->sums.slots];
        if (is_first && (status = take_slot(own, &own->sums, step->number, compute, &sum)))
            return status;
        if (step->q == 0)
            sum->is_used = 0;
        char *const at = sum->at + slice * args.m * args.n * own->size;
        args.resume = is_first ? NULL : at;
        args.partial = is_last && !has_slices ? NULL : at;
    }
    if ((status = point_at_pieces(own, step, &args, stream, used)) ||
        (is_last && (status = point_at_c(own, step, &args, stream, sum, &made_in))))
        return status;
    lay_launch launch = own->launch;
    launch.slices = 1;
    launch.slice_k = args.k;
    own->has_launched = 1;
    if ((status = lay_launch_put(&launch, &args, compute)) || (status = note_use(own, used[0], stream)) ||
        (status = note_use(own, used[1], stream)) || (has_slices && (status = note_use(own, sum, stream))))
        return status;
    if (is_last && has_slices && (status = add_slices(own, &args, sum, stream)))
        return status;
    return is_last ? end_tile(own, step, stream, sum, made_in) : LAY_OK;
}

/* ---- a run ------------------------------------------------------------------------------------ */

lay_stream_ask lay_stream_ask_for(const lay_problem *problem, const lay_setting *setting, const lay_launch *launch,
                                  int reads_c)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    const lay_device *device = launch->device;
    lay_stream_ask ask = { .m = problem->m.extent,
                           .n = problem->n.extent,
                           .k = problem->k.extent,
                           .size = (int64_t)lay_type_size(problem->type),
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

static void set_side(run *own, side *of, const lay_setting *setting, int operand, const lay_axis *rows,
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
static lay_status take_memory(run *own, const lay_setting *setting, size_t tables)
{
    lay_stream_ask ask = lay_stream_ask_for(own->problem, setting, &own->launch, own->reads_c);
    const size_t cap = ask.memory;
    ask.memory = cap ? cap : own->launch.device->memory / 10 * 9;
    ask.memory = ask.memory > tables ? ask.memory - tables : 0;
    for (int attempt = 0;; attempt++) {
        if (!lay_stream_cut_choose(&ask, &own->cut))
            return lay_fail(LAY_ERR_MEMORY, "%zu bytes of device memory do not hold the smallest tiles of the product",
                            cap ? cap : ask.memory);
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

static void share_out(side *of, slot **next, int slots, size_t bytes, char **at)
{
    of->slot = *next;
    of->slots = slots;
    for (int i = 0; i < slots; i++, *at += bytes)
        of->slot[i] = (slot){ .at = *at, .piece = -1 };
    *next += slots;
}

static lay_status make_slots(run *own)
{
    const lay_stream_cut *cut = &own->cut;
    const int count = cut->left_slots + cut->right_slots + cut->sum_slots + cut->c_slots;
    own->mover.room = cut->sum_slots + cut->c_slots + 1;
    own->slots = malloc((size_t)count * sizeof *own->slots);
    own->leaving = own->mover.leaving = malloc((size_t)own->mover.room * sizeof *own->leaving);
    if (!own->slots || !own->leaving)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the places of %d tiles", count);
    slot *next = own->slots;
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
static lay_status send_tables(run *own, size_t bytes)
{
    char *const tables = (char *)own->block + own->cut.bytes;
    lay_walks_fill(own->problem, &own->args, tables, NULL);
    if (bytes == 0)
        return LAY_OK;
    void *const filled = malloc(bytes);
    if (!filled)
        return lay_fail(LAY_ERR_MEMORY, "no memory for offset tables of %zu bytes", bytes);
    lay_walks_fill(own->problem, NULL, NULL, filled);
    const lay_status status =
        check(cudaMemcpyAsync(tables, filled, bytes, cudaMemcpyHostToDevice, own->staging->in), "cudaMemcpyAsync");
    free(filled); /* pageable: CUDA has its own copy when it returns */
    return status;
}

/* What the caller's stream has been given comes before all this, where operands lie on the device. */
static lay_status begin_streams(run *own, void *callers, int has_device_operands)
{
    void *event = NULL;
    lay_status status;
    if (has_device_operands &&
        ((status = put_event(own, &event, callers)) || (status = wait_for(own->staging->in, event))))
        return status;
    event = NULL;
    if ((status = put_event(own, &event, own->staging->in)) || (status = wait_for(own->staging->out, event)))
        return status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = wait_for(own->staging->compute[i], event)))
            return status;
    return LAY_OK;
}

static lay_status begin(run *own, const lay_setting *setting)
{
    const int is_all_host = own->left.is_on_host && own->right.is_on_host && own->c.is_on_host;
    const size_t tables = is_all_host ? 0 : lay_walks_bytes(own->problem);
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
static lay_status end(run *own)
{
    lay_status status;
    void *event = NULL;
    while (own->mover.leavings > 0 || own->mover.outs > 0)
        if ((status = lay_move_on(&own->mover, 1)))
            return status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = put_event(own, &event, own->staging->compute[i])) ||
            (status = wait_for(own->staging->out, event)))
            return status;
    if ((status = put_event(own, &event, own->staging->out)))
        return status;
    return lay_move_await(&own->mover, event);
}

/* Nothing of the run may go on in the caller's memory. */
static void abandon(run *own)
{
    if (!own->staging)
        return;
    cudaStreamSynchronize(own->staging->in);
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        cudaStreamSynchronize(own->staging->compute[i]);
    cudaStreamSynchronize(own->staging->out);
    (void)cudaGetLastError();
}

/* Adds to the last error that C is spoilt. */
static lay_status tell_of_c(lay_status status)
{
    char before[256];
    strncpy(before, lay_last_error(), sizeof before - 1);
    before[sizeof before - 1] = 0;
    return lay_fail(status, "%s; a part of C has been written", before);
}

static lay_status run_steps(run *own)
{
    lay_status status;
    lay_stream_step step = lay_stream_first_step(&own->cut);
    do
        if ((status = do_step(own, &step)))
            return status;
    while (lay_stream_next_step(&own->cut, &step));
    return end(own);
}

lay_status lay_stream_run(const lay_way *way, const lay_call *call)
{
    const lay_problem *problem = &way->problem;
    const lay_setting *setting = &way->setting;
    const int is_f32 = problem->type == LAY_F32;
    const double beta = is_f32 ? *(const float *)call->beta : *(const double *)call->beta;
    run own = { .problem = problem,
                .launch = way->job.of.stream.launch,
                .size = (int64_t)lay_type_size(problem->type),
                .is_left_along = lay_axes_favour_columns(&problem->left_m, &problem->left_k),
                .is_right_along = !lay_axes_favour_columns(&problem->right_k, &problem->right_n),
                .reads_c = beta != 0,
                .is_cache_small = lay_machine_get()->l3 < (int64_t)LAY_STAGING_BUFFERS * LAY_STAGING_BYTES,
                .mover = { .threads = way->job.threads } };
    memcpy(&own.args.alpha, call->alpha, (size_t)own.size);
    memcpy(&own.args.beta, call->beta, (size_t)own.size);
    set_side(&own, &own.left, setting, LAY_LEFT, own.is_left_along ? &problem->left_m : &problem->left_k,
             own.is_left_along ? &problem->left_k : &problem->left_m, call->left);
    set_side(&own, &own.right, setting, LAY_RIGHT, own.is_right_along ? &problem->right_n : &problem->right_k,
             own.is_right_along ? &problem->right_k : &problem->right_n, call->right);
    set_side(&own, &own.c, setting, LAY_RESULT, &problem->result_m, &problem->result_n, call->c);
    own.args.left = (const char *)call->left + lay_walks_base(&problem->left_m, &problem->left_k) * own.size;
    own.args.right = (const char *)call->right + lay_walks_base(&problem->right_k, &problem->right_n) * own.size;
    own.args.c = (char *)call->c + lay_walks_base(&problem->result_m, &problem->result_n) * own.size;

    int before;
    lay_status status = lay_device_enter(setting->device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = begin(&own, setting)) == LAY_OK)
        status = run_steps(&own);
    if (status != LAY_OK)
        abandon(&own);
    if (own.staging)
        lay_device_give(own.block, own.staging->in);
    lay_staging_give(own.staging, status == LAY_OK || status == LAY_ERR_MEMORY);
    lay_device_leave(before);
    free(own.slots);
    free(own.leaving);
    if (status != LAY_OK && (own.mover.has_written || (own.has_launched && !own.c.is_on_host)))
        return tell_of_c(status);
    return status;
}
