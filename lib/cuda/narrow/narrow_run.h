/* A narrow product's device memory and its launches. */
#ifndef LAY_CUDA_NARROW_RUN_H
#define LAY_CUDA_NARROW_RUN_H

#include "cuda/narrow/narrow_view.h"
#include "plan/way.h"

/* What the way of such a job keeps and takes. */
lay_needs lay_narrow_needs(const lay_problem *problem, const lay_narrow *narrow);

/* Whether the matrix units' 16-bit and TF32 products are asked for, by the types or by options.compute. */
int lay_narrow_takes(const lay_problem *problem);
/* The type that they multiply then, LAY_F32 as TF32. */
lay_type lay_narrow_units(const lay_problem *problem);
/* Two operands of one 16-bit type are multiplied as they are, whatever C is rounded to. */
int lay_narrow_mixes(const lay_problem *problem);
/* In how many slices k is cut, whatever the layouts. */
int lay_narrow_slices(const lay_problem *problem, const lay_device *device);

/* a way's run and load. */
lay_status lay_narrow_multiply(lay_branch *branch, const lay_call *call);
lay_status lay_narrow_load(const lay_branch *branch);

#endif
