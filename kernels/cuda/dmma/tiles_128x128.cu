/* Products of doubles on the matrix units of sm_80 and sm_90. The units sum as CHAIN says (unit.cuh), so these rows
 * give the bits of naive, tiled, parray and simt. Copies of 16 bytes pass L1, those of 8 do not, and feeding
 * threads of their own keep all of that away from the units: layouts differ by 3 %, tables along k or not. */
#include "cuda/dmma/row.cuh"

using namespace dmma;

/* A warp of 64x32 has 128 registers of sums, 64 of fragments: one block of them fills the register file. A small tile
 * loads more for each product, and shared memory is its bound: 64x32 has three quarters of the rate.
 *
 *            bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_tiles_128x128[] = {
    row<shape<128, 128, 64, 32, 1, 6, 1, 56, 224>>("gemm_f64_128x128x16_dmma", 250, 6000),
    row<shape<128, 64, 32, 32, 1, 6, 1, 72, 200>>("gemm_f64_128x64x16_dmma", 240, 6300),
    {},
};
