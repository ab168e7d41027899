/* BF16 operands, in tiles of which two share a multiprocessor. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_bf16_small[] = {
    row<BF16, 128, 32, 2, 2>("narrow_bf16_128x32"),
    row<BF16, 64, 64, 1, 2>("narrow_bf16_64x64"),
    row<BF16, 64, 32, 1, 2>("narrow_bf16_64x32"),
    row<BF16, 64, 16, 1, 2>("narrow_bf16_64x16"),
    {},
};
