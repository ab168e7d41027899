/* TF32 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_tf32[] = {
    row<TF32, 128, 256, 2, 1>("narrow_tf32_128x256", 1213, 5693),
    row<TF32, 128, 192, 2, 1>("narrow_tf32_128x192", 1403, 6989),
    row<TF32, 128, 128, 2, 1>("narrow_tf32_128x128", 1200, 8433),
    row<TF32, 64, 64, 1, 2>("narrow_tf32_64x64", 752, 6326),
    {},
};
