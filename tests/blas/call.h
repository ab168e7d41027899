/* One call of a routine of the BLAS, whichever it is, and what it must have done. */
#ifndef LAY_TESTS_BLAS_CALL_H
#define LAY_TESTS_BLAS_CALL_H

#include <stdint.h>

typedef enum call_routine {
    CALL_GEMM,
    CALL_GEMV,
    CALL_GEMMT,
    CALL_GEMMTR,
    CALL_BATCH,
    CALL_STRIDED,
    CALL_ROUTINES
} call_routine;
typedef enum call_side { CALL_FORTRAN, CALL_C_COLUMNS, CALL_C_ROWS, CALL_SIDES } call_side;

enum { CALL_MOST = 3 }; /* products of a batch */

/* op: 0 as it is, 1 transposed, 2 conjugated as well. */
typedef struct call {
    call_routine routine;
    call_side side;
    int type; /* 0 to 3: s d c z */
    int is_wide;
    int op_a, op_b, is_upper;
    int64_t m, n, k, lda, ldb, ldc; /* of gemv: n is 1, ldb and ldc are the increments */
    int64_t count, stride_a, stride_b, stride_c;
    const void *alpha, *beta;
    const void *a[CALL_MOST], *b[CALL_MOST]; /* a[i], b[i], c[i]: of the product of number i */
    void *c[CALL_MOST];
} call;

/* Two numbers a scalar, whatever the type; real ones have the first. */
void call_make(const call *of);

#endif
