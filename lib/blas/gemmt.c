/* gemmt, and gemmtr as the reference BLAS calls it: a product of which one triangle of C is computed. */
#include <ctype.h>

#include "blas/exported.h"
#include "blas/level3/call.h"

/* The number of the first wrong argument in Fortran's order. */
static int check(int uplo, int op_a, int op_b, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    if (uplo != 'U' && uplo != 'L')
        return 1;
    const int wrong = layblas_check_gemm(op_a, op_b, n, n, k, lda, ldb, ldc);
    return wrong > 0 && wrong <= 3 ? wrong + 1 : wrong; /* uplo comes first, and n is m, too */
}

static void gemmt(int type, const char *routine, int is_by_rows, int uplo, int op_a, int op_b, int64_t n, int64_t k,
                  const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c,
                  int64_t ldc)
{
    if (n == 0)
        return;
    const layblas_shape shape = { .form = layblas_form(type, is_by_rows, op_a, op_b),
                                  .m = n,
                                  .n = n,
                                  .k = k,
                                  .step_a = lda,
                                  .step_b = ldb,
                                  .step_c = ldc };
    layblas_multiply_triangle(&(layblas_triangle){ .shape = shape,
                                                   .is_upper = uplo == 'U',
                                                   .routine = routine,
                                                   .alpha = alpha,
                                                   .beta = beta,
                                                   .a = a,
                                                   .b = b,
                                                   .c = c });
}

static void gemmt_of_fortran(int type, const char *routine, int uplo, int op_a, int op_b, int64_t n, int64_t k,
                             const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                             const void *beta, void *c, int64_t ldc)
{
    const int wrong = check(toupper(uplo), op_a, op_b, n, k, lda, ldb, ldc);
    if (wrong)
        layblas_wrong(LAYBLAS_FORTRAN, routine, wrong);
    else
        gemmt(type, routine, 0, toupper(uplo), op_a, op_b, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* In C's order, of the caller's own operands: what lies by rows has the other ops' lines. */
static int check_c(int is_by_rows, int uplo, int op_a, int op_b, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                   int64_t ldc)
{
    const int64_t line_a = (op_a == LAYBLAS_AS_IT_IS) == is_by_rows ? k : n;
    const int64_t line_b = (op_b == LAYBLAS_AS_IT_IS) == is_by_rows ? n : k;
    if (uplo != 121 && uplo != 122)
        return 2;
    if (op_a == LAYBLAS_NO_OP)
        return 3;
    if (op_b == LAYBLAS_NO_OP)
        return 4;
    if (n < 0)
        return 5;
    if (k < 0)
        return 6;
    if (lda < 1 || lda < line_a)
        return 9;
    if (ldb < 1 || ldb < line_b)
        return 11;
    return ldc < 1 || ldc < n ? 14 : 0;
}

static void gemmt_of_c(int type, const char *routine, int layout, int uplo, int trans_a, int trans_b, int64_t n,
                       int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                       const void *beta, void *c, int64_t ldc)
{
    const int is_by_rows = layout == LAYBLAS_ROWS;
    const int op_a = layblas_op_of_c(trans_a), op_b = layblas_op_of_c(trans_b);
    const int wrong = layout != LAYBLAS_ROWS && layout != LAYBLAS_COLUMNS
                          ? 1
                          : check_c(is_by_rows, uplo, op_a, op_b, n, k, lda, ldb, ldc);
    if (wrong)
        layblas_wrong_in_c(routine, wrong, "", 0);
    else
        gemmt(type, routine, is_by_rows, uplo == 121 ? 'U' : 'L', op_a, op_b, n, k, alpha, a, lda, b, ldb, beta, c,
              ldc);
}

#define FORTRAN(name, type, routine, integer)                                                                          \
    EXPORTED void name(const char *uplo, const char *op_a, const char *op_b, const integer *n, const integer *k,       \
                       const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,        \
                       const void *beta, void *c, const integer *ldc);                                                 \
    void name(const char *uplo, const char *op_a, const char *op_b, const integer *n, const integer *k,                \
              const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,                 \
              const void *beta, void *c, const integer *ldc)                                                           \
    {                                                                                                                  \
        gemmt_of_fortran(type, routine, *uplo, layblas_op(*op_a), layblas_op(*op_b), *n, *k, alpha, a, *lda, b, *ldb,  \
                         beta, c, *ldc);                                                                               \
    }

/* scalar: what alpha and beta are, a number or its address; of: their address */
#define C(name, type, routine, integer, scalar, of)                                                                    \
    EXPORTED void name(int layout, int uplo, int trans_a, int trans_b, integer n, integer k, scalar alpha,             \
                       const void *a, integer lda, const void *b, integer ldb, scalar beta, void *c, integer ldc);     \
    void name(int layout, int uplo, int trans_a, int trans_b, integer n, integer k, scalar alpha, const void *a,       \
              integer lda, const void *b, integer ldb, scalar beta, void *c, integer ldc)                              \
    {                                                                                                                  \
        gemmt_of_c(type, routine, layout, uplo, trans_a, trans_b, n, k, of alpha, a, lda, b, ldb, of beta, c, ldc);    \
    }

/* clang-format off */
FORTRAN(sgemmt_, 0, "sgemmt", int)
FORTRAN(dgemmt_, 1, "dgemmt", int)
FORTRAN(cgemmt_, 2, "cgemmt", int)
FORTRAN(zgemmt_, 3, "zgemmt", int)
FORTRAN(sgemmt_64_, 0, "sgemmt", int64_t)
FORTRAN(dgemmt_64_, 1, "dgemmt", int64_t)
FORTRAN(cgemmt_64_, 2, "cgemmt", int64_t)
FORTRAN(zgemmt_64_, 3, "zgemmt", int64_t)
FORTRAN(sgemmtr_, 0, "sgemmtr", int)
FORTRAN(dgemmtr_, 1, "dgemmtr", int)
FORTRAN(cgemmtr_, 2, "cgemmtr", int)
FORTRAN(zgemmtr_, 3, "zgemmtr", int)
FORTRAN(sgemmtr_64_, 0, "sgemmtr", int64_t)
FORTRAN(dgemmtr_64_, 1, "dgemmtr", int64_t)
FORTRAN(cgemmtr_64_, 2, "cgemmtr", int64_t)
FORTRAN(zgemmtr_64_, 3, "zgemmtr", int64_t)
C(cblas_sgemmt, 0, "sgemmt", int, float, &)
C(cblas_dgemmt, 1, "dgemmt", int, double, &)
C(cblas_cgemmt, 2, "cgemmt", int, const void *, )
C(cblas_zgemmt, 3, "zgemmt", int, const void *, )
C(cblas_sgemmt_64, 0, "sgemmt", int64_t, float, &)
C(cblas_dgemmt_64, 1, "dgemmt", int64_t, double, &)
C(cblas_cgemmt_64, 2, "cgemmt", int64_t, const void *, )
C(cblas_zgemmt_64, 3, "zgemmt", int64_t, const void *, )
C(cblas_sgemmtr, 0, "sgemmtr", int, float, &)
C(cblas_dgemmtr, 1, "dgemmtr", int, double, &)
C(cblas_cgemmtr, 2, "cgemmtr", int, const void *, )
C(cblas_zgemmtr, 3, "zgemmtr", int, const void *, )
C(cblas_sgemmtr_64, 0, "sgemmtr", int64_t, float, &)
C(cblas_dgemmtr_64, 1, "dgemmtr", int64_t, double, &)
C(cblas_cgemmtr_64, 2, "cgemmtr", int64_t, const void *, )
C(cblas_zgemmtr_64, 3, "zgemmtr", int64_t, const void *, )
/* clang-format on */
