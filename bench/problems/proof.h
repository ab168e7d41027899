/* Whether C is the contraction of A and B: as verdict.h, for dense tensors, each of them read once. */
#ifndef PROOF_H
#define PROOF_H

#include "contraction.h"

/* Fills dense A and B with integers for which every sum is exact, in any order, and in 16-bit types fits C. */
void proof_fill(const contraction *of, lay_type type, void *a, void *b);

/* A (B t) for random vectors t of integers: what C t must be. NULL when memory runs out. */
typedef struct proof proof;
proof *proof_create(const contraction *of, lay_type type, const void *a, const void *b);
void proof_destroy(proof *of);

/* Fills C with NaN, before it is computed. */
void proof_prepare(const contraction *of, lay_type type, void *c);

/* 1 when C t is what it must be, exactly; 0 when it is not; -1 when memory runs out. */
int proof_give(const proof *of, const void *c);

#endif
