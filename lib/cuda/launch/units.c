/* Refusals of products on the matrix units. */
#include "cuda/launch/units.h"

#include "base/arith.h"
#include "cuda_kernel.h"

const char *lay_units_refuse(const lay_problem *problem, const lay_device *device, int parts)
{
    if (device->sm != 90)
        return "the matrix units of compute capability 9.0 are needed";
    if (!LAY_CUDA_SM90)
        return "this build has no code for 9.0";
    if (problem->m.extent > LAY_CUDA_MAX_EXTENT || problem->n.extent > LAY_CUDA_MAX_EXTENT ||
        problem->k.extent > LAY_CUDA_MAX_EXTENT)
        return "an extent does not fit 32 bits";
    if (ceil_div(problem->m.extent, 64) * ceil_div(problem->n.extent, 64) > INT32_MAX / parts)
        return "more tiles than a launch counts";
    return NULL;
}
