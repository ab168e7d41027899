/* What products on the matrix units of compute capability 9.0 have in common: whom they refuse. */
#ifndef LAY_CUDA_UNITS_H
#define LAY_CUDA_UNITS_H

#include "cuda/memory/device.h"
#include "plan/way.h"

/* NULL, or why this device does not multiply it. parts: launches count at most so many for each 64 x 64 of C. */
const char *lay_units_refuse(const lay_problem *problem, const lay_device *device, int parts);

#endif
