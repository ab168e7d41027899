/* The order in which elements of axes are visited, as loops around what there is. */
#ifndef LAY_CPU_COST_DIGITS_H
#define LAY_CPU_COST_DIGITS_H

#include "machine/visits.h"
#include "plan/axis.h"

/* Digits of an axis that are not yet in a loop. */
typedef struct lay_cost_digits {
    const lay_axis *of;
    int next;    /* -1: none */
    double done; /* of the next one's extent */
} lay_cost_digits;

lay_cost_digits lay_cost_digits_of(const lay_axis *of);

/* The next elements of an axis, so many, as loops around what there is. */
void lay_cost_visit(lay_visits *to, lay_cost_digits *from, double elements, int64_t size);

#endif
