/* trmm and trsm: products with a triangular matrix, and with its inverse, in B's place. By halves: two triangles and a
 * product with the square between them, until a triangle is a block of the diagonal, which is solved by registers
 * (lib/blas/solve) where these are real and this CPU has them, and is the next library's else. */
#include <string.h>

#include "blas/exported.h"
#include "blas/level3/call.h"

static void run(const layblas_call *of, int64_t block);

/* The half of B that takes the other's product, and the other. */
typedef struct halves {
    layblas_call taking, other;
    const char *square; /* of the triangle, as it is stored */
} halves;

static halves halve(const layblas_call *of, int64_t half)
{
    const int is_left = of->side == 'L', is_lower = of->uplo == 'L', is_op_lower = is_lower == (of->op == 'N');
    const int64_t size = layblas_size(of->type);
    layblas_call first = *of, second = *of;
    if (is_left) {
        first.m = half;
        second.m = of->m - half;
    } else {
        first.n = half;
        second.n = of->n - half;
    }
    second.a = (const char *)of->a + (half + half * of->lda) * size;
    second.c = (char *)of->c + (is_left ? half : half * of->ldb) * size;
    return (halves){ .taking = is_left == is_op_lower ? second : first,
                     .other = is_left == is_op_lower ? first : second,
                     .square = (const char *)of->a + (is_lower ? half : half * of->lda) * size };
}

/* taking = alpha op(square) other + beta taking, or from the other side. */
static void multiply_square(const halves *of, const void *alpha, const void *beta)
{
    const layblas_call *const to = &of->taking, *const from = &of->other;
    const int is_left = to->side == 'L', op = layblas_op(to->op);
    const layblas_name name = layblas_name_of(to);
    const layblas_shape shape = {
        .form = layblas_form(to->type, 0, is_left ? op : LAYBLAS_AS_IT_IS, is_left ? LAYBLAS_AS_IT_IS : op),
        .m = to->m,
        .n = to->n,
        .k = is_left ? from->m : from->n,
        .step_a = is_left ? to->lda : to->ldb,
        .step_b = is_left ? to->ldb : to->lda,
        .step_c = to->ldb,
    };
    layblas_multiply(&shape, name.text, alpha, is_left ? of->square : from->c, is_left ? from->c : of->square, beta,
                     to->c);
}

static void multiply_halves(halves *of, int64_t block)
{
    run(&of->taking, block);
    multiply_square(of, of->taking.alpha, layblas_unit(of->taking.type, 0));
    run(&of->other, block);
}

static void solve_halves(halves *of, int64_t block)
{
    run(&of->other, block);
    multiply_square(of, layblas_unit(of->taking.type, 1), of->taking.alpha);
    of->taking.alpha = layblas_unit(of->taking.type, 0);
    run(&of->taking, block);
}

/* A block of the diagonal as M X = alpha B of a lower triangular M: transposed where op(A) is to the right, and from
 * the last row to the first where M would be upper. */
static void solve_block(const layblas_call *of, layblas_solve_fn *by)
{
    const int is_left = of->side == 'L', is_as_stored = (of->op == 'N') == is_left;
    const int is_lower = (of->uplo == 'L') == is_as_stored;
    const int64_t last = layblas_order(of) - 1, size = layblas_size(of->type);
    layblas_solve way = { .n = (int)last + 1,
                          .is_unit = of->diagonal == 'U',
                          .count = layblas_other(of),
                          .alpha = of->alpha,
                          .m = of->a,
                          .m_row = is_as_stored ? 1 : of->lda,
                          .m_column = is_as_stored ? of->lda : 1,
                          .b = of->c,
                          .b_row = is_left ? 1 : of->ldb,
                          .b_next = is_left ? of->ldb : 1 };
    if (!is_lower) {
        way.m = (const char *)way.m + last * (way.m_row + way.m_column) * size;
        way.b = (char *)way.b + last * way.b_row * size;
        way.m_row = -way.m_row;
        way.m_column = -way.m_column;
        way.b_row = -way.b_row;
    }
    by(&way);
}

static void run(const layblas_call *of, int64_t block)
{
    const int64_t order = layblas_order(of);
    layblas_solve_fn *const solve = layblas_solve_of(of);
    if (order <= block && solve) {
        solve_block(of, solve);
        return;
    }
    if (order <= block) {
        layblas_pass_call(of);
        return;
    }
    halves both = halve(of, (order / 2 + block - 1) / block * block);
    if (of->routine == LAYBLAS_TRMM)
        multiply_halves(&both, block);
    else
        solve_halves(&both, block);
}

void layblas_triangular(const layblas_call *of)
{
    const int64_t size = layblas_size(of->type);
    if (!layblas_is(of->type, of->alpha, 0))
        run(of, layblas_block_of(of));
    else /* neither A nor B is read */
        for (int64_t j = 0; j < of->n; j++)
            memset((char *)of->c + j * of->ldb * size, 0, (size_t)(of->m * size));
}

#define FORTRAN(name, of_routine, of_type, integer)                                                                    \
    EXPORTED void name(const char *side, const char *uplo, const char *op, const char *diagonal, const integer *m,     \
                       const integer *n, const void *alpha, const void *a, const integer *lda, void *b,                \
                       const integer *ldb);                                                                            \
    void name(const char *side, const char *uplo, const char *op, const char *diagonal, const integer *m,              \
              const integer *n, const void *alpha, const void *a, const integer *lda, void *b, const integer *ldb)     \
    {                                                                                                                  \
        layblas_call_of_fortran((layblas_call){ .routine = of_routine,                                                 \
                                                .type = of_type,                                                       \
                                                .side = *side,                                                         \
                                                .uplo = *uplo,                                                         \
                                                .op = *op,                                                             \
                                                .diagonal = *diagonal,                                                 \
                                                .m = *m,                                                               \
                                                .n = *n,                                                               \
                                                .alpha = alpha,                                                        \
                                                .a = a,                                                                \
                                                .lda = *lda,                                                           \
                                                .ldb = *ldb,                                                           \
                                                .c = b });                                                             \
    }

/* scalar: what alpha is, a number or its address; of: its address */
#define C(name, of_routine, of_type, integer, scalar, of)                                                              \
    EXPORTED void name(int layout, int side, int uplo, int op, int diagonal, integer m, integer n, scalar alpha,       \
                       const void *a, integer lda, void *b, integer ldb);                                              \
    void name(int layout, int side, int uplo, int op, int diagonal, integer m, integer n, scalar alpha, const void *a, \
              integer lda, void *b, integer ldb)                                                                       \
    {                                                                                                                  \
        layblas_call_of_c(                                                                                             \
            (layblas_call){ .routine = of_routine,                                                                     \
                            .type = of_type,                                                                           \
                            .m = m,                                                                                    \
                            .n = n,                                                                                    \
                            .alpha = of alpha,                                                                         \
                            .a = a,                                                                                    \
                            .lda = lda,                                                                                \
                            .ldb = ldb,                                                                                \
                            .c = b },                                                                                  \
            (layblas_letters){ .layout = layout, .side = side, .uplo = uplo, .op = op, .diagonal = diagonal });        \
    }

/* clang-format off */
FORTRAN(strmm_, LAYBLAS_TRMM, 0, int)
FORTRAN(dtrmm_, LAYBLAS_TRMM, 1, int)
FORTRAN(ctrmm_, LAYBLAS_TRMM, 2, int)
FORTRAN(ztrmm_, LAYBLAS_TRMM, 3, int)
FORTRAN(strsm_, LAYBLAS_TRSM, 0, int)
FORTRAN(dtrsm_, LAYBLAS_TRSM, 1, int)
FORTRAN(ctrsm_, LAYBLAS_TRSM, 2, int)
FORTRAN(ztrsm_, LAYBLAS_TRSM, 3, int)
FORTRAN(strmm_64_, LAYBLAS_TRMM, 0, int64_t)
FORTRAN(dtrmm_64_, LAYBLAS_TRMM, 1, int64_t)
FORTRAN(ctrmm_64_, LAYBLAS_TRMM, 2, int64_t)
FORTRAN(ztrmm_64_, LAYBLAS_TRMM, 3, int64_t)
FORTRAN(strsm_64_, LAYBLAS_TRSM, 0, int64_t)
FORTRAN(dtrsm_64_, LAYBLAS_TRSM, 1, int64_t)
FORTRAN(ctrsm_64_, LAYBLAS_TRSM, 2, int64_t)
FORTRAN(ztrsm_64_, LAYBLAS_TRSM, 3, int64_t)
C(cblas_strmm, LAYBLAS_TRMM, 0, int, float, &)
C(cblas_dtrmm, LAYBLAS_TRMM, 1, int, double, &)
C(cblas_ctrmm, LAYBLAS_TRMM, 2, int, const void *, )
C(cblas_ztrmm, LAYBLAS_TRMM, 3, int, const void *, )
C(cblas_strsm, LAYBLAS_TRSM, 0, int, float, &)
C(cblas_dtrsm, LAYBLAS_TRSM, 1, int, double, &)
C(cblas_ctrsm, LAYBLAS_TRSM, 2, int, const void *, )
C(cblas_ztrsm, LAYBLAS_TRSM, 3, int, const void *, )
C(cblas_strmm_64, LAYBLAS_TRMM, 0, int64_t, float, &)
C(cblas_dtrmm_64, LAYBLAS_TRMM, 1, int64_t, double, &)
C(cblas_ctrmm_64, LAYBLAS_TRMM, 2, int64_t, const void *, )
C(cblas_ztrmm_64, LAYBLAS_TRMM, 3, int64_t, const void *, )
C(cblas_strsm_64, LAYBLAS_TRSM, 0, int64_t, float, &)
C(cblas_dtrsm_64, LAYBLAS_TRSM, 1, int64_t, double, &)
C(cblas_ctrsm_64, LAYBLAS_TRSM, 2, int64_t, const void *, )
C(cblas_ztrsm_64, LAYBLAS_TRSM, 3, int64_t, const void *, )
/* clang-format on */
