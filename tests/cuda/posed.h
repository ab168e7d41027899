/* A plan's product as a way of the device has it. */
#ifndef LAY_TESTS_CUDA_POSED_H
#define LAY_TESTS_CUDA_POSED_H

#include <stdlib.h>

#include "cuda/ways.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"

/* By the row that the plan's options name, if any; NULL where the way does not serve. Operands lie on device 0. */
static inline lay_branch *posed_branch(const lay_way *way, const lay_plan *plan)
{
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_desc *const none[2] = { NULL, NULL };
    const char *refusal;
    lay_setting setting;
    lay_problem *const problem = malloc(sizeof *problem);
    lay_route_pose(plan, &there, none, problem, &setting);
    lay_branch *const branch = lay_branch_make(way, problem, &setting, &lay_order_device, &refusal);
    free(problem);
    return branch;
}

#endif
