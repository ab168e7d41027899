/* One call of symm, syrk, trsm or the like, by numbers, and the routine of that name. */
#ifndef LAY_TESTS_BLAS_LEVEL3_CALL_H
#define LAY_TESTS_BLAS_LEVEL3_CALL_H

#include <stdint.h>

typedef enum call_routine {
    CALL_SYMM,
    CALL_HEMM,
    CALL_SYRK,
    CALL_HERK,
    CALL_SYR2K,
    CALL_HER2K,
    CALL_TRMM,
    CALL_TRSM,
    CALL_ROUTINES
} call_routine;
typedef enum call_caller { CALL_FORTRAN, CALL_C_COLUMNS, CALL_C_ROWS, CALL_CALLERS } call_caller;

/* The letters are Fortran's, whoever calls; any other is one that there is not, in C as well. */
typedef struct call {
    call_routine routine;
    call_caller caller;
    int type; /* 0 to 3: s d c z */
    int is_wide;
    char side, uplo, op, diagonal;
    int64_t m, n, k, lda, ldb, ldc; /* of rank updates n and k, of the others m and n */
    const void *alpha, *beta;       /* of the type, or real where the routine has them real */
    const void *a, *b;
    void *c; /* of trmm and trsm B: ldb is its step */
} call;

extern const char *const call_names[CALL_ROUTINES];

/* Whether the routine's scalars are real though its matrices are complex. */
int call_has_real_alpha(const call *of);
int call_has_real_beta(const call *of);

void call_make(const call *of);

#endif
