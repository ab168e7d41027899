/* Products by limbs of 16 bits, in tiles from 128 x 128 on. */
#include "cuda/split/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_split_tiles_128x128[] = {
    row<shape<128, 128>>("split_f32_128x128", 1150, 11000),
    row<shape<128, 96>>("split_f32_128x96", 1090, 8800),
    {},
};
