/* Measuring what a product is computed by soonest. */
#ifndef LAY_PLAN_TUNING_MEASURE_H
#define LAY_PLAN_TUNING_MEASURE_H

#include "plan/tuning/store.h"

/* For so many seconds, and one run longer at most. NULL and the fastest, which may be what the estimate takes; or why
 * nothing was measured, as a phrase. */
const char *lay_tuning_measure(const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                               double seconds, lay_tuning *out);

#endif
