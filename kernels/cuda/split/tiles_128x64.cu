/* More products by limbs of 16 bits, in tiles from 128 x 64 on. */
#include "cuda/split/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_split_tiles_128x64[] = {
    row<shape<128, 64>>("split_f32_128x64", 1000, 6500),
    row<shape<64, 128>>("split_f32_64x128", 970, 6100),
    {},
};
