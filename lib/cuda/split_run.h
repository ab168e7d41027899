/* A split product's device memory and its launches. */
#ifndef LAY_CUDA_SPLIT_RUN_H
#define LAY_CUDA_SPLIT_RUN_H

#include "plan/executor.h"

/* What the way of such a job keeps and takes. */
lay_needs lay_split_needs(const lay_problem *problem, int slices);

/* lay_executor's multiply, scale, load and path. */
lay_status lay_split_multiply(lay_way *way, const lay_call *call);
lay_status lay_split_load(const lay_way *way);
lay_status lay_split_find_path(const lay_way *way, lay_path *path);

#endif
