/* Rows of complex FP32 products by tiles of 24 and 48 numbers, which few columns of C fill. */
#include "cuda/simt/numbers_row.cuh"

using namespace simt_numbers;

/*            bm  bn deep stages groups blocks n */
extern "C" const lay_cuda_kernel lay_cuda_simt_numbers_48[] = {
    row<shape<128, 48, 8, 4, 1, 3, 12>>("gemm_c32_128x48x16_simt", 200, 4000),
    row<shape<64, 96, 8, 4, 1, 3, 12>>("gemm_c32_64x96x16_simt", 200, 4000),
    {},
};
