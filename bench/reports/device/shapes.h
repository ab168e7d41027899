/* The products of report `shapes`. */
#ifndef SHAPES_H
#define SHAPES_H

#include "layoutgemm.h"

enum { SHAPES_SQUARES = 60, SHAPES_OTHERS = 40, SHAPES_MOST = 2048 };

/* C = A B by rows; A and B by rows or by columns. */
typedef struct shape {
    const char *group; /* of the summary */
    lay_type type;
    lay_compute compute;
    int m, n, k;
    int by_columns[2];
} shape;

/* Of f16, bf16 and TF32: squares from 200 to 16384, multiples of 2048, of 128, of 8 and odd, and shapes of inference;
 * of f32 and f64 squares up to 8192, and long and thin ones. All but the named ones are drawn from one seed. The number
 * of them, SHAPES_MOST at most. Squares of no more than `largest`; with has_type of this type alone, of f32 as compute
 * says. */
int shapes_list(int largest, int has_type, lay_type type, lay_compute compute, shape out[]);

#endif
