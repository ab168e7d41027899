/* The routines under test, as Fortran and C declare them. All arguments of Fortran's are addresses, so that one type
 * serves s, d, c and z; integers are int, or int64_t in names with _64. */
#ifndef LAY_TESTS_BLAS_H
#define LAY_TESTS_BLAS_H

#include <stddef.h>
#include <stdint.h>

#define FORTRAN_NAMES(suffix, integer)                                                                                 \
    typedef void fortran_gemm##suffix(const char *, const char *, const integer *, const integer *, const integer *,   \
                                      const void *, const void *, const integer *, const void *, const integer *,      \
                                      const void *, void *, const integer *);                                          \
    typedef void fortran_gemv##suffix(const char *, const integer *, const integer *, const void *, const void *,      \
                                      const integer *, const void *, const integer *, const void *, void *,            \
                                      const integer *);                                                                \
    typedef void fortran_gemmt##suffix(const char *, const char *, const char *, const integer *, const integer *,     \
                                       const void *, const void *, const integer *, const void *, const integer *,     \
                                       const void *, void *, const integer *);                                         \
    typedef void fortran_batch##suffix(const char *, const char *, const integer *, const integer *, const integer *,  \
                                       const void *, const void *const *, const integer *, const void *const *,        \
                                       const integer *, const void *, void *const *, const integer *, const integer *, \
                                       const integer *);                                                               \
    typedef void fortran_strided##suffix(const char *, const char *, const integer *, const integer *,                 \
                                         const integer *, const void *, const void *, const integer *,                 \
                                         const integer *, const void *, const integer *, const integer *,              \
                                         const void *, void *, const integer *, const integer *, const integer *);     \
    extern fortran_gemm##suffix sgemm##suffix, dgemm##suffix, cgemm##suffix, zgemm##suffix;                            \
    extern fortran_gemv##suffix sgemv##suffix, dgemv##suffix, cgemv##suffix, zgemv##suffix;                            \
    extern fortran_gemmt##suffix sgemmt##suffix, dgemmt##suffix, cgemmt##suffix, zgemmt##suffix, sgemmtr##suffix,      \
        dgemmtr##suffix, cgemmtr##suffix, zgemmtr##suffix;                                                             \
    extern fortran_batch##suffix sgemm_batch##suffix, dgemm_batch##suffix, cgemm_batch##suffix, zgemm_batch##suffix;   \
    extern fortran_strided##suffix sgemm_batch_strided##suffix, dgemm_batch_strided##suffix,                           \
        cgemm_batch_strided##suffix, zgemm_batch_strided##suffix;

FORTRAN_NAMES(_, int)
FORTRAN_NAMES(_64_, int64_t)

/* scalar: alpha and beta, a number of real types, an address of complex ones */
#define C_NAMES(letter, suffix, integer, scalar)                                                                       \
    void cblas_##letter##gemm##suffix(int, int, int, integer, integer, integer, scalar, const void *, integer,         \
                                      const void *, integer, scalar, void *, integer);                                 \
    void cblas_##letter##gemv##suffix(int, int, integer, integer, scalar, const void *, integer, const void *,         \
                                      integer, scalar, void *, integer);                                               \
    void cblas_##letter##gemmt##suffix(int, int, int, int, integer, integer, scalar, const void *, integer,            \
                                       const void *, integer, scalar, void *, integer);                                \
    void cblas_##letter##gemmtr##suffix(int, int, int, int, integer, integer, scalar, const void *, integer,           \
                                        const void *, integer, scalar, void *, integer);                               \
    void cblas_##letter##gemm_batch##suffix(int, const int *, const int *, const integer *, const integer *,           \
                                            const integer *, const void *, const void *const *, const integer *,       \
                                            const void *const *, const integer *, const void *, void *const *,         \
                                            const integer *, integer, const integer *);                                \
    void cblas_##letter##gemm_batch_strided##suffix(int, int, int, integer, integer, integer, scalar, const void *,    \
                                                    integer, integer, const void *, integer, integer, scalar, void *,  \
                                                    integer, integer, integer);

C_NAMES(s, , int, float)
C_NAMES(d, , int, double)
C_NAMES(c, , int, const void *)
C_NAMES(z, , int, const void *)
C_NAMES(s, _64, int64_t, float)
C_NAMES(d, _64, int64_t, double)
C_NAMES(c, _64, int64_t, const void *)
C_NAMES(z, _64, int64_t, const void *)

#endif
