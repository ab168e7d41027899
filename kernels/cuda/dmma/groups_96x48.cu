/* Rows of the matrix units whose blocks sum all slices of their tile: for few tiles. Units are in use all the time only
 * where two warps share one, and small tiles have no more warps than that without groups. */
#include "cuda/dmma/row.cuh"

using namespace dmma;

/* Among tiles those that divide small squares into about as many as there are multiprocessors.
 *
 *            bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_groups_96x48[] = {
    row<shape<96, 48, 48, 24, 2, 5, 1>>("gemm_f64_96x48x16x2_dmma", 238, 2400),
    row<shape<64, 64, 32, 32, 2, 6, 1>>("gemm_f64_64x64x16x2_dmma", 236, 3000),
    row<shape<64, 48, 32, 24, 2, 6, 1>>("gemm_f64_64x48x16x2_dmma", 231, 1500),
    {},
};
