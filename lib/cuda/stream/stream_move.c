/* Buffers that are filled, travel and are emptied. */
#include "cuda/stream/stream_move.h"

#include <cuda_runtime_api.h>

#include "base/arith.h"
#include "base/status.h"
#include "cuda/memory/device.h"

enum { WIDEST = 1 << 16 }; /* columns of a buffer: longer rows go in pieces */

static lay_status check(cudaError_t error, const char *call)
{
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, call);
}

lay_status lay_move_has_come(void *event, int *has_come)
{
    const cudaError_t error = cudaEventQuery(event);
    *has_come = error == cudaSuccess;
    if (error == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return LAY_OK;
    }
    return check(error, "cudaEventQuery");
}

/* ---- in --------------------------------------------------------------------------------------- */

/* The address of an image's first element in its operand. */
static char *find_first(const lay_image *image)
{
    int64_t row, column;
    lay_axis_offsets(image->rows, image->first_row, 1, &row);
    lay_axis_offsets(image->columns, image->first_column, 1, &column);
    return (char *)(uintptr_t)image->zero + (row + column) * image->size;
}

static lay_status put_rectangle(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t width,
                                int64_t height, enum cudaMemcpyKind kind, void *stream)
{
    if (width == to_pitch && width == from_pitch)
        return check(cudaMemcpyAsync(to, from, (size_t)(width * height), kind, stream), "cudaMemcpyAsync");
    return check(
        cudaMemcpy2DAsync(to, (size_t)to_pitch, from, (size_t)from_pitch, (size_t)width, (size_t)height, kind, stream),
        "cudaMemcpy2DAsync");
}

/* A part of an image through a buffer that is free. Whole rows keep their pitch: then it is one segment. */
static lay_status move_part(lay_mover *mover, lay_staging_buffer *buffer, const lay_image *part, int is_whole_rows)
{
    const int64_t width = (is_whole_rows ? part->pitch : part->column_count) * part->size;
    lay_status status = lay_staging_fill(mover->staging, buffer, (size_t)(width * part->row_count));
    if (status != LAY_OK)
        return status;
    lay_image filled = *part;
    filled.dense = buffer->at;
    filled.pitch = is_whole_rows ? part->pitch : part->column_count;
    lay_image_copy(&filled, mover->threads);
    if ((status = put_rectangle(part->dense, part->pitch * part->size, buffer->at, width, width, part->row_count,
                                cudaMemcpyHostToDevice, mover->staging->in)) ||
        (status = check(cudaEventRecord(buffer->done, mover->staging->in), "cudaEventRecord")))
        return status;
    buffer->is_in_use = 1;
    return LAY_OK;
}

/* The next part, and what comes behind it. */
static lay_image take_part(lay_coming *coming, int is_whole_rows)
{
    lay_image part = coming->image;
    const int64_t columns = is_whole_rows ? part.column_count : WIDEST;
    const int64_t rows = LAY_STAGING_BYTES / part.size / (is_whole_rows ? part.pitch : columns);
    const int64_t i = coming->next_row, j = coming->next_column;
    part.first_row += i;
    part.row_count = min_of(rows, part.row_count - i);
    part.first_column += j;
    part.column_count = min_of(columns, part.column_count - j);
    part.dense = (char *)part.dense + (i * part.pitch + j) * part.size;
    coming->next_column = j + part.column_count;
    if (coming->next_column == coming->image.column_count) {
        coming->next_column = 0;
        coming->next_row = i + part.row_count;
    }
    return part;
}

lay_status lay_move_in(lay_mover *mover, lay_coming *coming, lay_turn *turn)
{
    const lay_image *image = &coming->image;
    const int64_t size = image->size;
    lay_staging_buffer *const buffer = &mover->staging->in_buffer[mover->next_in];
    int is_free = 1;
    *turn = LAY_TURN_ENDS;
    if (coming->pitch)
        return put_rectangle(image->dense, image->pitch * size, find_first(image), coming->pitch,
                             image->column_count * size, image->row_count, cudaMemcpyHostToDevice, mover->staging->in);
    if (coming->next_row == image->row_count)
        return LAY_OK;
    *turn = LAY_TURN_WAITS;
    const lay_status status = buffer->is_in_use ? lay_move_has_come(buffer->done, &is_free) : LAY_OK;
    if (status != LAY_OK || !is_free)
        return status;
    *turn = LAY_TURN_WORKS;
    mover->next_in = (mover->next_in + 1) % LAY_STAGING_BUFFERS;
    const int is_whole_rows = image->column_count <= WIDEST;
    const lay_image part = take_part(coming, is_whole_rows);
    return move_part(mover, buffer, &part, is_whole_rows);
}

/* ---- out -------------------------------------------------------------------------------------- */

static lay_status end_tile(lay_mover *mover, const lay_leaving *tile)
{
    *tile->is_leaving = 0;
    return check(cudaEventRecord(tile->gone, mover->staging->out), "cudaEventRecord");
}

/* Some rows of the first tile in the queue, through the free buffer behind the last. */
static lay_status put_rows(lay_mover *mover)
{
    lay_leaving *tile = &mover->leaving[mover->first_leaving];
    const int at = (mover->first_out + mover->outs) % LAY_STAGING_BUFFERS;
    lay_staging_buffer *buffer = &mover->staging->out_buffer[at];
    lay_image *part = &mover->out_image[at];
    const int64_t size = tile->image.size, row = tile->image.pitch * size; /* a tile is dense */
    const int64_t rows = min_of(max_of(1, LAY_STAGING_BYTES / row), tile->image.row_count - tile->next_row);
    lay_status status;
    if ((status = lay_staging_fill(mover->staging, buffer, (size_t)(rows * row))) ||
        (tile->next_row == 0 &&
         (status = check(cudaStreamWaitEvent(mover->staging->out, tile->ready, 0), "cudaStreamWaitEvent"))))
        return status;
    *part = tile->image;
    part->first_row += tile->next_row;
    part->row_count = rows;
    part->dense = buffer->at;
    const char *from = (const char *)tile->image.dense + tile->next_row * row;
    if ((status =
             check(cudaMemcpyAsync(buffer->at, from, (size_t)(rows * row), cudaMemcpyDeviceToHost, mover->staging->out),
                   "cudaMemcpyAsync")) ||
        (status = check(cudaEventRecord(buffer->done, mover->staging->out), "cudaEventRecord")))
        return status;
    mover->outs++;
    tile->next_row += rows;
    if (tile->next_row < tile->image.row_count)
        return LAY_OK;
    mover->first_leaving = (mover->first_leaving + 1) % mover->room;
    mover->leavings--;
    return end_tile(mover, tile);
}

static void empty_oldest(lay_mover *mover)
{
    mover->has_written = 1;
    lay_image_copy(&mover->out_image[mover->first_out], mover->threads);
    mover->first_out = (mover->first_out + 1) % LAY_STAGING_BUFFERS;
    mover->outs--;
}

lay_status lay_move_on(lay_mover *mover, int *has_moved)
{
    lay_status status;
    int has_come = 0;
    if (mover->outs > 0 && (status = lay_move_has_come(mover->staging->out_buffer[mover->first_out].done, &has_come)))
        return status;
    *has_moved |= has_come || (mover->leavings > 0 && mover->outs < LAY_STAGING_BUFFERS);
    /* The next copy travels while this buffer is emptied. */
    if (mover->leavings > 0 && mover->outs < LAY_STAGING_BUFFERS && (status = put_rows(mover)))
        return status;
    if (has_come)
        empty_oldest(mover);
    while (mover->leavings > 0 && mover->outs < LAY_STAGING_BUFFERS)
        if ((status = put_rows(mover)))
            return status;
    return LAY_OK;
}

lay_status lay_move_out(lay_mover *mover, const lay_leaving *tile)
{
    lay_status status;
    *tile->is_leaving = 1;
    if (!tile->pitch) {
        mover->leaving[(mover->first_leaving + mover->leavings) % mover->room] = *tile;
        mover->leavings++;
        return LAY_OK;
    }
    const lay_image *image = &tile->image;
    if ((status = check(cudaStreamWaitEvent(mover->staging->out, tile->ready, 0), "cudaStreamWaitEvent")))
        return status;
    mover->has_written = 1;
    status =
        put_rectangle(find_first(image), tile->pitch, image->dense, image->pitch * image->size,
                      image->column_count * image->size, image->row_count, cudaMemcpyDeviceToHost, mover->staging->out);
    return status ? status : end_tile(mover, tile);
}
