/* BF16 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_bf16[] = {
    row<BF16, 128, 256, 2, 1>("narrow_bf16_128x256", 3084, 1985),
    row<BF16, 128, 192, 2, 1>("narrow_bf16_128x192", 2912, 14),
    row<BF16, 128, 128, 2, 1>("narrow_bf16_128x128", 2651, 903),
    row<BF16, 128, 64, 2, 1>("narrow_bf16_128x64", 1733, 559),
    row<BF16, 64, 128, 1, 2>("narrow_bf16_64x128", 1632, 1871),
    row<BF16, 64, 64, 1, 2>("narrow_bf16_64x64", 1420, 854),
    row<BF16, 64, 32, 1, 2>("narrow_bf16_64x32", 932, 1184),
    row<BF16, 64, 16, 1, 2>("narrow_bf16_64x16", 1809, 1947),
    {},
};
