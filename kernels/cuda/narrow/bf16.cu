/* BF16 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_bf16[] = {
    row<BF16, 128, 256, 2, 1>("narrow_bf16_128x256", 3030, 342),
    row<BF16, 128, 192, 2, 1>("narrow_bf16_128x192", 2970, 294),
    row<BF16, 128, 128, 2, 1>("narrow_bf16_128x128", 2740, 616),
    row<BF16, 128, 64, 2, 1>("narrow_bf16_128x64", 1710, 294),
    row<BF16, 64, 128, 1, 2>("narrow_bf16_64x128", 2090, 1930),
    row<BF16, 64, 64, 1, 2>("narrow_bf16_64x64", 1550, 461),
    row<BF16, 64, 32, 1, 2>("narrow_bf16_64x32", 757, 485),
    row<BF16, 64, 16, 1, 2>("narrow_bf16_64x16", 1110, 1330),
    {},
};
