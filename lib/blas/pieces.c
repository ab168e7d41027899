/* Long thin products that are new, in pieces whose shapes recur: a factorization's recursion has another length in each
 * call, and planning it takes several times as long as the product (bench/LOG.md, section 84). An element's bits depend
 * on its sum over k alone, so they are those of the whole product. Not so of complex numbers, where it also matters
 * whether there are more rows than columns (docs/numerics.md). */
#include "blas/product.h"

/* Rows of a piece: so many as often as they go, then so many a few times, then what is left. */
enum { LONG_PIECE = 512, SHORT_PIECE = 64 };
enum { LEAST = 128, MOST_ACROSS = 16, MOST_STEPS = 16 }; /* below 32 steps sums are one chain, of vectors too */

int layblas_multiply_in_pieces(const layblas_shape *shape, const char *routine, const void *alpha, const void *a,
                               const void *b, const void *beta, void *c)
{
    const int is_by_rows = (shape->form & LAYBLAS_C_BY_ROWS) != 0;
    const int64_t length = is_by_rows ? shape->n : shape->m, across = is_by_rows ? shape->m : shape->n;
    if (length < LEAST || across > MOST_ACROSS || shape->k > MOST_STEPS || (shape->form & LAYBLAS_COMPLEX) ||
        layblas_was_met(shape))
        return 0;
    const int64_t size = layblas_size(shape->form);
    const int64_t step_a = shape->form & LAYBLAS_A_ALONG ? shape->step_a : 1;
    const int64_t step_b = shape->form & LAYBLAS_B_ALONG ? shape->step_b : 1;
    for (int64_t at = 0; at < length;) {
        const int64_t left = length - at;
        const int64_t piece = left >= LONG_PIECE    ? LONG_PIECE
                              : left >= SHORT_PIECE ? left / SHORT_PIECE * SHORT_PIECE
                                                    : left;
        layblas_shape part = *shape;
        *(is_by_rows ? &part.n : &part.m) = piece;
        layblas_multiply(&part, routine, alpha, (const char *)a + (is_by_rows ? 0 : at * step_a * size),
                         (const char *)b + (is_by_rows ? at * step_b * size : 0), beta, (char *)c + at * size);
        at += piece;
    }
    return 1;
}
