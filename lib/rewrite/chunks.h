/* What the way named chunks prepares, and how it runs. */
#ifndef LAY_REWRITE_CHUNKS_H
#define LAY_REWRITE_CHUNKS_H

#include "cpu_lanes.h"
#include "plan/way.h"

/* What becomes of an operand. */
typedef struct lay_chunk_side {
    int is_turned;     /* its products lie side by side: a chunk's become images, one after the other */
    lay_desc *desc;    /* of one product: an image's, or the caller's; NULL: the operand itself is a matrix */
    int is_by_columns; /* images: the caller's rows lie next to each other */
    int64_t near, far; /* extents of an image: of what lies side by side in it, and of lines */
    int64_t *offset;   /* of the caller's operand, near of them and then far, in elements */
    int64_t plane;     /* from image to image, in elements */
    size_t at;         /* images in a share's workspace, in bytes */
} lay_chunk_side;

typedef struct lay_chunks {
    const lay_lanes_row *row; /* that transposes */
    lay_group batch;          /* the innermost mode is cut in chunks */
    int64_t runs;             /* the other modes' indices */
    int64_t width, count;     /* products of a chunk, at most; chunks of a run */
    int64_t size;             /* bytes of an element */
    int64_t shares;           /* of the chunks, for a thread each */
    size_t images, share;     /* bytes of a share's workspace: its images, and with the child's */
    lay_chunk_side side[LAY_OPERANDS];
} lay_chunks;

/* A way's run. */
lay_status lay_chunks_run(lay_branch *branch, const lay_call *call);

#endif
