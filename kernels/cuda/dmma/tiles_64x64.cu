/* More products of doubles on the matrix units, from 64 x 64 on: tiles_128x128.cu says what they all have. */
#include "cuda/dmma/row.cuh"

using namespace dmma;

/*            bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_tiles_64x64[] = {
    row<shape<64, 64, 32, 32, 1, 6, 2, 72, 184>>("gemm_f64_64x64x16_dmma", 222, 2500),
    row<shape<64, 32, 32, 16, 1, 8, 2, 0, 0, 8>>("gemm_f64_64x32x16_dmma", 204, 2700),
    row<shape<32, 32, 16, 16, 1, 8, 2>>("gemm_f64_32x32x16_dmma", 160, 900),
    {},
};
