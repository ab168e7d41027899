/* Rows of batches of bfloat16 in boxes, by pairs of blocks; in contiguous blocks of 16 x 16 and 8 x 8. */
#include "cuda/batch/boxes_units.cuh"

using namespace batch;

/*                         warpgroups bn slots blocks boxes of C that leave */
extern "C" const lay_cuda_kernel lay_cuda_batch_pairs_bf16[] = {
    boxed_units_row<BF16, paired, 2, 64, 3, 2, 1>("batch_bf16_128x64_pair"),
    boxed_units_row<BF16, paired, 1, 128, 4, 2, 1>("batch_bf16_64x128_pair"),
    boxed_units_row<BF16, paired, 3, 128, 4, 1, 2>("batch_bf16_192x128_pair"),
    boxed_units_row<BF16, paired, 2, 200, 3, 1, 4>("batch_bf16_128x200_pair"),
    boxed_units_row<BF16, paired, 2, 256, 3, 1, 4>("batch_bf16_128x256_pair"),
    tiled_units_row<BF16, paired, LAY_CUDA_BLOCKS, 2, 64, 3, 2, 1>("batch_bf16_128x64_pair_blocks"),
    tiled_units_row<BF16, paired, LAY_CUDA_BLOCKS, 1, 128, 4, 2, 1>("batch_bf16_64x128_pair_blocks"),
    tiled_units_row<BF16, paired, LAY_CUDA_BLOCKS, 3, 128, 4, 1, 2>("batch_bf16_192x128_pair_blocks"),
    tiled_units_row<BF16, paired, LAY_CUDA_BLOCKS, 2, 256, 3, 1, 4>("batch_bf16_128x256_pair_blocks"),
    tiled_units_row<BF16, alone, LAY_CUDA_CORES, 1, 32, 6, 3, 0>("batch_bf16_64x32_cores"),
    tiled_units_row<BF16, paired, LAY_CUDA_CORES, 2, 64, 3, 2, 1>("batch_bf16_128x64_pair_cores"),
    tiled_units_row<BF16, paired, LAY_CUDA_CORES, 2, 200, 4, 1, 2>("batch_bf16_128x200_pair_cores"),
    {},
};
