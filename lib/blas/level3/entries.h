/* The entries of routines that multiply two matrices into a third: Fortran's and C's arguments brought to a call. Two
 * letters and two extents have the names of layblas_call's, here as arguments. */
#ifndef LAYBLAS_LEVEL3_ENTRIES_H
#define LAYBLAS_LEVEL3_ENTRIES_H

#include "blas/exported.h"
#include "blas/level3/call.h"

#define LAYBLAS_FORTRAN_OF_TWO(name, of_routine, of_type, integer, letter, other, extent, next)                        \
    EXPORTED void name(const char *letter, const char *other, const integer *extent, const integer *next,              \
                       const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,        \
                       const void *beta, void *c, const integer *ldc);                                                 \
    void name(const char *letter, const char *other, const integer *extent, const integer *next, const void *alpha,    \
              const void *a, const integer *lda, const void *b, const integer *ldb, const void *beta, void *c,         \
              const integer *ldc)                                                                                      \
    {                                                                                                                  \
        layblas_call_of_fortran((layblas_call){ .routine = of_routine,                                                 \
                                                .type = of_type,                                                       \
                                                .letter = *letter,                                                     \
                                                .other = *other,                                                       \
                                                .extent = *extent,                                                     \
                                                .next = *next,                                                         \
                                                .alpha = alpha,                                                        \
                                                .beta = beta,                                                          \
                                                .a = a,                                                                \
                                                .b = b,                                                                \
                                                .lda = *lda,                                                           \
                                                .ldb = *ldb,                                                           \
                                                .ldc = *ldc,                                                           \
                                                .c = c });                                                             \
    }

/* scalar: what alpha is, a number or its address; of: its address. as_beta, of_beta: beta's, which is real of her2k. */
#define LAYBLAS_C_OF_TWO(name, of_routine, of_type, integer, letter, other, extent, next, scalar, of, as_beta,         \
                         of_beta)                                                                                      \
    EXPORTED void name(int layout, int letter, int other, integer extent, integer next, scalar alpha, const void *a,   \
                       integer lda, const void *b, integer ldb, as_beta beta, void *c, integer ldc);                   \
    void name(int layout, int letter, int other, integer extent, integer next, scalar alpha, const void *a,            \
              integer lda, const void *b, integer ldb, as_beta beta, void *c, integer ldc)                             \
    {                                                                                                                  \
        layblas_call_of_c((layblas_call){ .routine = of_routine,                                                       \
                                          .type = of_type,                                                             \
                                          .extent = extent,                                                            \
                                          .next = next,                                                                \
                                          .alpha = of alpha,                                                           \
                                          .beta = of_beta beta,                                                        \
                                          .a = a,                                                                      \
                                          .b = b,                                                                      \
                                          .lda = lda,                                                                  \
                                          .ldb = ldb,                                                                  \
                                          .ldc = ldc,                                                                  \
                                          .c = c },                                                                    \
                          (layblas_letters){ .layout = layout, .letter = letter, .other = other });                    \
    }

#endif
