/* BF16 operands, in tiles of columns of odd sixteens. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_bf16_along[] = {
    row_along<BF16, 240>("narrow_bf16_128x240"),
    row_along<BF16, 208>("narrow_bf16_128x208"),
    row_along<BF16, 176>("narrow_bf16_128x176"),
    row_along<BF16, 144>("narrow_bf16_128x144"),
    row_along<BF16, 112>("narrow_bf16_128x112"),
    {},
};
