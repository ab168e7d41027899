/* FP16 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_f16[] = {
    row<FP16, 128, 256, 2, 1>("narrow_f16_128x256", 3084, 1985),
    row<FP16, 128, 192, 2, 1>("narrow_f16_128x192", 2912, 14),
    row<FP16, 128, 128, 2, 1>("narrow_f16_128x128", 2651, 903),
    row<FP16, 128, 64, 2, 1>("narrow_f16_128x64", 1733, 559),
    row<FP16, 64, 128, 1, 2>("narrow_f16_64x128", 1632, 1871),
    row<FP16, 64, 64, 1, 2>("narrow_f16_64x64", 1420, 854),
    row<FP16, 64, 32, 1, 2>("narrow_f16_64x32", 932, 1184),
    row<FP16, 64, 16, 1, 2>("narrow_f16_64x16", 1809, 1947),
    {},
};
