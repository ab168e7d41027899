/* The routes of a plan: a tree of branches for each placement of the operands that it has met. */
#ifndef LAY_PLAN_ROUTES_H
#define LAY_PLAN_ROUTES_H

#include "plan/plan.h"

/* The problem and setting of a plan for operands in these places; layout: those of a packed A and B, NULL
 * where they are not. */
void lay_route_pose(const lay_plan *plan, const lay_places *places, lay_desc *const layout[2], lay_problem *problem,
                    lay_setting *setting);

/* As lay_plan_find_route, without a status: NULL, *refusal (lay_no_memory: none) and each order's reason in why. */
lay_route *lay_plan_try_route(lay_plan *plan, const lay_places *places, const char **refusal, lay_text *why);

/* Gives back a list of routes. */
void lay_routes_destroy(lay_route *first);

#endif
