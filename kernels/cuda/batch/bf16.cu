/* Rows of batches of bfloat16. */
#include "cuda/batch/units_row.cuh"

using namespace batch;

/*              warpgroups bn ahead lag blocks */
extern "C" const lay_cuda_kernel lay_cuda_batch_bf16[] = {
    units_row<BF16, 1, 32, 3, 0, 3>("batch_bf16_64x32"),
    units_row<BF16, 1, 64, 3, 0, 3>("batch_bf16_64x64"),
    units_row<BF16, 2, 128, 2, 0, 2>("batch_bf16_128x128"),
    units_row<BF16, 2, 256, 2, 1, 1>("batch_bf16_128x256"),
    {},
};
