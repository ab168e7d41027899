/* Calls the routine that its argument names, for passing.py: one that is passed on, with real and integer arguments, a
 * result, or none. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double _Complex zdotu_(const int *n, const double _Complex *x, const int *incx, const double _Complex *y,
                       const int *incy);
float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy);
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void dtrmm_(const char *side, const char *uplo, const char *op, const char *diagonal, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dgbmv_(const char *op, const int *m, const int *n, const int *lower, const int *upper, const double *alpha,
            const double *a, const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy);
void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

void dgemv_(const char *op, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void zgemv_(const char *op, const int *m, const int *n, const double _Complex *alpha, const double _Complex *a,
            const int *lda, const double _Complex *x, const int *incx, const double _Complex *beta, double _Complex *y,
            const int *incy);

static const int one = 1, two = 2, minus = -1;
static const double scalar = 3, x[] = { 1, 2 };

static void call_dgemm(const int *m)
{
    double c[] = { 0, 0, 0, 0 };
    dgemm_("N", "N", m, &two, &one, &scalar, x, &two, x, &one, &scalar, c, &two);
    printf("dgemm %g %g %g %g\n", c[0], c[1], c[2], c[3]);
}

/* A small product with a vector, a large one, and a complex one; of ones. */
static int call_gemv(void)
{
    enum { LARGE = 1024 };
    const int large = LARGE;
    const double zero = 0, unit = 1;
    const double _Complex z[] = { 1, 1, 1, 1 }, complex_unit = 1, none = 0;
    double _Complex w[2];
    double y[2], *const ones = malloc(sizeof *ones * LARGE * LARGE), *const sums = malloc(sizeof *sums * LARGE);
    if (!ones || !sums)
        return 1;
    for (int i = 0; i < LARGE * LARGE; i++)
        ones[i] = 1;
    dgemv_("N", &two, &two, &unit, ones, &two, ones, &one, &zero, y, &one);
    dgemv_("T", &large, &large, &unit, ones, &large, ones, &one, &zero, sums, &one);
    zgemv_("N", &two, &two, &complex_unit, z, &two, z, &one, &none, w, &one);
    printf("dgemv %g %g %g\n", y[0], sums[0], creal(w[0]));
    free(ones);
    free(sums);
    return 0;
}

int main(int count, char *arguments[])
{
    const char *name = count > 1 ? arguments[1] : "";
    double y[] = { 10, 20 };
    if (strcmp(name, "daxpy") == 0) {
        daxpy_(&two, &scalar, x, &one, y, &one);
        cblas_daxpy(2, scalar, x, 1, y, 1);
        printf("daxpy %g %g\n", y[0], y[1]);
    } else if (strcmp(name, "dots") == 0) {
        const double _Complex z[] = { 1 + 2 * I, 3 - I };
        const float narrow[] = { 1, 2 };
        const double _Complex sum = zdotu_(&two, z, &one, z, &one);
        printf("dots %g %g %g %g\n", ddot_(&two, x, &one, x, &one), creal(sum), cimag(sum),
               (double)cblas_sdsdot(2, 4, narrow, 1, narrow, 1));
    } else if (strcmp(name, "dtrmm") == 0) {
        const double a[] = { 2, 0, 0, 4 };
        dtrmm_("L", "U", "N", "N", &two, &one, &scalar, a, &two, y, &two);
        printf("dtrmm %g %g\n", y[0], y[1]);
    } else if (strcmp(name, "dgbmv") == 0) {
        const int none = 0;
        dgbmv_("N", &two, &two, &none, &none, &scalar, x, &one, x, &one, &scalar, y, &one);
        printf("dgbmv %g %g\n", y[0], y[1]);
    } else if (strcmp(name, "dgemm") == 0)
        call_dgemm(&two);
    else if (strcmp(name, "dgemv") == 0)
        return call_gemv();
    else if (strcmp(name, "wrong") == 0)
        call_dgemm(&minus);
    return 0;
}
