/* Rows of the matrix units whose blocks sum all slices of their tile: for few tiles. Units are in use all the time only
 * where two warps share one, and small tiles have no more warps than that without groups. */
#include "cuda/dmma/row.cuh"

using namespace dmma;

/* Among tiles those that divide small squares into about as many as there are multiprocessors.
 *
 *            bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_groups[] = {
    row<shape<96, 48, 48, 24, 2, 5, 1>>("gemm_f64_96x48x16x2_dmma", 238, 2400),
    row<shape<64, 64, 32, 32, 2, 6, 1>>("gemm_f64_64x64x16x2_dmma", 236, 3000),
    row<shape<64, 48, 32, 24, 2, 6, 1>>("gemm_f64_64x48x16x2_dmma", 231, 1500),
    row<shape<64, 32, 32, 16, 2, 8, 1>>("gemm_f64_64x32x16x2_dmma", 210, 1700),
    row<shape<48, 32, 48, 16, 4, 4, 1>>("gemm_f64_48x32x16x4_dmma", 240, 2000),
    row<shape<32, 32, 32, 16, 2, 6, 2>>("gemm_f64_32x32x16x2_dmma", 197, 1200),
    row<shape<16, 32, 16, 16, 4, 4, 2>>("gemm_f64_16x32x16x4_dmma", 138, 300),
    row<shape<16, 16, 16, 16, 4, 8, 2>>("gemm_f64_16x16x16x4_dmma", 100, 100),
    {},
};
