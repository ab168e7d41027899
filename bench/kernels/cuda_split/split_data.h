/* Numbers that make it hard to be exact, and how exact a product of them is. */
#ifndef BENCH_CUDA_SPLIT_DATA_H
#define BENCH_CUDA_SPLIT_DATA_H

#include "bench/kernels/cuda/data.h"
#include "cuda_split.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements by line (row of left, column of right) and step. */
typedef enum split_kind {
    SPLIT_INTEGERS,    /* numbers whose sums are below 2^23 */
    SPLIT_INTEGERS_11, /* of 11 bits */
    SPLIT_UNIFORM,     /* below 1 in absolute value */
    SPLIT_POSITIVE,
    SPLIT_NORMAL,
    SPLIT_LOG_10,
    SPLIT_LOG_13,
    SPLIT_LOG_30,
    SPLIT_LOG_60, /* 2^x, x uniform up to 10 and so on either way */
    SPLIT_EXP_1,
    SPLIT_EXP_2,
    SPLIT_EXP_4, /* uniform times exp(normal), times 2, times 4 */
    SPLIT_LOGNORMAL,
    SPLIT_LOW,      /* left from 2^-126 to 2^-86, right from 1 to 2^40 */
    SPLIT_DENORMAL, /* left denormal, right 2^100 to 2^120 */
    SPLIT_TINY,     /* products that are denormal */
    SPLIT_HUGE,     /* left near the greatest number, right near 2^-20 */
    SPLIT_CANCEL,   /* pairs of products that nearly cancel */
    SPLIT_LINES_40, /* normal, lines 2^-40 to 2^40 */
    SPLIT_STEPS_12,
    SPLIT_STEPS_20,    /* normal, steps graded so far either way, up on the left and down on the right */
    SPLIT_BIG_ONE,     /* one step of left is 2^26, where right has zeros */
    SPLIT_COHERENT,    /* lines of one number */
    SPLIT_SPARSE,      /* normal, one of 64 */
    SPLIT_TINY_ONE,    /* uniform, and one line has one tiny element */
    SPLIT_TINY_FEW,    /* and one line in 16 has some */
    SPLIT_WIDE_ONE,    /* uniform, and a quarter of one line is tiny */
    SPLIT_STRANGE,     /* uniform, and a few lines with Inf or NaN in one place */
    SPLIT_ALL_STRANGE, /* half of the lines */
    SPLIT_WIDE,        /* left from 2^-120 to 2^40, right from 2^-40 to 2^60: path STRICT */
    SPLIT_KINDS
} split_kind;
const char *split_kind_name(split_kind kind);

void split_put(const matrix *of, int is_left, void *storage, split_kind kind, unsigned seed);

typedef struct split_verdict {
    unsigned long long wrong, first; /* elements; the least i * n + j of them */
    unsigned long long stray;        /* elements outside of C that were written */
    unsigned long long classes;      /* elements whose class (NaN, infinity, number) is not the chain's */
    double got, expected;            /* at first */
    double worst, chain_worst;       /* |error| / (u size), the largest, of C and of the chain of fused multiply-adds */
    double bound;                    /* of worst */
    double bias;                     /* the mean of error / (u size) */
    double finite;                   /* elements in it */
} split_verdict;

/* What C = alpha A B + beta C must be, C from data_put(seed, 0) before: of the lines that are finite the sum within the
 * bound of the header, of others and on path STRICT the patch's order, bit for bit; exact demands the chain's value of
 * all. With kept, [m][n], the bits are kept's; or they go there. takes: C's elements leave the storage, as in
 * data_check. */
typedef struct split_demand {
    lay_cuda_split_args args; /* with the operands and the records of lines */
    lay_cuda_split_path_kind path;
    double alpha, beta;
    unsigned seed;
    int exact, has_kept, takes;
    float *kept;
} split_demand;
split_verdict split_verify(const answer *of, const matrix *c, void *storage, const split_demand *by);

/* Random halves, for a peer. */
void split_fill_halves(void *halves, int64_t count, unsigned seed);

#ifdef __cplusplus
}
#endif

#endif
