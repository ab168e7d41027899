/* One side of a transfer: where each element lies, as tables of its root dimensions. */
#ifndef LAY_TEAM_SIDE_H
#define LAY_TEAM_SIDE_H

#include <stdint.h>

#include "layoutgemm.h"

/* Index x of dimension d takes part at the places whose value[place * rank + d] is owner[d][x], and lies offset[d][x]
 * elements further on there. A place takes part where copy[place] >= 0: the number of its copy among `copies`. */
typedef struct lay_side {
    int rank;
    int64_t places, copies;
    int64_t *extent, **owner, **offset; /* [rank] */
    int64_t *value, *copy;              /* [places][rank], [places] */
    int64_t **own;                      /* [each][rank]: offset at a place from first on; NULL: as at all others */
    int64_t first, each;
    int inner; /* the dimension whose neighbours lie beside each other; below 0: found from the offsets */
} lay_side;

/* What takes part nowhere has this owner. */
#define LAY_NOBODY INT64_MIN

/* Room for a side, all of it 0. LAY_ERR_MEMORY: nothing is left to free. */
lay_status lay_side_open(int rank, int64_t places, const int64_t extent[], lay_side *side);

/* A layout over places. LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */
lay_status lay_side_of_desc(const lay_desc *desc, lay_side *side);

/* Where the indices of dimension d lie at the place. */
static inline const int64_t *lay_side_offsets(const lay_side *side, int64_t place, int d)
{
    return side->own ? side->own[(place - side->first) * side->rank + d] : side->offset[d];
}

/* Storage of its own for a matrix whose rows (dimension 0) or columns (1) are those of another side, as each place has
 * them, and whose other dimension has `whole` indices. Of the indices of a place those from first on take part, at most
 * `most`; of the other dimension those from `from` on, at most `depth`. inner: the dimension whose neighbours lie
 * beside each other. */
typedef struct lay_slab {
    int dimension, inner;
    int64_t whole, first, most, from, depth;
} lay_slab;

/* From one index of dimension d to the next one. */
static inline int64_t lay_slab_step(const lay_slab *slab, int d)
{
    return d == slab->inner ? 1 : d == slab->dimension ? slab->depth : slab->most;
}

/* LAY_ERR_MEMORY. */
lay_status lay_side_of_panel(const lay_side *of, const lay_slab *slab, lay_side *side);

/* The dimension along which the elements of a place have most neighbours in memory. */
int lay_side_inner(const lay_side *side, int64_t place);

/* How many indices of dimension d take part at the place. */
int64_t lay_side_count(const lay_side *side, int64_t place, int d);

/* In a row of so many indices of dimension d, how many have some, on average; 1 without memory. */
double lay_side_active(const lay_side *side, int d, int64_t length);

void lay_side_free(lay_side *side);

#endif
