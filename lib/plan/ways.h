/* The ways of a plan, one for each placement of the operands. */
#ifndef LAY_PLAN_WAYS_H
#define LAY_PLAN_WAYS_H

#include "plan/plan.h"

/* The problem and setting of a plan for operands in these places, one way round or the other. */
void lay_way_pose(const lay_plan *plan, const lay_places *places, int is_turned, lay_way *way);

/* As lay_plan_find_way, without a status: NULL, and each executor's reason in why (nothing: no memory). */
lay_way *lay_plan_try_way(lay_plan *plan, const lay_places *places, lay_text *why);

/* Gives back a list of ways. */
void lay_ways_destroy(lay_way *first);

#endif
