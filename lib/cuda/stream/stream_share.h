/* How a product of host operands is shared among devices: C is cut in a grid of parts, one a device, and each part is
 * cut in tiles and streamed by itself (stream_cut.h). Plain arithmetic.
 *
 *      columns
 *     +-------+-------+
 *     |   0   |   1   |  rows      down 2, across 2. Each device gets its rows of A and its columns of B; k is whole,
 *     +-------+-------+            and kernel and slices are those of the whole product: parts change no bits.
 *     |   2   |   3   |
 *     +-------+-------+
 */
#ifndef LAY_CUDA_STREAM_SHARE_H
#define LAY_CUDA_STREAM_SHARE_H

#include "cuda/stream/stream_cut.h"

typedef struct lay_stream_share {
    int parts, down, across; /* down x across parts */
    int64_t rows, columns;   /* of a part; of those at C's end what is left */
    double seconds;
} lay_stream_share;

/* The first device alone, or the first two, three .. of count, at least of least if C has as many parts: what is
 * predicted to be done soonest, of equal ones the fewest. ask[i] is what device i asks of the whole product, alone.
 * seconds[i] becomes what i + 1 devices are predicted to take, INFINITY where that cannot be or was not asked. 0 where
 * no memory holds the smallest pieces. */
int lay_stream_share_choose(const lay_stream_ask ask[], int count, int least, lay_stream_share *share,
                            double seconds[]);

/* C's rows and columns that are a part's. */
lay_range lay_stream_share_rows(const lay_stream_share *share, int part, int64_t m);
lay_range lay_stream_share_columns(const lay_stream_share *share, int part, int64_t n);

/* What a part asks of its cut, by its extents, among the others. */
lay_stream_ask lay_stream_share_ask(const lay_stream_share *share, const lay_stream_ask ask[], int part);

#endif
