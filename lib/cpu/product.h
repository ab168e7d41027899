/* The CPU executor: a planned product on packed panels. */
#ifndef LAY_CPU_PRODUCT_H
#define LAY_CPU_PRODUCT_H

#include "plan/plan.h"

/* Runs the product; m, n, k >= 1. left, right and c are offset 0 of the problem's operands.
 * workspace has lay_plan_workspace bytes, 64-byte aligned. Cannot fail. */
void lay_product_run(const lay_plan *plan, const void *alpha, const void *left, const void *right, const void *beta,
                     void *c, void *workspace);

#endif
