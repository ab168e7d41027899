/* Plans of a grid's products, remembered: what lies in them is the same on all its processes. */
#ifndef LAYPBLAS_PLANS_H
#define LAYPBLAS_PLANS_H

#include <stdint.h>

#include "layoutgemm_team.h"

/* What all processes say alike of a product but for its scalars; and what is a process's own. */
typedef struct laypblas_key {
    int64_t shared[40];
    int64_t lead[3];
} laypblas_key;

typedef struct laypblas_plans laypblas_plans;

/* The plan of this key, NULL if there is none: then some other process may have one, and all make a new one. */
lay_team_plan *laypblas_plans_find(laypblas_plans *plans, const laypblas_key *key);

/* Keeps a plan, in the place of one with the same shared part, and as many others as there is room for, those that were
 * used last. bytes: about what it takes at a process, a number that all have. Returns the plans, made at the first
 * call; NULL without memory: then the plan is gone. */
laypblas_plans *laypblas_plans_keep(laypblas_plans *plans, const laypblas_key *key, lay_team_plan *plan, int64_t bytes);

void laypblas_plans_free(laypblas_plans *plans);

#endif
