/* A narrow product's device memory and its launches. */
#ifndef LAY_CUDA_NARROW_RUN_H
#define LAY_CUDA_NARROW_RUN_H

#include "cuda/narrow/narrow_view.h"
#include "plan/way.h"

/* What the way of such a job keeps and takes. */
lay_needs lay_narrow_needs(const lay_problem *problem, const lay_narrow *narrow);

/* a way's run and load. */
lay_status lay_narrow_multiply(lay_branch *branch, const lay_call *call);
lay_status lay_narrow_load(const lay_branch *branch);

#endif
