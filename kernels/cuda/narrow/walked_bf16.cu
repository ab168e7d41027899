/* BF16 operands whose lines are walked (cuda_narrow.h). */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_walked_bf16[] = {
    walked_row<BF16, 128, 256, false>("narrow_bf16_128x256_walked"),
    walked_row<BF16, 128, 128, false>("narrow_bf16_128x128_walked"),
    walked_row<BF16, 128, 64, false>("narrow_bf16_128x64_walked"),
    {},
};
