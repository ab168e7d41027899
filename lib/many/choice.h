/* Which of many runs threads share, so that all is done soonest. */
#ifndef LAY_MANY_CHOICE_H
#define LAY_MANY_CHOICE_H

#include "plan/plan.h"

/* A group, and what it is predicted to take, in seconds. */
typedef struct lay_party {
    const lay_runs *group;
    lay_route *alone; /* by one thread */
    double in_turn;   /* all runs one after the other, each by the plan's threads */
    double one;       /* a run by one thread; INFINITY: none may do it alone */
    double before;    /* the shared runs of parties before this one */
} lay_party;

/* Runs under way: those of the first parties are shared. */
typedef struct lay_shares {
    lay_party *of;
    int64_t parties, shared, shares;
    int is_short;    /* runs one after the other are done before another thread would begin */
    double all;      /* seconds of the shared runs by one thread */
    char *workspace; /* NULL: none is needed */
    size_t each;     /* bytes of it */
} lay_shares;

/* Fills of, which has room for as many parties as there are groups, from the groups that are not idle. Whether threads
 * share runs sooner than each plan would do its own one after the other. *may_look: whether it pays to look up each
 * address by itself. */
int lay_shares_find(int64_t count, const lay_runs groups[], lay_shares *of, int *may_look);

/* The first run of a party that is not a share's before this one; of share number `shares` their number. */
int64_t lay_shares_cut(const lay_shares *of, const lay_party *at, int64_t share);

#endif
