/* TF32 operands. */
#include "cuda/narrow/multiply.cuh"

extern "C" const lay_narrow_row lay_narrow_tf32[] = {
    row<TF32, 128, 256>("narrow_tf32_128x256", 1555, 6000),
    row<TF32, 128, 128>("narrow_tf32_128x128", 1375, 4000),
    row<TF32, 64, 128>("narrow_tf32_64x128", 875, 3000),
    {},
};
