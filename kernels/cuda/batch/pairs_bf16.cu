/* Rows of batches of bfloat16 in boxes, by pairs of blocks; those of blocks of 8 x 8. */
#include "cuda/batch/boxes_units.cuh"

using namespace batch;

/*                         warpgroups bn slots blocks boxes of C that leave; of tiles 16 or 8 first */
extern "C" const lay_cuda_kernel lay_cuda_batch_pairs_bf16[] = {
    boxed_units_row<BF16, paired, 2, 64, 3, 2, 1>("batch_bf16_128x64_pair"),
    boxed_units_row<BF16, paired, 1, 128, 4, 2, 1>("batch_bf16_64x128_pair"),
    boxed_units_row<BF16, paired, 3, 128, 4, 1, 2>("batch_bf16_192x128_pair"),
    boxed_units_row<BF16, paired, 2, 200, 3, 1, 4>("batch_bf16_128x200_pair"),
    boxed_units_row<BF16, paired, 2, 256, 3, 1, 4>("batch_bf16_128x256_pair"),
    tiled_units_row<BF16, paired, 16, 2, 64, 4, 2, 0>("batch_bf16_128x64_pair_tiles"),
    tiled_units_row<BF16, paired, 16, 3, 128, 5, 1, 0>("batch_bf16_192x128_pair_tiles"),
    tiled_units_row<BF16, paired, 16, 2, 256, 4, 1, 0>("batch_bf16_128x256_pair_tiles"),
    tiled_units_row<BF16, alone, 8, 1, 32, 6, 3, 0>("batch_bf16_64x32_cores"),
    tiled_units_row<BF16, paired, 8, 2, 64, 3, 2, 1>("batch_bf16_128x64_pair_cores"),
    tiled_units_row<BF16, paired, 8, 2, 200, 4, 1, 2>("batch_bf16_128x200_pair_cores"),
    {},
};
