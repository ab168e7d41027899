/* A product of several types as chance makes it: types, sizes, layouts, elements. */
#ifndef LAY_TESTS_CONTRACTIONS_MIXED_CASE_H
#define LAY_TESTS_CONTRACTIONS_MIXED_CASE_H

#include "../tensor.h"

enum { TYPES = 6, LABELS = 4 /* batch, rows, columns, steps */ };
enum { A, B, C, D, OPERANDS };

extern const element mixed_kinds[TYPES];

typedef struct mixed {
    uint64_t nth;
    lay_type type[OPERANDS], sum;
    const element *wide; /* the sum's */
    lay_sum_precision precision;
    int64_t extent[LABELS];
    int has_batch[OPERANDS]; /* A, B, and C and D */
    enum { NO_D, D_APART, D_IS_C } d;
    unsigned conjugated;
    int of_integers;
    number alpha, beta;
    lay_options options;
    tensor of[OPERANDS];     /* what is written: D where it is apart, else C */
    number *value[OPERANDS]; /* row-major, before the call */
} mixed;

int mixed_is_complex(lay_type type);

/* Whether the library says that it has these four types. */
int mixed_is_served(const lay_type type[]);

/* Fails with the case and the reason. */
void mixed_tell(const mixed *c, const char *why);

mixed mixed_make(uint64_t nth);
void mixed_free(mixed *c);

/* What a call writes. */
tensor *mixed_written(mixed *c);

/* The labels of an operand: batch, then two of rows, columns and steps. */
int mixed_labels(const mixed *c, int which, int label[]);

/* The product, where the tests' operands lie. */
lay_status mixed_run(mixed *c);

/* x, or its conjugate. */
number mixed_turned(number x, int is_turned);

#endif
