/* A call as numbers becomes a call of the routine of that name. */
#include "call.h"

#include "blas.h"

static const char letters[] = "NTC?"; /* the last: none */

/* Shapes of gemv are those of the matrix as it is stored. */
static int64_t rows_stored(const call *of)
{
    return of->op_a ? of->k : of->m;
}

static int64_t columns_stored(const call *of)
{
    return of->op_a ? of->m : of->k;
}

#define FORTRAN(letter, suffix, integer)                                                                               \
    static void fortran_##letter##suffix(const call *of)                                                               \
    {                                                                                                                  \
        const char *a = &letters[of->op_a], *b = &letters[of->op_b], *uplo = of->is_upper ? "U" : "L";                 \
        const char all_a[] = { *a, *a }, all_b[] = { *b, *b };                                                         \
        const integer m = (integer)of->m, n = (integer)of->n, k = (integer)of->k, lda = (integer)of->lda,              \
                      ldb = (integer)of->ldb, ldc = (integer)of->ldc, rows = (integer)rows_stored(of),                 \
                      columns = (integer)columns_stored(of), sa = (integer)of->stride_a, sb = (integer)of->stride_b,   \
                      sc = (integer)of->stride_c, count = (integer)of->count, groups = 2;                              \
        const integer ms[] = { m, m }, ns[] = { n, n }, ks[] = { k, k }, las[] = { lda, lda }, lbs[] = { ldb, ldb },   \
                      lcs[] = { ldc, ldc }, counts[] = { 1, count - 1 };                                               \
        switch (of->routine) {                                                                                         \
        case CALL_GEMM:                                                                                                \
            letter##gemm##suffix(a, b, &m, &n, &k, of->alpha, of->a[0], &lda, of->b[0], &ldb, of->beta, of->c[0],      \
                                 &ldc);                                                                                \
            break;                                                                                                     \
        case CALL_GEMV:                                                                                                \
            letter##gemv##suffix(a, &rows, &columns, of->alpha, of->a[0], &lda, of->b[0], &ldb, of->beta, of->c[0],    \
                                 &ldc);                                                                                \
            break;                                                                                                     \
        case CALL_GEMMT:                                                                                               \
            letter##gemmt##suffix(uplo, a, b, &n, &k, of->alpha, of->a[0], &lda, of->b[0], &ldb, of->beta, of->c[0],   \
                                  &ldc);                                                                               \
            break;                                                                                                     \
        case CALL_GEMMTR:                                                                                              \
            letter##gemmtr##suffix(uplo, a, b, &n, &k, of->alpha, of->a[0], &lda, of->b[0], &ldb, of->beta, of->c[0],  \
                                   &ldc);                                                                              \
            break;                                                                                                     \
        case CALL_BATCH:                                                                                               \
            letter##gemm_batch##suffix(all_a, all_b, ms, ns, ks, of->alpha, of->a, las, of->b, lbs, of->beta, of->c,   \
                                       lcs, &groups, counts);                                                          \
            break;                                                                                                     \
        default:                                                                                                       \
            letter##gemm_batch_strided##suffix(a, b, &m, &n, &k, of->alpha, of->a[0], &lda, &sa, of->b[0], &ldb, &sb,  \
                                               of->beta, of->c[0], &ldc, &sc, &count);                                 \
        }                                                                                                              \
    }

#define C(letter, suffix, integer, alpha_of, beta_of)                                                                  \
    static void c_##letter##suffix(const call *of)                                                                     \
    {                                                                                                                  \
        const int layout = of->side == CALL_C_ROWS ? 101 : 102, a = 111 + of->op_a, b = 111 + of->op_b,                \
                  uplo = of->is_upper ? 121 : 122;                                                                     \
        const int all_a[] = { a, a }, all_b[] = { b, b };                                                              \
        const integer m = (integer)of->m, n = (integer)of->n, k = (integer)of->k, lda = (integer)of->lda,              \
                      ldb = (integer)of->ldb, ldc = (integer)of->ldc, rows = (integer)rows_stored(of),                 \
                      columns = (integer)columns_stored(of), sa = (integer)of->stride_a, sb = (integer)of->stride_b,   \
                      sc = (integer)of->stride_c, count = (integer)of->count;                                          \
        const integer ms[] = { m, m }, ns[] = { n, n }, ks[] = { k, k }, las[] = { lda, lda }, lbs[] = { ldb, ldb },   \
                      lcs[] = { ldc, ldc }, counts[] = { 1, count - 1 };                                               \
        switch (of->routine) {                                                                                         \
        case CALL_GEMM:                                                                                                \
            cblas_##letter##gemm##suffix(layout, a, b, m, n, k, alpha_of, of->a[0], lda, of->b[0], ldb, beta_of,       \
                                         of->c[0], ldc);                                                               \
            break;                                                                                                     \
        case CALL_GEMV:                                                                                                \
            cblas_##letter##gemv##suffix(layout, a, rows, columns, alpha_of, of->a[0], lda, of->b[0], ldb, beta_of,    \
                                         of->c[0], ldc);                                                               \
            break;                                                                                                     \
        case CALL_GEMMT:                                                                                               \
            cblas_##letter##gemmt##suffix(layout, uplo, a, b, n, k, alpha_of, of->a[0], lda, of->b[0], ldb, beta_of,   \
                                          of->c[0], ldc);                                                              \
            break;                                                                                                     \
        case CALL_GEMMTR:                                                                                              \
            cblas_##letter##gemmtr##suffix(layout, uplo, a, b, n, k, alpha_of, of->a[0], lda, of->b[0], ldb, beta_of,  \
                                           of->c[0], ldc);                                                             \
            break;                                                                                                     \
        case CALL_BATCH:                                                                                               \
            cblas_##letter##gemm_batch##suffix(layout, all_a, all_b, ms, ns, ks, of->alpha, of->a, las, of->b, lbs,    \
                                               of->beta, of->c, lcs, 2, counts);                                       \
            break;                                                                                                     \
        default:                                                                                                       \
            cblas_##letter##gemm_batch_strided##suffix(layout, a, b, m, n, k, alpha_of, of->a[0], lda, sa, of->b[0],   \
                                                       ldb, sb, beta_of, of->c[0], ldc, sc, count);                    \
        }                                                                                                              \
    }

#define SINGLE(scalar) *(const float *)(scalar)
#define TWICE(scalar)  *(const double *)(scalar)

/* clang-format off */
FORTRAN(s, _, int)
FORTRAN(d, _, int)
FORTRAN(c, _, int)
FORTRAN(z, _, int)
FORTRAN(s, _64_, int64_t)
FORTRAN(d, _64_, int64_t)
FORTRAN(c, _64_, int64_t)
FORTRAN(z, _64_, int64_t)
C(s, , int, SINGLE(of->alpha), SINGLE(of->beta))
C(d, , int, TWICE(of->alpha), TWICE(of->beta))
C(c, , int, of->alpha, of->beta)
C(z, , int, of->alpha, of->beta)
C(s, _64, int64_t, SINGLE(of->alpha), SINGLE(of->beta))
C(d, _64, int64_t, TWICE(of->alpha), TWICE(of->beta))
C(c, _64, int64_t, of->alpha, of->beta)
C(z, _64, int64_t, of->alpha, of->beta)
/* clang-format on */

void call_make(const call *of)
{
    typedef void make(const call *);
    static make *const made[2][2][4] = {
        { { fortran_s_, fortran_d_, fortran_c_, fortran_z_ },
          { fortran_s_64_, fortran_d_64_, fortran_c_64_, fortran_z_64_ } },
        { { c_s, c_d, c_c, c_z }, { c_s_64, c_d_64, c_c_64, c_z_64 } },
    };
    made[of->side != CALL_FORTRAN][of->is_wide][of->type](of);
}
