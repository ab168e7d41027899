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
    return ceil_div(columns, LAY_STREAM_LINE) * LAY_STREAM_LINE;
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

/* The slot that holds the piece: it has it already, or the one that was used longest ago gets it. */
static lay_status bring(lay_stream *own, lay_side *of, int64_t piece, lay_range rows, lay_range columns, lay_slot **out)
{
    lay_slot *oldest = &of->slot[0];
    for (int i = 0; i < of->slots; i++) {
        lay_slot *other = &of->slot[i];
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
        if (oldest->is_used >> i & 1 && (status = lay_stream_wait(own->staging->in, oldest->used[i])))
            return status;
    oldest->is_used = 0;
    oldest->piece = piece;
    oldest->turn = own->turn;
    const lay_image image = lay_stream_image(own, of, rows, columns, oldest->at, pitch_of(columns.count));
    if ((status = lay_move_in(&own->mover, &image, lay_stream_pitch(own, of, columns.count))) ||
        (status = lay_stream_put_event(own, &oldest->ready, own->staging->in)))
        return status;
    *out = oldest;
    return LAY_OK;
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

lay_status lay_stream_bring(lay_stream *own, const lay_stream_step *step, lay_cuda_args *args, int stream,
                            lay_slot *used[2])
{
    const lay_range rows = lay_stream_rows(&own->cut, step->i), columns = lay_stream_columns(&own->cut, step->j);
    const lay_range steps = lay_stream_chunk(&own->cut, step->q);
    lay_status status;
    used[0] = used[1] = NULL;
    if (own->left.is_on_host) {
        const int along = own->is_left_along;
        const int64_t pitch = pitch_of(along ? steps.count : rows.count);
        if ((status = bring(own, &own->left, step->i * own->cut.chunks + step->q, along ? rows : steps,
                            along ? steps : rows, &used[0])))
            return status;
        args->left = used[0]->at;
        args->left_m = (lay_cuda_offsets){ .stride = along ? pitch : 1 };
        args->left_k = (lay_cuda_offsets){ .stride = along ? 1 : pitch };
    } else {
        args->left = lay_stream_move_to(own, args->left, &args->left_m, rows.first, &args->left_k, steps.first);
    }
    if (own->right.is_on_host) {
        const int along = own->is_right_along;
        const int64_t pitch = pitch_of(along ? steps.count : columns.count);
        if ((status = bring(own, &own->right, step->j * own->cut.chunks + step->q, along ? columns : steps,
                            along ? steps : columns, &used[1])))
            return status;
        args->right = used[1]->at;
        args->right_k = (lay_cuda_offsets){ .stride = along ? 1 : pitch };
        args->right_n = (lay_cuda_offsets){ .stride = along ? pitch : 1 };
    } else {
        args->right = lay_stream_move_to(own, args->right, &args->right_k, steps.first, &args->right_n, columns.first);
    }
    for (int i = 0; i < 2; i++)
        if (used[i] && (status = lay_stream_wait(own->staging->compute[stream], used[i]->ready)))
            return status;
    return LAY_OK;
}
