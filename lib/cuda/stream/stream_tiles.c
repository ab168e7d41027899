/* Tiles of C: a launch for each chunk, from where the one before it ended, and the way back to host memory. */
#include <cuda_runtime_api.h>

#include "base/arith.h"
#include "cuda/stream/stream_state.h"

/* A slot for tile number: all of the tile before is on its way, and stream waits until it is gone. */
static lay_status take_slot(lay_stream *own, lay_side *of, int64_t number, void *stream, lay_slot **out)
{
    lay_slot *taken = *out = &of->slot[number % of->slots];
    lay_status status;
    while (taken->is_leaving)
        if ((status = lay_move_on(&own->mover, 1)))
            return status;
    return taken->is_gone ? lay_stream_wait(stream, taken->gone) : LAY_OK;
}

/* Where a tile of C is made: in place, or in a slot, with what C was where it is read. */
static lay_status point_at_c(lay_stream *own, const lay_stream_step *step, lay_cuda_args *args, int stream,
                             lay_slot *sum, lay_slot **made_in)
{
    const lay_range rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
    void *const compute = own->staging->compute[stream];
    lay_status status;
    *made_in = NULL;
    if (!own->c.is_on_host) {
        args->c = (void *)(uintptr_t)lay_stream_move_to(own, args->c, &args->result_m, rows.first, &args->result_n,
                                                        columns.first);
        return LAY_OK;
    }
    if (own->c.slots == 0) {
        *made_in = sum;
    } else if ((status = take_slot(own, &own->c, step->number, own->reads_c ? own->staging->in : compute, made_in))) {
        return status;
    }
    args->c = (*made_in)->at;
    args->result_m = (lay_cuda_offsets){ .stride = columns.count };
    args->result_n = (lay_cuda_offsets){ .stride = 1 };
    if (!own->reads_c)
        return LAY_OK;
    const lay_image image = lay_stream_image(own, &own->c, rows, columns, (*made_in)->at, columns.count);
    if ((status = lay_move_in(&own->mover, &image, lay_stream_pitch(own, &own->c, columns.count))) ||
        (status = lay_stream_put_event(own, &(*made_in)->ready, own->staging->in)))
        return status;
    return lay_stream_wait(compute, (*made_in)->ready);
}

/* The tile is done in stream: what it lies in leaves for host memory, and the slot of its sums is free. */
static lay_status end_tile(lay_stream *own, const lay_stream_step *step, int stream, lay_slot *sum, lay_slot *made_in)
{
    void *const compute = own->staging->compute[stream];
    lay_status status;
    if (made_in) {
        const lay_range rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
        lay_leaving tile = { .image = lay_stream_image(own, &own->c, rows, columns, made_in->at, columns.count),
                             .pitch = lay_stream_pitch(own, &own->c, columns.count),
                             .is_leaving = &made_in->is_leaving };
        tile.image.is_to_host = 1;
        tile.image.is_streaming = own->c.is_large;
        if (!made_in->gone && (status = lay_staging_event(own->staging, &made_in->gone)))
            return status;
        if ((status = lay_stream_put_event(own, &made_in->ready, compute)))
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
    return lay_stream_put_event(own, &sum->gone, compute);
}

/* C of a tile from the sums of its slices, which other streams may have made. */
static lay_status add_slices(lay_stream *own, lay_cuda_args *args, lay_slot *sum, int stream)
{
    void *const compute = own->staging->compute[stream];
    lay_status status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if (i != stream && sum->is_used >> i & 1 && (status = lay_stream_wait(compute, sum->used[i])))
            return status;
    args->partial = sum->at;
    args->slices = own->launch.slices;
    void *arguments[] = { args };
    const int64_t blocks = lay_cuda_add_blocks((int64_t)args->m * args->n);
    return lay_stream_check(cudaLaunchKernel(lay_cuda_add_slices[own->problem->types.result],
                                             (dim3){ (unsigned)blocks, 1, 1 }, (dim3){ LAY_CUDA_ADD_THREADS, 1, 1 },
                                             arguments, 0, compute),
                            "lay_cuda_add_slices");
}

lay_status lay_stream_do(lay_stream *own, const lay_stream_step *step)
{
    const lay_stream_cut *cut = &own->cut;
    const int64_t slices = own->launch.slices, slice = step->q / cut->chunks_a_slice;
    const int is_first = step->q % cut->chunks_a_slice == 0, is_last = step->q == cut->chunks - 1;
    const int has_slices = slices > 1;
    /* A tile's chunks follow each other in one stream, its slices may run at the same time. */
    const int stream = (int)((step->number + slice) % LAY_STAGING_COMPUTE);
    void *const compute = own->staging->compute[stream];
    lay_cuda_args args = own->args;
    lay_slot *used[2], *sum = NULL, *made_in = NULL;
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
    if ((status = lay_stream_bring(own, step, &args, stream, used)) ||
        (is_last && (status = point_at_c(own, step, &args, stream, sum, &made_in))))
        return status;
    lay_launch launch = own->launch;
    launch.slices = 1;
    launch.slice_k = args.k;
    own->has_launched = 1;
    if ((status = lay_launch_put(&launch, &args, compute)) || (status = lay_stream_note_use(own, used[0], stream)) ||
        (status = lay_stream_note_use(own, used[1], stream)) ||
        (has_slices && (status = lay_stream_note_use(own, sum, stream))))
        return status;
    if (is_last && has_slices && (status = add_slices(own, &args, sum, stream)))
        return status;
    return is_last ? end_tile(own, step, stream, sum, made_in) : LAY_OK;
}
