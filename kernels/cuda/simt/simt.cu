/* Rows of the modern FP32 kernel whose blocks sum one slice of k. */
#include "cuda/simt/row.cuh"

/*         bm   bn  bk  tm  tn stages blocks split */
extern "C" const lay_cuda_kernel lay_cuda_simt[] = {
    row<tile<128, 256, 8, 8, 16, 4, 1>, tile<128, 256, 16, 8, 16, 3, 1>, tile<128, 256, 8, 8, 16, 4, 1, false>>(
        "gemm_f32_128x256x16_simt", 205, 8200, 10),
    row<tile<128, 128, 8, 8, 16, 4, 2>, tile<128, 128, 8, 8, 16, 4, 2>, tile<128, 128, 8, 8, 16, 4, 2, false>>(
        "gemm_f32_128x128x8_simt", 199, 3350, 10),
    small_row<tile<128, 64, 8, 8, 8, 4, 3>>("gemm_f32_128x64x8_simt", 185, 2050, 2),
    small_row<tile<64, 64, 16, 8, 4, 3, 4>>("gemm_f32_64x64x16_simt", 177, 1300, 1.5),
    small_row<tile<64, 32, 16, 4, 4, 3, 5>>("gemm_f32_64x32x16_simt", 150, 460, 4),
    small_row<tile<64, 16, 16, 4, 4, 2, 8>>("gemm_f32_64x16x16_simt", 122, 620, 2.5),
    small_row<tile<32, 32, 16, 4, 4, 3, 10>>("gemm_f32_32x32x16_simt", 138, 660, 3.4),
    {},
};
