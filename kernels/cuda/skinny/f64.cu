/* Skinny rows of f64. */
#include "cuda/skinny/direct.cuh"
#include "cuda/skinny/dot.cuh"
#include "cuda/skinny/matrix.cuh"
#include "cuda/skinny/panel.cuh"
#include "cuda/skinny/product.cuh"

using namespace skinny;

/* dot: lanes chunks-ahead blocks; direct, panel: bm bn tm lanes stages-ahead blocks; others: bm bn wm wn, lanes turns
 * stages blocks */
extern "C" const lay_cuda_kernel lay_cuda_skinny_f64[] = {
    dot_row<dot_shape<double, 512, 4, 1>>("gemm_f64_1x1x32_skinny", 2, 3.1, 200),
    direct_row<direct_shape<double, 8, 1, 4, 64, 4, 4>>("gemm_f64_8x1x64_skinny", 2, 7.9, 4800),
    direct_row<direct_shape<double, 32, 1, 4, 16, 4, 4>>("gemm_f64_32x1x32_skinny", 2, 5.2, 3800),
    direct_row<direct_shape<double, 128, 1, 4, 8, 4, 2>>("gemm_f64_128x1x16_skinny", 2, 5.5, 3800),
    direct_row<direct_shape<double, 8, 4, 4, 64, 2, 4>>("gemm_f64_8x4x64_skinny", 0, 15.7, 7000),
    direct_row<direct_shape<double, 128, 4, 4, 8, 2, 2>>("gemm_f64_128x4x16_skinny", 16, 22, 8100),
    panel_row<direct_shape<double, 64, 8, 2, 4, 4, 3>>("gemm_f64_64x8x32_skinny", 16, 25, 3300),
    row<shape<matrix<64, 16, 32, 16>, 4, 1, 4, 2>>("gemm_f64_64x16x32_skinny", 32, 61, 5300),
    row<shape<matrix<64, 32, 32, 32>, 4, 1, 3, 1>>("gemm_f64_64x32x32_skinny", 64, 91, 4800),
    row<shape<matrix<32, 32, 32, 16>, 4, 1, 4, 2>>("gemm_f64_32x32x32_skinny", 0, 84, 4800),
    row<shape<matrix<16, 16, 16, 16>, 4, 1, 4, 4>>("gemm_f64_16x16x32_skinny", 0, 47, 2100),
    {},
};
