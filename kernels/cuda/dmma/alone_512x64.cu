/* One more, whose blocks go down four tiles: for few steps of k and whole waves of tiles. */
#include "cuda/dmma/alone_row.cuh"

using namespace dmma;

/*                bm   bn  wm  wn stages blocks walk */
extern "C" const lay_cuda_kernel lay_cuda_dmma_alone_512x64[] = {
    row_alone<shape_alone<128, 64, 64, 32, 4, 2, 4>>("gemm_f64_512x64x16w4_dmma", 230, 8000),
    {},
};
