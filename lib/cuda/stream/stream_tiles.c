/* Tiles of C: a launch for each chunk, from where the one before it ended, and the way back to host memory. */
#include "base/arith.h"
#include "cuda/stream/stream_state.h"

static void *compute_of(const lay_stream *own)
{
    return own->staging->compute[own->now.stream];
}

void lay_stream_begin_step(lay_stream *own)
{
    const lay_stream_cut *const cut = &own->cut;
    lay_stepping *const now = &own->now;
    const lay_stream_step step = now->step;
    own->turn++;
    *now = (lay_stepping){ .step = step,
                           .stage = LAY_STAGE_SUMS,
                           /* A tile's chunks follow each other in one stream, its slices may run at the same time. */
                           .stream = (int)((step.number + step.q / cut->chunks_a_slice) % LAY_STAGING_COMPUTE),
                           .is_first = step.q % cut->chunks_a_slice == 0,
                           .is_last = step.q == cut->chunks - 1,
                           .args = own->args };
    now->args.m = (int)lay_stream_rows(cut, step.i).count;
    now->args.n = (int)lay_stream_columns(cut, step.j).count;
    now->args.k = (int)lay_stream_chunk(cut, step.q).count;
}

/* A slot for the step's tile, when it ends: all of the tile before is on its way, and stream waits until it is gone. */
static lay_status take_slot(lay_stream *own, lay_side *of, void *stream, lay_slot **out, lay_turn *turn)
{
    lay_slot *const taken = &of->slot[own->now.step.number % of->slots];
    *turn = taken->is_leaving ? LAY_TURN_WAITS : LAY_TURN_ENDS;
    if (taken->is_leaving)
        return LAY_OK;
    *out = taken;
    return taken->is_gone ? lay_stream_wait(stream, taken->gone) : LAY_OK;
}

lay_status lay_stream_take_sums(lay_stream *own, lay_turn *turn)
{
    const lay_stream_cut *const cut = &own->cut;
    lay_stepping *const now = &own->now;
    const int64_t slices = own->launch.slices, slice = now->step.q / cut->chunks_a_slice;
    lay_status status;
    *turn = LAY_TURN_ENDS;
    if (cut->chunks == 1)
        return LAY_OK;
    if (!now->is_first)
        now->sum = &own->sums.slot[now->step.number % own->sums.slots];
    else if ((status = take_slot(own, &own->sums, compute_of(own), &now->sum, turn)) || *turn != LAY_TURN_ENDS)
        return status;
    if (now->step.q == 0)
        now->sum->is_used = 0;
    char *const at = now->sum->at + slice * now->args.m * now->args.n * own->size;
    now->args.resume = now->is_first ? NULL : at;
    now->args.partial = now->is_last && slices == 1 ? NULL : at;
    return LAY_OK;
}

static lay_image image_of_c(const lay_stream *own, const lay_slot *dense)
{
    const lay_stream_step *const step = &own->now.step;
    const lay_range rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
    return lay_stream_image(own, &own->c, rows, columns, dense->at, columns.count);
}

/* Where a tile of C is made: in place, or in a slot, with what C was where it is read. */
lay_status lay_stream_point_at_c(lay_stream *own, lay_turn *turn)
{
    lay_stepping *const now = &own->now;
    lay_cuda_args *const args = &now->args;
    const lay_range rows = lay_stream_rows(&own->cut, now->step.i);
    const lay_range columns = lay_stream_columns(&own->cut, now->step.j);
    void *const compute = compute_of(own), *const in = own->staging->in;
    lay_status status;
    *turn = LAY_TURN_ENDS;
    if (!now->is_last)
        return LAY_OK;
    if (!own->c.is_on_host) {
        args->c = (void *)(uintptr_t)lay_stream_move_to(own, args->c, &args->result_m, rows.first, &args->result_n,
                                                        columns.first);
        return LAY_OK;
    }
    if (own->c.slots == 0)
        now->made_in = now->sum;
    else if (!now->made_in && ((status = take_slot(own, &own->c, own->reads_c ? in : compute, &now->made_in, turn)) ||
                               *turn != LAY_TURN_ENDS))
        return status;
    args->c = now->made_in->at;
    args->result_m = (lay_cuda_offsets){ .stride = columns.count };
    args->result_n = (lay_cuda_offsets){ .stride = 1 };
    if (!own->reads_c)
        return LAY_OK;
    const lay_image image = image_of_c(own, now->made_in);
    if ((status = lay_stream_bring_into(own, &own->c, &image, now->made_in, turn)) || *turn != LAY_TURN_ENDS)
        return status;
    return lay_stream_wait(compute, now->made_in->ready);
}

/* The tile is done: what it lies in leaves for host memory, and the slot of its sums is free. */
static lay_status end_tile(lay_stream *own)
{
    lay_slot *const sum = own->now.sum, *const made_in = own->now.made_in;
    void *const compute = compute_of(own);
    lay_status status;
    if (made_in) {
        lay_leaving tile = { .image = image_of_c(own, made_in), .is_leaving = &made_in->is_leaving };
        tile.pitch = lay_stream_pitch(own, &own->c, tile.image.column_count);
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
static lay_status add_slices(lay_stream *own)
{
    lay_stepping *const now = &own->now;
    void *const compute = compute_of(own);
    lay_status status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if (i != now->stream && now->sum->is_used >> i & 1 && (status = lay_stream_wait(compute, now->sum->used[i])))
            return status;
    now->args.partial = now->sum->at;
    now->args.slices = own->launch.slices;
    return lay_launch_put_sum(own->problem->types.result, &now->args, "lay_cuda_add_slices", compute);
}

lay_status lay_stream_launch(lay_stream *own, lay_turn *turn)
{
    lay_stepping *const now = &own->now;
    const int has_slices = own->launch.slices > 1;
    lay_status status;
    *turn = LAY_TURN_ENDS;
    for (int i = 0; i < 2; i++)
        if (now->used[i] && (status = lay_stream_wait(compute_of(own), now->used[i]->ready)))
            return status;
    lay_launch launch = own->launch;
    launch.slices = 1;
    launch.slice_k = now->args.k;
    own->has_launched = 1;
    if ((status = lay_launch_put(&launch, &now->args, compute_of(own))) ||
        (status = lay_stream_note_use(own, now->used[0], now->stream)) ||
        (status = lay_stream_note_use(own, now->used[1], now->stream)) ||
        (has_slices && (status = lay_stream_note_use(own, now->sum, now->stream))))
        return status;
    if (now->is_last && has_slices && (status = add_slices(own)))
        return status;
    return now->is_last ? end_tile(own) : LAY_OK;
}
