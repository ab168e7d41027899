/* Operands to measure with, that nobody else has. */
#ifndef LAY_PLAN_TUNING_SCRATCH_H
#define LAY_PLAN_TUNING_SCRATCH_H

#include "plan/way.h"

/* For the caller's A, B and C. */
typedef struct lay_scratch {
    void *block[LAY_OPERANDS];
    void *zero[LAY_OPERANDS]; /* the address of offset 0 */
} lay_scratch;

/* NULL, or why there are none, as a phrase. To be given back in any case. */
const char *lay_scratch_take(const lay_posed *posed, lay_scratch *out);
void lay_scratch_give(lay_scratch *scratch);

/* Seconds of a run of a tree, the mean of as many as fill least seconds; negative where one fails. */
double lay_scratch_time(lay_branch *root, const lay_scratch *on, double least);

/* Of a clock that only goes forward. */
double lay_scratch_now(void);

#endif
