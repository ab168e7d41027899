/* Sums that are split over places: k in slices, places in layers of a grid. A layer sums some slices of all of C, each
 * of its places a block of it; then the layers' partial sums go to where C lies. */
#ifndef LAY_TEAM_LAYERS_H
#define LAY_TEAM_LAYERS_H

#include <stdint.h>

#include "team/cost/cut.h"
#include "team/side.h"

/* The order LAY_TEAM_SUM_BY_SLICES: a slice's length at least, and how many there are at most. */
enum { LAY_SLICE_LEAST = 1024, LAY_SLICES_MOST = 256 };

/* A power of two, by k alone. */
int64_t lay_slices_of(int64_t k);

/* The first index of part number i of so many of x indices; of number `parts` it is x. Parts of 2^s are those of
 * 2^(s+1), two by two. */
static inline int64_t lay_part_first(int64_t x, int64_t parts, int64_t i)
{
    return x / parts * i + (x % parts * i + parts - 1) / parts;
}

enum { LAY_AT_LAYER, LAY_AT_ROW, LAY_AT_COLUMN, LAY_LAYER_DIMS };

/* Place number p has coordinate p / stride % count of each; those from the product of the counts on have nothing to
 * do. One layer: a place sums what it has of C. */
typedef struct lay_layers {
    int64_t slices; /* of k; 0: sums are whole, and there are no layers */
    int64_t count[LAY_LAYER_DIMS], stride[LAY_LAYER_DIMS];
} lay_layers;

static inline int64_t lay_layers_at(const lay_layers *of, int64_t place, int dim)
{
    return place / of->stride[dim] % of->count[dim];
}

static inline int lay_layers_has(const lay_layers *of, int64_t place)
{
    return place < of->count[LAY_AT_LAYER] * of->count[LAY_AT_ROW] * of->count[LAY_AT_COLUMN];
}

/* How many slices a layer sums. */
static inline int64_t lay_layers_steps(const lay_layers *of)
{
    return of->slices / of->count[LAY_AT_LAYER];
}

typedef struct lay_layers_candidate {
    lay_layers layers;
    double moved[3]; /* elements of A, B and partial sums of C to all places together */
    double seconds;  /* with products, at the rate that all places are said to have */
} lay_layers_candidate;

/* Of those there are, the cheapest first; of equals that with fewer layers. Returns their number, which is at most
 * `most`; 0 without memory. side: of A, B and C. */
int lay_layers_choose(lay_type type, const lay_side side[3], const lay_team_links *links, int most,
                      lay_layers_candidate out[]);

#endif
