/* A BLAS of two functions for the tests of the bench: obviously right, or, with FAULT, wrong in one
 * element of C. */
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
