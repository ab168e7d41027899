/* The state of one run of a product that passes through a device, and its steps. */
#ifndef LAY_CUDA_STREAM_STATE_H
#define LAY_CUDA_STREAM_STATE_H

#include "cuda/launch/launch.h"
#include "cuda/stream/stream_cut.h"
#include "cuda/stream/stream_move.h"

/* Room for a piece or tile on the device. */
typedef struct lay_slot {
    char *at;
    int64_t piece, turn;             /* what it holds, -1: nothing; when it was last used */
    void *ready;                     /* event: the piece has come, or the tile is done */
    void *used[LAY_STAGING_COMPUTE]; /* events: the last launches that read it, by stream */
    unsigned is_used;                /* bits: which of these */
    void *gone;                      /* event: the tile before has left or is no longer wanted */
    int is_gone, is_leaving;         /* is_gone: the event has been put */
} lay_slot;

/* One operand's or result's places and how it moves. */
typedef struct lay_side {
    const lay_axis *rows, *columns; /* of its images */
    const void *zero;
    int64_t pitch; /* bytes, where rectangles move by themselves */
    int is_on_host, slots;
    int is_large;    /* C: too much to be found in a cache later */
    int comes_again; /* there is not room for all of its pieces */
    lay_slot *slot;
} lay_side;

typedef struct lay_stream {
    const lay_problem *problem;
    lay_stream_cut cut;
    lay_launch launch;
    lay_cuda_args args; /* of the whole: operands on the device with their offsets */
    lay_staging *staging;
    lay_mover mover;
    lay_side left, right, sums, c;
    int is_left_along, is_right_along; /* contiguous along k */
    int reads_c, has_launched;
    int is_cache_small; /* does not hold the buffers until they have travelled */
    int64_t size, turn;
    void *block;
    lay_slot *slots;
    lay_leaving *leaving;
} lay_stream;

/* ---- events (stream_pieces.c) ----------------------------------------------------------------- */

/* LAY_OK for a CUDA call that returned 0, else the failure. */
lay_status lay_stream_check(int error, const char *call);

/* stream waits for event. */
lay_status lay_stream_wait(void *stream, void *event);

/* Puts the event, made now if there is none yet, into stream. */
lay_status lay_stream_put_event(lay_stream *own, void **event, void *stream);

/* ---- pieces (stream_pieces.c) ----------------------------------------------------------------- */

/* Rows and columns of an operand's images as one at dense, pitch elements from row to row. */
lay_image lay_stream_image(const lay_stream *own, const lay_side *of, lay_range rows, lay_range columns, char *dense,
                           int64_t pitch);

/* The pitch of the operand for a rectangle that the device copies by itself, 0 where threads had better pack it. */
int64_t lay_stream_pitch(const lay_stream *own, const lay_side *of, int64_t columns);

/* The address of the element whose two offsets are first_x and first_y, and the offsets from there on. */
const void *lay_stream_move_to(const lay_stream *own, const void *address, lay_cuda_offsets *x, int64_t first_x,
                               lay_cuda_offsets *y, int64_t first_y);

/* Points args at the left and right of a step, brought to the device if they are not there; compute stream number
 * stream waits for them. used: the slots that it will read, or NULL. */
lay_status lay_stream_bring(lay_stream *own, const lay_stream_step *step, lay_cuda_args *args, int stream,
                            lay_slot *used[2]);

/* A launch that reads the slot has been put into compute stream number stream. */
lay_status lay_stream_note_use(lay_stream *own, lay_slot *of, int stream);

/* ---- steps (stream_tiles.c) ------------------------------------------------------------------- */

/* Puts one tile's one chunk into streams, and the tile on its way after the last. */
lay_status lay_stream_do(lay_stream *own, const lay_stream_step *step);

#endif
