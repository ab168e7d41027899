/* A product over places with C staying where it is. */
#ifndef LAY_TEAM_PRODUCT_H
#define LAY_TEAM_PRODUCT_H

#include "plan/plan.h"
#include "team/dealt.h"
#include "team/exchange.h"

/* One of this rank's places: its part of C, and a plan for each step. */
typedef struct lay_team_local {
    int64_t rows, columns;
    lay_desc *part[3]; /* of A, B and C, as they lie there */
    int is_held[2];    /* all that it takes of A, or B, lies there: read in place */
    char *panel_a, *panel_b[2];
    lay_plan **plan; /* [steps]; NULL: nothing to do in that step */
} lay_team_local;

struct lay_team_plan {
    lay_team *team;
    lay_type type;
    int64_t m, n, k, width, steps; /* columns of a step, and how many steps the place with most columns has */
    lay_slab panel[2];             /* of A, and of a step of B */
    uint64_t hash;
    int is_conjugated[2]; /* A, B */
    lay_exchange a, *b;   /* b[steps] */
    lay_side side[3];
    lay_team_local *local; /* [team->each] */
    char *buffer_a, *buffer_b[2];
    void **requests_a, **requests_b[2];
    void **targets; /* [3][team->each]: of a run */
    lay_team_plan_info info;
};

/* Bytes of a step's panel of B at a place, about; a variable for tests alone. */
extern int64_t lay_team_panel_bytes;

/* The steps' ways, part by part: who coordinates is lay_team_plan_create. */
lay_status lay_team_plan_make(lay_team_plan *plan, const lay_dealt dealt[3], const lay_options *options);

#endif
