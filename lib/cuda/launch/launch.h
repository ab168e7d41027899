/* One product on one device: the row of the kernel table and its slices, the operands' classes, and the launches. */
#ifndef LAY_CUDA_LAUNCH_H
#define LAY_CUDA_LAUNCH_H

#include <stddef.h>

#include "base/text.h"
#include "cuda/memory/device.h"
#include "cuda_strict.h"
#include "plan/problem.h"
#include "plan/way.h"

/* A launch: a row of the kernels, and slices of k. */
typedef struct lay_launch {
    const lay_cuda_kernel *kernel; /* NULL: there is no second launch */
    const struct lay_device *device;
    lay_cuda_class left, right; /* at best: a base address that is not aligned makes a run fall back to LAY_CUDA_ACROSS
                                 * or LAY_CUDA_ALONG */
    int is_c_vector;            /* at best, too */
    unsigned down;              /* how lanes write C where it does not lie in vectors: lay_cuda_down, or 0 */
    int slices, slice_k;
    int tiles_m, tiles_n;

    /* Of strict rows alone. */
    int first, rows;          /* of left and of C that are this launch's */
    int is_together;          /* a block takes all slices of its tile */
    int is_shared;            /* persistent blocks share tiles: where they have counters, and partial */
    int shared;               /* bytes of dynamic shared memory: the row's, or more, where blocks are to spread */
    size_t partial, counters; /* bytes of device memory */
} lay_launch;

/* One of no row yet: how operands and C lie. */
lay_launch lay_launch_on(const lay_problem *problem, const lay_device *device);

/* "grid ...": tiles and slices, without the end of the line. */
void lay_launch_explain_grid(const lay_launch *launch, lay_text *text);

/* The order of the sum: what the bits of C depend on besides the operands' values. A function of the type,
 * the sizes (the same for m x n as for n x m) and the device; never of layouts. */
typedef struct lay_cuda_sum {
    lay_cuda_order order;
    int slices, slice_k;
    const lay_cuda_kernel *kernel; /* NULL: any row of the order; else that row alone: LAY_CUDA_LANES */
    double seconds;                /* predicted, from sizes alone */
} lay_cuda_sum;

/* The one with the cheapest row among those that options.kernel allows (wanted: NULL, or a family's or row's
 * name). slices == 0 where no row serves. */
lay_cuda_sum lay_cuda_sum_choose(lay_type type, int64_t m, int64_t n, int64_t k, const lay_device *device,
                                 const char *wanted);

/* The slices of the index-th cut of k that sums are chosen from; its order and kernel are the caller's to fill. 0 where
 * these sizes have no such cut. */
enum { LAY_CUDA_CUTS = 36 };
int lay_cuda_cut_at(int index, const lay_problem *problem, const lay_device *device, lay_cuda_sum *out);

/* Bytes of shared memory that a block takes beside its dynamic ones, at most: the system's, and a kernel's own. */
enum { LAY_CUDA_BLOCK_SHARED = 1024 };

/* Slices end at multiples of this, so that every class's vectors begin where they would; rows whose bk does not divide
 * the length are refused. */
enum { LAY_CUDA_SLICE_UNIT = 16 };

/* Fills launch, most of them (1 or 2), for the cheapest rows of the sum's order: where two are cheaper than one the
 * second has other rows of C and smaller tiles; else its kernel is NULL. Returns predicted seconds; negative where no
 * row serves, and why. */
double lay_launch_choose(const lay_problem *problem, const lay_device *device, const char *wanted, int most,
                         lay_launch launch[], const char **reason);

/* The same for a sum that is given, begun by one row (NULL: any). Negative: it does not serve. */
double lay_launch_choose_by(const lay_problem *problem, const lay_device *device, const char *wanted,
                            const lay_cuda_sum *sum, const lay_cuda_kernel *first_row, int most, lay_launch launch[]);

/* Every row of the type: taken, or refused and why; in lines. */
void lay_launch_explain_rows(const lay_problem *problem, const lay_launch *taken, const char *wanted, lay_text *text);

/* Classes of an operand: vectors only where the offsets allow them whatever the base address. */
lay_cuda_class lay_launch_classify(const lay_axis *across, const lay_axis *along, lay_type type);

/* "across in 16-byte vectors" and so on. */
const char *lay_launch_class_name(lay_cuda_class as);

/* The class that is left where the operand's address is not aligned. */
lay_cuda_class lay_launch_fall_back(lay_cuda_class at_best, const void *address);

/* Whether v indices of across, from each multiple of v on, are contiguous and as well aligned as the first is,
 * wherever along stands. */
int lay_axis_is_in_vectors(const lay_axis *across, const lay_axis *along, int v);

/* Whether all offsets are multiples of v from the first. */
int lay_axis_steps_by(const lay_axis *axis, int v);

/* Puts a product into stream, on the current device: the row's function for these classes (fallen back where
 * the base addresses of args are not aligned), and the addition of its slices. The caller has filled sizes, addresses,
 * offsets, alpha, beta, resume, partial (where launch->slices > 1, unless is_together); this fills the rest. */
lay_status lay_launch_put(const lay_launch *launch, lay_cuda_args *args, void *stream);

/* Both launches of a product, as lay_launch_choose gave them: args is of the whole product, with counters and partial
 * for both or NULL. */
lay_status lay_launch_put_both(const lay_launch launch[2], const lay_cuda_args *args, void *stream);

/* What both take. */
size_t lay_launch_partial(const lay_launch launch[2]);
size_t lay_launch_counters(const lay_launch launch[2]);

/* C from the partial sums of slices: args has sizes, c, result_m, result_n, alpha, beta, slices and partial. */
lay_status lay_launch_put_sum(lay_type type, lay_cuda_args *args, const char *name, void *stream);

/* C = beta C as such a launch: sizes, c, result_m, result_n and beta are filled. */
lay_status lay_launch_put_scale(lay_type type, lay_cuda_args *args, void *stream);

/* Makes the row's functions ready on the current device, so that a launch loads nothing: once a process. */
lay_status lay_launch_load(const lay_launch *launch);

/* The same for one function with so much dynamic shared memory. */
lay_status lay_launch_load_function(const void *function, int shared);

/* The same for what a row needs besides its function: its passes, and what adds slices of a type and scales it. */
lay_status lay_launch_load_others(const lay_cuda_kernel *row, lay_type type);

#endif
