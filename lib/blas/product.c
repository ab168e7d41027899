/* One product by a remembered plan; what liblayoutgemm refuses is the next library's. */
#include "blas/product.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

#include "blas/next.h"

void layblas_multiply(const layblas_shape *shape, const char *routine, const void *alpha, const void *a, const void *b,
                      const void *beta, void *c)
{
    const lay_plan *plan;
    lay_status status = layblas_plan(shape, &plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, alpha, a, b, beta, c);
    if (status != LAY_OK)
        layblas_pass_product(status, shape, routine, alpha, a, b, beta, c);
}

const void *layblas_unit(int64_t form, int is_negative)
{
    static const float single[2][2] = { { 1, 0 }, { -1, 0 } };
    static const double twice[2][2] = { { 1, 0 }, { -1, 0 } };
    return form & LAYBLAS_DOUBLE ? (const void *)twice[is_negative] : single[is_negative];
}

int layblas_check_gemm(int op_a, int op_b, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    const int64_t rows_a = op_a == LAYBLAS_AS_IT_IS ? m : k, rows_b = op_b == LAYBLAS_AS_IT_IS ? k : n;
    if (op_a == LAYBLAS_NO_OP)
        return 1;
    if (op_b == LAYBLAS_NO_OP)
        return 2;
    if (m < 0)
        return 3;
    if (n < 0)
        return 4;
    if (k < 0)
        return 5;
    if (lda < 1 || lda < rows_a)
        return 8;
    if (ldb < 1 || ldb < rows_b)
        return 10;
    return ldc < 1 || ldc < m ? 13 : 0;
}

/* The next library's routines, as Fortran calls them: lengths of strings last. */
typedef void gemm_fn(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const void *alpha,
                     const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,
                     const int *ldc, size_t, size_t);
typedef void gemv_fn(const char *op, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                     const void *x, const int *incx, const void *beta, void *y, const int *incy, size_t);

static const char *const gemv_names[] = { "sgemv_", "dgemv_", "cgemv_", "zgemv_" };

static char letter(int is_as_it_is, int is_conjugated)
{
    return is_as_it_is ? 'N' : is_conjugated ? 'C' : 'T';
}

/* C^T = op(B)^T op(A)^T where C lies by rows. */
static void pass_gemm(gemm_fn *gemm, const layblas_shape *of, const void *alpha, const void *a, const void *b,
                      const void *beta, void *c)
{
    const int m = (int)of->m, n = (int)of->n, k = (int)of->k;
    const int lda = (int)of->step_a, ldb = (int)of->step_b, ldc = (int)of->step_c;
    const int is_a_along = (of->form & LAYBLAS_A_ALONG) != 0, is_b_along = (of->form & LAYBLAS_B_ALONG) != 0;
    const int is_a_conjugated = (of->form & LAYBLAS_CONJUGATED_A) != 0;
    const int is_b_conjugated = (of->form & LAYBLAS_CONJUGATED_B) != 0;
    if (of->form & LAYBLAS_C_BY_ROWS) {
        const char first = letter(!is_b_along, is_b_conjugated), second = letter(is_a_along, is_a_conjugated);
        gemm(&first, &second, &n, &m, &k, alpha, b, &ldb, a, &lda, beta, c, &ldc, 1, 1);
    } else {
        const char first = letter(!is_a_along, is_a_conjugated), second = letter(is_b_along, is_b_conjugated);
        gemm(&first, &second, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc, 1, 1);
    }
}

/* Where the first element of a vector is, as the BLAS counts: the lowest address. */
static const void *lowest(const layblas_shape *of, const void *first, int64_t length, int64_t step)
{
    return (const char *)first + (step < 0 && length > 0 ? (length - 1) * step * layblas_size(of->form) : 0);
}

/* A matrix that is conjugated and not transposed has no letter: that comes of row-major calls of cgemv, zgemv. */
static int has_letter(const layblas_shape *of)
{
    return !(of->form & LAYBLAS_VECTORS) || !(of->form & LAYBLAS_CONJUGATED_A) || (of->form & LAYBLAS_A_ALONG);
}

static void pass_gemv(gemv_fn *gemv, const layblas_shape *of, const void *alpha, const void *a, const void *x,
                      const void *beta, void *y)
{
    const int is_along = (of->form & LAYBLAS_A_ALONG) != 0;
    const char op = letter(!is_along, of->form & LAYBLAS_CONJUGATED_A);
    const int rows = (int)(is_along ? of->k : of->m), columns = (int)(is_along ? of->m : of->k);
    const int lda = (int)of->step_a, incx = (int)of->step_b, incy = (int)of->step_c;
    gemv(&op, &rows, &columns, alpha, a, &lda, lowest(of, x, of->k, of->step_b), &incx, beta,
         (void *)(uintptr_t)lowest(of, y, of->m, of->step_c), &incy, 1);
}

static int fits_int(const layblas_shape *of)
{
    const int64_t all[] = { of->m, of->n, of->k, of->step_a, of->step_b, of->step_c };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > INT_MAX || all[i] < -INT_MAX)
            return 0;
    return 1;
}

/* Looked up once a type. */
int layblas_try_to_pass_vector(const layblas_shape *shape, const void *alpha, const void *a, const void *x,
                               const void *beta, void *y)
{
    static char none;
    static _Atomic(void *) known[4];
    const int64_t type = shape->form & LAYBLAS_TYPE;
    void *found = atomic_load_explicit(&known[type], memory_order_acquire);
    if (!found) {
        const char *reason;
        found = layblas_next_find(gemv_names[type], &reason);
        found = found ? found : &none;
        atomic_store_explicit(&known[type], found, memory_order_release);
    }
    if (found == &none || !has_letter(shape) || !fits_int(shape))
        return 0;
    pass_gemv((gemv_fn *)found, shape, alpha, a, x, beta, y);
    return 1;
}

/* The environment is nobody's argument: who set it wrongly is told, once, and has right results all the same. */
static void tell_of_options(void)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_told))
        fprintf(stderr, "layblas: products are passed on: %s\n", lay_last_error());
}

/* A device that failed may have left a part of C behind: what beta C is, is lost. */
void layblas_pass_product(lay_status status, const layblas_shape *shape, const char *routine, const void *alpha,
                          const void *a, const void *b, const void *beta, void *c)
{
    static const char *const gemm[] = { "sgemm_", "dgemm_", "cgemm_", "zgemm_" };
    const int is_vector = (shape->form & LAYBLAS_VECTORS) != 0;
    char both[700];
    const char *reason = "extents of more than 31 bits";
    void *found = NULL;
    if (status == LAY_ERR_OPTION)
        tell_of_options();
    if (status == LAY_ERR_DEVICE)
        reason = "a part of C may have been written";
    else if (!has_letter(shape))
        reason = "no other library has a matrix that is conjugated and not transposed";
    else if (fits_int(shape))
        found = layblas_next_find((is_vector ? gemv_names : gemm)[shape->form & LAYBLAS_TYPE], &reason);
    if (!found) {
        snprintf(both, sizeof both, "%s; %s", status == LAY_ERR_MEMORY ? "out of memory" : lay_last_error(), reason);
        layblas_give_up(routine, both);
    }
    if (is_vector)
        pass_gemv((gemv_fn *)found, shape, alpha, a, b, beta, c);
    else
        pass_gemm((gemm_fn *)found, shape, alpha, a, b, beta, c);
}
