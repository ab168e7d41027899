/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile, for few tiles: from 192 x 96 on. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups_192x96[] = {
    small_row<tile<192, 96, 8, 12, 12, 3, 1, true, 2>>("gemm_f32_192x96x8x2_simt", 204, 7030, 2.2, 20),
    small_row<tile<128, 64, 8, 8, 16, 3, 1, true, 4>>("gemm_f32_128x64x8x4_simt", 192, 5770, 3.1),
    {},
};
