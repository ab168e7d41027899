/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile, for few tiles: from 96 x 48 on. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups_96x48[] = {
    small_row<tile<96, 48, 8, 12, 12, 3, 1, true, 8>>("gemm_f32_96x48x8x8_simt", 170, 5800, 1),
    small_row<tile<64, 32, 8, 8, 8, 3, 1, true, 8>>("gemm_f32_64x32x8x8_simt", 153, 2320, 2.7),
    {},
};
