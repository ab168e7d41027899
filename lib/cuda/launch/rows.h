/* The table of CUDA kernels as the library reads it, whatever a row's contract: what a name means, and why a row does
 * not serve. */
#ifndef LAY_CUDA_ROWS_H
#define LAY_CUDA_ROWS_H

#include "base/text.h"
#include "cuda/memory/device.h"
#include "cuda_kernel.h"

/* Sizes as the kernel sees them, and how k is cut. */
typedef struct lay_cuda_shape {
    lay_type type;
    int64_t m, n, k;
    int slices, slice_k;
} lay_cuda_shape;

/* The table's own text for the name of a row or a family of the contract; NULL: it has no such. */
const char *lay_cuda_find_kernel(lay_cuda_contract contract, const char *name);

/* Adds a line for each row of the contract, as lay_order.list_kernels has it. */
void lay_cuda_list_kernels(lay_cuda_contract contract, const char *order, lay_text *text);

/* Adds the names of all families to a list. */
void lay_cuda_list_families(lay_text *text);

/* wanted: NULL, or the name of a row or a family, as in options.kernel. */
int lay_cuda_is_wanted(const lay_cuda_kernel *row, const char *wanted);

/* Whether the row's blocks stay: a launch has no more of them than find room on the device, and they take all tiles.
 * With counters and memory for sums that are handed over they share the last ones evenly, so that all end at once. */
int lay_cuda_is_persistent(const lay_cuda_kernel *row);

/* Tiles of C, of all slices, that a launch of the row shares so; 0 where its blocks take whole ones. */
int64_t lay_cuda_shared_tiles(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device);

/* Bytes of what such a launch needs: sums that are handed over and those of slices, and counters. */
size_t lay_cuda_shared_partial(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device);
size_t lay_cuda_shared_counters(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device);

/* NULL, or why the row cannot serve, as a phrase. */
const char *lay_cuda_refuse(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                            const char *wanted);

/* A line: the row is refused for that reason, or it serves (NULL) in so many seconds. alone: "", or " alone" where a
 * product takes more than they are. */
void lay_cuda_explain_row(lay_text *text, const lay_cuda_kernel *row, const char *refusal, int is_taken, double seconds,
                          const char *alone);

#endif
