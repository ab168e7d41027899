/* Calls of level 3 that the next library computes, whole or as blocks of the diagonal. */
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

#include "blas/level3/call.h"
#include "blas/next.h"

/* As Fortran calls them: lengths of strings last. */
typedef void two_fn(const char *, const char *, const int *, const int *, const void *, const void *, const int *,
                    const void *, const int *, const void *, void *, const int *, size_t, size_t);
typedef void rank_fn(const char *uplo, const char *op, const int *n, const int *k, const void *alpha, const void *a,
                     const int *lda, const void *beta, void *c, const int *ldc, size_t, size_t);
typedef void triangular_fn(const char *side, const char *uplo, const char *op, const char *diagonal, const int *m,
                           const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
                           size_t, size_t, size_t, size_t);

static int fits_int(const layblas_call *of)
{
    const int64_t all[] = { of->m, of->n, of->k, of->lda, of->ldb, of->ldc };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > INT_MAX)
            return 0;
    return 1;
}

/* Looked up once; NULL with *reason where there is none. */
static void *find(const layblas_call *of, const char **reason)
{
    static _Atomic(void *) known[LAYBLAS_ROUTINES][4];
    char symbol[16];
    void *found = atomic_load_explicit(&known[of->routine][of->type], memory_order_acquire);
    *reason = "extents of more than 31 bits";
    if (!fits_int(of))
        return NULL;
    if (found)
        return found;
    snprintf(symbol, sizeof symbol, "%s_", layblas_name_of(of).text);
    found = layblas_next_find(symbol, reason);
    atomic_store_explicit(&known[of->routine][of->type], found, memory_order_release);
    return found;
}

static void run(void *found, const layblas_call *of)
{
    const int m = (int)of->m, n = (int)of->n, k = (int)of->k;
    const int lda = (int)of->lda, ldb = (int)of->ldb, ldc = (int)of->ldc;
    switch (of->routine) {
    case LAYBLAS_SYMM:
    case LAYBLAS_HEMM:
        ((two_fn *)found)(&of->side, &of->uplo, &m, &n, of->alpha, of->a, &lda, of->b, &ldb, of->beta, of->c, &ldc, 1,
                          1);
        break;
    case LAYBLAS_SYR2K:
    case LAYBLAS_HER2K:
        ((two_fn *)found)(&of->uplo, &of->op, &n, &k, of->alpha, of->a, &lda, of->b, &ldb, of->beta, of->c, &ldc, 1, 1);
        break;
    case LAYBLAS_SYRK:
    case LAYBLAS_HERK:
        ((rank_fn *)found)(&of->uplo, &of->op, &n, &k, of->alpha, of->a, &lda, of->beta, of->c, &ldc, 1, 1);
        break;
    default:
        ((triangular_fn *)found)(&of->side, &of->uplo, &of->op, &of->diagonal, &m, &n, of->alpha, of->a, &lda, of->c,
                                 &ldb, 1, 1, 1, 1);
    }
}

int layblas_try_to_pass(const layblas_call *of)
{
    const char *reason;
    void *const found = find(of, &reason);
    if (found)
        run(found, of);
    return found != NULL;
}

void layblas_pass_call(const layblas_call *of)
{
    const char *reason;
    void *const found = find(of, &reason);
    if (!found)
        layblas_give_up(layblas_name_of(of).text, reason);
    run(found, of);
}
