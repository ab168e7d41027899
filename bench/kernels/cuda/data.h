/* What kernels are given and what they must answer, made and compared on the device. */
#ifndef BENCH_CUDA_DATA_H
#define BENCH_CUDA_DATA_H

#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What stands where no element is, and in C where beta is 0: a NaN of this payload. */
void data_fill_canary(lay_type type, void *storage, int64_t elements);

/* Reals below 1 in absolute value, all over. */
void data_fill_random(lay_type type, void *storage, int64_t elements, unsigned seed);

/* Element (i, j) of a matrix as a function of seed, i and j alone: integers up to limit, or reals below 1
 * where limit is 0. Rows that share their elements are as row 0. */
void data_put(const matrix *of, void *storage, unsigned seed, int limit);

/* A B by one thread an element: the sum in double, the sum of absolute values, and the chain of fused
 * multiply-adds that a row of the order CHAIN promises, slices added in ascending order. All [m][n]. */
typedef struct answer {
    int m, n;
    double *sum, *size;
    void *chain;
} answer;
answer data_answer(const matrix *left, const void *a, const matrix *right, const void *b, int slice_k);
void data_answer_free(answer *of);

typedef enum agreement {
    AGREES_IN_VALUE, /* with the chain: for integers */
    AGREES_IN_BITS,  /* with the chain */
    AGREES_IN_BOUND, /* with the sum, within the error bound */
    AGREES_WITH_BITS /* with kept, bit for bit */
} agreement;

typedef struct verdict {
    unsigned long long wrong, first; /* elements, and the least i * n + j of them */
    unsigned long long stray;        /* elements outside of C that were written */
    double got, expected;            /* at first */
    double worst;                    /* |error| / (u size), the largest */
} verdict;

/* What C = alpha A B + beta C, C put from seed and limit before, must be. Takes C's elements out of the
 * storage as it goes, so that what is no canary afterwards is a stray write; to kept, if not NULL, [m][n]. */
verdict data_check(const answer *of, const matrix *c, void *storage, double alpha, double beta, unsigned seed,
                   int limit, agreement how, int k, const void *kept, void *keep);

#ifdef __cplusplus
}
#endif

#endif
