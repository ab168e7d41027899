/* Every way in which a product could have been computed: each made, and run. Beneath the public header. */
#ifndef MODEL_WAYS_H
#define MODEL_WAYS_H

#include "bench/problems/contraction.h"
#include "layoutgemm.h"
#include "plan/plan.h"

typedef struct model_place model_place;

/* A product, with operands in memory; C is written. */
typedef struct model_operands {
    const model_place *place;
    lay_type type;
    const lay_desc *desc[3];   /* of A, B, C */
    const contraction *labels; /* NULL: matrices */
    int is_by_storage;         /* a contraction's sum goes in the order in which its tensors lie */
    void *zero[3];             /* addresses of offset 0, of the first set */
    size_t apart[3];           /* bytes from set to set */
    int sets;                  /* 1 in host memory; on a device as many as outgrow its second cache */
} model_operands;

enum { MODEL_NAME = 96 };
typedef struct model_way {
    char name[MODEL_NAME];   /* "transposed in place" */
    char kernel[MODEL_NAME]; /* its name, and what was decided beside it */
    lay_branch *branch;
    int is_swapped;   /* its left operand is B; a rewriter's own doing is not counted */
    int is_other_sum; /* it adds in another order than the way taken: equal bits do not follow */
    double seconds;   /* as measured */
    int is_out;       /* so much slower that it is timed no more, or without the memory that it needs */

    /* What the branch refers to. */
    lay_options options;
    const lay_way *ways[4];
    const lay_order *orders[2];
    lay_table table;
} model_way;

/* A way that an earlier run timed, and that would not be tried now. */
enum { MODEL_WAY_TEXT = 2 * MODEL_NAME + 16 };
typedef struct model_missed {
    char text[MODEL_WAY_TEXT];
    double predicted, seconds;
} model_missed;

enum { MODEL_WAYS = 192 };
typedef struct model_choice {
    lay_plan *plan;
    const model_place *place;
    model_way way[MODEL_WAYS]; /* the first is the one that was taken */
    int count;
    model_missed missed[2]; /* of --replay: the fastest of its sum and, [1], of any; else their seconds are INFINITY */
} model_choice;

/* The plan of a product, and all that it might have been: each way of its order, as it is and transposed, with each
 * kernel, by one thread and by all, and with what it decides inside it decided otherwise. LAY_OK, or the status of the
 * plan. */
lay_status model_choose(const model_operands *of, const lay_options *options, model_choice *out);
void model_free(model_choice *of);

/* "NAME/KERNEL/THREADS", as reports have it. */
void model_way_write(const model_way *way, char to[MODEL_WAY_TEXT]);

/* C = A B by one way, of the set-th operands. */
lay_status model_run(const model_way *way, const model_operands *of, int set);

/* What a branch is made of, interleaved the product. */
typedef struct model_form {
    const lay_way *way, *inside; /* inside: whom it asks for its own products, NULL: whom the table has */
    const char *kernel;          /* NULL: any */
    int threads, is_swapped;
    unsigned bench;
} model_form;

/* A way more, of the order of the one that was taken: NULL where it refuses, or is full. */
model_way *model_make(model_choice *to, const model_form *in);
/* Keeps the way that was made last, now that it has all it is named by; or not, where there is one of that name. */
void model_keep(model_choice *to, model_way *made, const lay_way *inside);

#endif
