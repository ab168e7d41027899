/* What chooses among ways of equal bits: measured numbers of a device, of a kind of kernel, and of each row. */
#ifndef LAY_CUDA_RATES_H
#define LAY_CUDA_RATES_H

#include "cuda_kernel.h"
#include "device/driver.h"

/* Seconds, and times as long as the nominal bandwidth says: rates_table.h. */
typedef struct lay_cuda_rates {
#define D(name, h200, other) double name;
#define K(...)
#define R(...)
#define B(...)
#define N(...)
#define M(...)
#include "cuda/launch/rates_table.h"
#undef D
#undef K
#undef R
#undef B
#undef N
#undef M
} lay_cuda_rates;

/* Where lanes side by side write: along C's rows; down its columns where these alone are contiguous; or wherever they
 * are and rows are in no vectors. */
typedef enum lay_cuda_lanes { LAY_CUDA_LANES_ALONG, LAY_CUDA_LANES_DOWN, LAY_CUDA_LANES_EITHER } lay_cuda_lanes;

/* What kernels of one make have in common, and clocks: of a block, a turn of it, an element that a thread writes, a
 * sector and a line; of a block of matrices that no other shares operands with; and of an element in C's lines that are
 * no vectors. */
typedef struct lay_cuda_kind {
    const char *name;
    int is_exact;     /* a turn has no steps behind the end of k */
    int takes_tables; /* C's vectors, where tables lead to them */
    lay_cuda_lanes lanes;
    int goes_down; /* lanes go down C's columns where they are asked to */
    double table, segment_turn, table_turn, line, written, scattered, down, sector, fresh, alone;
} lay_cuda_kind;

/* Clocks of a block, of each that shares its multiprocessor besides it, and of a turn; span is times the row's own
 * rate. */
typedef struct lay_cuda_row_rates {
    const char *name;
    const lay_cuda_kind *kind;
    double start, crowd, span, cold, along, across_ones, along_ones;
} lay_cuda_row_rates;

/* Of a row of batches: clocks, and flops a clock. */
typedef struct lay_cuda_batch_rates {
    const char *name;
    double start, rate, wait, turn;
} lay_cuda_batch_rates;

/* Of a narrow row: flops a clock and multiprocessor in the long run of k, and clocks of a tile besides its steps. */
typedef struct lay_cuda_narrow_rates {
    const char *name;
    double rate, start;
} lay_cuda_narrow_rates;

const lay_cuda_rates *lay_cuda_rates_get(const lay_device *device);

/* Of real matrices, or of any operands. NULL: the row has none, as those of an order that is one row's own. */
const lay_cuda_row_rates *lay_cuda_row_rates_get(const lay_cuda_kernel *row, int is_matrix);

/* Every narrow row has some; so has every row of batches. */
const lay_cuda_narrow_rates *lay_cuda_narrow_rates_get(const lay_cuda_kernel *row);
const lay_cuda_batch_rates *lay_cuda_batch_rates_get(const lay_cuda_kernel *row);

#endif
