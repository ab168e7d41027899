/* A product whose sums are split over places: what layers take of A and B, and what becomes of their partial sums. */
#ifndef LAY_TEAM_LAYERED_H
#define LAY_TEAM_LAYERED_H

#include "base/text.h"
#include "team/layers/layers.h"
#include "team/product.h"

enum { LAY_LAYERINGS = 12, LAY_PARTIALS = 9 }; /* 2^8 slices: a sum of each level, and the newest */

/* Which of the candidates is taken, modulo their number: 0, the cheapest. A variable for tests alone. */
extern int lay_layered_pick;

/* Of one of this rank's places. */
typedef struct lay_partial {
    lay_desc *desc, *taken;  /* of what it sums, and of a layer's sums of what it has of C: dense */
    char *sum[LAY_PARTIALS]; /* those that wait for their neighbour, the newest last */
    int count;               /* of these, in a run */
    char *gathered;          /* each layer's, one behind the other; NULL: there is but one layer */
} lay_partial;

struct lay_layered {
    lay_layers layers;
    lay_layers_candidate candidate[LAY_LAYERINGS]; /* what was thought of, the cheapest first */
    int candidates, pick;
    lay_side block;    /* which part of C a place sums; more layers than one */
    lay_side panel[2]; /* what a place takes of A and B in all steps */
    int inner;         /* the dimension whose neighbours lie beside each other in partial sums */
    int64_t most[2];   /* rows and columns that a place sums, at most */
    int64_t taken[2];  /* and has of C */
    lay_type sum;
    lay_options options; /* of additions */
    lay_partial *local;  /* [own places] */
    lay_exchange gather;
    void **source, **target; /* [own places]: of the gathering */
    lay_mail mail;
};

/* Chooses the layers, and with them the plan's steps and panels. Its sides are there. */
lay_status lay_layered_make(lay_team_plan *plan, const lay_options *options);
void lay_layered_free(lay_team_plan *plan);

/* What moves of A or B in a step; and of partial sums, when all steps are done. */
lay_status lay_layered_move(lay_team_plan *plan, int operand, int64_t step, lay_exchange *out);
lay_status lay_layered_gather(lay_team_plan *plan);

/* An own place's part, with memory for its sums; and a step's operands there, as descriptors. */
lay_status lay_layered_open(lay_team_plan *plan, int number, lay_team_local *local);
lay_status lay_layered_operands(lay_team_plan *plan, int number, const lay_team_local *local, int64_t step,
                                lay_desc *desc[3]);

/* The types and sizes of a step's product. */
void lay_layered_ask(const lay_team_plan *plan, lay_desc *const desc[3], lay_asked *asked);

/* A run: begin, each step's product at each place, and the end, which moves partial sums though *failed is an error, as
 * others wait for them. LAY_ERR_TEAM. */
void lay_layered_begin(lay_team_plan *plan);
lay_status lay_layered_multiply(lay_team_plan *plan, int number, int64_t step, const void *const operand[2]);
lay_status lay_layered_end(lay_team_plan *plan, int has_product, const void *alpha, const void *beta, void *const c[],
                           lay_status *failed);

/* The ways that there were. */
void lay_layered_explain(const lay_team_plan *plan, lay_text *text);

#endif
