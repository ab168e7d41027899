/* More of them, from 64 x 32 on: groups_96x48.cu says what they all have. */
#include "cuda/dmma/row.cuh"

using namespace dmma;

/*            bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_groups_64x32[] = {
    row<shape<64, 32, 32, 16, 2, 8, 1, 0, 0, 8>>("gemm_f64_64x32x16x2_dmma", 210, 1700),
    row<shape<48, 32, 48, 16, 4, 4, 1>>("gemm_f64_48x32x16x4_dmma", 240, 2000, 23),
    row<shape<32, 32, 32, 16, 2, 6, 2>>("gemm_f64_32x32x16x2_dmma", 197, 1200),
    following_row<shape<32, 32, 32, 16, 4, 6, 1>>("gemm_f64_32x32x16x4_dmma", 210),
    row<shape<16, 32, 16, 16, 4, 4, 2>>("gemm_f64_16x32x16x4_dmma", 138, 300),
    row<shape<16, 16, 16, 16, 4, 8, 2>>("gemm_f64_16x16x16x4_dmma", 100, 100),
    {},
};
