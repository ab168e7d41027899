/* FP16 operands, in large tiles. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_f16[] = {
    row<FP16, 128, 256, 2, 1>("narrow_f16_128x256"),
    row<FP16, 128, 224, 2, 1>("narrow_f16_128x224"),
    row<FP16, 128, 192, 2, 1>("narrow_f16_128x192"),
    {},
};
