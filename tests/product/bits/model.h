/* docs/numerics.md as a program: every element of a product on the CPU, to the last bit. Written from that page, in the
 * plainest way, and with no code of the library: where the two differ, one of them is wrong. */
#ifndef LAY_TESTS_PRODUCT_MODEL_H
#define LAY_TESTS_PRODUCT_MODEL_H

#include <stdint.h>

#include "layoutgemm.h"

/* Matrices are row-major arrays of double whose values the type holds: a [m][k], b [k][n], c [m][n]. */
typedef struct model_product {
    lay_type type;
    int is_fused; /* 0: at the portable level, LAY_ISA_C */
    int limbs;    /* 0: plain; else split operands, in so many limbs of bfloat16 */
    int64_t m, n, k;
    double alpha, beta;  /* as the type's scalars hold them */
    const double *a, *b; /* not read where alpha or k is 0 */
    const double *c;     /* as it was before; not read where beta is 0 */
} model_product;

/* to[m][n] = what C becomes, values that the type holds. */
void model_multiply(const model_product *product, double *to);

/* Its parts. One block of k, from step first on, by one chain; and c = alpha sum + beta c, for a block's sum. a is a
 * row of A, b a column of B, whose steps lie next to each other. */
double model_chain(const model_product *product, const double *a, const double *b, int64_t count);
double model_update(const model_product *product, double alpha, double sum, double beta, double c);

/* kc, for a sum of k steps. */
int64_t model_kc(int64_t k);

/* The same as model_multiply of split operands, where neither alpha nor k is 0 (model_split.c). */
void model_multiply_split(const model_product *product, double *to);

#endif
