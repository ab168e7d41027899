/* BF16 operands. */
#include "cuda/mma/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_mma_bf16[] = {
    row<shape<BF16, 128, 256, 64, 64, 4, 1>>("mma_bf16_128x256", 1760, 5000),
    row<shape<BF16, 128, 128, 64, 64, 4, 2>>("mma_bf16_128x128", 1640, 4000),
    row<shape<BF16, 64, 64, 32, 32, 4, 3>>("mma_bf16_64x64", 1000, 2500),
    {},
};
