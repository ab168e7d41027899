/* The way between host memory and a device, in the order in which it is asked for: operands in through
 * page-locked buffers that CPU threads fill, tiles of C out through buffers that they empty; rectangles in page-locked
 * memory without either. Nothing here waits: what has to is asked again later, so that one thread serves several
 * devices. */
#ifndef LAY_CUDA_STREAM_MOVE_H
#define LAY_CUDA_STREAM_MOVE_H

#include "cuda/stream/staging.h"
#include "cuda/stream/stream_copy.h"

/* What came of going on with something. */
typedef enum lay_turn {
    LAY_TURN_WAITS, /* nothing: the device has to come to something first */
    LAY_TURN_WORKS, /* something, and there is more */
    LAY_TURN_ENDS   /* nothing is left of it */
} lay_turn;

/* A piece or tile that is to come in. */
typedef struct lay_coming {
    lay_image image; /* dense and its pitch: where its elements belong on the device */
    int64_t pitch;   /* bytes from row to row in page-locked memory; 0: through buffers */
    int64_t next_row, next_column;
} lay_coming;

/* A tile that is to go out once its event has come. */
typedef struct lay_leaving {
    lay_image image;  /* where its elements belong; dense and its pitch: those on the device */
    int64_t pitch;    /* bytes from row to row in page-locked memory; 0: through buffers */
    void *ready;      /* event: it is complete */
    void *gone;       /* event: its last copy has ended */
    int *is_leaving;  /* 1 until gone has been put behind that copy */
    int64_t next_row; /* that no copy was put for yet */
} lay_leaving;

/* The moves of one run. */
typedef struct lay_mover {
    lay_staging *staging;
    int threads;
    int next_in;         /* buffer */
    int first_out, outs; /* buffers that travel or wait to be emptied, the oldest first */
    lay_image out_image[LAY_STAGING_BUFFERS];
    lay_leaving *leaving; /* those not all put yet, a ring of room */
    int first_leaving, leavings, room;
    int has_written; /* elements of C in host memory, or a copy that will */
} lay_mover;

/* Makes stream in carry a part of what is coming, a buffer's worth; ends when all of it has been put there. */
lay_status lay_move_in(lay_mover *mover, lay_coming *coming, lay_turn *turn);

/* Puts a tile into the queue of those that leave; there must be room. */
lay_status lay_move_out(lay_mover *mover, const lay_leaving *tile);

/* Goes on with what leaves: empties the oldest buffer if it has arrived, and puts copies for buffers that are free.
 * Sets *has_moved where it did something. */
lay_status lay_move_on(lay_mover *mover, int *has_moved);

/* Whether all that was put before the event has ended. */
lay_status lay_move_has_come(void *event, int *has_come);

#endif
