/* A problem: what three descriptors ask for, in modes. The kernels' view has a left operand (m x k),
 * a right one (k x n) and a result (m x n) whose n side is the vector side; B^T A^T = C^T, so the
 * caller's product may stand in it turned, with the same bits. */
#ifndef LAY_PLAN_PROBLEM_H
#define LAY_PLAN_PROBLEM_H

#include <stdint.h>

#include "layoutgemm.h"
#include "plan/axis.h"
#include "plan/modes.h"

typedef struct lay_problem {
    lay_type type;
    int is_turned;   /* left is the caller's B, right is A, result is C transposed */
    int is_stranded; /* the order of its sum: lib/plan/summation.h */
    lay_group m, n, k;
    lay_axis left_m, left_k, right_k, right_n, result_m, result_n;
} lay_problem;

/* LAY_ERR_OVERFLOW when an address of desc's elements, in bytes from offset 0, leaves 62 bits: what is
 * left is room for the address of offset 0. */
lay_status lay_problem_check_bytes(lay_type type, const lay_desc *desc, const char *name);

/* LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_OVERFLOW, LAY_ERR_INJECTIVE,
 * LAY_ERR_MEMORY. */
lay_status lay_problem_check(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c);

/* The problem of checked descriptors, which must live as long as it. */
void lay_problem_make(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c, int is_turned,
                      lay_problem *problem);

/* The same, with the indices of m or n in the operands' own order if so asked: those of a packed operand. */
void lay_problem_make_in_order(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c, int is_turned,
                               int is_m_in_order, int is_n_in_order, lay_problem *problem);

/* The same points in an order that is kinder to caches, as the host has them: rows as C stores them where C is most of
 * the memory; columns, behind one stretch of C's, as the right operand stores them, so that its lines are used up while
 * they are near. But for what has to stay in the order of the indices. */
void lay_problem_order_for_caches(const lay_desc *a, const lay_desc *b, const lay_desc *c, int is_m_in_order,
                                  int is_n_in_order, lay_problem *problem);

/* "A", "B", "C": the caller's name of LAY_LEFT, LAY_RIGHT or LAY_RESULT. */
const char *lay_problem_operand(const lay_problem *problem, int operand);

/* 2 m n k, as a double: it may exceed any integer. */
double lay_problem_flops(const lay_problem *problem);

#endif
