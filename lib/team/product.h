/* A product over places with C staying where it is: in steps, k in panels and, in a panel, columns in blocks. */
#ifndef LAY_TEAM_PRODUCT_H
#define LAY_TEAM_PRODUCT_H

#include "plan/plan.h"
#include "team/cost/cut.h"
#include "team/dealt.h"
#include "team/transfer.h"

/* One of this rank's places: its part of C, and a plan for each step. */
typedef struct lay_team_local {
    int64_t batch, rows, columns;
    lay_desc *part[3]; /* of A, B and C, as they lie there */
    int is_held[2];    /* all that it takes of A, or B, lies there: read in place */
    char *panel[2][2]; /* of A and B, in turns; NULL: held, or there is but one turn */
    lay_plan **plan;   /* [steps]; NULL: nothing to do in that step */
    unsigned *found;   /* [steps], message memory: what of values products hang on; NULL: on none */
    lay_packed limbs;  /* of the operand that all steps share, made once a run; limbs.limbs NULL: none */
} lay_team_local;

struct lay_team_plan {
    lay_team *team;
    lay_type type;
    int rank;                    /* of the matrices: 3 where there is a batch, which comes first */
    int64_t batch, m, n, k;      /* products, and what one of them is */
    char *labels;                /* of a contraction, what explanations say of them; else NULL */
    struct lay_layered *layered; /* NULL: C stays, and each place sums all of k */
    lay_team_cut cut;
    lay_slab panel[2];                                 /* of a step's A and B, but for where the step begins */
    lay_team_candidate candidate[LAY_TEAM_CANDIDATES]; /* what was thought of, cut's first */
    int candidates;
    uint64_t hash;
    size_t alignment;      /* that the caller promises of addresses; 0: none */
    int is_refused;        /* by an agreement: the others know */
    int is_conjugated[2];  /* A, B */
    lay_exchange *move[2]; /* [cut.steps], of A and B; A moves in a panel's first step alone */
    lay_side side[3];
    lay_team_local *local; /* [team->each] */
    lay_mail mail[2][2];   /* of A's and B's messages, in turns */
    void **targets;        /* [2][2][team->each]: of a run */
    void **marks;          /* [2][2][2][team->each]: when a panel has arrived, and when products have read it */
    lay_team_plan_info info;
};

static inline int lay_team_has_part(const lay_team_local *local)
{
    return local->batch > 0 && local->rows > 0 && local->columns > 0;
}

/* What all places have. */
lay_team_shape lay_team_shape_of(const lay_team_plan *plan);

/* The panel of a step's A or B. */
lay_slab lay_team_slab(const lay_team_plan *plan, int operand, int64_t step);

/* [own places]: of an operand's panels of that turn, when they have arrived, or were last read. */
static inline void **lay_team_marks(const lay_team_plan *plan, int is_worked, int operand, int turn)
{
    return plan->marks + (4 * is_worked + 2 * operand + turn) * plan->team->each;
}

/* The plan of matrices, unless they were refused already, with that status: then the others hear of it. */
lay_status lay_team_plan_of(lay_team *team, lay_type type, const lay_dealt dealt[3], lay_status refused,
                            const lay_options *options, lay_team_plan **out);

/* Some rows and columns of a place's part, of all matrices of a batch. */
lay_status lay_team_slice(const lay_desc *desc, const int64_t first[2], const int64_t extent[2], lay_desc **out);

/* One, of a type of sums. */
const void *lay_team_one(lay_type sum);

/* The steps' ways, part by part: who coordinates is lay_team_plan_create. */
lay_status lay_team_plan_make(lay_team_plan *plan, const lay_dealt dealt[3], const lay_options *options);

#endif
