/* Rows of the modern FP32 kernel whose blocks sum one slice of k, from 128 x 256 on. */
#include "cuda/simt/row.cuh"

/*         bm   bn  bk  tm  tn stages blocks split */
extern "C" const lay_cuda_kernel lay_cuda_simt_tiles_128x256[] = {
    row<tile<128, 256, 8, 8, 16, 4, 1>, tile<128, 256, 16, 8, 16, 3, 1>, tile<128, 256, 8, 8, 16, 4, 1, false>>(
        "gemm_f32_128x256x16_simt", 205, 8200, 10),
    row<tile<128, 128, 8, 8, 16, 4, 2>, tile<128, 128, 8, 8, 16, 4, 2>, tile<128, 128, 8, 8, 16, 4, 2, false>>(
        "gemm_f32_128x128x8_simt", 199, 3350, 10),
    {},
};
