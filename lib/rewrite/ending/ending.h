/* Endings: applied to sums where these lie, and the cuts that keep sums in a cache until then. */
#ifndef LAY_REWRITE_ENDING_H
#define LAY_REWRITE_ENDING_H

#include "cpu_blend.h"
#include "cpu_ending.h"
#include "cpu_half.h"
#include "plan/way.h"

/* Dimensions of D as an ending walks them. */
enum { LAY_END_BATCH, LAY_END_ROWS, LAY_END_COLUMNS, LAY_END_DIMENSIONS };

/* Where an operand's elements lie, in the order of its indices. */
typedef struct lay_end_axes {
    lay_axis of[LAY_END_DIMENSIONS];
    int varies[LAY_END_DIMENSIONS]; /* 0: the same element for every index */
    lay_type type;
} lay_end_axes;

/* An ending of a D in its layout, with the kernels for it. */
typedef struct lay_ender {
    lay_end_axes d, term[LAY_END_TERMS];
    int has_term[LAY_END_TERMS];
    int inner; /* LAY_END_ROWS or LAY_END_COLUMNS: whose elements lie side by side, or nearer */
    lay_type sum;
    lay_activation activation;
    double limits[2];
    const lay_ending_row *row;
    const lay_blend_row *blend;
    const lay_half_row *half[LAY_END_TERMS + 1]; /* of 16-bit terms and D, behind them */
} lay_ender;

/* For a D of this layout and type; isa: up to which kernels go. */
void lay_ender_make(const lay_end *end, const lay_types *types, const lay_desc *d, lay_isa isa, lay_ender *out);

/* A part of D. Sums lie in D or, where sums is not NULL, there: densely, the part's own, index 0 at the address. */
typedef struct lay_end_part {
    const lay_ender *by;
    const void *const *terms; /* addresses of offset 0 */
    void *d;
    void *sums;
    int64_t stride[LAY_END_DIMENSIONS]; /* of sums, in elements */
    int64_t first[LAY_END_DIMENSIONS], count[LAY_END_DIMENSIONS];
} lay_end_part;

/* On at most so many threads. */
void lay_end_apply(const lay_end_part *part, int threads);

/* A cut of rows, columns or a batch of products: so many indices each, the last one has what is left. */
typedef struct lay_end_cut {
    int dimension; /* LAY_END_...; -1: none */
    int64_t each, count;
} lay_end_cut;

/* Pieces of at most `most` indices (at least one), of a dimension that operands of these maps have (NULL: not), all of
 * which repeat themselves from piece to piece. count is 1 where that cannot be. */
lay_end_cut lay_end_find_cut(const lay_node *const map[LAY_OPERANDS], int dimension, int64_t extent, int64_t most);

#endif
