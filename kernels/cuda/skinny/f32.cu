/* Skinny rows of f32. */
#include "cuda/skinny/direct.cuh"
#include "cuda/skinny/product.cuh"
#include "cuda/skinny/simt.cuh"

using namespace skinny;

extern "C" const lay_cuda_kernel lay_cuda_skinny_f32[] = {
    direct_row<direct_shape<float, 128, 1, 4, 8, 4, 2>>("gemm_f32_128x1x32_skinny", 32, 2000),
    direct_row<direct_shape<float, 32, 1, 4, 16, 4, 4>>("gemm_f32_32x1x64_skinny", 32, 2000),
    direct_row<direct_shape<float, 128, 4, 4, 8, 2, 2>>("gemm_f32_128x4x32_skinny", 64, 2000),
    row<shape<simt<float, 64, 8, 4, 8>, 8, 1, 4, 4>>("gemm_f32_64x8x32_skinny", 8, 100, 2000),
    row<shape<simt<float, 64, 16, 8, 8>, 8, 1, 4, 3>>("gemm_f32_64x16x32_skinny", 16, 140, 2000),
    row<shape<simt<float, 64, 32, 8, 8>, 8, 1, 4, 1>>("gemm_f32_64x32x32_skinny", 32, 140, 2000),
    row<shape<simt<float, 16, 16, 4, 4>, 8, 1, 4, 5>>("gemm_f32_16x16x32_skinny", 0, 100, 2000),
    row<shape<simt<float, 32, 32, 8, 8>, 8, 1, 4, 3>>("gemm_f32_32x32x32_skinny", 0, 140, 2000),
    {},
};
