/* Passes that make images of operands for rows on the matrix units, of any generation (kernels/cuda/narrow/pack.cu). */
#ifndef LAY_KERNELS_CUDA_NARROW_PASSES_CUH
#define LAY_KERNELS_CUDA_NARROW_PASSES_CUH

#include "cuda_kernel.h"
#include "cuda_narrow.h"

extern "C" const lay_cuda_pass lay_narrow_pack[LAY_NARROW_PACKS];

namespace
{

/* As lay_narrow_pack_kind. */
constexpr const lay_cuda_pass *passes[] = { &lay_narrow_pack[LAY_NARROW_COPY_16],
                                            &lay_narrow_pack[LAY_NARROW_F32_TO_F16],
                                            &lay_narrow_pack[LAY_NARROW_F32_TO_BF16],
                                            &lay_narrow_pack[LAY_NARROW_COPY_32],
                                            &lay_narrow_pack[LAY_NARROW_TURN_32],
                                            &lay_narrow_pack[LAY_NARROW_RUNS_16],
                                            nullptr };

} // namespace

#endif
