/* A call as numbers becomes a call of the routine of that name, which is looked up. */
#include "call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *const call_names[] = { "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm" };

int call_has_real_alpha(const call *of)
{
    return of->type < 2 || of->routine == CALL_HERK;
}

int call_has_real_beta(const call *of)
{
    return of->type < 2 || of->routine == CALL_HERK || of->routine == CALL_HER2K;
}

static void *find(const call *of)
{
    char name[32];
    const char *const wide = of->is_wide ? "_64" : "", letter = "sdcz"[of->type];
    if (of->caller == CALL_FORTRAN)
        snprintf(name, sizeof name, "%c%s%s_", letter, call_names[of->routine], wide);
    else
        snprintf(name, sizeof name, "cblas_%c%s%s", letter, call_names[of->routine], wide);
    void *const found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        printf("Bail out! there is no %s\n", name);
        exit(1);
    }
    return found;
}

/* CBLAS's numbers; a letter that there is not becomes 999. */
static int number(char letter, const char *letters, int first)
{
    for (int i = 0; letters[i]; i++)
        if (letters[i] == letter)
            return first + i;
    return 999;
}

typedef const void *address;

#define FORTRAN(integer)                                                                                               \
    static void fortran_##integer(const call *of, void *routine)                                                       \
    {                                                                                                                  \
        const integer m = (integer)of->m, n = (integer)of->n, k = (integer)of->k, lda = (integer)of->lda,              \
                      ldb = (integer)of->ldb, ldc = (integer)of->ldc;                                                  \
        typedef void two(const char *, const char *, const integer *, const integer *, address, address,               \
                         const integer *, address, const integer *, address, void *, const integer *);                 \
        typedef void one(const char *, const char *, const integer *, const integer *, address, address,               \
                         const integer *, address, void *, const integer *);                                           \
        typedef void triangle(const char *, const char *, const char *, const char *, const integer *,                 \
                              const integer *, address, address, const integer *, void *, const integer *);            \
        if (of->routine <= CALL_HEMM)                                                                                  \
            ((two *)routine)(&of->side, &of->uplo, &m, &n, of->alpha, of->a, &lda, of->b, &ldb, of->beta, of->c,       \
                             &ldc);                                                                                    \
        else if (of->routine <= CALL_HERK)                                                                             \
            ((one *)routine)(&of->uplo, &of->op, &n, &k, of->alpha, of->a, &lda, of->beta, of->c, &ldc);               \
        else if (of->routine <= CALL_HER2K)                                                                            \
            ((two *)routine)(&of->uplo, &of->op, &n, &k, of->alpha, of->a, &lda, of->b, &ldb, of->beta, of->c, &ldc);  \
        else                                                                                                           \
            ((triangle *)routine)(&of->side, &of->uplo, &of->op, &of->diagonal, &m, &n, of->alpha, of->a, &lda, of->c, \
                                  &ldb);                                                                               \
    }

/* first, second: the types of alpha and beta; x, y: what they are */
#define C(name, integer, first, x, second, y)                                                                          \
    static void name##_##integer(const call *of, void *routine)                                                        \
    {                                                                                                                  \
        const integer m = (integer)of->m, n = (integer)of->n, k = (integer)of->k, lda = (integer)of->lda,              \
                      ldb = (integer)of->ldb, ldc = (integer)of->ldc;                                                  \
        const int layout = of->caller == CALL_C_ROWS ? 101 : 102, side = number(of->side, "LR", 141),                  \
                  uplo = number(of->uplo, "UL", 121), op = number(of->op, "NTC", 111),                                 \
                  diagonal = number(of->diagonal, "NU", 131);                                                          \
        typedef void two(int, int, int, integer, integer, first, address, integer, address, integer, second, void *,   \
                         integer);                                                                                     \
        typedef void one(int, int, int, integer, integer, first, address, integer, second, void *, integer);           \
        typedef void triangle(int, int, int, int, int, integer, integer, first, address, integer, void *, integer);    \
        if (of->routine <= CALL_HEMM)                                                                                  \
            ((two *)routine)(layout, side, uplo, m, n, x, of->a, lda, of->b, ldb, y, of->c, ldc);                      \
        else if (of->routine <= CALL_HERK)                                                                             \
            ((one *)routine)(layout, uplo, op, n, k, x, of->a, lda, y, of->c, ldc);                                    \
        else if (of->routine <= CALL_HER2K)                                                                            \
            ((two *)routine)(layout, uplo, op, n, k, x, of->a, lda, of->b, ldb, y, of->c, ldc);                        \
        else                                                                                                           \
            ((triangle *)routine)(layout, side, uplo, op, diagonal, m, n, x, of->a, lda, of->c, ldb);                  \
    }

#define SINGLE(scalar) *(const float *)(scalar)
#define TWICE(scalar)  *(const double *)(scalar)
#define WIDTHS(integer)                                                                                                \
    FORTRAN(integer)                                                                                                   \
    C(of_float, integer, float, SINGLE(of->alpha), float, SINGLE(of->beta))                                            \
    C(of_double, integer, double, TWICE(of->alpha), double, TWICE(of->beta))                                           \
    C(of_complex, integer, address, of->alpha, address, of->beta)                                                      \
    C(of_complex_and_float, integer, address, of->alpha, float, SINGLE(of->beta))                                      \
    C(of_complex_and_double, integer, address, of->alpha, double, TWICE(of->beta))

WIDTHS(int)
WIDTHS(int64_t)

void call_make(const call *of)
{
    static const float none[2]; /* beta of those that have none */
    typedef void make(const call *, void *);
    static make *const fortran[] = { fortran_int, fortran_int64_t };
    static make *const real[2][2] = { { of_float_int, of_float_int64_t }, { of_double_int, of_double_int64_t } };
    static make *const mixed[2][2] = { { of_complex_and_float_int, of_complex_and_float_int64_t },
                                       { of_complex_and_double_int, of_complex_and_double_int64_t } };
    static make *const whole[] = { of_complex_int, of_complex_int64_t };
    call filled = *of;
    if (!filled.beta)
        filled.beta = none;
    make *const made = of->caller == CALL_FORTRAN ? fortran[of->is_wide]
                       : call_has_real_alpha(of)  ? real[of->type % 2][of->is_wide]
                       : call_has_real_beta(of)   ? mixed[of->type % 2][of->is_wide]
                                                  : whole[of->is_wide];
    made(&filled, find(of));
}
