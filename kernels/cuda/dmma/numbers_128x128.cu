/* Complex products of doubles on the matrix units, the right operand expanded in registers: tiles of tiles_128x128.cu,
 * with as many stages as there is room for. */
#include "cuda/dmma/numbers_row.cuh"

using namespace dmma;

/*                                   bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_numbers_128x128[] = {
    row_of_numbers<of_numbers<shape<128, 128, 64, 32, 1, 6, 1, 56, 224>, 8>>("gemm_c64_128x128x16_dmma", 250, 6000),
    row_of_numbers<of_numbers<shape<96, 128, 48, 32, 1, 6, 1, 56, 224>, 8>>("gemm_c64_96x128x16_dmma", 248, 5000),
    row_of_numbers<of_numbers<shape<128, 64, 32, 32, 1, 6, 1, 72, 200>, 8>>("gemm_c64_128x64x16_dmma", 240, 6300),
    row_of_numbers<of_numbers<shape<64, 64, 32, 32, 1, 6, 2, 72, 184>, 8>>("gemm_c64_64x64x16_dmma", 222, 2500),
    row_of_numbers<of_numbers<shape<64, 32, 32, 16, 1, 8, 2>>>("gemm_c64_64x32x16_dmma", 204, 2700),
    row_of_numbers<of_numbers<shape<32, 32, 16, 16, 1, 8, 2>>>("gemm_c64_32x32x16_dmma", 160, 900),
    {},
};
