/* Other people's batches of products. */
#include "batches.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/base/element.h"

typedef void strided_f32_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const void *a,
                            int lda, int stride_a, const void *b, int ldb, int stride_b, float beta, void *c, int ldc,
                            int stride_c, int count);
typedef void strided_f64_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const void *a,
                            int lda, int stride_a, const void *b, int ldb, int stride_b, double beta, void *c, int ldc,
                            int stride_c, int count);
typedef void strided_complex_fn(int order, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                                const void *a, int lda, int stride_a, const void *b, int ldb, int stride_b,
                                const void *beta, void *c, int ldc, int stride_c, int count);
typedef void addressed_fn(int order, const int *trans_a, const int *trans_b, const int *m, const int *n, const int *k,
                          const void *alpha, const void *const *a, const int *lda, const void *const *b, const int *ldb,
                          const void *beta, void *const *c, const int *ldc, int groups, const int *count);

static void *find(const peer *of, char letter, const char *rest)
{
    static const char *const prefixes[] = { "", "scipy_" };
    void *found = NULL;
    char name[64];
    for (int i = 0; i < 2 && !found; i++) {
        snprintf(name, sizeof name, "%scblas_%cgemm_batch%s", prefixes[i], letter, rest);
        found = dlsym(of->library, name);
    }
    return found;
}

batches batches_find(const peer *of)
{
    static const char letters[BATCHES_TYPES] = { 's', 'd', 'c', 'z' };
    batches found;
    for (int i = 0; i < BATCHES_TYPES; i++) {
        found.strided[i] = find(of, letters[i], "_strided");
        found.addressed[i] = find(of, letters[i], "");
    }
    return found;
}

int batches_at(lay_type type)
{
    return (element_parts(type) == 2) * 2 + (element_real(type) == LAY_F64);
}

void batches_run_strided(const batches *of, lay_type type, int n, int count, const void *a, const void *b, void *c)
{
    void *const call = of->strided[batches_at(type)];
    const int plain = CBLAS_NO_TRANS, apart = n * n;
    if (element_parts(type) == 2)
        ((strided_complex_fn *)(uintptr_t)call)(CBLAS_ROW_MAJOR, plain, plain, n, n, n, element_scalar(type, 1), a, n,
                                                apart, b, n, apart, element_scalar(type, 0), c, n, apart, count);
    else if (type == LAY_F64)
        ((strided_f64_fn *)(uintptr_t)call)(CBLAS_ROW_MAJOR, plain, plain, n, n, n, 1, a, n, apart, b, n, apart, 0, c,
                                            n, apart, count);
    else
        ((strided_f32_fn *)(uintptr_t)call)(CBLAS_ROW_MAJOR, plain, plain, n, n, n, 1, a, n, apart, b, n, apart, 0, c,
                                            n, apart, count);
}

void batches_run_addressed(const batches *of, lay_type type, int n, int count, const void *const a[],
                           const void *const b[], void *const c[])
{
    const int plain = CBLAS_NO_TRANS;
    ((addressed_fn *)(uintptr_t)of->addressed[batches_at(type)])(CBLAS_ROW_MAJOR, &plain, &plain, &n, &n, &n,
                                                                 element_scalar(type, 1), a, &n, b, &n,
                                                                 element_scalar(type, 0), c, &n, 1, &count);
}
