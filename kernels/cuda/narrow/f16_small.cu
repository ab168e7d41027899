/* FP16 operands, in tiles of which two share a multiprocessor. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_f16_small[] = {
    row<FP16, 128, 32, 2, 2>("narrow_f16_128x32"),
    row<FP16, 64, 64, 1, 2>("narrow_f16_64x64"),
    row<FP16, 64, 32, 1, 2>("narrow_f16_64x32"),
    row<FP16, 64, 16, 1, 2>("narrow_f16_64x16"),
    {},
};
