/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile, for few tiles: from 32 x 96 on. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups_32x96[] = {
    small_row<tile<32, 96, 8, 4, 12, 3, 1, true, 4>>("gemm_f32_32x96x8x4_simt", 147, 1910, 1.6),
    small_row<tile<32, 64, 8, 4, 8, 3, 2, true, 4>>("gemm_f32_32x64x8x4_simt", 137, 1980, 0.9),
    {},
};
