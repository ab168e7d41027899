/* A run of a plan as it is asked for, by whichever call. */
#ifndef LAY_RUN_H
#define LAY_RUN_H

#include "plan/plan.h"

/* A or B of a run: at data, or packed. */
typedef struct lay_given {
    const void *data;
    const lay_packed *packed;
    const lay_packed *limbs; /* beside data: what the way's put_limbs made of it (plan/way.h); NULL: nothing */
} lay_given;

typedef struct lay_asked_run {
    const void *alpha;
    lay_given operand[2];
    const void *beta;
    const void *addend;              /* C, where it is another tensor than what is written; else NULL */
    const void *term[LAY_END_TERMS]; /* of an ending */
    void *c;                         /* what is written */
    int is_begun;                    /* it has the addend's elements already */
    int is_lent;                     /* workspace is the caller's: NULL where none is needed */
    void *workspace;                 /* else NULL */
    size_t size;                     /* bytes of it */
} lay_asked_run;

/* alpha and beta are there. */
lay_status lay_run_asked(const lay_plan *plan, lay_asked_run *of);

#endif
