/* A part of a matrix that ScaLAPACK's array descriptor says, as a distribution of ours. */
#ifndef LAYPBLAS_MATRIX_H
#define LAYPBLAS_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "layoutgemm_team.h"

/* An array descriptor's numbers, of rows [0] and columns [1]. */
typedef struct laypblas_desc {
    int context;
    int extent[2], first_block[2], block[2], source[2]; /* source -1: all processes have copies */
    int lead;
} laypblas_desc;

enum { LAYPBLAS_DESC = 1, LAYPBLAS_DESC_INB = 2 }; /* DTYPE_: the usual one, and that with IMB_ and INB_ */

/* 0 for a DTYPE_ that is neither. */
int laypblas_desc_read(const int numbers[], laypblas_desc *desc);

/* extent indices from `first` (0 is the first one) on, at process `mine` of so many; d as above. */
typedef struct laypblas_range {
    int64_t first, extent;
} laypblas_range;

/* Whether PBLAS takes the part, and the descriptor at this process (a coordinate of -1: it is in no grid of it). */
int laypblas_desc_is_right(const laypblas_desc *desc, const laypblas_range range[2], const int processes[2],
                           const int mine[2]);

/* Indices below n that a process has. */
int64_t laypblas_count(const laypblas_desc *desc, int d, int64_t n, int processes, int mine);

/* The distribution; all it refers to is the matrix's own. */
typedef struct laypblas_matrix {
    lay_distribution tables;
    int64_t extent[2], *owner[2], *coordinate;
    const int64_t *owners[2];
    lay_desc *part;
    const lay_desc *parts[1];
    size_t skipped; /* elements before the part's first one, from the array's first one on */
} laypblas_matrix;

/* coordinate: [places][2], of the grid's rows and columns, -1 where a place is not in it; it is copied. mine: this
 * process's. is_transposed: the part's rows are the matrix's columns. 0 without memory, or where the part is too large;
 * laypblas_matrix_free in any case. */
int laypblas_matrix_make(const laypblas_desc *desc, const laypblas_range range[2], const int processes[2],
                         const int mine[2], int places, const int coordinate[], int is_transposed,
                         laypblas_matrix *matrix);
void laypblas_matrix_free(laypblas_matrix *matrix);

#endif
