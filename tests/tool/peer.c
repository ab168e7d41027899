/* A BLAS of two products, and batches of them and of complex ones, for the tests of the bench: obviously right, or,
 * with FAULT, wrong in one element of C. */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

static const int row_major = 101, plain = 111;

/* Element (i, j) of a matrix of that order. */
static size_t at(int by_rows, int i, int j, int ld)
{
    return by_rows ? (size_t)i * (size_t)ld + (size_t)j : (size_t)j * (size_t)ld + (size_t)i;
}

#define PRODUCT(name, type)                                                                                            \
    EXPORT void name(int order, int trans_a, int trans_b, int m, int n, int k, type alpha, const type *a, int lda,     \
                     const type *b, int ldb, type beta, type *c, int ldc);                                             \
    void name(int order, int trans_a, int trans_b, int m, int n, int k, type alpha, const type *a, int lda,            \
              const type *b, int ldb, type beta, type *c, int ldc)                                                     \
    {                                                                                                                  \
        const int rows = order == row_major;                                                                           \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++) {                                                                              \
                type sum = 0, *to = &c[at(rows, i, j, ldc)];                                                           \
                for (int p = 0; p < k; p++)                                                                            \
                    sum +=                                                                                             \
                        a[at(rows == (trans_a == plain), i, p, lda)] * b[at(rows == (trans_b == plain), p, j, ldb)];   \
                *to = alpha * sum + (beta == 0 ? 0 : beta * *to);                                                      \
            }                                                                                                          \
        if (FAULT && m > 1)                                                                                            \
            c[at(rows, m - 1, n - 1, ldc)] += 1;                                                                       \
    }

PRODUCT(cblas_sgemm, float)
PRODUCT(cblas_dgemm, double)

#define BATCH(name, type, one)                                                                                         \
    EXPORT void name(int order, int trans_a, int trans_b, int m, int n, int k, type alpha, const type *a, int lda,     \
                     int stride_a, const type *b, int ldb, int stride_b, type beta, type *c, int ldc, int stride_c,    \
                     int count);                                                                                       \
    void name(int order, int trans_a, int trans_b, int m, int n, int k, type alpha, const type *a, int lda,            \
              int stride_a, const type *b, int ldb, int stride_b, type beta, type *c, int ldc, int stride_c,           \
              int count)                                                                                               \
    {                                                                                                                  \
        for (int i = 0; i < count; i++, a += stride_a, b += stride_b, c += stride_c)                                   \
            one(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
    }

BATCH(cblas_sgemm_batch_strided, float, cblas_sgemm)
BATCH(cblas_dgemm_batch_strided, double, cblas_dgemm)

#define MANY(name, type, one)                                                                                          \
    EXPORT void name(int order, const int *trans_a, const int *trans_b, const int *m, const int *n, const int *k,      \
                     const type *alpha, const type **a, const int *lda, const type **b, const int *ldb,                \
                     const type *beta, type **c, const int *ldc, int groups, const int *count);                        \
    void name(int order, const int *trans_a, const int *trans_b, const int *m, const int *n, const int *k,             \
              const type *alpha, const type **a, const int *lda, const type **b, const int *ldb, const type *beta,     \
              type **c, const int *ldc, int groups, const int *count)                                                  \
    {                                                                                                                  \
        for (int group = 0, first = 0; group < groups; first += count[group++])                                        \
            for (int i = first; i < first + count[group]; i++)                                                         \
                one(order, trans_a[group], trans_b[group], m[group], n[group], k[group], alpha[group], a[i],           \
                    lda[group], b[i], ldb[group], beta[group], c[i], ldc[group]);                                      \
    }

/* Of complex numbers there are batches alone. Scalars come by address, which many runs have anyway. */
PRODUCT(one_c32, float _Complex)
PRODUCT(one_c64, double _Complex)

#define COMPLEX_BATCH(name, type, one)                                                                                 \
    EXPORT void name(int order, int trans_a, int trans_b, int m, int n, int k, const type *alpha, const type *a,       \
                     int lda, int stride_a, const type *b, int ldb, int stride_b, const type *beta, type *c, int ldc,  \
                     int stride_c, int count);                                                                         \
    void name(int order, int trans_a, int trans_b, int m, int n, int k, const type *alpha, const type *a, int lda,     \
              int stride_a, const type *b, int ldb, int stride_b, const type *beta, type *c, int ldc, int stride_c,    \
              int count)                                                                                               \
    {                                                                                                                  \
        for (int i = 0; i < count; i++, a += stride_a, b += stride_b, c += stride_c)                                   \
            one(order, trans_a, trans_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                              \
    }

COMPLEX_BATCH(cblas_cgemm_batch_strided, float _Complex, one_c32)
COMPLEX_BATCH(cblas_zgemm_batch_strided, double _Complex, one_c64)

MANY(cblas_sgemm_batch, float, cblas_sgemm)
MANY(cblas_dgemm_batch, double, cblas_dgemm)
MANY(cblas_cgemm_batch, float _Complex, one_c32)
MANY(cblas_zgemm_batch, double _Complex, one_c64)
