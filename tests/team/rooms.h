/* Matrices over places in a team's own rooms: host memory or devices', sent there and fetched back with all their gaps.
 * Of ranks each has its own places' parts alone. */
#ifndef LAY_TESTS_TEAM_ROOMS_H
#define LAY_TESTS_TEAM_ROOMS_H

#include "spread.h"
#include "team/team.h"

enum { ROOMS_MOST_PLACES = 16 };

/* A team of host memory where count is 0, else of the devices in turns. */
lay_team *rooms_make_team(int places, int count);
int rooms_count_devices(void);

/* Whether there are any; else the tests are skipped, with the reason. */
int rooms_have_devices(void);

/* The parts of a spread in the rooms of a team. */
typedef struct housed {
    lay_team *team;
    spread *of;
    int64_t *lowest, *count; /* [places], elements of storage */
    void **block, **part;
} housed;

/* With what the parts hold; and back into them. */
housed rooms_send(lay_team *team, spread *of);
void rooms_fetch(const housed *of);
void rooms_free(housed *of);

/* The product of one place, in the order of the team's sums, of row-major matrices in the first room's kind of memory;
 * and batches of them, one after the other. Host memory in and out. */
lay_status rooms_multiply(lay_team *team, lay_type type, const int64_t size[3], const void *alpha, const void *a,
                          const void *b, const void *beta, void *c, const lay_options *options);
lay_status rooms_multiply_batch(lay_team *team, lay_type type, int64_t batch, const int64_t size[3], const void *alpha,
                                const void *a, const void *b, const void *beta, void *c, const lay_options *options);

#endif
