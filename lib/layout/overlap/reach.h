/* Whether a sum of bounded multiples can take a given value: the question behind injectivity and
 * overlap. NP-hard in general; here with a bound on the search. */
#ifndef LAY_LAYOUT_REACH_H
#define LAY_LAYOUT_REACH_H

#include <stdint.h>

__extension__ typedef __int128 lay_wide;

/* stride * x, 0 <= x <= most */
typedef struct lay_term {
    int64_t stride, most;
} lay_term;

enum { LAY_MAX_TERMS = 192 };

/* 1 when some choice of the x makes the terms' sum target, 0 when none does, -1 when *budget, which
 * counts down, ended first or there are more than LAY_MAX_TERMS terms. Reorders the terms. */
int lay_sum_reaches(int n, lay_term terms[], lay_wide target, int *budget);

#endif
