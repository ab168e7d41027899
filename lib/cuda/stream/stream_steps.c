/* The order in which tiles and their chunks are done. */
#include "base/arith.h"
#include "cuda/stream/stream_cut.h"

static lay_range segment_of(int64_t i, int64_t tile, int64_t extent)
{
    const int64_t first = i * tile;
    return (lay_range){ first, min_of(tile, extent - first) };
}

lay_range lay_stream_rows(const lay_stream_cut *cut, int64_t i)
{
    const lay_range rows = segment_of(i, cut->tile_m, cut->m);
    return (lay_range){ cut->first_m + rows.first, rows.count };
}

lay_range lay_stream_columns(const lay_stream_cut *cut, int64_t j)
{
    const lay_range columns = segment_of(j, cut->tile_n, cut->n);
    return (lay_range){ cut->first_n + columns.first, columns.count };
}

lay_range lay_stream_chunk(const lay_stream_cut *cut, int64_t q)
{
    const int64_t slice = q / cut->chunks_a_slice * cut->slice_k;
    const int64_t first = slice + q % cut->chunks_a_slice * cut->tile_k;
    return (lay_range){ first, min_of(min_of(first + cut->tile_k, slice + cut->slice_k), cut->k) - first };
}

/* Tile number of rows x columns, in the order drawn in the header: squares that grow by a column from the top,
 * then a row from the left. */
static void place_in_block(int64_t number, int64_t rows, int64_t columns, int64_t *i, int64_t *j)
{
    int64_t side = 0; /* of the square that is done */
    for (;; side++) {
        const int64_t down =
            side < rows ? min_of(side, columns - 1) + 1 : 0;           /* tiles of the new row, with the corner */
        const int64_t right = side < columns ? min_of(side, rows) : 0; /* of the new column, without */
        if (number < right) {
            *i = number;
            *j = side;
            return;
        }
        number -= right;
        if (number < down) {
            *i = side;
            *j = number;
            return;
        }
        number -= down;
    }
}

/* How many tiles the step's block has, and where it begins. */
static lay_range block_rows(const lay_stream_cut *cut, const lay_stream_step *step)
{
    const int64_t first = step->block_i * cut->block_m;
    return (lay_range){ first, min_of(cut->block_m, cut->down - first) };
}

static lay_range block_columns(const lay_stream_cut *cut, const lay_stream_step *step)
{
    const int64_t first = step->block_j * cut->block_n;
    return (lay_range){ first, min_of(cut->block_n, cut->across - first) };
}

static void place(const lay_stream_cut *cut, lay_stream_step *step)
{
    const lay_range rows = block_rows(cut, step), columns = block_columns(cut, step);
    int64_t i, j;
    place_in_block(step->in_block, rows.count, columns.count, &i, &j);
    step->i = rows.first + i;
    step->j = columns.first + j;
    step->number = step->begun + step->in_block;
}

/* Back and forth: along the inner direction, reversed with each step of the outer one. 0 at the end. */
static int next_of(int64_t *outer, int64_t outers, int64_t *inner, int64_t inners)
{
    const int is_back = *outer % 2;
    if (is_back ? *inner > 0 : *inner + 1 < inners) {
        *inner += is_back ? -1 : 1;
        return 1;
    }
    return ++*outer < outers;
}

lay_stream_step lay_stream_first_step(const lay_stream_cut *cut)
{
    lay_stream_step step = { 0 };
    place(cut, &step);
    return step;
}

int lay_stream_next_step(const lay_stream_cut *cut, lay_stream_step *step)
{
    const int64_t tiles = block_rows(cut, step).count * block_columns(cut, step).count;
    if (++step->in_block == tiles) {
        step->in_block = 0;
        if (++step->q == cut->chunks) {
            const int64_t down = ceil_div(cut->down, cut->block_m), across = ceil_div(cut->across, cut->block_n);
            const int is_more = cut->is_by_columns ? next_of(&step->block_j, across, &step->block_i, down)
                                                   : next_of(&step->block_i, down, &step->block_j, across);
            if (!is_more)
                return 0;
            step->q = 0;
            step->begun += tiles;
        }
    }
    place(cut, step);
    return 1;
}
