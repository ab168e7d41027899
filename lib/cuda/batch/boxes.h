/* How tensor copies read an operand of a batch, in boxes (kernels/cuda_batch.h). */
#ifndef LAY_CUDA_BATCH_BOXES_H
#define LAY_CUDA_BATCH_BOXES_H

#include "cuda/launch/digits.h"
#include "cuda_batch.h"
#include "plan/problem.h"

typedef struct lay_batch_boxes {
    lay_cuda_digits near, far; /* the contiguous dimension, and the other one */
    int64_t products, apart;   /* 1 where all have the same; elements from one to the next */
    int is_across;             /* near are lines (rows of left, columns of right), else steps */
    int is_tiled;              /* for a row of tiles or blocks */
} lay_batch_boxes;

/* What boxes bring at a time. */
typedef struct lay_batch_turn {
    int steps, lines; /* lines of the operand that a tile has */
    int boxes;        /* at least so many, where they can be cut so: 1, or 2 */
} lay_batch_turn;

/* How the row reads both operands: NULL, or why it cannot. */
const char *lay_batch_boxes_find(const lay_cuda_kernel *row, const lay_problem *problem, lay_batch_boxes *left,
                                 lay_batch_boxes *right);

/* How the row's C leaves: NULL, or why it does not by tensor copies. */
const char *lay_batch_boxes_find_result(const lay_cuda_kernel *row, const lay_problem *problem, lay_batch_boxes *out);

/* From the first element of the first product, at a multiple of 16 bytes. LAY_ERR_UNSUPPORTED, LAY_ERR_DEVICE as
 * lay_tensor_encode. */
lay_status lay_batch_boxes_fill(const lay_batch_boxes *boxes, const lay_cuda_kernel *row, lay_batch_turn turn,
                                const void *first, lay_cuda_batch_box *out);

#endif
