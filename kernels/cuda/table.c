/* Every CUDA kernel of this build, by family. */
#include "cuda_kernel.h"

extern const lay_cuda_kernel lay_cuda_naive[], lay_cuda_tiled[], lay_cuda_parray[], lay_cuda_simt[],
    lay_cuda_simt_groups[], lay_cuda_simt90[], lay_cuda_dmma[], lay_cuda_dmma_groups[],
    lay_cuda_skinny_f32[], lay_cuda_skinny_f64[];

const lay_cuda_kernel *const lay_cuda_families[] = {
    lay_cuda_naive, lay_cuda_tiled, lay_cuda_parray, lay_cuda_simt, lay_cuda_simt_groups, lay_cuda_simt90,
    lay_cuda_dmma, lay_cuda_dmma_groups, lay_cuda_skinny_f32, lay_cuda_skinny_f64, 0
};
