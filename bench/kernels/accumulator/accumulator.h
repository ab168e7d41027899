/* How a matrix unit adds: what may differ from unit to unit, a model of each in integers, and how to find out by
 * experiment which of them a unit is. The unit may be a device's or the model itself. */
#ifndef BENCH_CUDA_ACCUMULATOR_H
#define BENCH_CUDA_ACCUMULATOR_H

#include <stdio.h>

#include "cuda_unit.h"

enum { LINES = LAY_CUDA_UNIT_LINES, SQUARE = LINES * LINES, MAX_DEPTH = LAY_CUDA_UNIT_MAX_DEPTH };

typedef enum rounding {
    TO_ZERO,
    DOWN,
    TO_NEAREST, /* ties to even */
    ROUNDINGS
} rounding;
const char *rounding_name(rounding way);

/* d = c + products: these are added `together` at a time, each lot to the sum so far, which is an f32 number in
 * between.
 *
 *                      2^max      2^(max - below)
 *     largest term     |1xxxxxxxxxxxx|                   max: the largest exponent that a term counts with
 *     another term     |   1xxxxxxxxx|xx                 what lies behind is lost by rounding `terms`
 *     their sum      |yyyyyyyyyyyyyyy|                   exact, then f32 by rounding `result` */
typedef struct accumulator {
    int together;
    int below;
    rounding terms, result;
    rounding denormal;          /* in place of result, where the f32 number is denormal */
    rounding operand;           /* TF32: how the last 13 bits of operands are lost */
    int takes_sum;              /* the sum so far is one of the terms; else it is added to theirs, as f32 numbers are */
    int normalizes_products;    /* a product of 1.5 and 1.5 counts with its own exponent, else with the operands' */
    int normalizes_denormals;   /* a denormal operand counts with its own exponent, else with the least normal one */
    int counts_zeros;           /* a product of 0 and x counts with an exponent, too */
    int keeps_denormal_factors; /* else they are 0 */
    int keeps_denormal_sums;
} accumulator;

/* Somebody who adds, as kernels/cuda_unit.h says: left and right are [tiles][LINES][instructions * depth], c and d are
 * [tiles][LINES][LINES]; instructions is 1 or LAY_CUDA_UNIT_CHAIN. */
typedef struct unit {
    lay_cuda_unit_kind kind;
    void (*add)(const struct unit *of, int tiles, int instructions, const float *left, const float *right,
                const float *c, float *d);
    accumulator model; /* where add is accumulator_add */
} unit;
const char *unit_name(const unit *of);

void accumulator_add(const unit *of, int tiles, int instructions, const float *left, const float *right, const float *c,
                     float *d);

/* Experiments, each a sentence to `to` with the numbers that show it (NULL: none). Returns how many answers fit nothing
 * that found can say. */
int accumulator_find(const unit *of, FILE *to, accumulator *found);

/* Random numbers of several kinds, in one instruction and in chains, so many tiles of each: a line with how many
 * elements are the model's, and the first that is not (NULL: none). Returns how many are not. */
long accumulator_compare(const unit *of, const accumulator *model, int tiles, FILE *to);

/* Problems of one instruction, for experiments: operands that are 0 but where they are put. */
typedef struct question {
    float c, left[MAX_DEPTH], right[MAX_DEPTH];
} question;
/* A product of that value at that step: a power of two on the right; both factors are about as large. */
void question_put(question *to, int step, double value);
void questions_ask(const unit *of, int count, const question *asked, float *answers);

#endif
