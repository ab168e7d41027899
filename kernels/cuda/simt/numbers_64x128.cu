/* Rows of complex FP32 products by tiles of which several share a multiprocessor, from 64 x 128 on. */
#include "cuda/simt/numbers_row.cuh"

using namespace simt_numbers;

/*            bm   bn deep stages groups blocks */
extern "C" const lay_cuda_kernel lay_cuda_simt_numbers_64x128[] = {
    row<shape<64, 128, 8, 4, 1, 3>>("gemm_c32_64x128x16_simt", 202, 4000),
    row<shape<64, 128, 8, 4, 2, 1>>("gemm_c32_64x128x16x2_simt", 200, 4000),
    {},
};
