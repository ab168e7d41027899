/* Seconds until bytes have come from where they lie, and what threads share of them. */
#ifndef LAY_CPU_COST_BYTES_H
#define LAY_CPU_COST_BYTES_H

#include "machine/machine.h"

/* Seconds for bytes of lines that lie apart, from the nearest cache that has room for the span of them; from the first
 * one they cost nothing. */
double lay_cost_bytes_apart(double bytes, double span, double width, int64_t apart, const lay_machine *machine);
double lay_cost_bytes(double bytes, double span, const lay_machine *machine);

/* Of two, the longer one and what it does not hide of the other; of multiplying and reading. */
double lay_cost_hide(double x, double y, double hidden);
double lay_cost_overlap(double compute, double read);

/* What each of several threads takes of work that is shared, the bytes of it from memory at most at the rate of all. */
double lay_cost_share(double seconds, double from_memory, int threads, double join);

/* How many times an element's bytes are moved where steps both ways leave lines partly unused. */
double lay_cost_waste(int64_t row, int64_t step, int64_t size);

/* Whether elements of so many bytes that lie so far apart are each in a page of their own. */
int lay_cost_is_page_apart(int64_t apart, int64_t size);

/* Whether lines so far apart, which the second cache has room for, push each other out of it. */
int lay_cost_is_pushed_out(double bytes, double width, int64_t apart, const lay_machine *machine);

/* Lines of left or right that lie in a page of their own each. */
double lay_cost_far_lines(double lines, int64_t apart, int64_t size);

#endif
