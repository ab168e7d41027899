/* Rows of batches of bfloat16 whose operands come in boxes. */
#include "cuda/batch/boxes_units.cuh"

using namespace batch;

/*                warpgroups bn slots blocks boxes of C that leave */
extern "C" const lay_cuda_kernel lay_cuda_batch_boxes_bf16[] = {
    boxed_units_row<BF16, alone, 1, 32, 3, 4, 0>("batch_bf16_64x32_boxes"),
    boxed_units_row<BF16, alone, 1, 64, 5, 2, 2>("batch_bf16_64x64_boxes"),
    boxed_units_row<BF16, alone, 2, 128, 5, 1, 2>("batch_bf16_128x128_boxes"),
    boxed_units_row<BF16, alone, 2, 192, 4, 1, 2>("batch_bf16_128x192_boxes"),
    boxed_units_row<BF16, alone, 1, 256, 2, 2, 2>("batch_bf16_64x256_boxes"),
    boxed_units_row<BF16, alone, 2, 256, 4, 1, 1>("batch_bf16_128x256_boxes"),
    tiled_units_row<BF16, alone, LAY_CUDA_TILES, 1, 32, 6, 3, 0>("batch_bf16_64x32_tiles"),
    tiled_units_row<BF16, alone, LAY_CUDA_TILES, 1, 64, 6, 2, 0>("batch_bf16_64x64_tiles"),
    tiled_units_row<BF16, alone, LAY_CUDA_TILES, 2, 128, 6, 1, 0>("batch_bf16_128x128_tiles"),
    {},
};
