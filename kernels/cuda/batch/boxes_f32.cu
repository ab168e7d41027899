/* Rows of batches of f32 whose operands come in boxes. */
#include "cuda/batch/boxes_row.cuh"
#include "cuda/batch/boxes_simt.cuh"

using namespace batch;

/*                 tm tn, warps, groups slots blocks, totals in shared memory, a feeder */
extern "C" const lay_cuda_kernel lay_cuda_batch_boxes_f32[] = {
    boxed_row_along_across<boxed_simt<2, 4, 1, 1, 1, 4, 16>>("batch_f32_16x16_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<4, 8, 1, 1, 1, 4, 10>>("batch_f32_32x32_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<2, 4, 2, 2, 1, 4, 7>>("batch_f32_32x32w4_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<7, 8, 2, 2, 1, 3, 3, true>>("batch_f32_112x64_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<8, 8, 2, 2, 1, 3, 3, true>>("batch_f32_128x64_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<2, 4, 4, 4, 1, 6, 2>>("batch_f32_64x64w16_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<8, 16, 2, 2, 1, 2, 2, true>>("batch_f32_128x128w4_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<7, 16, 2, 2, 1, 3, 2, true>>("batch_f32_112x128_boxes", LAY_F32),
    boxed_row_along_across<boxed_simt<2, 4, 1, 1, 1, 4, 12, false, true>>("batch_f32_16x16_fed", LAY_F32),
    boxed_row_along_across<boxed_simt<3, 4, 2, 3, 1, 4, 3, false, true>>("batch_f32_48x48_fed", LAY_F32),
    boxed_row_along_across<boxed_simt<4, 8, 2, 2, 1, 6, 3, false, true>>("batch_f32_64x64_fed", LAY_F32),
    boxed_row_along_across<boxed_simt<7, 8, 2, 2, 1, 4, 2, true, true>>("batch_f32_112x64_fed", LAY_F32),
    boxed_row_along_across<boxed_simt<2, 4, 1, 1, 4, 8, 6>>("batch_f32_16x16_groups", LAY_F32),
    boxed_row_along_across<boxed_simt<4, 8, 1, 1, 4, 8, 4>>("batch_f32_32x32_groups", LAY_F32),
    boxed_row_along_across<boxed_simt<4, 8, 1, 1, 8, 8, 2>>("batch_f32_32x32g8_groups", LAY_F32),
    boxed_row_along_across<boxed_simt<8, 8, 1, 2, 2, 8, 2>>("batch_f32_64x64_groups", LAY_F32),
    {},
};
