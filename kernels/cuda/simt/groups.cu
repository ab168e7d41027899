/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile: for few tiles. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups[] = {
    small_row<tile<192, 96, 8, 12, 12, 3, 1, true, 2>>("gemm_f32_192x96x8x2_simt", 200, 7100, 2.2),
    small_row<tile<128, 64, 8, 8, 16, 3, 1, true, 4>>("gemm_f32_128x64x8x4_simt", 189, 5800, 3),
    small_row<tile<96, 48, 8, 12, 12, 3, 1, true, 8>>("gemm_f32_96x48x8x8_simt", 171, 5700, 1),
    small_row<tile<64, 32, 8, 8, 8, 3, 1, true, 8>>("gemm_f32_64x32x8x8_simt", 154, 2300, 2.6),
    small_row<tile<128, 64, 16, 8, 8, 3, 1, true, 3>>("gemm_f32_128x64x16x3_simt", 189, 4300, 0.5),
    small_row<tile<64, 64, 16, 8, 4, 3, 2, true, 2>>("gemm_f32_64x64x16x2_simt", 151, 2000, 0.5),
    small_row<tile<64, 64, 8, 8, 8, 4, 1, true, 4>>("gemm_f32_64x64x8x4_simt", 156, 2600, 0.5),
    small_row<tile<32, 96, 8, 4, 12, 3, 1, true, 4>>("gemm_f32_32x96x8x4_simt", 143, 2200, 1.8),
    small_row<tile<32, 64, 8, 4, 8, 3, 2, true, 4>>("gemm_f32_32x64x8x4_simt", 132, 2200, 1),
    small_row<tile<32, 48, 8, 4, 12, 3, 2, true, 4>>("gemm_f32_32x48x8x4_simt", 131, 2100, 2.4),
    small_row<tile<32, 32, 8, 4, 4, 3, 2, true, 4>>("gemm_f32_32x32x8x4_simt", 109, 1250, 0.3),
    small_row<tile<32, 16, 8, 4, 4, 3, 2, true, 8>>("gemm_f32_32x16x8x8_simt", 103, 1700, 0.9),
    {},
};
