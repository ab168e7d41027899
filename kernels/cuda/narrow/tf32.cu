/* TF32 operands. */
#include "cuda/narrow/multiply.cuh"

extern "C" const lay_narrow_row lay_narrow_tf32[] = {
    row<TF32, 128, 256>("narrow_tf32_128x256", 2030, 9500),
    row<TF32, 128, 128>("narrow_tf32_128x128", 1950, 8000),
    row<TF32, 64, 128>("narrow_tf32_64x128", 1300, 8500),
    {},
};
