/* FP16 operands whose lines are walked (cuda_narrow.h). */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_walked_f16[] = {
    walked_row<FP16, 128, 256, false>("narrow_f16_128x256_walked"),
    walked_row<FP16, 128, 128, false>("narrow_f16_128x128_walked"),
    walked_row<FP16, 128, 64, false>("narrow_f16_128x64_walked"),
    {},
};
