/* How long a strict row takes for a product, from sizes alone: what settles the order of the sum (choose.c), and with
 * it the bits of C. So these numbers stay as they are; rows of equal bits are chosen by predict.h. */
#ifndef LAY_CUDA_COST_H
#define LAY_CUDA_COST_H

#include "cuda/launch/rows.h"

/* Whether a block takes all slices of its tile: by groups of its threads, side by side. */
int lay_cuda_is_together(const lay_cuda_kernel *row, int slices);

/* Whether the block that is last at a tile adds the slices: where that is little for one block. */
int lay_cuda_adds_itself(const lay_cuda_kernel *row, int slices);

/* Clocks that so many blocks of a multiprocessor take, each of which has groups at work on slices of so many flops. */
double lay_cuda_span(const lay_cuda_kernel *row, int together, double blocks, double flops);

/* Seconds of a launch whose operands are fetched for so much of a step's time more than vectors across. */
double lay_cuda_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double fetch);

/* Not above that, and cheap: for rows that cannot be the cheapest. */
double lay_cuda_cost_at_least(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                              double fetch);

/* The same of any row whose blocks take a slice each. */
double lay_cuda_sliced_at_least(const lay_cuda_shape *of, const lay_device *device);

/* Seconds that slices are to gain over none, which take so many; as two launches (lay_cuda_full_rows), or one. */
double lay_cuda_slices_gain(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_divided, double unsliced);

/* Rows of C, whole rows of tiles, whose blocks the device runs in full waves, as many as there are; 0 where nothing
 * would be left, or nothing begun. */
int64_t lay_cuda_full_rows(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device);

#endif
