/* How a kernel of batches fetches an operand and writes C (kernels/cuda_batch.h). */
#ifndef LAY_CUDA_BATCH_FETCH_H
#define LAY_CUDA_BATCH_FETCH_H

#include "cuda_batch.h"
#include "plan/problem.h"

typedef struct lay_batch_fetch {
    int is_along, bytes; /* at best: a base address that is not aligned has fewer bytes at a time */
} lay_batch_fetch;

/* An operand whose kernel has its neighbours along k in vectors (is_left), or across. */
lay_batch_fetch lay_batch_fetch_of(const lay_axis *across, const lay_axis *along, const lay_axis *batch, lay_type type,
                                   int is_left);

/* c_bytes of C, at best. */
int lay_batch_written(const lay_problem *problem);

/* As many bytes at a time as the address allows, which is a multiple of an element. */
int lay_batch_fall_back(int bytes, const void *address, lay_type type);

/* Whether the offsets of a product's elements, in bytes, fit 31 bits in each dimension. */
int lay_batch_is_near(const lay_problem *problem);

#endif
