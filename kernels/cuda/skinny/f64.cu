/* Skinny rows of f64. */
#include "cuda/skinny/direct.cuh"
#include "cuda/skinny/matrix.cuh"
#include "cuda/skinny/product.cuh"

using namespace skinny;

extern "C" const lay_cuda_kernel lay_cuda_skinny_f64[] = {
    direct_row<direct_shape<double, 128, 1, 4, 8, 4, 2>>("gemm_f64_128x1x16_skinny", 32, 2000),
    direct_row<direct_shape<double, 32, 1, 4, 16, 4, 4>>("gemm_f64_32x1x32_skinny", 32, 2000),
    direct_row<direct_shape<double, 128, 4, 4, 8, 2, 2>>("gemm_f64_128x4x16_skinny", 64, 2000),
    row<shape<matrix<64, 8, 32, 8>, 4, 1, 4, 2>>("gemm_f64_64x8x32_skinny", 8, 60, 2000),
    row<shape<matrix<64, 16, 32, 16>, 4, 1, 4, 2>>("gemm_f64_64x16x32_skinny", 16, 70, 2000),
    row<shape<matrix<64, 32, 32, 32>, 4, 1, 3, 1>>("gemm_f64_64x32x32_skinny", 32, 70, 2000),
    row<shape<matrix<16, 16, 16, 16>, 4, 1, 4, 4>>("gemm_f64_16x16x32_skinny", 0, 60, 2000),
    row<shape<matrix<32, 32, 32, 16>, 4, 1, 4, 2>>("gemm_f64_32x32x32_skinny", 0, 70, 2000),
    {},
};
