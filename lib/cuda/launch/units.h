/* What products on the matrix units have in common, split or narrow: whom they refuse, how they cut k, and how they
 * take a row. A cost knows turns of tiles, not waves of blocks. */
#ifndef LAY_CUDA_UNITS_H
#define LAY_CUDA_UNITS_H

#include "cuda/launch/launch.h"
#include "cuda/launch/rows.h"
#include "plan/way.h"

/* NULL, or why this device does not multiply it by rows of 9.0. parts: launches count at most so many for each 64 x 64
 * of C. */
const char *lay_units_refuse(const lay_problem *problem, const lay_device *device, int parts);

/* The same of any device that has matrix units. */
const char *lay_units_refuse_sizes(const lay_problem *problem, int parts);

/* k in so many slices, each a multiple of 64 steps; slices is 0 where they are fewer or short. One slice is all of k.
 */
lay_cuda_shape lay_units_cut(lay_type type, int64_t m, int64_t n, int64_t k, int slices);

/* The same of a problem, which may be empty. */
lay_cuda_shape lay_units_cut_of(const lay_problem *problem, lay_type type, int slices);

/* Seconds of a row, from sizes alone. */
typedef double lay_units_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device);

/* Clocks are turns of tiles: those of one, so many to a multiprocessor as there are. */
double lay_units_turns(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double steps);

/* The cheapest row of the contract that serves; NULL, and INFINITY, where none does. wanted: as in options.kernel. */
const lay_cuda_kernel *lay_units_find(lay_cuda_contract contract, const lay_cuda_shape *of, const lay_device *device,
                                      const char *wanted, lay_units_cost *cost, double *seconds);

/* Of those that may besides: whether the row may, to whom context says more. */
typedef int lay_units_may(const lay_cuda_kernel *row, const void *context);
const lay_cuda_kernel *lay_units_find_among(lay_cuda_contract contract, const lay_cuda_shape *of,
                                            const lay_device *device, const char *wanted, lay_units_may *may,
                                            const void *context, lay_units_cost *cost, double *seconds);

/* In how many slices k may be cut, and what tells the best of them: rows of the contract, by their cost. */
typedef struct lay_units_slicing {
    const int *tried;
    size_t count;
    lay_cuda_contract contract;
    lay_units_cost *cost;
    int is_often_tall; /* settled by the geometric mean of more rows than columns, as operands by rows have to be, and
                        * of the better way round; else by that alone */
} lay_units_slicing;

/* Slices change bits, rows do not: they are a function of the sizes of the whole product, where the problem is a part
 * of one, the same for m x n as for n x m. */
int lay_units_slices(const lay_problem *problem, lay_type type, const lay_device *device, const lay_units_slicing *by);

/* Fills the launch's kernel, slices and tiles. */
void lay_units_take(lay_launch *launch, const lay_cuda_kernel *row, const lay_problem *problem,
                    const lay_cuda_shape *of);

/* What takes memory for a run alone. */
#define LAY_UNITS_UNALIGNED "an operand whose address is no multiple of 16 bytes"

/* C from the partial sums of slices; offsets has C's. */
lay_status lay_units_put_sum(const lay_problem *problem, const lay_cuda_args *offsets, const lay_call *call, int slices,
                             float *partial, void *stream);

/* What a job has of tables, and of images and sums; the kernels come next. */
void lay_units_explain_memory(const lay_needs *needs, lay_text *text);

/* A line for each row of the launch's contract and type, with the reason or the seconds; alone: lay_cuda_explain_row.
 */
void lay_units_explain(const lay_launch *launch, const lay_cuda_shape *of, const char *wanted, lay_units_cost *cost,
                       const char *alone, lay_text *text);

#endif
