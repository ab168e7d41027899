/* Rows of the matrix units whose few threads do everything, for few steps of k: alone.cuh. */
#include "cuda/dmma/alone_row.cuh"

using namespace dmma;

/* Registers: sums, fragments of one step and where the coming turn lies.
 *
 *                  bm   bn  wm  wn stages blocks */
extern "C" const lay_cuda_kernel lay_cuda_dmma_alone_64x64[] = {
    row_alone<shape_alone<128, 64, 64, 32, 3, 2>>("gemm_f64_128x64x16w4_dmma", 230, 4000),
    row_alone<shape_alone<64, 64, 32, 32, 3, 3>>("gemm_f64_64x64x16w4_dmma", 215, 2500),
    row_alone<shape_alone<64, 32, 32, 16, 3, 4>>("gemm_f64_64x32x16w4_dmma", 190, 1800),
    {},
};
