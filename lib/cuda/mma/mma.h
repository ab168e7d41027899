/* Products on the matrix units of compute capability 8.0 and newer (kernels/cuda_mma.h): how an operand is read, what a
 * row takes, what a run does. */
#ifndef LAY_CUDA_MMA_H
#define LAY_CUDA_MMA_H

#include <stddef.h>

#include "cuda/launch/launch.h"
#include "cuda/launch/rows.h"
#include "cuda_mma.h"
#include "plan/way.h"

/* How an operand is read. */
typedef struct lay_mma_view {
    int is_across;   /* lines lie in vectors, else steps */
    int is_image;    /* it is copied first, so that they do */
    int64_t pitch;   /* of an image, elements */
    size_t bytes;    /* of an image, or of one that a run would need whose address is not aligned */
    const char *why; /* it is copied */
} lay_mma_view;

/* What the way prepared. */
typedef struct lay_mma {
    lay_launch launch; /* its classes are the operands' */
    lay_type units;    /* of elements as the matrix units take them: LAY_F32 is TF32 */
    lay_mma_view left, right;
} lay_mma;

/* Of an operand of that class; is_converted: its elements are none of units'. */
lay_mma_view lay_mma_view_of(lay_cuda_class as, int64_t lines, int64_t steps, lay_type units, int is_converted);

/* Seconds of a row, from sizes alone; and of an operand's image. */
double lay_mma_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device);
double lay_mma_cost_image(const lay_mma_view *view, lay_cuda_class as, lay_type units, const lay_device *device);

/* What the way of such a job keeps and takes. */
lay_needs lay_mma_needs(const lay_problem *problem, const lay_mma *mma);

/* A way's run and load. */
lay_status lay_mma_multiply(lay_branch *branch, const lay_call *call);
lay_status lay_mma_load(const lay_branch *branch);

#endif
