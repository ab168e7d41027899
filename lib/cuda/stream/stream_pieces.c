/* Pieces of A and B: those that the device has are found, the others brought into the slot used longest ago. */
#include <cuda_runtime_api.h>

#include "base/arith.h"
#include "cuda/launch/offsets.h"
#include "cuda/stream/stream_state.h"

enum {
    LEAST_WIDTH = 1 << 10, /* bytes of a rectangle's rows that a device may copy by itself */
    FULL_WIDTH = 1 << 14,  /* from which it does so at the speed of the link */
    NEAR_PITCH = 1 << 15   /* bytes, up to which shorter rows come swiftly too */
};

lay_status lay_stream_check(int error, const char *call)
{
    return error == 0 ? LAY_OK : lay_cuda_failed(error, call);
}

lay_status lay_stream_wait(void *stream, void *event)
{
    return lay_stream_check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}

lay_status lay_stream_put_event(lay_stream *own, void **event, void *stream)
{
    lay_status status;
    if (!*event && (status = lay_staging_event(own->staging, event)))
        return status;
    return lay_stream_check(cudaEventRecord(*event, stream), "cudaEventRecord");
}

static int64_t pitch_of(int64_t columns)
{
    return round_up(columns, LAY_STREAM_LINE);
}

lay_image lay_stream_image(const lay_stream *own, const lay_side *of, lay_range rows, lay_range columns, char *dense,
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

/* Measured beside launches, rows of 8 KiB that lie 64 KiB apart came at 33 GB/s, packed at 45; 32 KiB apart there was
 * nothing between them. */
int64_t lay_stream_pitch(const lay_stream *own, const lay_side *of, int64_t columns)
{
    const int64_t width = columns * own->size;
    const int is_swift = width == of->pitch || width >= FULL_WIDTH || (of->pitch <= NEAR_PITCH && !of->comes_again);
    return width >= LEAST_WIDTH && is_swift ? of->pitch : 0;
}

lay_status lay_stream_bring_into(lay_stream *own, const lay_side *of, const lay_image *image, lay_slot *to,
                                 lay_turn *turn)
{
    lay_stepping *const now = &own->now;
    if (!now->arriving) {
        now->arriving = to;
        now->coming = (lay_coming){ .image = *image, .pitch = lay_stream_pitch(own, of, image->column_count) };
    }
    const lay_status status = lay_move_in(&own->mover, &now->coming, turn);
    if (status != LAY_OK || *turn != LAY_TURN_ENDS)
        return status;
    now->arriving = NULL;
    return lay_stream_put_event(own, &to->ready, own->staging->in);
}

/* The slot that has the piece, or NULL and the one that was used longest ago. */
static lay_slot *find_slot(const lay_side *of, int64_t piece, lay_slot **oldest)
{
    *oldest = &of->slot[0];
    for (int i = 0; i < of->slots; i++) {
        lay_slot *const other = &of->slot[i];
        if (other->piece == piece)
            return other;
        if (other->turn < (*oldest)->turn)
            *oldest = other;
    }
    return NULL;
}

/* The slot that holds the piece, once it ends: it has it already, or the one that was used longest ago gets it. */
static lay_status bring(lay_stream *own, lay_side *of, int64_t piece, lay_range rows, lay_range columns, lay_slot **out,
                        lay_turn *turn)
{
    lay_slot *oldest = NULL, *const found = own->now.arriving ? NULL : find_slot(of, piece, &oldest);
    lay_status status;
    *turn = LAY_TURN_ENDS;
    if (!own->now.arriving) {
        *out = found ? found : oldest;
        (*out)->turn = own->turn;
    }
    if (found)
        return LAY_OK;
    if (!own->now.arriving) {
        for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
            if (oldest->is_used >> i & 1 && (status = lay_stream_wait(own->staging->in, oldest->used[i])))
                return status;
        oldest->is_used = 0;
        oldest->piece = piece;
    }
    const lay_image image = lay_stream_image(own, of, rows, columns, (*out)->at, pitch_of(columns.count));
    return lay_stream_bring_into(own, of, &image, *out, turn);
}

lay_status lay_stream_note_use(lay_stream *own, lay_slot *of, int stream)
{
    if (!of)
        return LAY_OK;
    of->is_used |= 1u << stream;
    return lay_stream_put_event(own, &of->used[stream], own->staging->compute[stream]);
}

const void *lay_stream_move_to(const lay_stream *own, const void *address, lay_cuda_offsets *x, int64_t first_x,
                               lay_cuda_offsets *y, int64_t first_y)
{
    return (const char *)address + (lay_offsets_go_on(x, first_x) + lay_offsets_go_on(y, first_y)) * own->size;
}

static lay_status bring_left(lay_stream *own, lay_range rows, lay_range steps, lay_turn *turn)
{
    lay_stepping *const now = &own->now;
    const int along = own->is_left_along;
    if (!own->left.is_on_host) {
        now->args.left =
            lay_stream_move_to(own, now->args.left, &now->args.left_m, rows.first, &now->args.left_k, steps.first);
        *turn = LAY_TURN_ENDS;
        return LAY_OK;
    }
    const lay_status status = bring(own, &own->left, now->step.i * own->cut.chunks + now->step.q, along ? rows : steps,
                                    along ? steps : rows, &now->used[LAY_LEFT], turn);
    if (status != LAY_OK || *turn != LAY_TURN_ENDS)
        return status;
    const int64_t pitch = pitch_of(along ? steps.count : rows.count);
    now->args.left = now->used[LAY_LEFT]->at;
    now->args.left_m = (lay_cuda_offsets){ .stride = along ? pitch : 1 };
    now->args.left_k = (lay_cuda_offsets){ .stride = along ? 1 : pitch };
    return LAY_OK;
}

static lay_status bring_right(lay_stream *own, lay_range columns, lay_range steps, lay_turn *turn)
{
    lay_stepping *const now = &own->now;
    const int along = own->is_right_along;
    if (!own->right.is_on_host) {
        now->args.right = lay_stream_move_to(own, now->args.right, &now->args.right_k, steps.first, &now->args.right_n,
                                             columns.first);
        *turn = LAY_TURN_ENDS;
        return LAY_OK;
    }
    const lay_status status = bring(own, &own->right, now->step.j * own->cut.chunks + now->step.q,
                                    along ? columns : steps, along ? steps : columns, &now->used[LAY_RIGHT], turn);
    if (status != LAY_OK || *turn != LAY_TURN_ENDS)
        return status;
    const int64_t pitch = pitch_of(along ? steps.count : columns.count);
    now->args.right = now->used[LAY_RIGHT]->at;
    now->args.right_k = (lay_cuda_offsets){ .stride = along ? 1 : pitch };
    now->args.right_n = (lay_cuda_offsets){ .stride = along ? pitch : 1 };
    return LAY_OK;
}

lay_status lay_stream_bring(lay_stream *own, int operand, lay_turn *turn)
{
    const lay_stream_step *const step = &own->now.step;
    const lay_range steps = lay_stream_chunk(&own->cut, step->q);
    return operand == LAY_LEFT ? bring_left(own, lay_stream_rows(&own->cut, step->i), steps, turn)
                               : bring_right(own, lay_stream_columns(&own->cut, step->j), steps, turn);
}
