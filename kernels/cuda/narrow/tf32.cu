/* TF32 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_tf32[] = {
    row<TF32, 128, 256>("narrow_tf32_128x256", 2030, 9500),
    row<TF32, 128, 128>("narrow_tf32_128x128", 1950, 8000),
    row<TF32, 64, 128>("narrow_tf32_64x128", 1300, 8500),
    {},
};
