/* An operand's dimensions as kernels address them: a stride where there is one, else a table in device memory. */
#ifndef LAY_CUDA_OFFSETS_H
#define LAY_CUDA_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda_strict.h"
#include "plan/axis.h"
#include "plan/problem.h"

/* One stride throughout: no table is needed, and the base belongs to the operand's address. */
int lay_axis_is_even(const lay_axis *axis);

/* Bytes of the axis's table, a multiple of 16; 0 where it needs none. */
size_t lay_axis_offsets_bytes(const lay_axis *axis);

/* The same for all axes of a problem: six, and three of a batch. */
size_t lay_offsets_bytes(const lay_problem *problem);

/* Fills the six offset functions of args, with tables from device address tables on, and writes all tables' contents to
 * host (lay_offsets_bytes of it); either may be NULL: only the other part is done. */
void lay_offsets_fill(const lay_problem *problem, lay_cuda_args *args, const void *tables, void *host);

/* Moves offsets on to their index first; what that adds to the address, in elements. */
int64_t lay_offsets_go_on(lay_cuda_offsets *offsets, int64_t first);

/* Those of the batch, by LAY_LEFT, LAY_RIGHT and LAY_RESULT. */
void lay_offsets_fill_batch(const lay_problem *problem, const void *tables, lay_cuda_offsets batch[LAY_OPERANDS]);

/* Elements from an operand's offset 0 to where its offsets are 0: what the address that kernels get is ahead. And that
 * address, from the one of offset 0. */
int64_t lay_offsets_base(const lay_axis *x, const lay_axis *y);
void *lay_offsets_element(const void *zero, const lay_axis *x, const lay_axis *y, lay_type type);

#endif
