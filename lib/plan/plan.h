/* A plan: the problem, the kernel taken, its blocks. Plain data once made. */
#ifndef LAY_PLAN_PLAN_H
#define LAY_PLAN_PLAN_H

#include "kernel.h"
#include "layoutgemm.h"
#include "machine/machine.h"
#include "plan/blocks.h"
#include "plan/problem.h"

/* Where an operand's elements lie, to tell at run time whether C stays clear of A and B. */
typedef struct lay_reach {
    int64_t lowest, highest; /* offsets; highest < lowest: no elements */
} lay_reach;

struct lay_plan {
    lay_options options;
    lay_choice choice;
    lay_problem problem;
    const lay_kernel *kernel;
    lay_blocks blocks;
    double seconds;      /* predicted */
    lay_desc *a, *b, *c; /* the plan's own */
    lay_reach reach_a, reach_b, reach_c;
};

/* NULL, or why kernel cannot serve, as a phrase. */
const char *lay_plan_refusal(const lay_kernel *kernel, lay_type type, const lay_choice *choice);

/* Blocks and predicted seconds of kernel for problem. */
double lay_plan_weigh(const lay_problem *problem, const lay_kernel *kernel, const lay_choice *choice,
                      lay_blocks *blocks);

/* Workspace bytes that a run takes. */
size_t lay_plan_workspace(const lay_plan *plan);

#endif
