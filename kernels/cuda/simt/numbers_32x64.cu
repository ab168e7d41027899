/* Rows of complex FP32 products by small tiles, whose blocks sum all slices: a group is one warp. */
#include "cuda/simt/numbers_row.cuh"

using namespace simt_numbers;

/*            bm  bn deep stages groups blocks */
extern "C" const lay_cuda_kernel lay_cuda_simt_numbers_32x64[] = {
    row<shape<32, 64, 8, 3, 4, 4>>("gemm_c32_32x64x16x4_simt", 185, 2000),
    row<shape<32, 64, 8, 3, 8, 2>>("gemm_c32_32x64x16x8_simt", 185, 2500),
    {},
};
