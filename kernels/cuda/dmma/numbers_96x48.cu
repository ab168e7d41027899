/* Complex products of doubles on the matrix units, the right operand expanded in registers: the tiles of
 * groups_96x48.cu and groups_64x32.cu, whose blocks sum all slices. */
#include "cuda/dmma/numbers_row.cuh"

using namespace dmma;

/*                                   bm   bn  wm  wn groups stages blocks registers */
extern "C" const lay_cuda_kernel lay_cuda_dmma_numbers_96x48[] = {
    row_of_numbers<of_numbers<shape<96, 48, 48, 24, 2, 5, 1>, 6>>("gemm_c64_96x48x16x2_dmma", 238, 2400),
    row_of_numbers<of_numbers<shape<64, 64, 32, 32, 2, 6, 1>, 8>>("gemm_c64_64x64x16x2_dmma", 236, 3000),
    row_of_numbers<of_numbers<shape<64, 48, 32, 24, 2, 6, 1>, 8>>("gemm_c64_64x48x16x2_dmma", 231, 1500),
    row_of_numbers<of_numbers<shape<64, 32, 32, 16, 2, 8, 1>>>("gemm_c64_64x32x16x2_dmma", 210, 1700),
    row_of_numbers<of_numbers<shape<32, 64, 32, 32, 4, 6, 1>>>("gemm_c64_32x64x16x4_dmma", 235, 2400),
    row_of_numbers<of_numbers<shape<48, 32, 48, 16, 4, 4, 1>>>("gemm_c64_48x32x16x4_dmma", 240, 2000),
    row_of_numbers<of_numbers<shape<32, 32, 32, 16, 2, 6, 2>>>("gemm_c64_32x32x16x2_dmma", 197, 1200),
    row_of_numbers<of_numbers<shape<16, 32, 16, 16, 4, 4, 2>>>("gemm_c64_16x32x16x4_dmma", 138, 300),
    row_of_numbers<of_numbers<shape<16, 16, 16, 16, 4, 8, 2>>>("gemm_c64_16x16x16x4_dmma", 100, 100),
    {},
};
