/* Products of which one matrix is a triangle, or symmetric and given by one: their arguments, and who computes them. */
#ifndef LAYBLAS_LEVEL3_CALL_H
#define LAYBLAS_LEVEL3_CALL_H

#include "blas/product.h"
#include "blas/solve/solve.h"

typedef enum layblas_routine {
    LAYBLAS_SYMM,
    LAYBLAS_HEMM,
    LAYBLAS_SYRK,
    LAYBLAS_HERK,
    LAYBLAS_SYR2K,
    LAYBLAS_HER2K,
    LAYBLAS_TRMM,
    LAYBLAS_TRSM,
    LAYBLAS_ROUTINES
} layblas_routine;

/* The arguments as Fortran has them, all matrices by columns. Of a routine that lacks one it is 0. */
typedef struct layblas_call {
    layblas_routine routine;
    int type; /* 0 to 3: s d c z */
    layblas_caller caller;
    char side, uplo, op, diagonal; /* capitals */
    int64_t m, n, k;               /* B's or C's rows and columns; of rank updates C is n x n, and m is 0 */
    const void *alpha, *beta;      /* real where the routine has them real */
    const void *a, *b;
    int64_t lda, ldb, ldc;
    void *c; /* what is written: of trmm and trsm B */
} layblas_call;

/* What CBLAS was called with, to be turned into the above: numbers in place of letters, 0 for what is not there. */
typedef struct layblas_letters {
    int layout, side, uplo, op, diagonal;
} layblas_letters;

/* The routines, called by Fortran, with letters as they came; and by C, whose letters are numbers. Wrong arguments are
 * told of, and nothing is computed. */
void layblas_call_of_fortran(layblas_call call);
void layblas_call_of_c(layblas_call call, layblas_letters letters);

/* Whether a call, of which something is to be done, is computed here; else it is passed on. */
int layblas_is_ours(const layblas_call *of);

/* What solves a trsm's triangles at the diagonal; NULL: the next library. */
static inline layblas_solve_fn *layblas_solve_of(const layblas_call *of)
{
    return of->routine == LAYBLAS_TRSM && !(of->type & LAYBLAS_COMPLEX)
               ? layblas_find_solve((of->type & LAYBLAS_DOUBLE) != 0)
               : NULL;
}

/* Through products of liblayoutgemm. The triangles at the diagonal of trmm are the next library's, and of trsm those
 * that nothing here solves. */
void layblas_symmetric(const layblas_call *of);
void layblas_rank_update(const layblas_call *of);
void layblas_triangular(const layblas_call *of);

/* Rows that such a triangle has, and columns of symm's matrix that are written out at once. */
int64_t layblas_block_of(const layblas_call *of);

/* The order of the matrix that is a triangle or symmetric, and the other extent. */
static inline int layblas_is_rank_update(const layblas_call *of)
{
    return of->routine >= LAYBLAS_SYRK && of->routine <= LAYBLAS_HER2K;
}

static inline int64_t layblas_order(const layblas_call *of)
{
    return layblas_is_rank_update(of) || of->side == 'R' ? of->n : of->m;
}

static inline int64_t layblas_other(const layblas_call *of)
{
    return layblas_is_rank_update(of) ? of->k : of->side == 'R' ? of->m : of->n;
}

/* The whole call by the next library: 0 where that cannot do it; or the process ends. */
int layblas_try_to_pass(const layblas_call *of);
void layblas_pass_call(const layblas_call *of);

/* With the type's letter, as dsyrk. */
typedef struct layblas_name {
    char text[8];
} layblas_name;
layblas_name layblas_name_of(const layblas_call *of);

/* A product alpha op(A) op(B) + beta C of which one triangle of C is computed. */
typedef struct layblas_triangle {
    layblas_shape shape; /* n: m */
    int is_upper;
    int is_hermitian; /* the diagonal is real */
    const char *routine;
    const void *alpha, *beta;
    const void *alpha_exchanged; /* not NULL: + alpha_exchanged op(B)' op(A)', of rank updates of two matrices */
    const char *a, *b;
    char *c;
} layblas_triangle;
void layblas_multiply_triangle(const layblas_triangle *of);

#endif
