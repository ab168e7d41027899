/* Many runs of one plan by threads that share them, each run one thread's. */
#ifndef LAY_MANY_SHARED_H
#define LAY_MANY_SHARED_H

#include "plan/plan.h"

/* The addresses of many runs, as lay_plan_run_many has them. What the runs need is there. */
typedef struct lay_many {
    int64_t count;
    const void *alpha, *beta;
    const void *const *a, *const *b;
    void *const *c, *const *d; /* d is NULL or c for a plan without a D */
} lay_many;

/* Whether all runs are done, with the bits that they have one after the other: 0, and nothing is done, where they had
 * better be so, or where a run might see what another one writes. */
int lay_many_share(lay_plan *plan, const lay_many *runs);

#endif
