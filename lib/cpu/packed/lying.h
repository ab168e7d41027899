/* Operands whose layout is what a kernel reads: panels that nobody has to pack. */
#ifndef LAY_CPU_LYING_H
#define LAY_CPU_LYING_H

#include "cpu/job.h"
#include "plan/axis.h"

/* Whether the operand of these two dimensions lies in panels of width lines, in blocks of kc steps:
 *     offset(p, j) = base + p / kc * block + j / width * panel + p % kc * width + j % width
 * panel and block not below 0. A panel that is not full is not counted: a kernel reads it whole, and storage may end
 * before that. 0, and out->lines 0, where it does not. */
int lay_lying_find(const lay_axis *across, const lay_axis *along, int width, int64_t kc, lay_lying *out);

#endif
