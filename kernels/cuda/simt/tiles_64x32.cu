/* Rows of the modern FP32 kernel whose blocks sum one slice of k, from 64 x 32 on. */
#include "cuda/simt/row.cuh"

/*         bm   bn  bk  tm  tn stages blocks split */
extern "C" const lay_cuda_kernel lay_cuda_simt_tiles_64x32[] = {
    small_row<tile<64, 32, 16, 4, 4, 3, 5>>("gemm_f32_64x32x16_simt", 153, 640, 3.6),
    small_row<tile<64, 16, 16, 4, 4, 2, 8>>("gemm_f32_64x16x16_simt", 122, 810, 2.7),
    small_row<tile<32, 32, 16, 4, 4, 3, 10>>("gemm_f32_32x32x16_simt", 142, 680, 2.8),
    {},
};
