/* Wrong arguments of symm, syrk, trsm and their like: who is told, with which name and number, and that nothing is
 * written. */
#include "../told.h"
#include "call.h"

/* m 3, n 2, k 4: every step that is allowed is another one. */
static call right(call_routine routine, call_caller caller, int type)
{
    static const double two[] = { 2, 0 };
    static const float single_two[] = { 2, 0 };
    call of = {
        .routine = routine, .caller = caller, .type = type, .side = 'L', .uplo = 'U', .op = 'N', .diagonal = 'N'
    };
    of.m = 3;
    of.n = 2;
    of.k = 4;
    of.lda = of.ldb = of.ldc = 4;
    of.alpha = of.beta = type % 2 ? (const void *)two : single_two;
    of.a = a;
    of.b = b;
    of.c = c;
    return of;
}

static void expect(const call *of, const char *wanted)
{
    begin_to_listen();
    call_make(of);
    expect_told(wanted);
}

/* One argument wrong: which, by a field's place in the structure. */
#define WRONG(routine, caller, type, field, value, wanted)                                                             \
    do {                                                                                                               \
        call of = right(routine, caller, type);                                                                        \
        of.field = value;                                                                                              \
        expect(&of, wanted);                                                                                           \
    } while (0)

static void refuse_symm(void)
{
    WRONG(CALL_SYMM, CALL_FORTRAN, 1, side, 'X', "xerbla_ 'DSYMM ' 1");
    WRONG(CALL_SYMM, CALL_FORTRAN, 1, uplo, 'X', "xerbla_ 'DSYMM ' 2");
    WRONG(CALL_SYMM, CALL_FORTRAN, 1, m, -1, "xerbla_ 'DSYMM ' 3");
    WRONG(CALL_HEMM, CALL_FORTRAN, 3, n, -1, "xerbla_ 'ZHEMM ' 4");
    WRONG(CALL_SYMM, CALL_FORTRAN, 0, lda, 2, "xerbla_ 'SSYMM ' 7");
    WRONG(CALL_SYMM, CALL_FORTRAN, 0, ldb, 2, "xerbla_ 'SSYMM ' 9");
    WRONG(CALL_HEMM, CALL_FORTRAN, 2, ldc, 2, "xerbla_ 'CHEMM ' 12");
    WRONG(CALL_SYMM, CALL_C_COLUMNS, 1, side, 'X', "cblas_xerbla cblas_dsymm 2");
    WRONG(CALL_HEMM, CALL_C_ROWS, 3, uplo, 'X', "cblas_xerbla cblas_zhemm 3");
    WRONG(CALL_SYMM, CALL_C_COLUMNS, 1, m, -1, "xerbla_ 'DSYMM ' 3 C");
    WRONG(CALL_SYMM, CALL_C_ROWS, 1, m, -1, "xerbla_ 'DSYMM ' 4 C rows");
    WRONG(CALL_SYMM, CALL_C_ROWS, 1, n, -1, "xerbla_ 'DSYMM ' 3 C rows");
    WRONG(CALL_SYMM, CALL_C_ROWS, 1, lda, 2, "xerbla_ 'DSYMM ' 7 C rows");
    WRONG(CALL_SYMM, CALL_C_ROWS, 1, ldb, 1, "xerbla_ 'DSYMM ' 9 C rows");
    WRONG(CALL_SYMM, CALL_C_ROWS, 1, ldc, 1, "xerbla_ 'DSYMM ' 12 C rows");
}

static void refuse_rank_updates(void)
{
    WRONG(CALL_SYRK, CALL_FORTRAN, 1, uplo, 'X', "xerbla_ 'DSYRK ' 1");
    WRONG(CALL_SYRK, CALL_FORTRAN, 1, op, 'X', "xerbla_ 'DSYRK ' 2");
    WRONG(CALL_SYRK, CALL_FORTRAN, 3, op, 'C', "xerbla_ 'ZSYRK ' 2");
    WRONG(CALL_HERK, CALL_FORTRAN, 3, op, 'T', "xerbla_ 'ZHERK ' 2");
    WRONG(CALL_HER2K, CALL_C_COLUMNS, 2, op, 'T', "xerbla_ 'CHER2K' 2 C");
    WRONG(CALL_SYR2K, CALL_C_COLUMNS, 2, op, 'C', "xerbla_ 'CSYR2K' 2 C");
    WRONG(CALL_SYRK, CALL_FORTRAN, 1, n, -1, "xerbla_ 'DSYRK ' 3");
    WRONG(CALL_SYR2K, CALL_FORTRAN, 1, k, -1, "xerbla_ 'DSYR2K' 4");
    WRONG(CALL_SYRK, CALL_FORTRAN, 1, lda, 1, "xerbla_ 'DSYRK ' 7");
    WRONG(CALL_HERK, CALL_FORTRAN, 2, ldc, 1, "xerbla_ 'CHERK ' 10");
    WRONG(CALL_SYR2K, CALL_FORTRAN, 0, ldb, 1, "xerbla_ 'SSYR2K' 9");
    WRONG(CALL_HER2K, CALL_FORTRAN, 3, ldc, 1, "xerbla_ 'ZHER2K' 12");
    WRONG(CALL_SYRK, CALL_C_ROWS, 1, lda, 3, "xerbla_ 'DSYRK ' 7 C rows");
    WRONG(CALL_SYRK, CALL_C_ROWS, 1, uplo, 'X', "cblas_xerbla cblas_dsyrk 2");
    WRONG(CALL_SYRK, CALL_C_ROWS, 1, op, 'X', "cblas_xerbla cblas_dsyrk 3");
    WRONG(CALL_SYRK, CALL_C_ROWS, 3, op, 'C', "cblas_xerbla cblas_zsyrk 3");
    WRONG(CALL_HER2K, CALL_C_ROWS, 3, op, 'T', "cblas_xerbla cblas_zher2k 3");
    call of = right(CALL_SYRK, CALL_FORTRAN, 1);
    of.op = 'T';
    of.lda = 3;
    expect(&of, "xerbla_ 'DSYRK ' 7");
}

static void refuse_triangular(void)
{
    WRONG(CALL_TRMM, CALL_FORTRAN, 1, side, 'X', "xerbla_ 'DTRMM ' 1");
    WRONG(CALL_TRSM, CALL_FORTRAN, 1, uplo, 'X', "xerbla_ 'DTRSM ' 2");
    WRONG(CALL_TRSM, CALL_FORTRAN, 3, op, 'X', "xerbla_ 'ZTRSM ' 3");
    WRONG(CALL_TRSM, CALL_FORTRAN, 1, diagonal, 'X', "xerbla_ 'DTRSM ' 4");
    WRONG(CALL_TRMM, CALL_FORTRAN, 1, m, -1, "xerbla_ 'DTRMM ' 5");
    WRONG(CALL_TRMM, CALL_FORTRAN, 0, n, -1, "xerbla_ 'STRMM ' 6");
    WRONG(CALL_TRSM, CALL_FORTRAN, 1, lda, 2, "xerbla_ 'DTRSM ' 9");
    WRONG(CALL_TRSM, CALL_FORTRAN, 1, ldb, 2, "xerbla_ 'DTRSM ' 11");
    WRONG(CALL_TRSM, CALL_C_COLUMNS, 1, op, 'X', "cblas_xerbla cblas_dtrsm 4");
    WRONG(CALL_TRMM, CALL_C_ROWS, 1, diagonal, 'X', "cblas_xerbla cblas_dtrmm 5");
    WRONG(CALL_TRSM, CALL_C_ROWS, 1, m, -1, "xerbla_ 'DTRSM ' 6 C rows");
    WRONG(CALL_TRSM, CALL_C_ROWS, 1, n, -1, "xerbla_ 'DTRSM ' 5 C rows");
    WRONG(CALL_TRSM, CALL_C_ROWS, 1, lda, 2, "xerbla_ 'DTRSM ' 9 C rows");
    WRONG(CALL_TRSM, CALL_C_ROWS, 1, ldb, 1, "xerbla_ 'DTRSM ' 11 C rows");
    call of = right(CALL_TRSM, CALL_FORTRAN, 1);
    of.is_wide = 1;
    of.side = 'R';
    of.lda = 1;
    expect(&of, "xerbla_ 'DTRSM ' 9");
}

int main(void)
{
    refuse_symm();
    refuse_rank_updates();
    refuse_triangular();
    printf("1..%d\n", tests);
    return failures != 0;
}
