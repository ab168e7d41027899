/* Turns of tiles: what the matrix units take for them, what the second cache brings, and a tile's beginning and end,
 * which hide behind other blocks of a multiprocessor. */
#include "cuda/narrow/narrow_cost.h"

#include <math.h>

#include "base/arith.h"
#include "cuda/launch/rates.h"

enum { WARP = 32 };

/* Tiles that share what they read. */
static int count_shared(lay_narrow_cluster cluster)
{
    return cluster.down * cluster.across;
}

/* Whether lines of dense operands are no multiples of 128 bytes. */
static int is_odd(const lay_cuda_shape *of)
{
    const int64_t together = 128 / (int64_t)lay_type_size(of->type);
    return of->k % together != 0 || (of->m >= together && of->m % together != 0) ||
           (of->n >= together && of->n % together != 0);
}

/* Each of the two hides in the longer one, but for what they have in common. */
static double overlap(double x, double y)
{
    const double squares = x * x * x * x + y * y * y * y;
    return sqrt(sqrt(squares));
}

/* Tiles that a multiprocessor has at a time, one's end in the other's turns. */
static int count_beside(const lay_cuda_kernel *row)
{
    return row->groups ? row->groups : row->blocks_per_sm;
}

/* Whether a multiprocessor of so many tiles lacks the second block that it has room for. */
static int is_lone(const lay_cuda_kernel *row, double own)
{
    return row->blocks_per_sm > 1 && own < 2;
}

/* What 16-bit products were met at, and TF32's were not (bench/LOG.md, 158). */
static int is_half(const lay_cuda_shape *of)
{
    return of->type != LAY_F32;
}

/* What TF32 has its own of. */
static double rate_of(const lay_cuda_kernel *row, double half, double tf32)
{
    return row->type == LAY_F32 ? tf32 : half;
}

/* Lines that a turn brings; of an operand that all blocks ask for without end, being one tile's and not staying, each
 * as two. */
static double count_lines(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster)
{
    const lay_narrow_stays stays = lay_narrow_staying(row, of->m, of->n, of->k);
    const double all = (double)row->bm / cluster.across + (double)row->bn / cluster.down;
    if (stays != LAY_NARROW_NONE_STAYS)
        return stays == LAY_NARROW_LEFT_STAYS ? row->bn : row->bm;
    return row->groups && (of->m <= row->bm || of->n <= row->bn) ? 2 * all : all;
}

/* Clocks of 128 bytes: of odd lines, of tiles that cut lines of an operand that lies across, and of 16-bit tiles that
 * do not; wider ones were not measured so. */
static double clocks_of_line(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_cuda_rates *rates)
{
    enum { LINE = 64 };
    if (is_odd(of))
        return rates->narrow_line * rates->narrow_odd;
    return is_half(of) && row->bn % LINE == 0 && row->bn <= rates->narrow_whole_widest ? rates->narrow_line_whole
                                                                                       : rates->narrow_line;
}

/* Clocks of a turn of one block that has a multiprocessor alone. */
static double turn_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster, double own,
                      const lay_cuda_rates *rates)
{
    const double lines = count_lines(row, of, cluster);
    const double lone = is_half(of) && is_odd(of) && is_lone(row, own) ? rates->narrow_odd_lone : 0;
    return lone + overlap(2.0 * row->bm * row->bn * row->bk / lay_cuda_narrow_rates_get(row)->rate,
                          lines * clocks_of_line(row, of, rates));
}

/* Whether tiles of few turns follow each other, where C has few columns: nothing hides what a tile waits for. */
static int is_short(const lay_cuda_kernel *row, const lay_cuda_shape *of, double own, const lay_cuda_rates *rates)
{
    return is_half(of) && is_odd(of) && (double)ceil_div(of->slice_k, row->bk) <= rates->narrow_short &&
           own > row->blocks_per_sm && (double)min_of(of->m, of->n) <= rates->narrow_short_columns;
}

/* Whether so many lines stay that what turns bring is used enough for nothing to wait for it. */
static int keeps_many(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_cuda_rates *rates)
{
    const lay_narrow_stays stays = lay_narrow_staying(row, of->m, of->n, of->k);
    return stays != LAY_NARROW_NONE_STAYS && (stays == LAY_NARROW_LEFT_STAYS ? of->m : of->n) > rates->narrow_many;
}

/* Clocks of a tile besides its turns and sums; of all blocks that share a multiprocessor. */
static double start_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, double own, const lay_cuda_rates *rates)
{
    enum { LEAST = 64 /* columns: narrower tiles were not met */ };
    if (keeps_many(row, of, rates))
        return rates->narrow_kept;
    if (row->groups || !is_short(row, of, own, rates))
        return lay_cuda_narrow_rates_get(row)->start;
    return row->blocks_per_sm * (rates->narrow_wait + rates->narrow_column * (double)max_of(row->bn, LEAST));
}

/* Whether C's elements leave one by one and are so few that each waits for itself. */
static int is_put(const lay_cuda_shape *of, int is_scattered, const lay_cuda_rates *rates, const lay_device *device)
{
    return is_scattered && of->slices == 1 &&
           (double)of->m * (double)of->n <= rates->narrow_put_most * device->multiprocessors;
}

/* Of a thread, from each slice; rates are of blocks with one bringing warp where two blocks share a multiprocessor. */
static double count_sums(const lay_cuda_kernel *row)
{
    return (double)row->bm * row->bn / (row->threads - (row->blocks_per_sm > 1 ? WARP : 0));
}

/* Clocks of a tile besides its turns, which begins so. */
static double begin_and_end(const lay_cuda_kernel *row, lay_narrow_cluster cluster, int is_put_so, double start,
                            const lay_cuda_rates *rates)
{
    const double sums = count_sums(row), add = rate_of(row, rates->narrow_add, rates->narrow_add_tf32);
    return start + (count_shared(cluster) > 1 ? rates->narrow_pair : 0) + (is_put_so ? sums * rates->narrow_put : 0) +
           (cluster.together > 1 ? rates->narrow_meet * (cluster.together - 1) + sums * add : 0);
}

/* Multiprocessors that clusters of so many blocks fill: they lie in groups, which some are left over of. */
static double count_filled(lay_narrow_cluster cluster, const lay_cuda_rates *rates, const lay_device *device)
{
    const int blocks = lay_narrow_cluster_blocks(cluster);
    const double share = blocks <= 2             ? 1
                         : cluster.together == 1 ? rates->narrow_fill_shared
                         : blocks > 4            ? rates->narrow_fill_8
                                                 : rates->narrow_fill_4;
    return share * device->multiprocessors;
}

/* Seconds that the busiest multiprocessor of so many tiles, of all, takes for what nobody has read before. */
static double bring_fresh(const lay_cuda_shape *of, double own, double works, const lay_cuda_rates *rates,
                          const lay_device *device)
{
    const double bytes = (double)lay_type_size(of->type) * (double)(of->m + of->n) * (double)of->k;
    return bytes * own / works / (rates->narrow_fresh * device->ghz * 1e9);
}

/* Works of a multiprocessor: a tile's sum over one slice each. */
static double count_own(lay_narrow_cluster cluster, double works, const lay_device *device)
{
    return ceil(works / count_filled(cluster, lay_cuda_rates_get(device), device));
}
static double count_works(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster)
{
    return (double)round_up(ceil_div(of->m, row->bm), cluster.down) *
           (double)round_up(ceil_div(of->n, row->bn), cluster.across) * of->slices;
}

/* But for slices that are apart. */
static double cost_of_works(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                            int is_scattered, const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const double turns = (double)ceil_div(of->slice_k, row->bk);
    const double works = count_works(row, of, cluster), own = count_own(cluster, works, device);
    const double start = start_of(row, of, own, rates);
    const int is_put_so = is_put(of, is_scattered, rates, device);
    const double clocks = own * turns * turn_of(row, of, cluster, own, rates) +
                          ceil(own / count_beside(row)) * begin_and_end(row, cluster, is_put_so, start, rates);
    const double size = (double)lay_type_size(of->type);
    const double read = rates->narrow_read * (is_lone(row, own) ? rates->narrow_few : 1);
    const double bytes = size * (double)(of->m * of->k + of->k * of->n + of->m * of->n);
    const double memory = overlap(bytes * read / device->bytes_per_second, bring_fresh(of, own, works, rates, device));
    return rates->narrow_launch + overlap(clocks / (device->ghz * 1e9), memory);
}

/* Seconds of slices that each tile's last block adds: of a block's own, until all know of each, and of the tiles of a
 * multiprocessor that come to their end. Nothing hides them: what waits for memory to answer waits the longer the more
 * it is asked (bench/LOG.md, 162). */
static double add_slices(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                         const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    if (of->slices == 1 || cluster.together > 1)
        return 0;
    const double works = count_works(row, of, cluster), own = count_own(cluster, works, device);
    const double tiles = ceil(works / of->slices / device->multiprocessors), sums = count_sums(row);
    const double arrive = rate_of(row, rates->narrow_arrive, rates->narrow_arrive_tf32);
    const double keep = rate_of(row, rates->narrow_keep, rates->narrow_keep_tf32);
    const double fetch = rate_of(row, rates->narrow_fetch, rates->narrow_fetch_tf32);
    const double clocks = ceil(own / count_beside(row)) * (arrive + sums * keep) + tiles * sums * of->slices * fetch;
    return clocks / (device->ghz * 1e9);
}

static double cost_with(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                        int is_scattered, const lay_device *device)
{
    return cost_of_works(row, of, cluster, is_scattered, device) + add_slices(row, of, cluster, device);
}

/* So many in each direction; and where more than two share, of a width that was measured so. */
static int has_tiles(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                     const lay_cuda_rates *rates)
{
    return ceil_div(of->m, row->bm) >= cluster.down && ceil_div(of->n, row->bn) >= cluster.across &&
           (count_shared(cluster) <= 2 || row->bn >= rates->narrow_share_width);
}

/* Who adds a tile's slices: a cluster, or the block that comes last. */
static lay_narrow_cluster cluster_of_slices(const lay_cuda_kernel *row, const lay_cuda_shape *of,
                                            const lay_device *device)
{
    const lay_narrow_cluster apart = { 1, 1, 1 }, together = { 1, 1, of->slices };
    return of->slices <= row->at_once && cost_with(row, of, together, 0, device) < cost_with(row, of, apart, 0, device)
               ? together
               : apart;
}

/* Whether so many lines, of few tiles, leave room for turns of the other operand's. */
static int finds_room(int64_t lines, int64_t of_tile, int64_t others, int64_t k, int bk)
{
    enum { LEAST_TURNS = 3, LEAST_BYTES = 65536 };
    const int64_t stay = ceil_div(k, bk) * of_tile * LAY_NARROW_LINE;
    return ceil_div(lines, of_tile) <= LAY_NARROW_FEW &&
           stay + max_of(LEAST_TURNS * others * LAY_NARROW_LINE, LEAST_BYTES) <= LAY_NARROW_RING;
}

lay_narrow_stays lay_narrow_staying(const lay_cuda_kernel *row, int64_t m, int64_t n, int64_t k)
{
    const int64_t columns = round_up(row->bn, LAY_NARROW_GROUP);
    if (!row->groups)
        return LAY_NARROW_NONE_STAYS;
    if (m <= n && finds_room(m, row->bm, columns, k, row->bk))
        return LAY_NARROW_LEFT_STAYS;
    return finds_room(n, columns, row->bm, k, row->bk) ? LAY_NARROW_RIGHT_STAYS : LAY_NARROW_NONE_STAYS;
}

int64_t lay_narrow_staying_blocks(const lay_cuda_kernel *row, int64_t m, int64_t n, lay_narrow_stays stays,
                                  int64_t most)
{
    const int64_t down = ceil_div(m, row->bm), across = ceil_div(n, row->bn), works = down * across;
    const int64_t tiles = stays == LAY_NARROW_LEFT_STAYS ? down : stays == LAY_NARROW_RIGHT_STAYS ? across : 1;
    return works <= most ? works : most / tiles * tiles;
}

/* Seconds more that lines of nested operands take, which come no faster where they are whole. */
static double bring_nested(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                           const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const double more = fmax(rates->narrow_line - clocks_of_line(row, of, rates), 0);
    const double turns = count_own(cluster, count_works(row, of, cluster), device) * (double)ceil_div(of->k, row->bk);
    return turns * count_lines(row, of, cluster) * more / (device->ghz * 1e9);
}

lay_narrow_cluster lay_narrow_cluster_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_nested,
                                         const lay_device *device, lay_narrow_may_share *may, const void *context)
{
    static const lay_narrow_cluster shapes[] = { { 1, 1, 1 }, { 2, 1, 1 }, { 1, 2, 1 }, { 2, 2, 1 },
                                                 { 4, 1, 1 }, { 1, 4, 1 }, { 4, 2, 1 }, { 2, 4, 1 } };
    if (of->slices > 1)
        return cluster_of_slices(row, of, device);
    lay_narrow_cluster best = shapes[0];
    double fewest = INFINITY;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && (i == 0 || !row->is_walked); i++) {
        if (!has_tiles(row, of, shapes[i], lay_cuda_rates_get(device)) ||
            (i > 0 && may && !may(row, shapes[i], context)))
            continue;
        const double seconds =
            cost_with(row, of, shapes[i], 0, device) + (is_nested ? bring_nested(row, of, shapes[i], device) : 0);
        if (seconds >= fewest)
            continue;
        fewest = seconds;
        best = shapes[i];
    }
    return best;
}

int64_t lay_narrow_clusters_at_once(const lay_cuda_kernel *row, lay_narrow_cluster cluster, const lay_device *device)
{
    const double filled = count_filled(cluster, lay_cuda_rates_get(device), device) * row->blocks_per_sm;
    return max_of((int64_t)(filled / lay_narrow_cluster_blocks(cluster) + 0.5), 1);
}

double lay_narrow_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_scattered, const lay_device *device)
{
    return cost_with(row, of, lay_narrow_cluster_of(row, of, 0, device, NULL, NULL), is_scattered, device);
}
