/* Rows of the matrix units whose blocks stay and share the tiles of C evenly (persistent.cuh): the bits are those of
 * other rows. */
#include "cuda/dmma/persistent_row.cuh"

using namespace dmma;

/* Tiles of tiles_128x128.cu. Sums go to C right from the registers, so that stages are free for the next tile's turns.
 *
 *                      bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_persistent_128x128[] = {
    persistent_row<shape<128, 128, 64, 32, 1, 6, 1, 56, 224>>("gemm_f64_128x128x16p_dmma", 250, 4000),
    persistent_row<shape<128, 64, 32, 32, 1, 6, 1, 72, 200>>("gemm_f64_128x64x16p_dmma", 240, 4000),
    persistent_row<shape<64, 128, 32, 32, 1, 6, 1, 72, 200>>("gemm_f64_64x128x16p_dmma", 240, 4000),
    {},
};
