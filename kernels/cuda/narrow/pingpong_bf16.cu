/* The same, of tiles of few turns: warpgroups have tiles of their own in turns, so that C of one leaves while the other
 * multiplies. */
#include "cuda/narrow/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_narrow_pingpong_bf16[] = {
    walked_row<BF16, 64, 256, true>("narrow_bf16_64x256_pingpong"),
    walked_row<BF16, 128, 128, true>("narrow_bf16_128x128_pingpong"),
    {},
};
