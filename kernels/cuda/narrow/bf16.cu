/* BF16 operands. */
#include "cuda/narrow/multiply.cuh"

extern "C" const lay_narrow_row lay_narrow_bf16[] = {
    row<BF16, 128, 256>("narrow_bf16_128x256", 4030, 4500),
    row<BF16, 128, 128>("narrow_bf16_128x128", 3900, 6500),
    row<BF16, 64, 128>("narrow_bf16_64x128", 2600, 8000),
    {},
};
