/* Rows of batches of FP16. */
#include "cuda/batch/units_row.cuh"

using namespace batch;

/*              warpgroups bn ahead lag blocks */
extern "C" const lay_cuda_kernel lay_cuda_batch_f16[] = {
    units_row<FP16, 1, 32, 3, 0, 3>("batch_f16_64x32"),
    units_row<FP16, 1, 64, 3, 0, 3>("batch_f16_64x64"),
    units_row<FP16, 2, 128, 2, 0, 2>("batch_f16_128x128"),
    units_row<FP16, 2, 256, 2, 1, 1>("batch_f16_128x256"),
    {},
};
