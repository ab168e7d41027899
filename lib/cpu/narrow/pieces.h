/* Pieces of matrices of 16-bit numbers as dense FP32 ones, and C's way back. */
#ifndef LAY_CPU_PIECES_H
#define LAY_CPU_PIECES_H

#include <stdint.h>

#include "plan/axis.h"
#include "storage/half.h"

/* A piece [outer][inner]: inner is the dimension whose elements lie together in the matrix. */
typedef struct lay_piece {
    const lay_half_row *row;
    const lay_axis *outer, *inner;
    int64_t first_outer, outers, first_inner, inners;
    char *matrix; /* the address of offset 0 */
    float *dense; /* [outers][inners] */
} lay_piece;

enum { LAY_PIECE_SIDE = 2048 }; /* inners, at most */
enum { LAY_PIECE_LINE = 16 };   /* floats of a cache line, where pieces begin */

/* A matrix by rows or by columns, as it lies: its first rows x columns. *is_by_rows: rows are the outer dimension. */
lay_piece lay_piece_of(const lay_half_row *row, const lay_axis *rows, const lay_axis *columns, void *matrix,
                       float *dense, int *is_by_rows);

/* dense = matrix. */
void lay_piece_widen(const lay_piece *piece, int threads);

/* to = count elements of an axis of the matrix at zero, from index first on. */
void lay_piece_widen_line(const lay_half_row *row, const lay_axis *axis, const uint16_t *zero, int64_t first,
                          int64_t count, float to[]);

/* matrix = round(alpha dense + beta matrix); matrix is not read where beta is 0. dense NULL: there is no first term. */
void lay_piece_round(const lay_piece *piece, float alpha, float beta, int threads);

#endif
