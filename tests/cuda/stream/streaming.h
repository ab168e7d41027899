/* Random products whose operands pass through devices, and what each has to keep to: what tests with a GPU and without
 * one draw and ask alike. */
#ifndef LAY_TESTS_CUDA_STREAMING_H
#define LAY_TESTS_CUDA_STREAMING_H

#include "../../product/support/trial.h"

typedef struct streaming_limits {
    const lay_type *types;
    int type_count;
    int64_t small, small_k, large, large_k; /* extents of every other product at most, and of the rest */
    int64_t longest, long_k;                /* of one in ten: a long side, and k beside it */
    int64_t sliced_k;                       /* of one in ten: k of a small C, whose sums have slices; 0: none */
    int threads;
    int least_memory, most_memory; /* powers of 2: bytes of a device that two in three may take */
} streaming_limits;

/* Numbers, sizes and options; the operands are not placed. */
void streaming_choose(trial *t, const streaming_limits *limits, random_source *from);

/* A run of a product, and one of a product of the same numbers, in usual layouts, whose bits are wanted. */
typedef lay_status streaming_fn(trial *t, void *of);
typedef struct streaming_runs {
    streaming_fn *run, *wanted;
    void *of;
    const char *whose; /* the wanted bits are */
} streaming_runs;

/* Of a trial that is filled and placed. NULL, or what is wrong with it. *is_done: 0 where the product was refused, as
 * the memory that it may take does not hold the smallest tiles. */
const char *streaming_check(trial *t, const streaming_runs *runs, random_source *from, int *is_done);

#endif
