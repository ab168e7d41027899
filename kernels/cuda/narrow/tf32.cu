/* TF32 operands. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_tf32[] = {
    row<TF32, 128, 256, 2, 1>("narrow_tf32_128x256"), row<TF32, 128, 192, 2, 1>("narrow_tf32_128x192"),
    row<TF32, 128, 128, 2, 1>("narrow_tf32_128x128"), row<TF32, 128, 64, 2, 1>("narrow_tf32_128x64"),
    row<TF32, 64, 64, 1, 2>("narrow_tf32_64x64"),     row<TF32, 64, 32, 1, 2>("narrow_tf32_64x32"),
    row<TF32, 64, 16, 1, 2>("narrow_tf32_64x16"),     {},
};
