/* Rows of batches of f32 whose operands come in boxes, for short slices. */
#include "cuda/batch/boxes_row.cuh"
#include "cuda/batch/boxes_sliced.cuh"

using namespace batch;

/*                          tm tn, warps, slots blocks */
extern "C" const lay_cuda_kernel lay_cuda_batch_sliced_f32[] = {
    boxed_row_along_across<sliced_simt<4, 8, 2, 2, 6, 3>>("batch_f32_64x64_sliced", LAY_F32),
    boxed_row_along_across<sliced_simt<7, 8, 2, 2, 6, 2>>("batch_f32_112x64_sliced", LAY_F32),
    boxed_row_along_across<sliced_simt<7, 8, 4, 1, 5, 2>>("batch_f32_224x32_sliced", LAY_F32),
    {},
};
