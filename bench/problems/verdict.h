/* Whether C is A B: an exact check in O(n^2). */
#ifndef VERDICT_H
#define VERDICT_H

#include "operand.h"

/* Fills A and B with integers for which every partial sum of A B is exact in the type, in any
 * order, and C with NaN. */
void verdict_prepare(operand *a, operand *b, operand *c);

/* 1 when C t equals A (B t) for random vectors t of integers, exactly; 0 when it does not; -1
 * when memory runs out. A wrong row of C passes with a probability of at most 2^-32 while C has no
 * more than 2^14 columns. */
int verdict_give(const operand *a, const operand *b, const operand *c);

#endif
