/* gemm, as Fortran and as CBLAS call it. */
#include "blas/exported.h"
#include "blas/product.h"

/* What is not at hand: wrong arguments, too, and products without elements. */
static __attribute__((noinline)) void gemm_anew(const layblas_shape *shape, const char *routine, layblas_caller caller,
                                                int op_a, int op_b, const void *alpha, const void *a, const void *b,
                                                const void *beta, void *c)
{
    const int64_t m = shape->m, n = shape->n, k = shape->k;
    const int64_t lda = shape->step_a, ldb = shape->step_b, ldc = shape->step_c;
    const int wrong = caller == LAYBLAS_C_ROWS ? layblas_check_gemm(op_b, op_a, n, m, k, ldb, lda, ldc)
                                               : layblas_check_gemm(op_a, op_b, m, n, k, lda, ldb, ldc);
    if (wrong)
        layblas_wrong(caller, routine, wrong);
    else if (m > 0 && n > 0 && !layblas_multiply_in_pieces(shape, routine, alpha, a, b, beta, c))
        layblas_multiply(shape, routine, alpha, a, b, beta, c);
}

static inline void gemm(int type, const char *routine, layblas_caller caller, int op_a, int op_b, int64_t m, int64_t n,
                        int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                        const void *beta, void *c, int64_t ldc)
{
    const int64_t form = layblas_form(type, caller == LAYBLAS_C_ROWS, op_a, op_b);
    const lay_plan *const plan = layblas_recall(form, m, n, k, lda, ldb, ldc);
    const lay_status status = plan ? lay_plan_run(plan, alpha, a, b, beta, c) : LAY_OK;
    if (plan && status == LAY_OK)
        return;
    const layblas_shape shape = { .form = form, .m = m, .n = n, .k = k, .step_a = lda, .step_b = ldb, .step_c = ldc };
    if (plan)
        layblas_pass_product(status, &shape, routine, alpha, a, b, beta, c);
    else
        gemm_anew(&shape, routine, caller, op_a, op_b, alpha, a, b, beta, c);
}

static inline void gemm_of_c(int type, const char *routine, int layout, int trans_a, int trans_b, int64_t m, int64_t n,
                             int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                             const void *beta, void *c, int64_t ldc)
{
    const int op_a = layblas_op_of_c(trans_a), op_b = layblas_op_of_c(trans_b);
    if (layout != LAYBLAS_ROWS && layout != LAYBLAS_COLUMNS)
        layblas_wrong_in_c(routine, 1, "Illegal layout setting, %d\n", layout);
    else if (op_a == LAYBLAS_NO_OP)
        layblas_wrong_in_c(routine, 2, "Illegal TransA setting, %d\n", trans_a);
    else if (op_b == LAYBLAS_NO_OP)
        layblas_wrong_in_c(routine, 3, "Illegal TransB setting, %d\n", trans_b);
    else
        gemm(type, routine, layout == LAYBLAS_ROWS ? LAYBLAS_C_ROWS : LAYBLAS_C_COLUMNS, op_a, op_b, m, n, k, alpha, a,
             lda, b, ldb, beta, c, ldc);
}

#define FORTRAN(name, type, routine, integer)                                                                          \
    EXPORTED void name(const char *op_a, const char *op_b, const integer *m, const integer *n, const integer *k,       \
                       const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,        \
                       const void *beta, void *c, const integer *ldc);                                                 \
    void name(const char *op_a, const char *op_b, const integer *m, const integer *n, const integer *k,                \
              const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,                 \
              const void *beta, void *c, const integer *ldc)                                                           \
    {                                                                                                                  \
        gemm(type, routine, LAYBLAS_FORTRAN, layblas_op(*op_a), layblas_op(*op_b), *m, *n, *k, alpha, a, *lda, b,      \
             *ldb, beta, c, *ldc);                                                                                     \
    }

/* scalar: what alpha and beta are, a number or its address; of: their address */
#define C(name, type, routine, integer, scalar, of)                                                                    \
    EXPORTED void name(int layout, int trans_a, int trans_b, integer m, integer n, integer k, scalar alpha,            \
                       const void *a, integer lda, const void *b, integer ldb, scalar beta, void *c, integer ldc);     \
    void name(int layout, int trans_a, int trans_b, integer m, integer n, integer k, scalar alpha, const void *a,      \
              integer lda, const void *b, integer ldb, scalar beta, void *c, integer ldc)                              \
    {                                                                                                                  \
        gemm_of_c(type, routine, layout, trans_a, trans_b, m, n, k, of alpha, a, lda, b, ldb, of beta, c, ldc);        \
    }

/* clang-format off */
FORTRAN(sgemm_, 0, "sgemm", int)
FORTRAN(dgemm_, 1, "dgemm", int)
FORTRAN(cgemm_, 2, "cgemm", int)
FORTRAN(zgemm_, 3, "zgemm", int)
FORTRAN(sgemm_64_, 0, "sgemm", int64_t)
FORTRAN(dgemm_64_, 1, "dgemm", int64_t)
FORTRAN(cgemm_64_, 2, "cgemm", int64_t)
FORTRAN(zgemm_64_, 3, "zgemm", int64_t)
C(cblas_sgemm, 0, "sgemm", int, float, &)
C(cblas_dgemm, 1, "dgemm", int, double, &)
C(cblas_cgemm, 2, "cgemm", int, const void *, )
C(cblas_zgemm, 3, "zgemm", int, const void *, )
C(cblas_sgemm_64, 0, "sgemm", int64_t, float, &)
C(cblas_dgemm_64, 1, "dgemm", int64_t, double, &)
C(cblas_cgemm_64, 2, "cgemm", int64_t, const void *, )
C(cblas_zgemm_64, 3, "zgemm", int64_t, const void *, )
/* clang-format on */
