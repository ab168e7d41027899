/* C = beta C, where there is no product to add. */
#ifndef LAY_CPU_SCALE_H
#define LAY_CPU_SCALE_H

#include "plan/problem.h"

/* c is offset 0 of C. beta == 0 stores +0 without reading C; beta == 1 touches nothing. On up to threads
 * threads, fewer where C is small. */
void lay_scale(const lay_problem *problem, int threads, const void *beta, void *c);

#endif
