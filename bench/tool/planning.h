/* Plans of problems. */
#ifndef PLANNING_H
#define PLANNING_H

#include "bench/problems/problem.h"

/* Of matrices or of labels, whose sum may go in the order in which tensors lie. */
lay_status plan_problem(const problem *of, lay_type type, int is_by_storage, const lay_options *options,
                        lay_plan **out);

#endif
