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
} lay_side;

/* What takes part nowhere has this owner. */
#define LAY_NOBODY INT64_MIN

/* A layout over places. LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */
lay_status lay_side_of_desc(const lay_desc *desc, lay_side *side);

/* Of another side's dimension d, at each place as many indices as it has there: the place of dense storage of a matrix
 * whose rows (dimension 0) or columns (1) they are and whose other side has all `whole` indices. Of the indices of a
 * place those from first on take part, at most `most`. LAY_ERR_MEMORY. */
typedef struct lay_slab {
    int dimension;
    int64_t whole, first, most;
} lay_slab;
lay_status lay_side_of_panel(const lay_side *of, const lay_slab *slab, lay_side *side);

/* How many indices of dimension d take part at the place. */
int64_t lay_side_count(const lay_side *side, int64_t place, int d);

void lay_side_free(lay_side *side);

#endif
