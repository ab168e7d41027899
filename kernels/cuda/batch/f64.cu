/* Rows of batches of f64. */
#include "cuda/batch/dmma.cuh"
#include "cuda/batch/row.cuh"

using namespace batch;

/*               wi wj, warps, ahead blocks */
extern "C" const lay_cuda_kernel lay_cuda_batch_f64[] = {
    row<dmma<1, 2, 1, 1, 2, 13>>("batch_f64_16x16", LAY_F64), row<dmma<2, 2, 1, 2, 2, 7>>("batch_f64_32x32", LAY_F64),
    row<dmma<1, 6, 3, 1, 2, 4>>("batch_f64_48x48", LAY_F64),  row<dmma<2, 4, 2, 2, 3, 2>>("batch_f64_64x64", LAY_F64),
    row<dmma<1, 7, 4, 1, 3, 2>>("batch_f64_64x56", LAY_F64),  {},
};
