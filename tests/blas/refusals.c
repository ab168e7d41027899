/* Wrong arguments: who is told, with which name and number, and that C is left alone. */
#include "call.h"
#include "told.h"

static call right(call_routine routine, call_side side)
{
    static const double two[] = { 2, 0, 2, 0 };
    call of = { .routine = routine, .side = side, .type = 1, .m = 3, .n = 2, .k = 4, .count = 2 };
    of.lda = of.ldb = of.ldc = 4;
    if (routine == CALL_GEMMT || routine == CALL_GEMMTR)
        of.m = of.n;
    if (routine == CALL_GEMV)
        of.n = of.ldb = of.ldc = 1;
    of.alpha = of.beta = two;
    for (int i = 0; i < CALL_MOST; i++) {
        of.a[i] = a;
        of.b[i] = b;
        of.c[i] = c + 16 * i;
    }
    of.stride_c = 16;
    return of;
}

static void expect(const call *of, const char *wanted)
{
    begin_to_listen();
    call_make(of);
    expect_told(wanted);
}

/* One argument wrong: which, by a field's place in the structure. */
#define WRONG(routine, side, field, value, wanted)                                                                     \
    do {                                                                                                               \
        call of = right(routine, side);                                                                                \
        of.field = value;                                                                                              \
        expect(&of, wanted);                                                                                           \
    } while (0)

/* Calls of the same numbers that are right, so that what is remembered of them is not taken for what is wrong. */
static void make_right_ones(void)
{
    for (call_side side = 0; side < CALL_SIDES; side++)
        for (int op = 0; op < 9; op++) {
            call of = right(CALL_GEMM, side);
            of.op_a = op / 3;
            of.op_b = op % 3;
            call_make(&of);
        }
}

static void refuse_gemm(void)
{
    WRONG(CALL_GEMM, CALL_FORTRAN, op_a, 3, "xerbla_ 'DGEMM ' 1");
    WRONG(CALL_GEMM, CALL_FORTRAN, op_b, 3, "xerbla_ 'DGEMM ' 2");
    WRONG(CALL_GEMM, CALL_FORTRAN, m, -1, "xerbla_ 'DGEMM ' 3");
    WRONG(CALL_GEMM, CALL_FORTRAN, n, -1, "xerbla_ 'DGEMM ' 4");
    WRONG(CALL_GEMM, CALL_FORTRAN, k, -1, "xerbla_ 'DGEMM ' 5");
    WRONG(CALL_GEMM, CALL_FORTRAN, lda, 2, "xerbla_ 'DGEMM ' 8");
    WRONG(CALL_GEMM, CALL_FORTRAN, ldb, 3, "xerbla_ 'DGEMM ' 10");
    WRONG(CALL_GEMM, CALL_FORTRAN, ldc, 2, "xerbla_ 'DGEMM ' 13");
    WRONG(CALL_GEMM, CALL_C_COLUMNS, op_a, 3, "cblas_xerbla cblas_dgemm 2");
    WRONG(CALL_GEMM, CALL_C_ROWS, op_b, 3, "cblas_xerbla cblas_dgemm 3");
    WRONG(CALL_GEMM, CALL_C_COLUMNS, m, -1, "xerbla_ 'DGEMM ' 3 C");
    WRONG(CALL_GEMM, CALL_C_ROWS, m, -1, "xerbla_ 'DGEMM ' 4 C rows");
    WRONG(CALL_GEMM, CALL_C_ROWS, n, -1, "xerbla_ 'DGEMM ' 3 C rows");
    WRONG(CALL_GEMM, CALL_C_ROWS, lda, 3, "xerbla_ 'DGEMM ' 10 C rows");
    WRONG(CALL_GEMM, CALL_C_ROWS, ldb, 1, "xerbla_ 'DGEMM ' 8 C rows");
    WRONG(CALL_GEMM, CALL_C_ROWS, ldc, 1, "xerbla_ 'DGEMM ' 13 C rows");
    call of = right(CALL_GEMM, CALL_FORTRAN);
    of.op_a = 1;
    of.lda = 3;
    expect(&of, "xerbla_ 'DGEMM ' 8");
    of = right(CALL_GEMM, CALL_FORTRAN);
    of.is_wide = 1;
    of.type = 3;
    of.m = -1;
    expect(&of, "xerbla_ 'ZGEMM ' 3");
    of = right(CALL_GEMM, CALL_FORTRAN);
    of.m = 0;
    of.ldc = 0;
    expect(&of, "xerbla_ 'DGEMM ' 13");
}

static void refuse_gemv(void)
{
    WRONG(CALL_GEMV, CALL_FORTRAN, op_a, 3, "xerbla_ 'DGEMV ' 1");
    WRONG(CALL_GEMV, CALL_FORTRAN, m, -1, "xerbla_ 'DGEMV ' 2");
    WRONG(CALL_GEMV, CALL_FORTRAN, k, -1, "xerbla_ 'DGEMV ' 3");
    WRONG(CALL_GEMV, CALL_FORTRAN, lda, 2, "xerbla_ 'DGEMV ' 6");
    WRONG(CALL_GEMV, CALL_FORTRAN, ldb, 0, "xerbla_ 'DGEMV ' 8");
    WRONG(CALL_GEMV, CALL_FORTRAN, ldc, 0, "xerbla_ 'DGEMV ' 11");
    WRONG(CALL_GEMV, CALL_C_ROWS, m, -1, "xerbla_ 'DGEMV ' 3 C rows");
    WRONG(CALL_GEMV, CALL_C_ROWS, lda, 3, "xerbla_ 'DGEMV ' 6 C rows");
    WRONG(CALL_GEMV, CALL_C_COLUMNS, op_a, 3, "cblas_xerbla cblas_dgemv 2");
}

static void refuse_triangles(void)
{
    WRONG(CALL_GEMMT, CALL_FORTRAN, op_a, 3, "xerbla_ 'DGEMMT' 2");
    WRONG(CALL_GEMMT, CALL_FORTRAN, op_b, 3, "xerbla_ 'DGEMMT' 3");
    WRONG(CALL_GEMMT, CALL_FORTRAN, n, -1, "xerbla_ 'DGEMMT' 4");
    WRONG(CALL_GEMMT, CALL_FORTRAN, k, -1, "xerbla_ 'DGEMMT' 5");
    WRONG(CALL_GEMMT, CALL_FORTRAN, lda, 1, "xerbla_ 'DGEMMT' 8");
    WRONG(CALL_GEMMT, CALL_FORTRAN, ldb, 3, "xerbla_ 'DGEMMT' 10");
    WRONG(CALL_GEMMTR, CALL_FORTRAN, ldc, 1, "xerbla_ 'DGEMMTR' 13");
    WRONG(CALL_GEMMT, CALL_C_ROWS, op_a, 3, "cblas_xerbla cblas_dgemmt 3");
    WRONG(CALL_GEMMT, CALL_C_ROWS, op_b, 3, "cblas_xerbla cblas_dgemmt 4");
    WRONG(CALL_GEMMT, CALL_C_ROWS, n, -1, "cblas_xerbla cblas_dgemmt 5");
    WRONG(CALL_GEMMT, CALL_C_ROWS, k, -1, "cblas_xerbla cblas_dgemmt 6");
    WRONG(CALL_GEMMT, CALL_C_ROWS, lda, 3, "cblas_xerbla cblas_dgemmt 9");
    WRONG(CALL_GEMMT, CALL_C_COLUMNS, ldb, 3, "cblas_xerbla cblas_dgemmt 11");
    WRONG(CALL_GEMMTR, CALL_C_ROWS, ldc, 1, "cblas_xerbla cblas_dgemmtr 14");
}

static void refuse_batches(void)
{
    WRONG(CALL_BATCH, CALL_FORTRAN, op_b, 3, "xerbla_ 'DGEMM_BATCH' 2");
    WRONG(CALL_BATCH, CALL_FORTRAN, ldc, 2, "xerbla_ 'DGEMM_BATCH' 13");
    WRONG(CALL_BATCH, CALL_FORTRAN, count, 0, "xerbla_ 'DGEMM_BATCH' 15");
    WRONG(CALL_BATCH, CALL_C_ROWS, m, -1, "cblas_xerbla cblas_dgemm_batch 4");
    WRONG(CALL_BATCH, CALL_C_ROWS, lda, 3, "cblas_xerbla cblas_dgemm_batch 9");
    WRONG(CALL_BATCH, CALL_C_ROWS, ldb, 1, "cblas_xerbla cblas_dgemm_batch 11");
    WRONG(CALL_STRIDED, CALL_FORTRAN, ldb, 3, "xerbla_ 'DGEMM_BATCH_STRIDED' 11");
    WRONG(CALL_STRIDED, CALL_FORTRAN, ldc, 2, "xerbla_ 'DGEMM_BATCH_STRIDED' 15");
    WRONG(CALL_STRIDED, CALL_FORTRAN, count, -1, "xerbla_ 'DGEMM_BATCH_STRIDED' 17");
    WRONG(CALL_STRIDED, CALL_C_ROWS, op_a, 3, "cblas_xerbla cblas_dgemm_batch_strided 2");
    WRONG(CALL_STRIDED, CALL_C_ROWS, n, -1, "cblas_xerbla cblas_dgemm_batch_strided 5");
    WRONG(CALL_STRIDED, CALL_C_ROWS, lda, 3, "cblas_xerbla cblas_dgemm_batch_strided 9");
    WRONG(CALL_STRIDED, CALL_C_ROWS, ldb, 1, "cblas_xerbla cblas_dgemm_batch_strided 12");
}

int main(void)
{
    make_right_ones();
    refuse_gemm();
    refuse_gemv();
    refuse_triangles();
    refuse_batches();
    printf("1..%d\n", tests);
    return failures != 0;
}
