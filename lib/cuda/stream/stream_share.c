/* Grids of parts, weighed by the cut of each device's own part. */
#include "cuda/stream/stream_share.h"

#include <math.h>

#include "base/arith.h"

enum { UNIT = 4 /* rows and columns of small parts: tiles have as many at least */ };

static lay_range part_of(int64_t number, int64_t each, int64_t extent)
{
    const int64_t first = min_of(number * each, extent);
    return (lay_range){ first, min_of(each, extent - first) };
}

lay_range lay_stream_share_rows(const lay_stream_share *share, int part, int64_t m)
{
    return part_of(part / share->across, share->rows, m);
}

lay_range lay_stream_share_columns(const lay_stream_share *share, int part, int64_t n)
{
    return part_of(part % share->across, share->columns, n);
}

lay_stream_ask lay_stream_share_ask(const lay_stream_share *share, const lay_stream_ask ask[], int part)
{
    lay_stream_ask own = ask[part];
    size_t alike = 0;
    for (int i = 0; i < share->parts; i++)
        alike += ask[i].device == own.device;
    own.m = lay_stream_share_rows(share, part, own.m).count;
    own.n = lay_stream_share_columns(share, part, own.n).count;
    own.memory /= alike;
    own.others = share->parts - 1;
    return own;
}

/* Extent in so many parts of whole blocks of threads, or of a few rows where those are too long; 0: some would be
 * empty. */
static int64_t divide(int64_t extent, int parts, int64_t block)
{
    const int64_t each = ceil_div(extent, parts), unit = each >= block ? block : UNIT;
    const int64_t whole = parts == 1 ? extent : round_up(each, unit);
    return whole * (parts - 1) < extent ? whole : 0;
}

/* The grid of so many parts whose longest sides are shortest: those bring the fewest pieces to each device. Of equal
 * ones that with more rows of parts, for C's rows are mostly contiguous. 0: there is none. */
static int find_grid(const lay_stream_ask *ask, int parts, lay_stream_share *share)
{
    int64_t shortest = INT64_MAX;
    for (int across = 1; across <= parts; across++) {
        const int down = parts / across;
        if (down * across != parts)
            continue;
        const int64_t rows = divide(ask->m, down, ask->row_m), columns = divide(ask->n, across, ask->row_n);
        if (rows == 0 || columns == 0 || rows + columns >= shortest)
            continue;
        shortest = rows + columns;
        *share = (lay_stream_share){
            .parts = parts, .down = down, .across = across, .rows = rows, .columns = columns, .seconds = INFINITY
        };
    }
    return shortest < INT64_MAX;
}

/* Whether x takes no longer than y: no larger a part, on a device of the same figures. */
static int is_covered(const lay_stream_ask *x, const lay_stream_ask *y)
{
    return x->m <= y->m && x->n <= y->n && x->row_m == y->row_m && x->row_n == y->row_n &&
           x->blocks_at_once == y->blocks_at_once && x->memory == y->memory && x->link == y->link && x->rate == y->rate;
}

/* The part that is done last. INFINITY where the memory does not hold one. */
static double weigh(const lay_stream_ask ask[], const lay_stream_share *share)
{
    lay_stream_ask longest = { .m = -1 };
    double seconds = 0;
    for (int part = 0; part < share->parts; part++) {
        const lay_stream_ask own = lay_stream_share_ask(share, ask, part);
        lay_stream_cut cut;
        if (is_covered(&own, &longest))
            continue;
        if (!lay_stream_cut_choose(&own, &cut))
            return INFINITY;
        seconds = fmax(seconds, cut.seconds);
        longest = own;
    }
    return seconds;
}

int lay_stream_share_choose(const lay_stream_ask ask[], int count, int least, lay_stream_share *share, double seconds[])
{
    lay_stream_share best = { .seconds = INFINITY };
    for (int parts = 1; parts <= count; parts++) {
        lay_stream_share tried;
        seconds[parts - 1] = INFINITY;
        if (!find_grid(ask, parts, &tried))
            continue;
        seconds[parts - 1] = tried.seconds = weigh(ask, &tried);
        const int is_asked = parts <= least && isfinite(tried.seconds);
        if (is_asked || tried.seconds < best.seconds)
            best = tried;
    }
    *share = best;
    return isfinite(best.seconds);
}
