/* One product of matrices in device memory by several CPU threads, each with its share on its own stream. */
#ifndef SHARES_H
#define SHARES_H

#include "bench/contest/contest_device.h"

enum { MAX_SHARES = 8 };

typedef enum shares_kind {
    SHARES_BY_ROWS,  /* rows of A and C; everybody reads all of B */
    SHARES_BY_SLICES /* columns of A and rows of B: partial products, which are then added in ascending order */
} shares_kind;

typedef struct shares {
    ground *of;
    shares_kind kind;
    int count;
    void *stream[MAX_SHARES];
    lay_plan *plan[MAX_SHARES];
    float *partial; /* [count][m * n], and a one for each behind; by slices only */
    lay_plan *sum;  /* ones [1][count] times partial [count][m * n] */
} shares;

/* Of single precision, C row-major and dense. 0, or the exit status after a sentence; shares_destroy in either
 * case. */
int shares_create(ground *of, int count, shares_kind kind, const lay_options *options, shares *out);
void shares_destroy(shares *of);

/* Returns when all is done; without the sum C is not written by slices. */
int shares_run(shares *of, int with_sum);
int shares_check(shares *of);

#endif
