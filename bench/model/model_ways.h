/* Every way in which a product could have been computed: each made, and run. Beneath the public header. */
#ifndef MODEL_WAYS_H
#define MODEL_WAYS_H

#include "layoutgemm.h"
#include "plan/plan.h"

/* A product, with operands in memory; C is written. */
typedef struct model_operands {
    lay_type type;
    const lay_desc *desc[3]; /* of A, B, C */
    void *zero[3];           /* addresses of offset 0 */
} model_operands;

enum { MODEL_NAME = 64 };
typedef struct model_way {
    char name[MODEL_NAME]; /* "transposed in place" */
    lay_branch *branch;
    int is_swapped; /* its left operand is B; a rewriter's own doing is not counted */
    double seconds; /* as measured */
    int is_out;     /* so much slower that it is timed no more */

    /* What the branch refers to. */
    lay_options options;
    const lay_way *ways[4];
    lay_table table;
} model_way;

enum { MODEL_WAYS = 128 };
typedef struct model_choice {
    lay_plan *plan;
    model_way way[MODEL_WAYS]; /* the first is the one that was taken */
    int count;
} model_choice;

/* The plan of a product, and all that it might have been: each way of its order, as it is and transposed, with each
 * kernel, by one thread and by all, and with what it decides inside it decided otherwise. LAY_OK, or the status of the
 * plan. */
lay_status model_choose(const model_operands *of, const lay_options *options, model_choice *out);
void model_free(model_choice *of);

/* C = A B by one way. */
lay_status model_run(const model_way *way, const model_operands *of);

#endif
