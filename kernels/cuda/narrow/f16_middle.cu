/* FP16 operands, in tiles that have a multiprocessor alone. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_f16_middle[] = {
    row<FP16, 128, 160, 2, 1>("narrow_f16_128x160"),
    row<FP16, 128, 128, 2, 1>("narrow_f16_128x128"),
    row<FP16, 128, 96, 2, 1>("narrow_f16_128x96"),
    row<FP16, 128, 64, 2, 1>("narrow_f16_128x64"),
    {},
};
