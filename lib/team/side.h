/* One side of a transfer: where each element lies, as tables of its root dimensions. */
#ifndef LAY_TEAM_SIDE_H
#define LAY_TEAM_SIDE_H

#include <stdint.h>

#include "layoutgemm.h"
#include "team/cost/volume.h"

/* Index x of dimension d takes part at the places whose value[place * rank + d] is owner[d][x], and lies offset[d][x]
 * elements further on there. A place takes part where copy[place] >= 0: the number of its copy among `copies`. */
typedef struct lay_side {
    int rank;
    int64_t places, copies;
    int64_t *extent, **owner, **offset; /* [rank] */
    int64_t *value, *copy;              /* [places][rank], [places] */
    int64_t **own;                      /* [each][rank]: offset at a place from first on; NULL: as at all others */
    int64_t first, each;
    int inner;            /* the dimension whose neighbours lie beside each other; below 0: found from the offsets */
    int64_t (*window)[2]; /* [places][rank]: of what a place gets, the indices from the one to before the other alone;
                           * NULL: all */
} lay_side;

/* What takes part nowhere has this owner. */
#define LAY_NOBODY INT64_MIN

/* Room for a side, all of it 0. LAY_ERR_MEMORY: nothing is left to free. */
lay_status lay_side_open(int rank, int64_t places, const int64_t extent[], lay_side *side);

/* A layout over places. LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */
lay_status lay_side_of_desc(const lay_desc *desc, lay_side *side);

/* A window of all indices for each place. LAY_ERR_MEMORY. */
lay_status lay_side_open_windows(lay_side *side);

/* Where the indices of dimension d lie at the place. */
static inline const int64_t *lay_side_offsets(const lay_side *side, int64_t place, int d)
{
    return side->own ? side->own[(place - side->first) * side->rank + d] : side->offset[d];
}

/* Of a side of matrices, which has a batch as its first dimension if it has three: that of rows (0) or columns (1). */
static inline int lay_side_along(const lay_side *side, int rows_or_columns)
{
    return side->rank - 2 + rows_or_columns;
}

/* Storage of its own for a matrix whose rows (dimension 0) or columns (1) are those of another side, as each place has
 * them, and whose other dimension has `whole` indices. Of the indices of a place those from first on take part, at most
 * `most`; of the other dimension those from `from` on, at most `depth`. inner: the dimension whose neighbours lie
 * beside each other. Of a batch as many as each place has, one after the other. */
typedef struct lay_slab {
    int dimension, inner;
    int64_t whole, first, most, from, depth;
} lay_slab;

/* Elements of one matrix. */
static inline int64_t lay_slab_size(const lay_slab *slab)
{
    return slab->most * slab->depth;
}

/* From one index of dimension d to the next one. */
static inline int64_t lay_slab_step(const lay_slab *slab, int d)
{
    return d == slab->inner ? 1 : d == slab->dimension ? slab->depth : slab->most;
}

/* LAY_ERR_MEMORY. */
lay_status lay_side_of_panel(const lay_side *of, const lay_slab *slab, lay_side *side);

/* How many numbers there are from the least owner of dimension d to the greatest; 0 without indices. */
int64_t lay_side_owners(const lay_side *of, int d, int64_t *least);

/* The number of each index of dimension d among those with its owner, in ascending order. LAY_ERR_MEMORY. */
lay_status lay_side_number(const lay_side *of, int d, int64_t number[]);

/* Where a place has all indices of dimension d that it takes, in its window, and no others between: the number of the
 * first one among those that it has. Else below 0. *count: how many it takes. */
int64_t lay_side_run(const lay_side *from, const lay_side *taken, int d, int64_t place, int64_t *count);

/* The dimension along which the elements of a place have most neighbours in memory; and that of the first place that
 * has any. */
int lay_side_inner(const lay_side *side, int64_t place);
int lay_side_find_inner(const lay_side *side);

/* How many indices of dimension d take part at the place. */
int64_t lay_side_count(const lay_side *side, int64_t place, int d);

/* What the place has of A, B and C. */
lay_share lay_side_share(const lay_side side[3], int64_t place);

/* In a row of so many indices of dimension d, how many have some, on average; 1 without memory. */
double lay_side_active(const lay_side *side, int d, int64_t length);

void lay_side_free(lay_side *side);

#endif
