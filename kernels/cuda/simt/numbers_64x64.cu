/* Rows of complex FP32 products by small tiles, for few of them: groups sum slices side by side. */
#include "cuda/simt/numbers_row.cuh"

using namespace simt_numbers;

/*            bm  bn deep stages groups blocks */
extern "C" const lay_cuda_kernel lay_cuda_simt_numbers_64x64[] = {
    row<shape<64, 64, 8, 4, 4, 1>>("gemm_c32_64x64x16x4_simt", 195, 3000),
    row<shape<32, 64, 8, 3, 4, 3>>("gemm_c32_32x64x16x4_simt", 185, 2000),
    {},
};
