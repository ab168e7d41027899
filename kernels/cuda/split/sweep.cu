/* Rows that only a bench has: the table's tiles with other numbers of steps between promotions, and other tiles. */
#include "cuda/split/row.cuh"

extern "C" const lay_cuda_kernel lay_cuda_split_sweep[] = {
    row_of<shape<128, 128, 32>>("128x128, each 32"),
    row_of<shape<128, 128, 128>>("128x128, each 128"),
    row_of<shape<128, 128, 256>>("128x128, each 256"),
    row_of<shape<128, 96, 32>>("128x96, each 32"),
    row_of<shape<128, 96, 128>>("128x96, each 128"),
    row_of<shape<128, 96, 256>>("128x96, each 256"),
    row_of<shape<128, 64, 32>>("128x64, each 32"),
    row_of<shape<128, 64, 128>>("128x64, each 128"),
    row_of<shape<128, 64, 256>>("128x64, each 256"),
    row_of<shape<64, 128, 32>>("64x128, each 32"),
    row_of<shape<64, 128, 128>>("64x128, each 128"),
    row_of<shape<64, 128, 256>>("64x128, each 256"),
    row_of<shape<64, 192, 64>>("64x192, each 64"),
    row_of<shape<64, 256, 64>>("64x256, each 64"),
    {},
};
