/* A problem: what three descriptors ask for, in modes. The kernels' view has a left operand (m x k),
 * a right one (k x n) and a result (m x n) whose n side is the vector side; B^T A^T = C^T, so the
 * caller's product may stand in it transposed, with the same bits. */
#ifndef LAY_PLAN_PROBLEM_H
#define LAY_PLAN_PROBLEM_H

#include <stdint.h>

#include "layoutgemm.h"
#include "plan/axis.h"
#include "plan/modes.h"

/* A product as it is asked for. */
typedef struct lay_posed {
    lay_type type;
    const lay_desc *a, *b, *c;        /* must live as long as the problem */
    int is_m_in_order, is_n_in_order; /* C's rows or columns stay in the order of their indices: packed operands' do */
    int is_for_host;                  /* walked in an order that is kind to the CPU's caches */
} lay_posed;

typedef struct lay_problem {
    lay_posed posed;
    lay_type type;
    int is_transposed;    /* left is the caller's B, right is A, result is C transposed */
    int has_partial_sums; /* the order of its sum: lib/plan/summation.h */
    lay_group m, n, k;
    lay_axis left_m, left_k, right_k, right_n, result_m, result_n;
} lay_problem;

/* LAY_ERR_OVERFLOW when an address of desc's elements, in bytes from offset 0, leaves 62 bits: what is
 * left is room for the address of offset 0. */
lay_status lay_problem_check_bytes(lay_type type, const lay_desc *desc, const char *name);

/* LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_OVERFLOW, LAY_ERR_INJECTIVE,
 * LAY_ERR_MEMORY. */
lay_status lay_problem_check(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c);

/* The problem of checked descriptors, as it is. */
void lay_problem_pose(const lay_posed *posed, lay_problem *problem);

/* The same product the other way round, C^T = B^T A^T, with the same order of its sum. */
void lay_problem_transpose(const lay_problem *problem, lay_problem *transposed);

/* One way round or the other, walked as a device would. */
void lay_problem_make(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c, int is_transposed,
                      lay_problem *problem);

/* "A", "B", "C": the caller's name of LAY_LEFT, LAY_RIGHT or LAY_RESULT. */
const char *lay_problem_operand(const lay_problem *problem, int operand);

/* 2 m n k, as a double: it may exceed any integer. */
double lay_problem_flops(const lay_problem *problem);

#endif
