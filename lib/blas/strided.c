/* gemm_batch_strided: products of one shape whose operands lie a stride apart, as MKL calls it. */
#include "blas/exported.h"
#include "blas/product.h"

typedef struct strides {
    int64_t a, b, c, count;
} strides;

/* In Fortran's order; the operands' own numbers are those of gemm but that each has its stride behind it. */
static int check(int op_a, int op_b, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                 int64_t count)
{
    const int wrong = layblas_check_gemm(op_a, op_b, m, n, k, lda, ldb, ldc);
    if (wrong)
        return wrong == 10 ? 11 : wrong == 13 ? 15 : wrong;
    return count < 0 ? 17 : 0;
}

/* In C's order, of a row-major call whose operands were exchanged to be checked. */
static int by_rows(int wrong)
{
    static const int of[] = { [1] = 2, [2] = 1, [3] = 4, [4] = 3, [8] = 11, [11] = 8 };
    return wrong < (int)(sizeof of / sizeof *of) && of[wrong] ? of[wrong] : wrong;
}

/* One after the other: what liblayoutgemm refuses together, as products that write one C. */
static void multiply_each(const layblas_shape *batch, const char *routine, const void *alpha, const char *a,
                          const char *b, const void *beta, char *c)
{
    const int64_t size = layblas_size(batch->form);
    layblas_shape one = *batch;
    one.form &= ~LAYBLAS_BATCH;
    one.count = one.stride_a = one.stride_b = one.stride_c = 0;
    for (int64_t i = 0; i < batch->count; i++)
        layblas_multiply(&one, routine, alpha, a + i * batch->stride_a * size, b + i * batch->stride_b * size, beta,
                         c + i * batch->stride_c * size);
}

static void batch(int type, const char *routine, layblas_caller caller, int op_a, int op_b, int64_t m, int64_t n,
                  int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                  const void *beta, void *c, int64_t ldc, const strides *of)
{
    const int is_by_rows = caller == LAYBLAS_C_ROWS;
    const int wrong = is_by_rows ? by_rows(check(op_b, op_a, n, m, k, ldb, lda, ldc, of->count))
                                 : check(op_a, op_b, m, n, k, lda, ldb, ldc, of->count);
    if (wrong && caller == LAYBLAS_FORTRAN)
        layblas_wrong(caller, routine, wrong);
    else if (wrong)
        layblas_wrong_in_c(routine, wrong + 1, "", 0);
    if (wrong || m == 0 || n == 0 || of->count == 0)
        return;
    const layblas_shape shape = { .form = layblas_form(type, is_by_rows, op_a, op_b) | LAYBLAS_BATCH,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .step_a = lda,
                                  .step_b = ldb,
                                  .step_c = ldc,
                                  .count = of->count,
                                  .stride_a = of->a,
                                  .stride_b = of->b,
                                  .stride_c = of->c };
    const lay_plan *plan;
    lay_status status = layblas_plan(&shape, &plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, alpha, a, b, beta, c);
    if (status == LAY_ERR_DEVICE) /* C may be written in part */
        layblas_give_up(routine, lay_last_error());
    if (status != LAY_OK)
        multiply_each(&shape, routine, alpha, a, b, beta, c);
}

static void batch_of_c(int type, const char *routine, int layout, int trans_a, int trans_b, int64_t m, int64_t n,
                       int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                       const void *beta, void *c, int64_t ldc, const strides *of)
{
    if (layout != LAYBLAS_ROWS && layout != LAYBLAS_COLUMNS)
        layblas_wrong_in_c(routine, 1, "Illegal layout setting, %d\n", layout);
    else
        batch(type, routine, layout == LAYBLAS_ROWS ? LAYBLAS_C_ROWS : LAYBLAS_C_COLUMNS, layblas_op_of_c(trans_a),
              layblas_op_of_c(trans_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, of);
}

#define FORTRAN(name, type, routine, integer)                                                                          \
    EXPORTED void name(const char *op_a, const char *op_b, const integer *m, const integer *n, const integer *k,       \
                       const void *alpha, const void *a, const integer *lda, const integer *stride_a, const void *b,   \
                       const integer *ldb, const integer *stride_b, const void *beta, void *c, const integer *ldc,     \
                       const integer *stride_c, const integer *count);                                                 \
    void name(const char *op_a, const char *op_b, const integer *m, const integer *n, const integer *k,                \
              const void *alpha, const void *a, const integer *lda, const integer *stride_a, const void *b,            \
              const integer *ldb, const integer *stride_b, const void *beta, void *c, const integer *ldc,              \
              const integer *stride_c, const integer *count)                                                           \
    {                                                                                                                  \
        batch(type, routine, LAYBLAS_FORTRAN, layblas_op(*op_a), layblas_op(*op_b), *m, *n, *k, alpha, a, *lda, b,     \
              *ldb, beta, c, *ldc, &(strides){ *stride_a, *stride_b, *stride_c, *count });                             \
    }

/* scalar: what alpha and beta are, a number or its address; of: their address */
#define C(name, type, routine, integer, scalar, of)                                                                    \
    EXPORTED void name(int layout, int trans_a, int trans_b, integer m, integer n, integer k, scalar alpha,            \
                       const void *a, integer lda, integer stride_a, const void *b, integer ldb, integer stride_b,     \
                       scalar beta, void *c, integer ldc, integer stride_c, integer count);                            \
    void name(int layout, int trans_a, int trans_b, integer m, integer n, integer k, scalar alpha, const void *a,      \
              integer lda, integer stride_a, const void *b, integer ldb, integer stride_b, scalar beta, void *c,       \
              integer ldc, integer stride_c, integer count)                                                            \
    {                                                                                                                  \
        batch_of_c(type, routine, layout, trans_a, trans_b, m, n, k, of alpha, a, lda, b, ldb, of beta, c, ldc,        \
                   &(strides){ stride_a, stride_b, stride_c, count });                                                 \
    }

/* clang-format off */
FORTRAN(sgemm_batch_strided_, 0, "sgemm_batch_strided", int)
FORTRAN(dgemm_batch_strided_, 1, "dgemm_batch_strided", int)
FORTRAN(cgemm_batch_strided_, 2, "cgemm_batch_strided", int)
FORTRAN(zgemm_batch_strided_, 3, "zgemm_batch_strided", int)
FORTRAN(sgemm_batch_strided_64_, 0, "sgemm_batch_strided", int64_t)
FORTRAN(dgemm_batch_strided_64_, 1, "dgemm_batch_strided", int64_t)
FORTRAN(cgemm_batch_strided_64_, 2, "cgemm_batch_strided", int64_t)
FORTRAN(zgemm_batch_strided_64_, 3, "zgemm_batch_strided", int64_t)
C(cblas_sgemm_batch_strided, 0, "sgemm_batch_strided", int, float, &)
C(cblas_dgemm_batch_strided, 1, "dgemm_batch_strided", int, double, &)
C(cblas_cgemm_batch_strided, 2, "cgemm_batch_strided", int, const void *, )
C(cblas_zgemm_batch_strided, 3, "zgemm_batch_strided", int, const void *, )
C(cblas_sgemm_batch_strided_64, 0, "sgemm_batch_strided", int64_t, float, &)
C(cblas_dgemm_batch_strided_64, 1, "dgemm_batch_strided", int64_t, double, &)
C(cblas_cgemm_batch_strided_64, 2, "cgemm_batch_strided", int64_t, const void *, )
C(cblas_zgemm_batch_strided_64, 3, "zgemm_batch_strided", int64_t, const void *, )
/* clang-format on */
