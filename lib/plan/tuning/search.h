/* What a product might be computed by: trees that the planner holds for plausible, and their neighbours. */
#ifndef LAY_PLAN_TUNING_SEARCH_H
#define LAY_PLAN_TUNING_SEARCH_H

#include "plan/tuning/recipe.h"

typedef struct lay_candidate {
    lay_recipe recipe;
    lay_branch *root;
    double seconds; /* as measured; 0: not yet */
    int is_out;     /* so much slower that it is timed no more */
} lay_candidate;

enum { LAY_MOST_CANDIDATES = 256 };
typedef struct lay_search {
    const lay_problem *problem;
    const lay_setting *setting;
    const lay_order *order;
    int count;
    lay_candidate candidate[LAY_MOST_CANDIDATES]; /* the first is what the planner takes */
} lay_search;

/* Every way of the order in each of its forms, with each kernel, by one thread and by all, below every rewriter. 0
 * without memory for the first one, or where it is too deep a tree. */
int lay_search_start(const lay_problem *problem, const lay_setting *setting, const lay_order *order, lay_search *out);

/* The first one ahead, then by the time predicted; those go that are said to take so many times as long as the
 * soonest. */
void lay_search_sort(lay_search *in, double times);

/* A tree like candidate number, with something decided otherwise about one branch: the turn-th of such neighbours. NULL
 * where there is none so, or it is known; *is_end where there are no more. */
lay_candidate *lay_search_neighbour(lay_search *in, int number, int turn, int *is_end);

void lay_search_end(lay_search *of);

#endif
