/* The sizes of tiles, chunks and blocks: all that are worth a try are weighed. */
#include "cuda/stream/stream_cut.h"

#include <math.h>

#include "base/arith.h"

enum {
    STREAMS = 4,   /* whose launches run at the same time (staging.h) */
    AHEAD = 2,     /* pieces that may come while their place's last ones are still in use */
    MOST_TILES = 8 /* of C on their way: more wait for nothing */
};

/* ---- memory ----------------------------------------------------------------------------------- */

static void count_bytes(lay_stream_cut *cut)
{
    cut->bytes = (size_t)cut->left_slots * cut->left_slot + (size_t)cut->right_slots * cut->right_slot +
                 (size_t)cut->sum_slots * cut->sum_slot + (size_t)cut->c_slots * cut->c_slot;
}

/* Bytes of each piece and tile, whichever way round a piece lies. */
static void size_slots(const lay_stream_ask *ask, lay_stream_cut *cut)
{
    const int64_t steps = round_up(cut->tile_k, LAY_STREAM_LINE);
    const size_t tile = (size_t)(round_up(cut->tile_m * cut->tile_n, LAY_STREAM_LINE) * ask->size);
    cut->left_slot = (size_t)(round_up(cut->tile_m, LAY_STREAM_LINE) * steps * ask->size);
    cut->right_slot = (size_t)(round_up(cut->tile_n, LAY_STREAM_LINE) * steps * ask->size);
    cut->c_slot = tile;
    cut->sum_slot = (size_t)ask->slices * (size_t)(cut->tile_m * cut->tile_n * ask->size);
    cut->sum_slot = (cut->sum_slot + 255) / 256 * 256;
}

/* Places for blocks of block_m x block_n tiles; down and across are known. */
static void count_slots(const lay_stream_ask *ask, lay_stream_cut *cut)
{
    const int64_t tiles = cut->down * cut->across, block = cut->block_m * cut->block_n;
    const int64_t turns = cut->chunks > 1 && !cut->is_tight ? 2 : 1;
    const int64_t more = cut->chunks > 1 || cut->is_tight ? 0 : AHEAD;
    cut->left_slots = (int)min_of(turns * cut->block_m + more, cut->down * cut->chunks);
    cut->right_slots = (int)min_of(turns * cut->block_n + more, cut->across * cut->chunks);
    if (!ask->is_on_host[LAY_LEFT])
        cut->left_slots = 0;
    if (!ask->is_on_host[LAY_RIGHT])
        cut->right_slots = 0;
    /* Sums that leave as C keep their place on the way; those that C is made from are free at once. */
    const int is_c_apart = !ask->is_on_host[LAY_RESULT] || ask->reads_c;
    const int64_t spare = cut->is_tight ? 0 : is_c_apart ? 1 : min_of(block, 4);
    cut->sum_slots = cut->chunks > 1 ? (int)min_of(tiles, block + spare) : 0;
    cut->c_slots = 0;
    if (ask->is_on_host[LAY_RESULT] && (cut->chunks == 1 || ask->reads_c)) {
        const int64_t eighth = (int64_t)min_of((int64_t)(ask->memory / 8 / cut->c_slot), MOST_TILES);
        cut->c_slots = (int)min_of(tiles, max_of(cut->is_tight ? 1 : 4, eighth));
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

/* Bytes that pass, once each, and how often they do. */
typedef struct traffic {
    double left, right, c, left_times, right_times;
} traffic;

static traffic find_traffic(const lay_stream_ask *ask, const lay_stream_cut *cut)
{
    const double size = (double)ask->size, k = (double)ask->k, m = (double)ask->m, n = (double)ask->n;
    /* Pieces stay if there is room for all, and A's along a row of blocks if k is not cut. */
    const int left_stays = cut->left_slots >= cut->down * cut->chunks || (cut->chunks == 1 && !cut->is_by_columns);
    const int right_stays = cut->right_slots >= cut->across * cut->chunks || (cut->chunks == 1 && cut->is_by_columns);
    return (traffic){ .left = ask->is_on_host[LAY_LEFT] ? m * k * size : 0,
                      .right = ask->is_on_host[LAY_RIGHT] ? k * n * size : 0,
                      .c = ask->is_on_host[LAY_RESULT] ? m * n * size : 0,
                      .left_times = left_stays ? 1 : (double)ceil_div(cut->across, cut->block_n),
                      .right_times = right_stays ? 1 : (double)ceil_div(cut->down, cut->block_m) };
}

/* Seconds of what runs at the same time in all of the product. */
typedef struct loads {
    double in, out, thread, compute;
} loads;

/* Bytes that threads copy. For one device all count, as its tiles were found to be best with (docs/decisions/0008). */
static double packed_bytes(const lay_stream_ask *ask, const traffic *all)
{
    const double left = all->left * all->left_times, right = all->right * all->right_times;
    if (ask->others == 0)
        return left + right + all->c;
    return (ask->is_copied[LAY_LEFT] ? 0 : left) + (ask->is_copied[LAY_RIGHT] ? 0 : right) +
           (ask->is_copied[LAY_RESULT] ? 0 : all->c);
}

static loads find_loads(const lay_stream_ask *ask, const lay_stream_cut *cut, const traffic *all, double rate)
{
    const lay_cuda_rates *rates = ask->rates;
    const double chunks = (double)cut->chunks, steps = (double)cut->down * (double)cut->across * chunks;
    const double pieces = chunks * ((all->left > 0) * (double)cut->down * all->left_times +
                                    (all->right > 0) * (double)cut->across * all->right_times);
    const double rows = 1 + rates->stream_row / (double)(min_of(cut->tile_k, cut->k) * ask->size);
    const double operands = all->left * all->left_times + all->right * all->right_times;
    const double resumes = cut->chunks > 1 ? 1 + rates->stream_resumed / (double)cut->tile_k : 1;
    return (loads){ .in = (operands * rows + (ask->reads_c ? all->c : 0)) / (rates->stream_packing * ask->link),
                    .out = all->c / ask->link,
                    .thread = (1 + ask->others) * (rates->stream_step * steps + rates->stream_piece * pieces +
                                                   packed_bytes(ask, all) / rates->stream_packed),
                    .compute = 2 * (double)ask->m * (double)ask->n * (double)ask->k / rate * resumes };
}

/* What nothing hides: the pieces of a first tile, a chunk of a block and its tiles' way back. */
typedef struct ends {
    double tile_in, idle;       /* until a tile can begin; that the device waits for pieces in a first chunk */
    double last_tile, last_row; /* a tile's last blocks of threads; tiles that the last pieces make possible */
    double out;                 /* of the last tile or, where a block's tiles all end in its last chunk, more */
} ends;

static ends find_ends(const lay_stream_ask *ask, const lay_stream_cut *cut, const traffic *all, double rate,
                      double blocks)
{
    const lay_range row = lay_stream_rows(cut, cut->block_m - 1), column = lay_stream_columns(cut, cut->block_n - 1);
    const double has_left = all->left > 0, has_right = all->right > 0, has_c = all->c > 0;
    const double k = (double)cut->tile_k, to_link = (double)ask->size / ask->link;
    const double m = (double)(row.first + row.count), n = (double)(column.first + column.count); /* of a block */
    const double tile_m = (double)min_of(cut->tile_m, cut->m), tile_n = (double)min_of(cut->tile_n, cut->n);
    const double in = (has_left * m + has_right * n) * k * to_link, compute = 2 * m * n * k / rate;
    /* Work grows with the square of what has come: the device is behind until that catches up. */
    const double idle = in < 2 * compute ? in * in / (4 * compute) : in - compute;
    const double last_tile = 2 * (double)(ask->row_m * ask->row_n) * k / (ask->rate / ask->blocks_at_once) *
                             fmax(1, blocks / ask->blocks_at_once);
    const double block_out = cut->chunks > 1 ? m * n * to_link - compute : 0;
    return (ends){ .tile_in = (has_left * tile_m + has_right * tile_n) * k * to_link,
                   .idle = idle,
                   .last_tile = last_tile,
                   .last_row = compute * fmin(1, 1 / (double)cut->block_m + 1 / (double)cut->block_n),
                   .out = has_c * fmax(tile_m * tile_n * to_link, block_out) };
}

static double weigh(const lay_stream_ask *ask, const lay_stream_cut *cut)
{
    const traffic all = find_traffic(ask, cut);
    const double blocks =
        (double)(ceil_div(min_of(cut->tile_m, ask->m), ask->row_m) * ceil_div(min_of(cut->tile_n, ask->n), ask->row_n));
    /* Tiles that are summed at a time keep to their streams. */
    const double at_work = (double)(cut->chunks > 1 ? cut->block_m * cut->block_n : cut->down * cut->across);
    const double beside = at_work / ceil(at_work / STREAMS);
    const double queued = blocks * beside / ask->blocks_at_once;
    const double rate = ask->rate * fmin(1, queued) * queued / (queued + ask->rates->stream_idle);
    const loads load = find_loads(ask, cut, &all, rate);
    const ends end = find_ends(ask, cut, &all, rate, blocks);
    const double coming = fmax(load.in, load.thread) + end.last_row;
    const double working = fmax(end.tile_in, end.idle) + load.compute + end.last_tile;
    /* Sums take chunk after chunk: the fewer tiles take turns, the longer the link waits for a place and the device for
     * a piece. With one they hardly run at the same time (n = 16384: 271 ms where 2 x 2 tiles take 199). */
    const int comes_again = all.left_times > 1 || all.right_times > 1;
    const double turns = (double)(cut->block_m * cut->block_n);
    const double waiting =
        cut->chunks > 1 && comes_again ? fmin(fmax(load.in, load.thread), load.compute) / (2 * turns * turns) : 0;
    return waiting + ask->rates->stream_start + fmax(fmax(coming, working), end.tile_in + load.out) + end.out +
           ask->rates->stream_allocated * (double)cut->bytes;
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
    cut->down = ceil_div(cut->m, cut->tile_m);
    cut->across = ceil_div(cut->n, cut->tile_n);
    size_slots(ask, cut);
    try_blocks(ask, cut, best);
}

static void try_all(const lay_stream_ask *ask, int is_tight, lay_stream_cut *best)
{
    enum { LARGEST = 4096, LONGEST = 1 << 16, CHUNK = 64 };
    lay_stream_cut cut = {
        .m = ask->m, .n = ask->n, .k = ask->k, .slice_k = ask->slices > 1 ? ask->slice_k : ask->k, .is_tight = is_tight
    };
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
}

int lay_stream_cut_choose(const lay_stream_ask *ask, lay_stream_cut *best)
{
    *best = (lay_stream_cut){ 0 };
    try_all(ask, 0, best);
    if (best->seconds <= 0)
        try_all(ask, 1, best);
    return best->seconds > 0;
}
