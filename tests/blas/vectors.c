/* Complex products with a vector have the bits of the products with a matrix of one column, whoever computes them: the
 * ways without a plan, or liblayoutgemm. Of one row and of many, along k and across it, strided, scaled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

void cgemv_(const char *op, const int *m, const int *n, const void *alpha, const void *a, const int *lda, const void *x,
            const int *incx, const void *beta, void *y, const int *incy);
void zgemv_(const char *op, const int *m, const int *n, const void *alpha, const void *a, const int *lda, const void *x,
            const int *incx, const void *beta, void *y, const int *incy);
void cgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const void *alpha,
            const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc);
void zgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const void *alpha,
            const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc);

enum { MOST = 300, LONGEST = 2000, STEP = 3, CASES = 400 };

static int below(random_source *from, int end)
{
    return (int)random_in(from, 0, end - 1);
}

/* Parts with digits to lose, and some zeros. */
static void fill(random_source *from, void *to, int numbers, int is_double)
{
    for (int i = 0; i < 2 * numbers; i++) {
        const double part = below(from, 50) ? (below(from, 20001) - 10000) / 7777.0 : 0;
        if (is_double)
            ((double *)to)[i] = part;
        else
            ((float *)to)[i] = (float)part;
    }
}

static void set(void *to, double re, double im, int is_double)
{
    if (is_double)
        memcpy(to, (const double[2]){ re, im }, 2 * sizeof(double));
    else
        memcpy(to, (const float[2]){ (float)re, (float)im }, 2 * sizeof(float));
}

/* Whether one product of random sizes is right. */
static int is_alike(random_source *from, char *a, char *x, char *y, char *wanted)
{
    static const double beta[] = { 0, 1, 0.6 };
    const int is_double = below(from, 2), kind = below(from, 20), end = kind < 2 ? MOST : 40, one = 1;
    const int m = 1 + below(from, kind == 2 ? LONGEST : kind == 3 ? 80 : end);
    const int n = 1 + below(from, kind == 2 ? 80 : kind == 3 ? LONGEST : end), lda = m + below(from, 3);
    const char op = "NTC"[below(from, 3)];
    const int rows = op == 'N' ? m : n, steps = op == 'N' ? n : m, incx = 1 + below(from, STEP),
              incy = below(from, 2) ? -STEP : 1;
    const size_t size = is_double ? 16 : 8;
    double by[2], keep[2];
    set(by, below(from, 2) ? 1 : -0.7, below(from, 3) ? 0 : 0.3, is_double);
    set(keep, beta[below(from, 3)], below(from, 5) ? 0 : 0.2, is_double);
    fill(from, a, lda * n, is_double);
    fill(from, x, steps * STEP, is_double);
    fill(from, y, rows * STEP, is_double);
    char *const column = malloc((size_t)steps * size); /* x's elements, contiguous */
    if (!column)
        return 0;
    for (int i = 0; i < steps; i++)
        memcpy(column + (size_t)i * size, x + (size_t)(i * incx) * size, size);
    for (int i = 0; i < rows; i++)
        memcpy(wanted + (size_t)i * size, y + (size_t)(incy > 0 ? i : (rows - 1 - i) * STEP) * size, size);
    (is_double ? zgemm_ : cgemm_)(&op, "N", &rows, &one, &steps, by, a, &lda, column, &steps, keep, wanted, &rows);
    (is_double ? zgemv_ : cgemv_)(&op, &m, &n, by, a, &lda, x, &incx, keep, y, &incy);
    free(column);
    int differ = 0;
    for (int i = 0; i < rows; i++)
        differ +=
            memcmp(wanted + (size_t)i * size, y + (size_t)(incy > 0 ? i : (rows - 1 - i) * STEP) * size, size) != 0;
    if (differ)
        printf("# %c %c %d x %d: %d elements differ\n", is_double ? 'z' : 'c', op, m, n, differ);
    return !differ;
}

int main(void)
{
    int wrong = 0;
    char *const a = malloc(16 * (LONGEST + 2) * 82), *const x = malloc(16 * LONGEST * STEP),
                *const y = malloc(16 * LONGEST * STEP), *const wanted = malloc(16 * LONGEST);
    if (!a || !x || !y || !wanted)
        return 1;
    for (int i = 0; i < CASES; i++) {
        random_source from = random_case(122, (uint64_t)i);
        wrong += !is_alike(&from, a, x, y, wanted);
    }
    printf("%s 1 - a complex gemv has the bits of a gemm: %d of %d have not\n1..1\n", wrong ? "not ok" : "ok", wrong,
           CASES);
    free(a);
    free(x);
    free(y);
    free(wanted);
    return wrong != 0;
}
