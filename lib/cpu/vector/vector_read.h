/* Reading the matrix of a product with a vector: the sums of its lines' blocks, however it lies. */
#ifndef LAY_CPU_VECTOR_READ_H
#define LAY_CPU_VECTOR_READ_H

#include "cpu/job.h"

/* Partial sums of a block of this type (kernels/kernel.h). */
static inline int64_t lay_partials(lay_type type)
{
    return LAY_PARTIAL_BYTES / (int64_t)lay_type_size(type);
}

/* What is the same for all of a product's blocks. */
typedef struct lay_vector_work {
    const lay_problem *problem;
    const lay_blocked *blocks;
    const lay_call *call;
    const lay_axis *lines, *steps;   /* of the matrix */
    const lay_axis *result, *across; /* C's, along the lines, and the other one */
    const lay_axis *vector;          /* its steps */
    const void *matrix, *x;          /* x is contiguous, */
    int64_t x_first;                 /* and begins with this step */
    const lay_packed *packed;        /* the matrix's panels, if it has them */
    int64_t first, last;             /* steps that are under way */
    const void *from_x, *from_line;  /* where copies come from: index 0 along k */
    char *workspace, *waiting, *shared;
} lay_vector_work;

/* Lines first .. first + n, at most the job's width, steps from .. to, the first of them a block's first. The sums of
 * the i-th of these blocks go to sums[i * row + 0 .. n-1]; room is the task's own, for lay_vector_scratch bytes. */
void lay_vector_sum(const lay_vector_work *of, int64_t first, int64_t n, int64_t from, int64_t to, char *sums,
                    int64_t row, char *room);

size_t lay_vector_scratch(const lay_problem *problem, const lay_blocked *blocks);

#endif
