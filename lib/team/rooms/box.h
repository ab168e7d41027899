/* A parcel's elements as boxes: what lies alike at both of its places, with a step each along a few axes. */
#ifndef LAY_TEAM_BOX_H
#define LAY_TEAM_BOX_H

#include <stdint.h>

#include "layoutgemm_team.h"

/* Of one dimension: count[1] rows of count[0] indices. Offsets at the place that has them and the one that gets them,
 * of the first one and from each to the next. */
typedef struct lay_piece {
    int64_t from, to, count[2], from_step[2], to_step[2];
} lay_piece;

/* The pairs (from[i], to[i]) in pieces, the longest that begin where the last one ended; *pieces of them, the caller's
 * to free. NULL without memory. */
lay_piece *lay_pieces_of(const int64_t from[], const int64_t to[], int64_t count, int64_t *pieces);

enum { LAY_BOX_AXES = 2 * LAY_DISTRIBUTION_RANK };

typedef struct lay_box {
    int64_t from, to; /* offsets of its first element */
    int axes;         /* without those of one index; none has a neighbour that it could be one axis with */
    struct {
        int64_t count, from, to;
    } axis[LAY_BOX_AXES]; /* ascending by their step at the place that gets them */
} lay_box;

/* Of one piece of each dimension, rank at most LAY_DISTRIBUTION_RANK. */
lay_box lay_box_of(int rank, const lay_piece *const piece[]);

/* Elements that lie side by side on both sides, 1 at least; and whether the first axis is of those. */
int64_t lay_box_run(const lay_box *box, int *is_axis);

/* Moves it where both sides are the CPU's; from and to are addresses of offset 0, size the bytes of an element. */
void lay_box_move(const lay_box *box, int64_t size, const void *from, void *to);

#endif
