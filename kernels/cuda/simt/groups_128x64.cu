/* Rows of the modern FP32 kernel whose blocks sum all slices of their tile, for few tiles: from 128 x 64 on. */
#include "cuda/simt/row.cuh"

/*              bm  bn  bk tm tn stages blocks split groups */
extern "C" const lay_cuda_kernel lay_cuda_simt_groups_128x64[] = {
    small_row<tile<128, 64, 16, 8, 8, 3, 1, true, 3>>("gemm_f32_128x64x16x3_simt", 184, 4540, 0.5),
    {},
};
