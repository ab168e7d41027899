/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile, for few tiles: from 64 x 64 on. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups_64x64[] = {
    small_row<tile<64, 64, 16, 8, 4, 3, 2, true, 2>>("gemm_f32_64x64x16x2_simt", 151, 2050, 0.5),
    small_row<tile<64, 64, 8, 8, 8, 4, 1, true, 4>>("gemm_f32_64x64x8x4_simt", 160, 2510, 0.5),
    {},
};
