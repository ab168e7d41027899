/* A next library that has nothing but a dgemm, and a dgemv whose results tell that it was called. */
void dgemm_(void);
void dgemv_(const char *op, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);

__attribute__((visibility("default"))) void dgemm_(void)
{
}

__attribute__((visibility("default"))) void dgemv_(const char *op, const int *m, const int *n, const double *alpha,
                                                   const double *a, const int *lda, const double *x, const int *incx,
                                                   const double *beta, double *y, const int *incy)
{
    (void)op, (void)m, (void)n, (void)alpha, (void)a, (void)lda, (void)x, (void)incx, (void)beta, (void)incy;
    y[0] = -77;
}
