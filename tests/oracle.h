/* The oracle of products: what C must be, computed in higher precision, and how far from it a result
 * may lie (docs/numerics.md). It knows the public header only, so that no fault of the library can
 * be a fault of the oracle too. Every comparison is written so that NaN fails it. */
#ifndef LAY_TESTS_ORACLE_H
#define LAY_TESTS_ORACLE_H

#include <stdint.h>

#include "layoutgemm.h"

typedef enum oracle_gate {
    ORACLE_HARD,   /* the bound that holds for any finite data */
    ORACLE_RANDOM, /* data without structure: errors grow with the root of the number of roundings */
    ORACLE_EXACT   /* integers whose partial sums the type holds: equality */
} oracle_gate;

/* The numbers that an element of the type has, two of a complex one, and their type. */
int oracle_parts(lay_type type);
lay_type oracle_real(lay_type type);

/* Matrices are row-major arrays of double whose values the type holds: a [m][k], b [k][n], c [m][n]; of complex numbers
 * the real part is followed by the imaginary one.
 * a and b may be NULL where alpha or k is 0, c (as it was before) where beta is 0. */
typedef struct oracle_problem {
    lay_type type;
    int64_t m, n, k;
    double alpha, beta;
    double alpha_i, beta_i; /* imaginary parts, of complex products */
    int is_conjugated[2];   /* A, B */
    const double *a, *b, *c;
    oracle_gate gate;
    double rounded;   /* what rounding the operands may cost, of |A| |B|: LAY_COMPUTE_TF32 and the like; else 0 */
    int is_one_chain; /* the sum over k may be one chain, as on a GPU; 0: it is cut in the CPU's blocks */
} oracle_problem;

/* The first element that is wrong; of complex ones j counts parts. */
typedef struct oracle_miss {
    int64_t i, j;
    double got, wanted, bound;
} oracle_miss;

/* 1 when every element of got [m][n] is right: within the gate where the product is finite, else of
 * the same class (NaN, +Inf, -Inf). Elements whose sum of absolute values overflows the type are
 * not checked. */
int oracle_product(const oracle_problem *problem, const double *got, oracle_miss *miss);

/* The exact check in O(n^2) for large products of integers: got t equals alpha A (B t) + beta C t
 * for random vectors t. A wrong row passes with a probability below 2^-40. */
int check_large(const oracle_problem *problem, const double *got, oracle_miss *miss);

/* A matrix in its layout to and from a row-major array, element by element through
 * lay_desc_offset. zero is the address of offset 0. */
void oracle_scatter(lay_type type, const lay_desc *desc, void *zero, const double *from);
void oracle_gather(lay_type type, const lay_desc *desc, const void *zero, double *to);

/* The type's number next to a value; of two, the even one. */
double oracle_round(lay_type type, double value);

/* One element of the type, and its bits as they are. Of a complex type its real part; the other is stored as 0. */
double oracle_load(lay_type type, const void *zero, int64_t offset);
void oracle_store(lay_type type, void *zero, int64_t offset, double value);

/* Makes count elements' NaNs one NaN: a NaN's sign and payload are nobody's promise. */
void oracle_unite_nans(lay_type type, char *elements, int64_t count);

/* memory[0 .. bytes), or the end of the program: a test without memory has no result. */
void *oracle_memory(size_t bytes);

/* The offsets of a rank-2 descriptor that is not empty: element (i, j) is at row[i] + column[j].
 * The caller frees both. */
void oracle_offsets(const lay_desc *desc, int64_t **row, int64_t **column);

#endif
