/* gemv, as Fortran and as CBLAS call it. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/exported.h"
#include "blas/product.h"

/* Elements of a real matrix up to which a call is the next library's. Reading so many takes 4 times as long as a plan,
 * which LAPACK's reductions, whose shapes are new in each call, would pay every time. Not complex ones: OpenBLAS 0.3.21
 * reads behind the end of some (bench/LOG.md, section 122). */
enum { MOST_PASSED = 1 << 19 };

typedef enum whose { UNREAD, AS_MEASURED, OWN, NEXT } whose;

/* LAY_BLAS_GEMV: who computes. */
static whose read_option(void)
{
    const char *const asked = getenv("LAY_BLAS_GEMV");
    if (!asked || !*asked)
        return AS_MEASURED;
    if (strcmp(asked, "own") == 0)
        return OWN;
    if (strcmp(asked, "next") == 0)
        return NEXT;
    fprintf(stderr, "layblas: LAY_BLAS_GEMV=%.40s is neither own nor next\n", asked);
    return AS_MEASURED;
}

static int is_to_pass(const layblas_shape *of)
{
    static _Atomic int read = UNREAD;
    int asked = atomic_load_explicit(&read, memory_order_relaxed);
    if (asked == UNREAD) {
        asked = (int)read_option();
        atomic_store_explicit(&read, asked, memory_order_relaxed);
    }
    return asked == NEXT || (asked == AS_MEASURED && !(of->form & LAYBLAS_COMPLEX) && of->m <= MOST_PASSED / of->k);
}

/* The number of the first wrong argument in Fortran; rows and columns are those of the matrix as it is stored by
 * columns. */
static int check(int op, int64_t rows, int64_t columns, int64_t lda, int64_t incx, int64_t incy)
{
    if (op == LAYBLAS_NO_OP)
        return 1;
    if (rows < 0)
        return 2;
    if (columns < 0)
        return 3;
    if (lda < 1 || lda < rows)
        return 6;
    if (incx == 0)
        return 8;
    return incy == 0 ? 11 : 0;
}

/* The address of index 0 of a vector: where it runs backwards, that is its last one in memory. */
static const void *first(int type, const void *vector, int64_t length, int64_t step)
{
    return (const char *)vector - (step < 0 ? (length - 1) * step * layblas_size(type) : 0);
}

static inline void gemv(int type, const char *routine, layblas_caller caller, int op, int64_t rows, int64_t columns,
                        const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx, const void *beta,
                        void *y, int64_t incy)
{
    const int is_by_rows = caller == LAYBLAS_C_ROWS, is_turned = op != LAYBLAS_AS_IT_IS;
    const int wrong =
        is_by_rows ? check(op, columns, rows, lda, incx, incy) : check(op, rows, columns, lda, incx, incy);
    if (wrong) {
        layblas_wrong(caller, routine, wrong);
        return;
    }
    if (rows == 0 || columns == 0)
        return; /* y stays as it is, whatever beta says: so has the reference it */
    const layblas_shape shape = {
        .form = (layblas_form(type, is_by_rows, op, LAYBLAS_AS_IT_IS) & ~(LAYBLAS_B_ALONG | LAYBLAS_C_BY_ROWS)) |
                LAYBLAS_VECTORS,
        .m = is_turned ? columns : rows,
        .n = 1,
        .k = is_turned ? rows : columns,
        .step_a = lda,
        .step_b = incx,
        .step_c = incy,
    };
    const void *const from_x = first(type, x, shape.k, incx);
    void *const from_y = (void *)(uintptr_t)first(type, y, shape.m, incy);
    if (is_to_pass(&shape) && layblas_try_to_pass_vector(&shape, alpha, a, from_x, beta, from_y))
        return;
    if (!layblas_try_vector(&shape, alpha, a, from_x, beta, from_y))
        layblas_multiply(&shape, routine, alpha, a, from_x, beta, from_y);
}

static inline void gemv_of_c(int type, const char *routine, int layout, int trans, int64_t rows, int64_t columns,
                             const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx,
                             const void *beta, void *y, int64_t incy)
{
    const int op = layblas_op_of_c(trans);
    if (layout != LAYBLAS_ROWS && layout != LAYBLAS_COLUMNS)
        layblas_wrong_in_c(routine, 1, "Illegal layout setting, %d\n", layout);
    else if (op == LAYBLAS_NO_OP)
        layblas_wrong_in_c(routine, 2, "Illegal TransA setting, %d\n", trans);
    else
        gemv(type, routine, layout == LAYBLAS_ROWS ? LAYBLAS_C_ROWS : LAYBLAS_C_COLUMNS, op, rows, columns, alpha, a,
             lda, x, incx, beta, y, incy);
}

#define FORTRAN(name, type, routine, integer)                                                                          \
    EXPORTED void name(const char *op, const integer *m, const integer *n, const void *alpha, const void *a,           \
                       const integer *lda, const void *x, const integer *incx, const void *beta, void *y,              \
                       const integer *incy);                                                                           \
    void name(const char *op, const integer *m, const integer *n, const void *alpha, const void *a,                    \
              const integer *lda, const void *x, const integer *incx, const void *beta, void *y, const integer *incy)  \
    {                                                                                                                  \
        gemv(type, routine, LAYBLAS_FORTRAN, layblas_op(*op), *m, *n, alpha, a, *lda, x, *incx, beta, y, *incy);       \
    }

/* scalar: what alpha and beta are, a number or its address; of: their address */
#define C(name, type, routine, integer, scalar, of)                                                                    \
    EXPORTED void name(int layout, int trans, integer m, integer n, scalar alpha, const void *a, integer lda,          \
                       const void *x, integer incx, scalar beta, void *y, integer incy);                               \
    void name(int layout, int trans, integer m, integer n, scalar alpha, const void *a, integer lda, const void *x,    \
              integer incx, scalar beta, void *y, integer incy)                                                        \
    {                                                                                                                  \
        gemv_of_c(type, routine, layout, trans, m, n, of alpha, a, lda, x, incx, of beta, y, incy);                    \
    }

/* clang-format off */
FORTRAN(sgemv_, 0, "sgemv", int)
FORTRAN(dgemv_, 1, "dgemv", int)
FORTRAN(cgemv_, 2, "cgemv", int)
FORTRAN(zgemv_, 3, "zgemv", int)
FORTRAN(sgemv_64_, 0, "sgemv", int64_t)
FORTRAN(dgemv_64_, 1, "dgemv", int64_t)
FORTRAN(cgemv_64_, 2, "cgemv", int64_t)
FORTRAN(zgemv_64_, 3, "zgemv", int64_t)
C(cblas_sgemv, 0, "sgemv", int, float, &)
C(cblas_dgemv, 1, "dgemv", int, double, &)
C(cblas_cgemv, 2, "cgemv", int, const void *, )
C(cblas_zgemv, 3, "zgemv", int, const void *, )
C(cblas_sgemv_64, 0, "sgemv", int64_t, float, &)
C(cblas_dgemv_64, 1, "dgemv", int64_t, double, &)
C(cblas_cgemv_64, 2, "cgemv", int64_t, const void *, )
C(cblas_zgemv_64, 3, "zgemv", int64_t, const void *, )
/* clang-format on */
