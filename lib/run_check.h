/* What a run is given, before anything is computed. */
#ifndef LAY_RUN_CHECK_H
#define LAY_RUN_CHECK_H

#include <stdint.h>

#include "run.h"

/* Whether bytes meet, as integers: pointers into different blocks may not be compared. */
static inline int lay_operands_meet(const lay_meeting *meeting, const void *x_zero, const void *c_zero)
{
    return (uintptr_t)x_zero - (uintptr_t)c_zero - meeting->first < meeting->count;
}

/* Whether packed operands, addresses and an ending's tensors are such as the plan has them. */
lay_status lay_run_check_arguments(const lay_plan *plan, const lay_asked_run *of);

/* Of a run that computes something: whether what it reads, A and B where there is a product, is there and stays clear
 * of what it writes. *addend: C, if it is read and is not where the result goes; else NULL. *places: where all lie. */
lay_status lay_run_check_memory(lay_plan *plan, const lay_asked_run *of, int has_product, const void **addend,
                                lay_places *places);

#endif
