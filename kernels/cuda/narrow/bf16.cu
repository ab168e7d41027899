/* BF16 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_bf16[] = {
    row<BF16, 128, 256>("narrow_bf16_128x256", 3110, 1600),
    row<BF16, 128, 128>("narrow_bf16_128x128", 2750, 700),
    row<BF16, 64, 128>("narrow_bf16_64x128", 1750, 1000),
    row<BF16, 64, 64>("narrow_bf16_64x64", 1600, 600),
    {},
};
