/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile: for few tiles. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups[] = {
    small_row<tile<128, 64, 16, 8, 8, 3, 1, true, 3>>("gemm_f32_128x64x16x3_simt", 170, 0),
    small_row<tile<64, 64, 16, 8, 4, 3, 2, true, 2>>("gemm_f32_64x64x16x2_simt", 165, 1100),
    small_row<tile<64, 64, 8, 8, 8, 4, 1, true, 4>>("gemm_f32_64x64x8x4_simt", 150, 0),
    small_row<tile<32, 96, 8, 4, 12, 3, 1, true, 4>>("gemm_f32_32x96x8x4_simt", 142, 0),
    small_row<tile<32, 64, 8, 4, 8, 3, 2, true, 4>>("gemm_f32_32x64x8x4_simt", 145, 0),
    small_row<tile<32, 48, 8, 4, 12, 3, 2, true, 4>>("gemm_f32_32x48x8x4_simt", 141, 0),
    small_row<tile<32, 32, 8, 4, 4, 3, 2, true, 4>>("gemm_f32_32x32x8x4_simt", 110, 0),
    small_row<tile<32, 16, 8, 4, 4, 3, 2, true, 8>>("gemm_f32_32x16x8x8_simt", 105, 0),
    {},
};
