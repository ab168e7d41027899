/* A trial of ranks with rooms: a product, a copy of what comes of it, and what each rank says of them. */
#ifndef LAY_TESTS_TEAM_ROOM_TRIAL_H
#define LAY_TESTS_TEAM_ROOM_TRIAL_H

#include "spread.h"
#include "team/product.h"
#include "threads.h"

enum { MOST_EACH = 3 };

/* A product of all ranks, and a copy of what came of it to another layout. */
typedef struct room_trial {
    post at;
    int each, is_lazy, devices; /* 0: host memory */
    int is_broken;              /* rank 1's rooms fail, in a first round */
    int is_copy;                /* of A alone, to the other layout */
    int has_wire[MOST_RANKS];
    double timeout; /* 0: the usual one */
    lay_type type;
    lay_compute compute;
    lay_team_sum order;
    double alpha[2], beta[2];
    spread of[4]; /* A, B, C, and the copy of C */
    lay_status status[MOST_RANKS], again[MOST_RANKS];
    char sentence[MOST_RANKS][320];
    lay_team_cut cut[MOST_RANKS];
    int64_t sent[MOST_RANKS], said[MOST_RANKS];
    double seconds[MOST_RANKS];
} room_trial;

/* A rank's share of it: for post_run. */
void room_trial_run(void *trial, int rank);

/* A test with NCCL itself, the library that LAY_NCCL names or the usual one: 1 where there are two devices and it is
 * found; else 0, having said why tests are skipped. */
int room_trial_find_nccl(void);

#endif
