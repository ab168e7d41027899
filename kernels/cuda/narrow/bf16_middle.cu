/* BF16 operands, in tiles that have a multiprocessor alone. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_bf16_middle[] = {
    row<BF16, 128, 160, 2, 1>("narrow_bf16_128x160"),
    row<BF16, 128, 128, 2, 1>("narrow_bf16_128x128"),
    row<BF16, 128, 96, 2, 1>("narrow_bf16_128x96"),
    row<BF16, 128, 64, 2, 1>("narrow_bf16_128x64"),
    {},
};
