/* Every CUDA kernel of this build, by family. A family of many variants is several files, which compile side by side;
 * each is named by the tile of its first row. Code for 9.0 alone is compiled by itself, and only where the build has
 * any. */
#include "cuda_kernel.h"

extern const lay_cuda_kernel lay_cuda_naive[], lay_cuda_tiled[], lay_cuda_parray[], lay_cuda_simt_tiles_128x256[],
    lay_cuda_simt_tiles_128x64[], lay_cuda_simt_tiles_64x32[], lay_cuda_simt_groups_192x96[],
    lay_cuda_simt_groups_96x48[], lay_cuda_simt_groups_128x64[], lay_cuda_simt_groups_64x64[],
    lay_cuda_simt_groups_32x96[], lay_cuda_simt_groups_32x48[], lay_cuda_simt90[], lay_cuda_simt90_numbers[],
    lay_cuda_dmma_tiles_128x128[], lay_cuda_dmma_tiles_64x64[], lay_cuda_dmma_groups_96x48[],
    lay_cuda_dmma_groups_64x32[], lay_cuda_dmma_numbers_128x128[], lay_cuda_dmma_numbers_96x48[], lay_cuda_skinny_f32[],
    lay_cuda_skinny_f64[], lay_cuda_split_tiles_128x128[], lay_cuda_split_tiles_128x64[], lay_cuda_narrow_f16[],
    lay_cuda_narrow_bf16[], lay_cuda_narrow_tf32[], lay_cuda_narrow_walked_f16[], lay_cuda_narrow_walked_bf16[],
    lay_cuda_batch_f32[], lay_cuda_batch_f64[], lay_cuda_batch_f16[], lay_cuda_batch_bf16[], lay_cuda_batch_boxes_f32[],
    lay_cuda_batch_boxes_f64[], lay_cuda_batch_boxes_f16[], lay_cuda_batch_boxes_bf16[];

const lay_cuda_kernel *const lay_cuda_families[] = {
    lay_cuda_naive,
    lay_cuda_tiled,
    lay_cuda_parray,
    lay_cuda_simt_tiles_128x256,
    lay_cuda_simt_tiles_128x64,
    lay_cuda_simt_tiles_64x32,
    lay_cuda_simt_groups_192x96,
    lay_cuda_simt_groups_96x48,
    lay_cuda_simt_groups_128x64,
    lay_cuda_simt_groups_64x64,
    lay_cuda_simt_groups_32x96,
    lay_cuda_simt_groups_32x48,
    lay_cuda_simt90,
    lay_cuda_simt90_numbers,
    lay_cuda_dmma_tiles_128x128,
    lay_cuda_dmma_tiles_64x64,
    lay_cuda_dmma_groups_96x48,
    lay_cuda_dmma_groups_64x32,
    lay_cuda_dmma_numbers_128x128,
    lay_cuda_dmma_numbers_96x48,
    lay_cuda_skinny_f32,
    lay_cuda_skinny_f64,
#if LAY_CUDA_SM90
    lay_cuda_split_tiles_128x128,
    lay_cuda_split_tiles_128x64,
    lay_cuda_narrow_f16,
    lay_cuda_narrow_bf16,
    lay_cuda_narrow_tf32,
    lay_cuda_narrow_walked_f16,
    lay_cuda_narrow_walked_bf16,
    lay_cuda_batch_f16,
    lay_cuda_batch_bf16,
    lay_cuda_batch_boxes_f16,
    lay_cuda_batch_boxes_bf16,
    lay_cuda_batch_boxes_f32,
    lay_cuda_batch_boxes_f64,
#endif
    lay_cuda_batch_f32,
    lay_cuda_batch_f64,
    0,
};
