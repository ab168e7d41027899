/* A contraction: labels, numbers, tensors, the call and what is asked of its result. */
#ifndef LAY_TESTS_CONTRACTIONS_CONTRACTION_H
#define LAY_TESTS_CONTRACTIONS_CONTRACTION_H

#include "storage.h"

enum { A, B, C, D, OPERANDS = D, TENSORS };
enum { MAX_LABELS = 3 * MAX_RANK };

typedef enum numbers {
    NUMBERS_WHOLE,  /* whole ones, whose sums are exact */
    NUMBERS_SIGNED, /* -1 .. 1 */
    NUMBERS_WIDE,   /* magnitudes 2^-10 .. 2^10 */
    NUMBERS_SPECIAL /* whole ones, a few NaN and infinities */
} numbers;

typedef struct contraction {
    const element *kind;
    numbers data;
    unsigned conjugated; /* LAY_CONJUGATED_..., of real types too */
    number alpha, beta;
    int labels; /* distinct ones: what follows is by a label's number */
    int64_t extent[MAX_LABELS];
    int64_t name[MAX_LABELS]; /* as the call has it, a letter or any value */
    axis axis[MAX_LABELS];
    int rank[OPERANDS], label[OPERANDS][MAX_RANK]; /* of A, B and C, one a root dimension */
    int is_text;
    char text[200];
    int64_t array[OPERANDS][MAX_RANK];
    lay_sum_order order;
    lay_options options;
    int keeps_numbers; /* no input's elements share a place */
    enum { NO_D, D_APART, D_IS_C } d;
    tensor of[TENSORS];      /* D: only where it lies apart from C */
    lay_desc *second;        /* D's descriptor where D is C */
    number *value[OPERANDS]; /* row-major, as the tensors hold them before the call */
} contraction;

/* Labels, extents, type, numbers, call; tensors come with contraction_place. */
void contraction_choose(contraction *c, random_source *from);

/* The labels as a call takes them, from their names: c->text or c->array. */
void contraction_spell(contraction *c, random_source *from);

/* The number of steps that are summed for an element of C, and whether any are computed. */
int64_t contraction_steps(const contraction *c);
int contraction_has_product(const contraction *c);

/* Numbers, then tensors of any layouts that hold them; what the call does not read is NaN. Where an input's elements
 * share places the numbers become what it holds. */
void contraction_fill(contraction *c, random_source *from);
void contraction_place(contraction *c, random_source *from);
void contraction_free_tensors(contraction *c);
void contraction_free(contraction *c);

/* A number of A, B or C as it takes part, conjugated where it is to be. */
number contraction_number(const contraction *c, int which, int64_t at);

/* What is written. */
tensor *contraction_output(contraction *c);

/* The output as it was before a run. */
void contraction_restore(contraction *c);

/* The ways to call, of operands in the place that tests/there.h finds. */
typedef enum call_way { CALL_CONTRACT, CALL_RUN, CALL_RUN_PRODUCT, CALL_RUN_MANY, CALL_WAYS } call_way;
lay_status contraction_call(contraction *c, call_way way);

/* The plan, its struct, and the run of a plan. */
lay_product contraction_product(const contraction *c);

/* 1: the output is right, gaps are kept, inputs untouched; else why. */
int contraction_is_right(contraction *c, char *why, size_t size);

/* The same contraction with the dimensions of each tensor in another order, and their labels with them; the numbers
 * move along. Without tensors. */
void contraction_shuffle(contraction *c, random_source *from);

/* The output's bytes, its dimensions in the order of the labels' numbers: the same wherever they stand. */
void contraction_bytes(contraction *c, char *to);

/* The same from products of plain matrices by lay_gemm, one for each index of the batch labels, with summed labels in
 * the order that the header promises: the longest innermost, of equally long ones the greater. summed: in this order
 * instead, all of them; NULL: the promised one. */
void contraction_by_matrices(const contraction *c, const int summed[], char *to);

/* What it was, in a few lines. */
void contraction_tell(const contraction *c, char *to, size_t size);

#endif
