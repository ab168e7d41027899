/* An order in which memory is visited, and what its lines cost to fetch: from which cache, how often again, and in how
 * many pages. For what goes element by element, whose lines may be gone before the next of their elements comes. */
#ifndef LAY_MACHINE_VISITS_H
#define LAY_MACHINE_VISITS_H

#include <stdint.h>

#include "machine/machine.h"

/* Loops, the innermost first: so many steps, so many bytes apart. */
enum { LAY_MOST_VISITS = 64 };
typedef struct lay_visits {
    int count;
    int begins_anywhere; /* what lies side by side may begin and end inside lines, which others share */
    struct {
        double steps;
        int64_t bytes;
    } loop[LAY_MOST_VISITS];
} lay_visits;

/* A loop around those that there are. One step is none; what finds no room is left out. */
void lay_visits_add(lay_visits *to, double steps, int64_t bytes);

/* Bytes that the third cache keeps for a core. */
double lay_kept_by_l3(const lay_machine *machine);

/* Seconds until all lines have come that are not in the first cache, where the same is done again and again. */
double lay_visits_predict(const lay_visits *of, const lay_machine *machine);

#endif
