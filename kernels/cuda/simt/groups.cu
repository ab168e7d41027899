/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile: for few tiles. */
#include "cuda/simt/row.cuh"

/*         bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups[] = {
    row<tile<128, 64, 8, 8, 8, 4, 1, true, 3>, tile<128, 64, 8, 8, 8, 3, 1, true, 3>,
        tile<128, 64, 16, 8, 8, 3, 1, true, 3>>("gemm_f32_128x64x16x3_simt", 150, 1000),
    row<tile<64, 64, 8, 8, 8, 4, 1, true, 4>, tile<64, 64, 16, 8, 8, 3, 1, true, 4>,
        tile<64, 64, 16, 8, 8, 3, 1, true, 4>>("gemm_f32_64x64x16x4_simt", 170, 1900),
    row<tile<64, 32, 8, 8, 8, 4, 1, true, 8>, tile<64, 32, 16, 8, 8, 3, 1, true, 8>,
        tile<64, 32, 16, 8, 8, 3, 1, true, 8>>("gemm_f32_64x32x16x8_simt", 153, 800),
    row<tile<32, 32, 16, 4, 8, 3, 1, true, 8>, tile<32, 32, 16, 4, 8, 3, 1, true, 8>,
        tile<32, 32, 16, 4, 8, 3, 1, true, 8>>("gemm_f32_32x32x16x8_simt", 151, 2100),
    {},
};
