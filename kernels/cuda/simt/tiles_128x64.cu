/* Rows of the modern FP32 kernel whose blocks sum one slice of k, from 128 x 64 on. */
#include "cuda/simt/row.cuh"

/*         bm   bn  bk  tm  tn stages blocks split */
extern "C" const lay_cuda_kernel lay_cuda_simt_tiles_128x64[] = {
    small_row<tile<128, 64, 8, 8, 8, 4, 3>>("gemm_f32_128x64x8_simt", 186, 2280, 2),
    small_row<tile<64, 64, 16, 8, 4, 3, 4>>("gemm_f32_64x64x16_simt", 177, 1390, 1.5),
    {},
};
