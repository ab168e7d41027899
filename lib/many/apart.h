/* Whether many runs may be done in any order. */
#ifndef LAY_MANY_APART_H
#define LAY_MANY_APART_H

#include "plan/plan.h"

/* Of a group that does nothing no address is looked at. */
static inline int lay_runs_are_idle(const lay_runs *group)
{
    return group->count == 0 || group->plan->is_empty;
}

/* Where a group's results go. */
static inline void *const *lay_runs_target(const lay_runs *group)
{
    return group->plan->addend ? group->d : group->c;
}

/* Whether no run of any group sees what another one writes: the bytes that each writes lie clear of what all others
 * write, and of everything that is read, alpha and beta too. All groups multiply, by addresses that are there, and read
 * C where they write it or not at all. Unless may_look, only what is in order already is found out. */
int lay_many_are_apart(int64_t count, const lay_runs groups[], int may_look);

#endif
