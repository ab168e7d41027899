/* A plan: the problem, turned or not, and the job that an executor prepared for it. Plain data. */
#ifndef LAY_PLAN_PLAN_H
#define LAY_PLAN_PLAN_H

#include <stdatomic.h>
#include <stdint.h>

#include "layoutgemm.h"
#include "machine/machine.h"
#include "plan/executor.h"
#include "plan/problem.h"

/* Where an operand's elements lie, to tell at run time whether C stays clear of A and B. */
typedef struct lay_reach {
    int64_t lowest, highest; /* offsets; highest < lowest: no elements */
} lay_reach;

struct lay_plan {
    lay_options options;
    lay_choice choice;
    lay_problem problem;
    lay_job job;
    lay_desc *a, *b, *c; /* the plan's own */
    lay_reach reach_a, reach_b, reach_c;
    /* The byte distances from C's offset 0 to A's and B's at which they were last found apart, plus 1; 0:
     * none yet. All that changes in a plan, by whoever runs it: a distance tells all there is to know. */
    _Atomic uintptr_t apart_a, apart_b;
};

/* With LAY_VERBOSE=1, one CSV line: layoutgemm,event,status,type,m,n,k,executor,kernel,threads,seconds,
 * GFLOP/s. The event is "plan" (seconds as predicted) or "run" (as measured). */
void lay_plan_log(const lay_plan *plan, lay_status status, const char *event, double seconds);

#endif
