/* TF32 operands. */
#include "cuda/mma/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_mma_tf32[] = {
    row<shape<TF32, 128, 256, 64, 64, 4, 1>>("mma_tf32_128x256", 760, 5000),
    row<shape<TF32, 128, 128, 64, 64, 4, 2>>("mma_tf32_128x128", 730, 4000),
    row<shape<TF32, 64, 64, 32, 32, 4, 3>>("mma_tf32_64x64", 480, 2500),
    {},
};
