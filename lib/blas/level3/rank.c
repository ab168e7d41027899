/* syrk, herk, syr2k and her2k: updates of a triangle by a product of a matrix, or two, with its own transpose. */
#include "blas/level3/entries.h"

typedef struct scalar {
    union {
        float single[2];
        double twice[2];
    } of;
} scalar;

/* A scalar of the matrix's type: of herk and her2k it may be given as a real number. */
static scalar widen(int type, const void *given, int is_real, int is_conjugated)
{
    scalar made = { { .twice = { 0, 0 } } };
    const int parts = (type & LAYBLAS_COMPLEX) && !is_real ? 2 : 1, sign = is_conjugated ? -1 : 1;
    if (type & LAYBLAS_DOUBLE) {
        made.of.twice[0] = ((const double *)given)[0];
        made.of.twice[1] = parts == 2 ? sign * ((const double *)given)[1] : 0;
    } else {
        made.of.single[0] = ((const float *)given)[0];
        made.of.single[1] = parts == 2 ? (float)sign * ((const float *)given)[1] : 0;
    }
    return made;
}

void layblas_rank_update(const layblas_call *of)
{
    const int is_hermitian = of->routine == LAYBLAS_HERK || of->routine == LAYBLAS_HER2K;
    const int has_two = of->routine == LAYBLAS_SYR2K || of->routine == LAYBLAS_HER2K;
    const int turned = is_hermitian ? LAYBLAS_CONJUGATED : LAYBLAS_TRANSPOSED, is_turned = of->op != 'N';
    const scalar alpha = widen(of->type, of->alpha, of->routine == LAYBLAS_HERK, 0);
    const scalar exchanged = widen(of->type, of->alpha, of->routine == LAYBLAS_HERK, is_hermitian);
    const scalar beta = widen(of->type, of->beta, is_hermitian, 0);
    const layblas_name name = layblas_name_of(of);
    layblas_multiply_triangle(
        &(layblas_triangle){ .shape = { .form = layblas_form(of->type, 0, is_turned ? turned : LAYBLAS_AS_IT_IS,
                                                             is_turned ? LAYBLAS_AS_IT_IS : turned),
                                        .m = of->n,
                                        .n = of->n,
                                        .k = of->k,
                                        .step_a = of->lda,
                                        .step_b = has_two ? of->ldb : of->lda,
                                        .step_c = of->ldc },
                             .is_upper = of->uplo == 'U',
                             .is_hermitian = is_hermitian,
                             .routine = name.text,
                             .alpha = &alpha,
                             .beta = &beta,
                             .alpha_exchanged = has_two ? &exchanged : NULL,
                             .a = of->a,
                             .b = has_two ? of->b : of->a,
                             .c = of->c });
}

#define FORTRAN(name, of_routine, of_type, integer)                                                                    \
    EXPORTED void name(const char *uplo, const char *op, const integer *n, const integer *k, const void *alpha,        \
                       const void *a, const integer *lda, const void *beta, void *c, const integer *ldc);              \
    void name(const char *uplo, const char *op, const integer *n, const integer *k, const void *alpha, const void *a,  \
              const integer *lda, const void *beta, void *c, const integer *ldc)                                       \
    {                                                                                                                  \
        layblas_call_of_fortran((layblas_call){ .routine = of_routine,                                                 \
                                                .type = of_type,                                                       \
                                                .uplo = *uplo,                                                         \
                                                .op = *op,                                                             \
                                                .n = *n,                                                               \
                                                .k = *k,                                                               \
                                                .alpha = alpha,                                                        \
                                                .beta = beta,                                                          \
                                                .a = a,                                                                \
                                                .lda = *lda,                                                           \
                                                .ldc = *ldc,                                                           \
                                                .c = c });                                                             \
    }

#define FORTRAN2(name, of_routine, of_type, integer)                                                                   \
    LAYBLAS_FORTRAN_OF_TWO(name, of_routine, of_type, integer, uplo, op, n, k)

/* scalar: what alpha and beta are, a number or its address; of: their address */
#define C(name, of_routine, of_type, integer, scalar, of)                                                              \
    EXPORTED void name(int layout, int uplo, int op, integer n, integer k, scalar alpha, const void *a, integer lda,   \
                       scalar beta, void *c, integer ldc);                                                             \
    void name(int layout, int uplo, int op, integer n, integer k, scalar alpha, const void *a, integer lda,            \
              scalar beta, void *c, integer ldc)                                                                       \
    {                                                                                                                  \
        layblas_call_of_c((layblas_call){ .routine = of_routine,                                                       \
                                          .type = of_type,                                                             \
                                          .n = n,                                                                      \
                                          .k = k,                                                                      \
                                          .alpha = of alpha,                                                           \
                                          .beta = of beta,                                                             \
                                          .a = a,                                                                      \
                                          .lda = lda,                                                                  \
                                          .ldc = ldc,                                                                  \
                                          .c = c },                                                                    \
                          (layblas_letters){ .layout = layout, .uplo = uplo, .op = op });                              \
    }

#define C2(name, of_routine, of_type, integer, scalar, of, as_beta, of_beta)                                           \
    LAYBLAS_C_OF_TWO(name, of_routine, of_type, integer, uplo, op, n, k, scalar, of, as_beta, of_beta)

/* clang-format off */
FORTRAN(ssyrk_, LAYBLAS_SYRK, 0, int)
FORTRAN(dsyrk_, LAYBLAS_SYRK, 1, int)
FORTRAN(csyrk_, LAYBLAS_SYRK, 2, int)
FORTRAN(zsyrk_, LAYBLAS_SYRK, 3, int)
FORTRAN(cherk_, LAYBLAS_HERK, 2, int)
FORTRAN(zherk_, LAYBLAS_HERK, 3, int)
FORTRAN(ssyrk_64_, LAYBLAS_SYRK, 0, int64_t)
FORTRAN(dsyrk_64_, LAYBLAS_SYRK, 1, int64_t)
FORTRAN(csyrk_64_, LAYBLAS_SYRK, 2, int64_t)
FORTRAN(zsyrk_64_, LAYBLAS_SYRK, 3, int64_t)
FORTRAN(cherk_64_, LAYBLAS_HERK, 2, int64_t)
FORTRAN(zherk_64_, LAYBLAS_HERK, 3, int64_t)
FORTRAN2(ssyr2k_, LAYBLAS_SYR2K, 0, int)
FORTRAN2(dsyr2k_, LAYBLAS_SYR2K, 1, int)
FORTRAN2(csyr2k_, LAYBLAS_SYR2K, 2, int)
FORTRAN2(zsyr2k_, LAYBLAS_SYR2K, 3, int)
FORTRAN2(cher2k_, LAYBLAS_HER2K, 2, int)
FORTRAN2(zher2k_, LAYBLAS_HER2K, 3, int)
FORTRAN2(ssyr2k_64_, LAYBLAS_SYR2K, 0, int64_t)
FORTRAN2(dsyr2k_64_, LAYBLAS_SYR2K, 1, int64_t)
FORTRAN2(csyr2k_64_, LAYBLAS_SYR2K, 2, int64_t)
FORTRAN2(zsyr2k_64_, LAYBLAS_SYR2K, 3, int64_t)
FORTRAN2(cher2k_64_, LAYBLAS_HER2K, 2, int64_t)
FORTRAN2(zher2k_64_, LAYBLAS_HER2K, 3, int64_t)
C(cblas_ssyrk, LAYBLAS_SYRK, 0, int, float, &)
C(cblas_dsyrk, LAYBLAS_SYRK, 1, int, double, &)
C(cblas_csyrk, LAYBLAS_SYRK, 2, int, const void *, )
C(cblas_zsyrk, LAYBLAS_SYRK, 3, int, const void *, )
C(cblas_cherk, LAYBLAS_HERK, 2, int, float, &)
C(cblas_zherk, LAYBLAS_HERK, 3, int, double, &)
C(cblas_ssyrk_64, LAYBLAS_SYRK, 0, int64_t, float, &)
C(cblas_dsyrk_64, LAYBLAS_SYRK, 1, int64_t, double, &)
C(cblas_csyrk_64, LAYBLAS_SYRK, 2, int64_t, const void *, )
C(cblas_zsyrk_64, LAYBLAS_SYRK, 3, int64_t, const void *, )
C(cblas_cherk_64, LAYBLAS_HERK, 2, int64_t, float, &)
C(cblas_zherk_64, LAYBLAS_HERK, 3, int64_t, double, &)
C2(cblas_ssyr2k, LAYBLAS_SYR2K, 0, int, float, &, float, &)
C2(cblas_dsyr2k, LAYBLAS_SYR2K, 1, int, double, &, double, &)
C2(cblas_csyr2k, LAYBLAS_SYR2K, 2, int, const void *, , const void *, )
C2(cblas_zsyr2k, LAYBLAS_SYR2K, 3, int, const void *, , const void *, )
C2(cblas_cher2k, LAYBLAS_HER2K, 2, int, const void *, , float, &)
C2(cblas_zher2k, LAYBLAS_HER2K, 3, int, const void *, , double, &)
C2(cblas_ssyr2k_64, LAYBLAS_SYR2K, 0, int64_t, float, &, float, &)
C2(cblas_dsyr2k_64, LAYBLAS_SYR2K, 1, int64_t, double, &, double, &)
C2(cblas_csyr2k_64, LAYBLAS_SYR2K, 2, int64_t, const void *, , const void *, )
C2(cblas_zsyr2k_64, LAYBLAS_SYR2K, 3, int64_t, const void *, , const void *, )
C2(cblas_cher2k_64, LAYBLAS_HER2K, 2, int64_t, const void *, , float, &)
C2(cblas_zher2k_64, LAYBLAS_HER2K, 3, int64_t, const void *, , double, &)
/* clang-format on */
