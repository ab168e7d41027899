/* Rows of batches of f32. */
#include "cuda/batch/row.cuh"
#include "cuda/batch/simt.cuh"

using namespace batch;

/*               tm tn, warps, ahead blocks */
extern "C" const lay_cuda_kernel lay_cuda_batch_f32[] = {
    row<simt<2, 4, 1, 1, 4, 16>>("batch_f32_16x16", LAY_F32),
    row<simt<4, 8, 1, 1, 2, 15>>("batch_f32_32x32", LAY_F32),
    row<simt<3, 12, 2, 1, 2, 8>>("batch_f32_48x48", LAY_F32),
    row<simt<4, 8, 2, 2, 3, 4>>("batch_f32_64x64", LAY_F32),
    row<simt<7, 4, 1, 4, 3, 4>>("batch_f32_56x64", LAY_F32),
    row<simt<8, 8, 2, 2, 3, 2>>("batch_f32_128x64", LAY_F32),
    {},
};
