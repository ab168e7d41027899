/* Two more: one whose blocks go down four tiles, for few steps of k and whole waves of tiles; and one that fetches two
 * turns of each line at once, for many lines that begin anywhere and have few columns of C. */
#include "cuda/dmma/alone_row.cuh"

using namespace dmma;

/*                bm   bn  wm  wn stages blocks together walk */
extern "C" const lay_cuda_kernel lay_cuda_dmma_alone_512x64[] = {
    row_alone<shape_alone<128, 64, 64, 32, 4, 2, 1, 4>>("gemm_f64_512x64x16w4_dmma", 230, 8000),
    row_alone<shape_alone<64, 32, 32, 16, 4, 4, 2>>("gemm_f64_64x32x32w4_dmma", 190, 1800),
    {},
};
