/* Elements of C in lines that split operands do not serve, by the plain kernel. */
#ifndef LAY_CPU_SPLIT_PATCH_H
#define LAY_CPU_SPLIT_PATCH_H

#include "cpu/split/split_lines.h"
#include "kernel.h"
#include "plan/problem.h"
#include "threads/workspace.h"

/* One block: the lines from first on, count of them, whose records begin at lines; packed panels may be overwritten. */
typedef struct lay_patch_side {
    const void *source;
    const lay_axis *across, *result; /* of the operand, and the same dimension of C */
    const int64_t *along;
    int is_along;
    int64_t first, count;
    const lay_split_lines *lines;
    char *room; /* of its packed panels */
} lay_patch_side;

typedef struct lay_patch {
    const lay_kernel *kernel;
    lay_patch_side left, right;
    int64_t k;
    const void *alpha, *beta;
    void *c;
    int threads;
} lay_patch;

/* Bytes of a plain panel, a multiple of 64: each side's room holds as many as its lines need. */
static inline size_t lay_patch_panel(int64_t k, int width)
{
    return lay_workspace_part((size_t)k * (size_t)width * sizeof(float));
}

/* Strange lines in one side's block. */
int64_t lay_patch_count(const lay_split_lines lines[], int64_t count);

/* C(i,j) = alpha A B + beta C for this block of k, where line i of left or line j of right is strange. */
void lay_patch_run(const lay_patch *patch);

#endif
