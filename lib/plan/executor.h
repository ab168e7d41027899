/* Executors: the ways to run a product, rows of one table. The planner asks each to prepare the
 * problem, both ways round, and keeps the cheapest; what it prepared is plain data. */
#ifndef LAY_PLAN_EXECUTOR_H
#define LAY_PLAN_EXECUTOR_H

#include <stddef.h>

#include "base/text.h"
#include "cuda_kernel.h"
#include "kernel.h"
#include "machine/machine.h"
#include "plan/problem.h"

typedef struct lay_executor lay_executor;

/* Prepared for the CPU's blocked product: what its loops need (lib/cpu/blocks.h draws them). */
typedef struct lay_blocked {
    const lay_kernel *kernel;
    int64_t mb, nb, kc, mc, nc;
    int64_t grid_m, grid_n;         /* tasks along m and n of one mb x nb block */
    int is_by_columns;              /* tasks are dealt to threads column of tasks by column, else row by row */
    size_t left_panel, right_panel; /* bytes from one packed panel to the next, a multiple of 64 */
    size_t left_bytes, right_bytes; /* of all that is packed at once */
} lay_blocked;

/* Prepared for one CUDA device: a row of its kernels, slices of k and what a run takes (lib/cuda/launch.h). */
typedef struct lay_launch {
    const lay_cuda_kernel *kernel;
    const struct lay_device *device;
    lay_cuda_class left, right; /* at best: a base address that is not aligned makes a run fall back to LAY_CUDA_ACROSS */
    int slices, slice_k;
    int tiles_m, tiles_n;
    size_t partial, counters, tables; /* bytes */
} lay_launch;

/* A prepared product. */
typedef struct lay_job {
    const lay_executor *executor;
    const char *kernel; /* its name */
    int threads;        /* that the work can keep busy, at most those asked for */
    double seconds;     /* predicted */
    size_t workspace;   /* bytes a run takes */
    union {
        lay_blocked cpu;
        lay_launch cuda;
    } of;
} lay_job;

struct lay_executor {
    const char *name;

    /* Fills job for the cheapest kernel. NULL, or why it cannot serve, as a phrase. */
    const char *(*prepare)(const lay_problem *problem, const lay_options *options, const lay_choice *choice,
                           lay_job *job);

    /* C = alpha left right + beta C; m, n, k >= 1. The operands are offset 0 of the problem's;
     * workspace has job->workspace bytes, 64-byte aligned. */
    lay_status (*multiply)(const lay_problem *problem, const lay_job *job, const void *alpha, const void *left,
                           const void *right, const void *beta, void *c, void *workspace);

    /* C = beta C; beta == 0 stores +0 without reading C. */
    lay_status (*scale)(const lay_problem *problem, const lay_job *job, const lay_choice *choice, const void *beta,
                        void *c);

    /* Its choices and all rows that it refused, in lines. */
    void (*explain)(const lay_problem *problem, const lay_choice *choice, const lay_job *job, lay_text *text);
};

/* Every executor of this build. */
extern const lay_executor *const lay_executors[];
extern const int lay_executor_count;

#endif
