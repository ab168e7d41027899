/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile, for few tiles: from 32 x 48 on. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups_32x48[] = {
    small_row<tile<32, 48, 8, 4, 12, 3, 2, true, 4>>("gemm_f32_32x48x8x4_simt", 140, 1690, 2),
    small_row<tile<32, 32, 8, 4, 4, 3, 2, true, 4>>("gemm_f32_32x32x8x4_simt", 111, 960, 0.3),
    small_row<tile<32, 16, 8, 4, 4, 3, 2, true, 8>>("gemm_f32_32x16x8x8_simt", 104, 1250, 0.9),
    {},
};
