/* Tuned plans of routes: found in the store, measured, and told of. */
#ifndef LAY_PLAN_TUNING_TUNED_H
#define LAY_PLAN_TUNING_TUNED_H

#include "plan/plan.h"
#include "plan/tuning/store.h"

/* What tuning has for a route. */
struct lay_route_tuning {
    int is_found;
    lay_tuning of;       /* the tree refers to its recipe */
    const char *refusal; /* why there is none, or why it is not followed, as a phrase; NULL: it is */
};

/* Gives a route whose tree is the estimate's the tuned one, if there is one, or one is to be measured. Where there is
 * no memory the estimate's stays. */
void lay_tuning_apply(const lay_plan *plan, const lay_problem *problem, const lay_setting *setting, lay_route *route);

/* In lines. */
void lay_tuning_explain(const lay_plan *plan, const lay_route *route, lay_text *text);

#endif
