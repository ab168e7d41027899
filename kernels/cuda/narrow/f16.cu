/* FP16 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_f16[] = {
    row<FP16, 128, 256>("narrow_f16_128x256", 3110, 1600),
    row<FP16, 128, 128>("narrow_f16_128x128", 2750, 700),
    row<FP16, 64, 128>("narrow_f16_64x128", 1750, 1000),
    row<FP16, 64, 64>("narrow_f16_64x64", 1600, 600),
    {},
};
