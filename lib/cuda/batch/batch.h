/* A batch as one launch: the row of the kernels, how operands are fetched, and how long it takes. */
#ifndef LAY_CUDA_BATCH_H
#define LAY_CUDA_BATCH_H

#include "cuda/batch/boxes.h"
#include "cuda/batch/fetch.h"
#include "cuda/memory/device.h"
#include "plan/way.h"

/* A row's tiles of one product, and its launch: blocks, and bytes of dynamic shared memory. */
typedef struct lay_batch_grid {
    const lay_cuda_kernel *kernel;
    int tiles_m, tiles_n;
    int blocks, shared;
} lay_batch_grid;

/* What the way prepared. */
typedef struct lay_batch_launch {
    lay_batch_grid grid, unboxed; /* unboxed: for addresses that are not aligned, and where there is no product */
    lay_branch *otherwise;        /* the same where a product's offsets do not fit what is unboxed; else NULL */
    lay_options unnamed;          /* otherwise's, where options.kernel names a row of batches */
    const lay_device *device;
    lay_batch_boxes left_boxes, right_boxes; /* where the grid's row takes such */
    lay_batch_boxes result_boxes;            /* 16-bit types: where leaves_in_boxes */
    int leaves_in_boxes;
    lay_batch_fetch left, right;
    int c_bytes;
    int slices, slice_k; /* of a product that is alone */
} lay_batch_launch;

/* Bytes of dynamic shared memory of a block, for such products. */
int lay_batch_shared(const lay_cuda_kernel *row, const lay_problem *problem);

/* Blocks of a cluster of the row's. */
static inline int lay_batch_together(const lay_cuda_kernel *row)
{
    return row->pair ? 2 : 1;
}

/* Blocks of the row that a multiprocessor has at a time, beside the offsets of such products; 0: it has no room. */
int lay_batch_blocks(const lay_cuda_kernel *row, const lay_problem *problem, const lay_device *device);

/* Lines of the first cache that an element of each operand touches besides whole ones, as it is fetched or written. */
typedef struct lay_batch_lines {
    double left, right;
    int is_left_short, is_right_short; /* fetched two bytes at a time */
    double c;
} lay_batch_lines;
lay_batch_lines lay_batch_lines_of(const lay_problem *problem);

/* Predicted seconds. */
double lay_batch_cost(const lay_cuda_kernel *row, const lay_problem *problem, const lay_batch_lines *lines,
                      const lay_device *device);

/* A way's run, scale and load. */
lay_status lay_batch_run(lay_branch *branch, const lay_call *call);
lay_status lay_batch_scale(lay_branch *branch, const lay_call *call);
lay_status lay_batch_load(const lay_branch *branch);

#endif
