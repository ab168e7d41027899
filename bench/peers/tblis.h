/* TBLIS, a library of tensor contractions, loaded while we run. */
#ifndef TBLIS_H
#define TBLIS_H

#include <stdint.h>

#include "peers.h"

struct tblis;

/* One tensor as TBLIS takes it: a label, an extent and a stride for each dimension. */
typedef struct tblis_operand {
    int rank;
    const char *labels;
    const int64_t *extent, *stride;
    void *data;
} tblis_operand;

/* 1 where a library that has been loaded is TBLIS: the rest of out is filled in. 0 where it is another. */
int tblis_find(void *library, peer *out);

/* 1 for a type that it multiplies. */
int tblis_has_type(const struct tblis *of, lay_type type);

/* C = A B. */
void tblis_multiply(const struct tblis *with, lay_type type, const tblis_operand *a, const tblis_operand *b,
                    const tblis_operand *c);

#endif
