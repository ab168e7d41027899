/* One product, by liblayoutgemm or, what that refuses, by the next library. */
#ifndef LAYBLAS_PRODUCT_H
#define LAYBLAS_PRODUCT_H

#include "blas/errors.h"
#include "blas/plans.h"

/* op(A) as Fortran's letters and CBLAS's numbers say it. */
enum { LAYBLAS_AS_IT_IS = 0, LAYBLAS_TRANSPOSED = 1, LAYBLAS_CONJUGATED = 2, LAYBLAS_NO_OP = 3 };

static inline int layblas_op(char letter)
{
    switch (letter) {
    case 'N':
    case 'n':
        return LAYBLAS_AS_IT_IS;
    case 'T':
    case 't':
        return LAYBLAS_TRANSPOSED;
    case 'C':
    case 'c':
        return LAYBLAS_CONJUGATED;
    default:
        return LAYBLAS_NO_OP;
    }
}

static inline int layblas_op_of_c(int trans)
{
    return trans >= 111 && trans <= 113 ? trans - 111 : LAYBLAS_NO_OP;
}

/* CBLAS's layouts. */
enum { LAYBLAS_ROWS = 101, LAYBLAS_COLUMNS = 102 };

/* The form of operands of these ops, of which only complex ones are conjugated. */
static inline int64_t layblas_form(int type, int is_by_rows, int op_a, int op_b)
{
    const int is_complex = (type & LAYBLAS_COMPLEX) != 0;
    return type | (op_a == LAYBLAS_NO_OP || op_b == LAYBLAS_NO_OP ? LAYBLAS_NO_FORM : 0) |
           ((op_a != LAYBLAS_AS_IT_IS) != is_by_rows ? LAYBLAS_A_ALONG : 0) |
           ((op_b == LAYBLAS_AS_IT_IS) != is_by_rows ? LAYBLAS_B_ALONG : 0) | (is_by_rows ? LAYBLAS_C_BY_ROWS : 0) |
           (is_complex && op_a == LAYBLAS_CONJUGATED ? LAYBLAS_CONJUGATED_A : 0) |
           (is_complex && op_b == LAYBLAS_CONJUGATED ? LAYBLAS_CONJUGATED_B : 0);
}

static inline int64_t layblas_size(int64_t form)
{
    return (int64_t)4 << (form & LAYBLAS_DOUBLE) << ((form & LAYBLAS_COMPLEX) >> 1);
}

/* Whether a scalar of a form's type is this whole number. */
static inline int layblas_is(int64_t form, const void *scalar, int value)
{
    const float *const single = scalar;
    const double *const twice = scalar;
    if (form & LAYBLAS_DOUBLE)
        return twice[0] == value && (!(form & LAYBLAS_COMPLEX) || twice[1] == 0);
    return single[0] == (float)value && (!(form & LAYBLAS_COMPLEX) || single[1] == 0);
}

/* 1 or -1 of a form's type. */
const void *layblas_unit(int64_t form, int is_negative);

/* The number of the first wrong argument of a gemm in Fortran, 0 where there is none. */
int layblas_check_gemm(int op_a, int op_b, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc);

/* C = alpha op(A) op(B) + beta C; routine: the name, as sgemm. The shape is right, its extents are above 0, but k may
 * be 0. */
void layblas_multiply(const layblas_shape *shape, const char *routine, const void *alpha, const void *a, const void *b,
                      const void *beta, void *c);

/* The same product in pieces of few different shapes, with the same bits, where a plan of its own would cost more than
 * the product: 1, or 0 where it is none of that kind or was met before. */
int layblas_multiply_in_pieces(const layblas_shape *shape, const char *routine, const void *alpha, const void *a,
                               const void *b, const void *beta, void *c);

/* A product with a vector by the next library: 0 where there is none, or it has no call for that. */
int layblas_try_to_pass_vector(const layblas_shape *shape, const void *alpha, const void *a, const void *x,
                               const void *beta, void *y);

/* A complex product with a vector without a plan, with the same bits: 0 where it is not of that kind. */
int layblas_try_vector(const layblas_shape *shape, const void *alpha, const void *a, const void *x, const void *beta,
                       void *y);

/* What is left to do when liblayoutgemm has refused: not a batch. */
void layblas_pass_product(lay_status status, const layblas_shape *shape, const char *routine, const void *alpha,
                          const void *a, const void *b, const void *beta, void *c);

#endif
