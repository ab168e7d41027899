/* Skinny rows of f32. */
#include "cuda/skinny/direct.cuh"
#include "cuda/skinny/dot.cuh"
#include "cuda/skinny/panel.cuh"
#include "cuda/skinny/product.cuh"
#include "cuda/skinny/simt.cuh"

using namespace skinny;

/* dot: lanes chunks-ahead blocks; direct, panel: bm bn tm lanes stages-ahead blocks; others: bm bn tm tn, lanes turns
 * stages blocks */
extern "C" const lay_cuda_kernel lay_cuda_skinny_f32[] = {
    dot_row<dot_shape<float, 256, 4, 3>>("gemm_f32_1x1x32_skinny", 2, 4.5, 200),
    direct_row<direct_shape<float, 16, 1, 4, 64, 4, 2>>("gemm_f32_16x1x64_skinny", 2, 16.8, 500),
    direct_row<direct_shape<float, 8, 1, 4, 64, 4, 4>>("gemm_f32_8x1x64_skinny", 2, 16.8, 500),
    direct_row<direct_shape<float, 32, 1, 4, 16, 4, 4>>("gemm_f32_32x1x64_skinny", 2, 12, 4700),
    direct_row<direct_shape<float, 128, 1, 4, 8, 4, 2>>("gemm_f32_128x1x32_skinny", 2, 10.9, 4300),
    direct_row<direct_shape<float, 16, 4, 4, 16, 2, 8>>("gemm_f32_16x4x64_skinny", 0, 16, 900),
    direct_row<direct_shape<float, 128, 4, 4, 8, 2, 2>>("gemm_f32_128x4x32_skinny", 16, 36, 3400),
    panel_row<direct_shape<float, 128, 8, 4, 4, 2, 5>>("gemm_f32_128x8x32_skinny", 32, 61, 2700),
    panel_row<direct_shape<float, 128, 16, 4, 4, 1, 4>>("gemm_f32_128x16x16_skinny", 64, 51, 4800),
    row<shape<simt<float, 64, 16, 8, 8>, 8, 1, 4, 3>>("gemm_f32_64x16x32_skinny", 32, 88, 6600),
    row<shape<simt<float, 64, 32, 8, 8>, 4, 2, 4, 3>>("gemm_f32_64x32x32_skinny", 64, 95, 7500),
    row<shape<simt<float, 32, 32, 8, 8>, 8, 1, 4, 3>>("gemm_f32_32x32x32_skinny", 0, 65, 6900),
    row<shape<simt<float, 16, 16, 4, 4>, 8, 1, 4, 5>>("gemm_f32_16x16x32_skinny", 0, 48, 4500),
    {},
};
