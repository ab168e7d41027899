/* Where rows and columns of a direct product are cut: at their storage's boundaries, and in panels. */
#ifndef LAY_CPU_DIRECT_CUT_H
#define LAY_CPU_DIRECT_CUT_H

#include "base/arith.h"

/* Columns from first on: whole registers but for the last one, which may begin within the one before, in panels of at
 * most width = 2 * lanes. A panel of fewer than lanes only where there are no more. */
static inline int cut_columns(int64_t first, int64_t end, int64_t run, int width, int lanes)
{
    const int64_t boundary = run < end ? min_of(end, (first / run + 1) * run) : end, rest = boundary - first;
    return rest <= width ? (int)rest : rest > width + lanes ? width : (int)(rest - lanes);
}

/* Indices from first on, to the end of the block of `run` that first lies in or to `end`, in equal parts of
 * at most `width`: how many the first part has. */
static inline int cut_panel(int64_t first, int64_t end, int64_t run, int width)
{
    const int64_t boundary = run < end ? min_of(end, (first / run + 1) * run) : end, rest = boundary - first;
    return rest <= width ? (int)rest : rest >= 2 * width ? width : (int)((rest + 1) / 2);
}

#endif
