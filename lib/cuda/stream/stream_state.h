/* The state of one run of a product that passes through a device, or of a part of it, and its steps. A step comes in
 * stages, none of which waits: what cannot be done yet is asked again (LAY_TURN_WAITS), while other devices are served.
 */
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

/* Where a step is; behind the last one: tiles leave, and all copies end. */
typedef enum lay_stage {
    LAY_STAGE_SUMS, /* a place for the tile's sums */
    LAY_STAGE_LEFT, /* pieces come */
    LAY_STAGE_RIGHT,
    LAY_STAGE_C, /* a place for the tile, or what it was */
    LAY_STAGE_LAUNCH,
    LAY_STAGE_LEAVING,
    LAY_STAGE_LAST,
    LAY_STAGE_DONE
} lay_stage;

/* The step under way. */
typedef struct lay_stepping {
    lay_stream_step step;
    lay_stage stage;
    int stream;            /* of compute, by number */
    int is_first, is_last; /* of its slice's chunks; of all */
    lay_cuda_args args;
    lay_slot *used[2];       /* that hold LAY_LEFT and LAY_RIGHT; NULL: they lie on the device */
    lay_slot *sum, *made_in; /* where its sums and its tile of C are; NULL: nowhere, in place */
    lay_slot *arriving;      /* that coming is for; NULL: nothing is under way */
    lay_coming coming;
} lay_stepping;

typedef struct lay_stream {
    const lay_problem *problem;
    int device;
    lay_stream_cut cut;
    lay_launch launch;
    lay_cuda_args args; /* of the whole: operands on the device with their offsets */
    lay_stepping now;
    lay_staging *staging;
    lay_mover mover;
    lay_side left, right, sums, c;
    int is_left_along, is_right_along; /* contiguous along k */
    int reads_c, has_launched;
    int is_cache_small; /* does not hold the buffers until they have travelled */
    int64_t size, turn;
    void *last; /* event: all has ended; NULL until it is put */
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

/* Goes on to bring the image into a slot that in waits for, from C or an operand; when that ends stream in has put the
 * slot's event. */
lay_status lay_stream_bring_into(lay_stream *own, const lay_side *of, const lay_image *image, lay_slot *to,
                                 lay_turn *turn);

/* Points the step's args at its LAY_LEFT or LAY_RIGHT, which is brought to the device if it is not there. */
lay_status lay_stream_bring(lay_stream *own, int operand, lay_turn *turn);

/* A launch that reads the slot has been put into compute stream number stream. */
lay_status lay_stream_note_use(lay_stream *own, lay_slot *of, int stream);

/* ---- steps (stream_tiles.c) ------------------------------------------------------------------- */

/* Begins the step that now has. */
void lay_stream_begin_step(lay_stream *own);

/* Its stages but for the pieces. The last one puts the launch, and the tile on its way after the last chunk. */
lay_status lay_stream_take_sums(lay_stream *own, lay_turn *turn);
lay_status lay_stream_point_at_c(lay_stream *own, lay_turn *turn);
lay_status lay_stream_launch(lay_stream *own, lay_turn *turn);

/* ---- all of them (stream_drive.c) ------------------------------------------------------------- */

/* Does every step of every part, in turns of a buffer or a launch, until C is complete where it belongs. Waits a moment
 * awake, then in naps. */
lay_status lay_stream_drive(lay_stream part[], int count);

#endif
