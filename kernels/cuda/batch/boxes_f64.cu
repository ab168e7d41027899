/* Rows of batches of f64 whose operands come in boxes. */
#include "cuda/batch/boxes_dmma.cuh"
#include "cuda/batch/boxes_row.cuh"

using namespace batch;

/* Of eight warps and more each has half of a turn in registers at a time: others are at work meanwhile.
 *
 *                 wi wj, warps, groups slots blocks, totals in shared memory, a feeder, lean */
extern "C" const lay_cuda_kernel lay_cuda_batch_boxes_f64[] = {
    boxed_row_along_across<boxed_dmma<1, 2, 1, 1, 1, 4, 12>>("batch_f64_16x16_boxes", LAY_F64),
    boxed_row_along_across<boxed_dmma<2, 2, 1, 2, 1, 6, 4>>("batch_f64_32x32_boxes", LAY_F64),
    boxed_row_along_across<boxed_dmma<1, 4, 4, 2, 1, 4, 2, true, false, true>>("batch_f64_64x64_boxes", LAY_F64),
    boxed_row_along_across<boxed_dmma<1, 2, 3, 3, 1, 6, 2, true, true, true>>("batch_f64_48x48_fed", LAY_F64),
    boxed_row_along_across<boxed_dmma<2, 2, 2, 4, 1, 5, 2, true, true, true>>("batch_f64_64x64_fed", LAY_F64),
    boxed_row_along_across<boxed_dmma<3, 2, 2, 4, 1, 6, 1, true, true>>("batch_f64_96x64_fed", LAY_F64),
    boxed_row_along_across<boxed_dmma<2, 4, 4, 2, 1, 6, 1, true, true>>("batch_f64_128x64_fed", LAY_F64),
    boxed_row_along_across<boxed_dmma<2, 2, 4, 4, 1, 6, 1, true, true, true>>("batch_f64_128x64w16_fed", LAY_F64),
    boxed_row_along_across<boxed_dmma<1, 2, 1, 1, 4, 8, 4>>("batch_f64_16x16_groups", LAY_F64),
    boxed_row_along_across<boxed_dmma<2, 2, 1, 2, 4, 8, 1>>("batch_f64_32x32_groups", LAY_F64),
    boxed_row_along_across<boxed_dmma<2, 2, 2, 2, 2, 8, 1>>("batch_f64_64x32_groups", LAY_F64),
    {},
};
