/* Random layouts over places, matrices in them, and what each place should hold. */
#ifndef LAY_TESTS_TEAM_SPREAD_H
#define LAY_TESTS_TEAM_SPREAD_H

#include <stddef.h>

#include "../random.h"
#include "layoutgemm_team.h"

/* A matrix (or any tensor) over places: its parts' storage, with something else in the gaps. */
typedef struct spread {
    char text[500];
    lay_desc *desc;
    lay_type type;
    int places;
    void **block; /* [places] of storage */
    void **part;  /* [places] addresses of offset 0 */
} spread;

/* Rows x columns in block-cyclic, blocked, cyclic or replicated parts on a grid of grid_rows x grid_columns places, the
 * parts tiled in some order. A result has no more copies than others. */
void spread_make(random_source *from, lay_type type, int64_t rows, int64_t columns, int grid_rows, int grid_columns,
                 spread *out);

/* The same in a layout that is said. */
void spread_of_text(lay_type type, const char *text, spread *out);
void spread_free(spread *of);

/* Every copy of element (i, j) := dense[i * columns + j]; and 1 when every copy has those bits. */
void spread_scatter(spread *to, const void *dense);
int spread_equals(const spread *of, const void *dense);

/* The same of what one place holds. */
int spread_equals_at(const spread *of, int place, const void *dense);

/* Finite elements of the type, small enough for sums of them. */
void spread_fill(random_source *from, lay_type type, int64_t count, void *elements);

/* A row-major matrix of such elements; the caller's to free. */
void *spread_dense(random_source *from, lay_type type, int64_t rows, int64_t columns);

/* What a team's product is held against: row-major matrices, size m, n, k, on the CPU. */
lay_status spread_multiply(lay_type type, const int64_t size[3], const void *alpha, const void *a, const void *b,
                           const void *beta, void *c);

/* The same in the order LAY_TEAM_SUM_BY_SLICES, by what it is said to be: a product a slice, and sums of pairs. */
lay_status spread_multiply_slices(lay_type type, const int64_t size[3], const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c);

/* alpha or beta: -1, 0, 1 or another one, of what the type's sums are. */
void spread_scalar(random_source *from, lay_type type, double out[2]);
int spread_scalar_is_zero(lay_type type, const double scalar[2]);

#endif
