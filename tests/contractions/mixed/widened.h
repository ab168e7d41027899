/* What a product of several types must be, bit by bit: that of widened copies in the sum's type. */
#ifndef LAY_TESTS_CONTRACTIONS_MIXED_WIDENED_H
#define LAY_TESTS_CONTRACTIONS_MIXED_WIDENED_H

#include "case.h"

/* Row-major, in the sum's type. */
void multiply_widened(const mixed *c, number want[]);

/* A matrix of 16-bit numbers meets a vector on the CPU: the sum alone is that of widened copies, chunk by chunk, and
 * what is added to it is not fused. */
int reads_narrow_matrix(const mixed *c);

#endif
