/* The sizes of tiles, chunks and blocks: all that are worth a try are weighed. */
#include "cuda/stream_cut.h"

#include <math.h>

#include "base/arith.h"

enum {
    LINE = 32,     /* elements that rows of a piece are rounded up to: whole lines of memory */
    STREAMS = 4,   /* whose launches run beside each other (staging.h) */
    AHEAD = 2,     /* pieces that may come while their place's last ones are still in use */
    MOST_TILES = 8 /* of C on their way: more wait for nothing */
};
static const double launch = 8e-6;              /* seconds of the calling thread for a step */
static const double start = 60e-6;              /* for all beside the way of the data */
static const double resume_steps = 48;          /* of k, that reading and writing a tile's sums takes */
static const double a_piece = 6e-6;             /* of a copy's begin and end */
static const double short_row = 100;            /* bytes, that each row of a copied rectangle costs beside its own */
static const double allocate = 0.5e-3 / 0x1p30; /* seconds a byte of device memory */

static int64_t round_up(int64_t extent, int64_t unit)
{
    return ceil_div(extent, unit) * unit;
}

static int64_t count_tiles(int64_t extent, int64_t tile, int is_graded)
{
    if (!is_graded)
        return ceil_div(extent, tile);
    return extent > tile ? ceil_div(extent, tile) + 2 : extent > tile / 2 ? 3 : extent > tile / 4 ? 2 : 1;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void count_bytes(lay_stream_cut *cut)
{
    cut->bytes = (size_t)cut->left_slots * cut->left_slot + (size_t)cut->right_slots * cut->right_slot +
                 (size_t)cut->sum_slots * cut->sum_slot + (size_t)cut->c_slots * cut->c_slot;
}

/* Bytes of each piece and tile, whichever way a piece is turned. */
static void size_slots(const lay_stream_ask *ask, lay_stream_cut *cut)
{
    const int64_t steps = round_up(cut->tile_k, LINE);
    const size_t tile = (size_t)(round_up(cut->tile_m * cut->tile_n, LINE) * ask->size);
    cut->left_slot = (size_t)(round_up(cut->tile_m, LINE) * steps * ask->size);
    cut->right_slot = (size_t)(round_up(cut->tile_n, LINE) * steps * ask->size);
    cut->c_slot = tile;
    cut->sum_slot = (size_t)ask->slices * (size_t)(cut->tile_m * cut->tile_n * ask->size);
    cut->sum_slot = (cut->sum_slot + 255) / 256 * 256;
}

/* Places for blocks of block_m x block_n tiles; down and across are known. */
static void count_slots(const lay_stream_ask *ask, lay_stream_cut *cut)
{
    const int64_t tiles = cut->down * cut->across, block = cut->block_m * cut->block_n;
    const int64_t turns = cut->chunks > 1 ? 2 : 1, more = cut->chunks > 1 ? 0 : AHEAD;
    cut->left_slots = (int)min_of(turns * cut->block_m + more, cut->down * cut->chunks);
    cut->right_slots = (int)min_of(turns * cut->block_n + more, cut->across * cut->chunks);
    if (!ask->is_on_host[LAY_LEFT])
        cut->left_slots = 0;
    if (!ask->is_on_host[LAY_RIGHT])
        cut->right_slots = 0;
    cut->sum_slots = cut->chunks > 1 ? (int)min_of(tiles, block + min_of(block, 4)) : 0;
    cut->c_slots = 0;
    if (ask->is_on_host[LAY_RESULT] && (cut->chunks == 1 || ask->reads_c)) {
        const size_t eighth = ask->memory / 8 / cut->c_slot;
        cut->c_slots = (int)min_of(min_of(tiles, MOST_TILES), max_of(2, (int64_t)min_of((int64_t)eighth, MOST_TILES)));
    }
    count_bytes(cut);
}

static int fits(const lay_stream_ask *ask, lay_stream_cut *cut, int64_t block_m, int64_t block_n)
{
    cut->block_m = block_m;
    cut->block_n = block_n;
    count_slots(ask, cut);
    return cut->bytes <= ask->memory;
}

/* ---- time ------------------------------------------------------------------------------------- */

static double weigh(const lay_stream_ask *ask, const lay_stream_cut *cut)
{
    const double size = (double)ask->size, k = (double)ask->k, m = (double)ask->m, n = (double)ask->n;
    const double block_rows = ceil((double)cut->down / (double)cut->block_m);
    const double block_columns = ceil((double)cut->across / (double)cut->block_n);
    /* How often A and B come: once if they stay, and A's pieces stay along a row of blocks if k is not cut. */
    const int left_stays = cut->chunks == 1 && (!cut->is_by_columns || cut->left_slots >= cut->down);
    const int right_stays = cut->chunks == 1 && (cut->is_by_columns || cut->right_slots >= cut->across);
    const double left = ask->is_on_host[LAY_LEFT] ? m * k * size : 0;
    const double right = ask->is_on_host[LAY_RIGHT] ? k * n * size : 0;
    const double c = ask->is_on_host[LAY_RESULT] ? m * n * size : 0;
    const double left_times = left_stays ? 1 : block_columns, right_times = right_stays ? 1 : block_rows;
    const double pieces = (double)cut->chunks * ((left > 0) * (double)cut->down * left_times +
                                                 (right > 0) * (double)cut->across * right_times);
    const double rows = 1 + short_row / ((double)min_of(cut->tile_k, cut->k) * size);
    const double in =
        ((left * left_times + right * right_times) * rows + (ask->reads_c ? c : 0)) / ask->link + pieces * a_piece;
    const double out = c / ask->link;

    const double blocks = ceil((double)min_of(cut->tile_m, ask->m) / (double)ask->row_m) *
                          ceil((double)min_of(cut->tile_n, ask->n) / (double)ask->row_n);
    const double tiles = (double)cut->down * (double)cut->across, steps = tiles * (double)cut->chunks;
    const double busy = fmin(1, blocks * fmin(STREAMS, tiles) / ask->blocks_at_once);
    const double resumes = cut->chunks > 1 ? 1 + resume_steps / (double)cut->tile_k : 1;
    const double compute = 2 * m * n * k / (ask->rate * busy) * resumes;

    /* Until the first tile can begin, and from the end of the last tile's pieces to the end. */
    const double first = (left + right) > 0 ? fmin(1, cut->is_graded ? 0.25 : 1) : 0;
    const double first_in = first * (double)cut->tile_k * size *
                            ((left > 0) * (double)cut->tile_m + (right > 0) * (double)cut->tile_n) / ask->link;
    const double block_k = cut->chunks > 1 ? (double)cut->tile_k : k;
    const lay_stretch last_row = lay_stream_rows(cut, cut->block_m - 1);
    const lay_stretch last_column = lay_stream_columns(cut, cut->block_n - 1);
    const double block_m = (double)(last_row.first + last_row.count);
    const double block_n = (double)(last_column.first + last_column.count);
    const double block_in = ((left > 0) * block_m + (right > 0) * block_n) * block_k * size / ask->link;
    const double block_compute = 2 * block_m * block_n * block_k / (ask->rate * busy);
    const double fill = fmax(first_in, block_in - block_compute);
    const double last = 2 * (double)(ask->row_m * ask->row_n) * block_k / (ask->rate / ask->blocks_at_once) *
                        fmax(1, blocks / ask->blocks_at_once);
    /* The last tile's way back or, where a block's tiles all end in its last chunk, what that does not hide. */
    const double tile_out = c > 0 ? (double)cut->tile_m * (double)cut->tile_n * size / ask->link : 0;
    const double block_out = c > 0 && cut->chunks > 1 ? block_m * block_n * size / ask->link - block_compute : 0;
    return start + fmax(fmax(in, out), fmax(compute, launch * steps)) + launch / 8 * steps + fill + last +
           fmax(tile_out, block_out) + allocate * (double)cut->bytes;
}

static void keep_cheaper(const lay_stream_ask *ask, lay_stream_cut *cut, lay_stream_cut *best)
{
    cut->seconds = weigh(ask, cut);
    if (best->seconds <= 0 || cut->seconds < best->seconds)
        *best = *cut;
}

/* ---- candidates ------------------------------------------------------------------------------- */

/* The largest count in 1 .. most for which fits says yes, 0 where not even 1; which tells the block. */
static int64_t grow(const lay_stream_ask *ask, lay_stream_cut *cut, int64_t most, int64_t fixed_m, int64_t fixed_n)
{
    int64_t low = 0, high = most;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (fits(ask, cut, fixed_m ? fixed_m : middle, fixed_n ? fixed_n : middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* As many blocks, of equal sizes. */
static int64_t even_out(int64_t tiles, int64_t block)
{
    return ceil_div(tiles, ceil_div(tiles, block));
}

/* Blocks for the tiles and chunks that cut has. */
static void try_blocks(const lay_stream_ask *ask, lay_stream_cut *cut, lay_stream_cut *best)
{
    if (fits(ask, cut, cut->down, cut->across))
        keep_cheaper(ask, cut, best);
    if (cut->chunks == 1)
        for (cut->is_by_columns = 0; cut->is_by_columns <= 1; cut->is_by_columns++) {
            /* All of one operand's panel stays while the other passes by. */
            const int64_t block =
                grow(ask, cut, cut->is_by_columns ? cut->across : cut->down, cut->is_by_columns, !cut->is_by_columns);
            if (!block)
                continue;
            const int64_t even = even_out(cut->is_by_columns ? cut->across : cut->down, block);
            if (fits(ask, cut, cut->is_by_columns ? 1 : even, cut->is_by_columns ? even : 1))
                keep_cheaper(ask, cut, best);
        }
    else {
        /* A square of sums, or all of the short side and what that leaves of the long one. */
        const int64_t shorter = min_of(cut->down, cut->across), side = grow(ask, cut, shorter, 0, 0);
        int64_t rows = side, columns = side;
        if (side == shorter) {
            const int64_t more = grow(ask, cut, max_of(cut->down, cut->across), side == cut->down ? side : 0,
                                      side == cut->down ? 0 : side);
            rows = side == cut->down ? side : more;
            columns = side == cut->down ? more : side;
        }
        if (side && fits(ask, cut, even_out(cut->down, rows), even_out(cut->across, columns)))
            keep_cheaper(ask, cut, best);
    }
    cut->is_by_columns = 0;
}

static void try_chunk(const lay_stream_ask *ask, lay_stream_cut *cut, int64_t tile_k, lay_stream_cut *best)
{
    cut->tile_k = min_of(tile_k, cut->slice_k);
    cut->chunks_a_slice = ceil_div(cut->slice_k, cut->tile_k);
    const int64_t last_slice = cut->k - (ask->slices - 1) * cut->slice_k;
    cut->chunks = (ask->slices - 1) * cut->chunks_a_slice + ceil_div(last_slice, cut->tile_k);
    for (cut->is_graded = 0; cut->is_graded <= (cut->chunks == 1 && cut->tile_m % 64 == 0 && cut->tile_n % 64 == 0);
         cut->is_graded++) {
        cut->down = count_tiles(cut->m, cut->tile_m, cut->is_graded);
        cut->across = count_tiles(cut->n, cut->tile_n, cut->is_graded);
        size_slots(ask, cut);
        try_blocks(ask, cut, best);
    }
}

int lay_stream_cut_choose(const lay_stream_ask *ask, lay_stream_cut *best)
{
    enum { LARGEST = 4096, LONGEST = 1 << 16, CHUNK = 64 };
    *best = (lay_stream_cut){ 0 };
    lay_stream_cut cut = { .m = ask->m, .n = ask->n, .k = ask->k, .slice_k = ask->slices > 1 ? ask->slice_k : ask->k };
    for (int64_t tile = LARGEST; tile >= 4; tile /= tile > 64 ? 2 : 4) {
        /* Where one side is short, the other gets what that leaves of the area. */
        const int64_t short_m = min_of(tile, round_up(ask->m, 4)), short_n = min_of(tile, round_up(ask->n, 4));
        cut.tile_m = short_n < tile ? min_of(min_of(tile * (tile / short_n), LONGEST), round_up(ask->m, 4)) : short_m;
        cut.tile_n = short_m < tile ? min_of(min_of(tile * (tile / short_m), LONGEST), round_up(ask->n, 4)) : short_n;
        try_chunk(ask, &cut, cut.slice_k, best);
        for (int64_t chunk = 1 << 14; ask->can_resume && chunk >= CHUNK; chunk /= 2)
            if (chunk < cut.slice_k)
                try_chunk(ask, &cut, chunk, best);
    }
    return best->seconds > 0;
}
