/* Turns of tiles: what the matrix units take for them, what the second cache brings, and a tile's beginning and end,
 * which hide behind other blocks of a multiprocessor. */
#include "cuda/narrow/narrow_cost.h"

#include <math.h>

#include "base/arith.h"
#include "cuda/launch/rates.h"

enum { MOST_BLOCKS = 8 /* of a cluster, on every device that has them */, WARP = 32 };

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

/* Clocks of a turn of one block that has a multiprocessor alone. */
static double turn_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                      const lay_cuda_rates *rates)
{
    const double lines = (double)row->bm / cluster.across + (double)row->bn / cluster.down;
    return overlap(2.0 * row->bm * row->bn * row->bk / lay_cuda_narrow_rates_get(row)->rate,
                   lines * rates->narrow_line * (is_odd(of) ? rates->narrow_odd : 1));
}

/* Clocks of a tile besides its turns. */
static double begin_and_end(const lay_cuda_kernel *row, lay_narrow_cluster cluster, const lay_cuda_rates *rates)
{
    /* Of a thread, from each slice; rates are of blocks with one bringing warp where two blocks share a multiprocessor.
     */
    const double sums = (double)row->bm * row->bn / (row->threads - (row->blocks_per_sm > 1 ? WARP : 0));
    return lay_cuda_narrow_rates_get(row)->start + (count_shared(cluster) > 1 ? rates->narrow_pair : 0) +
           (cluster.together > 1 ? rates->narrow_meet * (cluster.together - 1) + sums * rates->narrow_add : 0);
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

/* Seconds of the launch that adds slices which are not together. */
static double add_slices(const lay_cuda_shape *of, lay_narrow_cluster cluster, const lay_cuda_rates *rates,
                         const lay_device *device)
{
    if (of->slices == 1 || cluster.together > 1)
        return 0;
    return rates->sum + 8.0 * of->slices * (double)of->m * (double)of->n / device->bytes_per_second;
}

static double cost_with(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                        const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const double turns = (double)ceil_div(of->slice_k, row->bk);
    const double works = (double)round_up(ceil_div(of->m, row->bm), cluster.down) *
                         (double)round_up(ceil_div(of->n, row->bn), cluster.across) * of->slices;
    const double own = ceil(works / count_filled(cluster, rates, device)); /* of a multiprocessor */
    const double clocks = own * turns * turn_of(row, of, cluster, rates) +
                          ceil(own / row->blocks_per_sm) * begin_and_end(row, cluster, rates);
    const double size = (double)lay_type_size(of->type);
    const double read = rates->narrow_read * (row->blocks_per_sm > 1 && own < 2 ? rates->narrow_few : 1);
    const double bytes = size * (double)(of->m * of->k + of->k * of->n + of->m * of->n);
    return rates->narrow_launch + add_slices(of, cluster, rates, device) +
           overlap(clocks / (device->ghz * 1e9), bytes * read / device->bytes_per_second);
}

/* So many in each direction; and where more than two share, of a width that was measured so. */
static int has_tiles(const lay_cuda_kernel *row, const lay_cuda_shape *of, lay_narrow_cluster cluster,
                     const lay_cuda_rates *rates)
{
    return ceil_div(of->m, row->bm) >= cluster.down && ceil_div(of->n, row->bn) >= cluster.across &&
           (count_shared(cluster) <= 2 || row->bn >= rates->narrow_share_width);
}

lay_narrow_cluster lay_narrow_cluster_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                                         lay_narrow_may_share *may, const void *context)
{
    static const lay_narrow_cluster shapes[] = { { 1, 1, 1 }, { 2, 1, 1 }, { 1, 2, 1 }, { 2, 2, 1 },
                                                 { 4, 1, 1 }, { 1, 4, 1 }, { 4, 2, 1 }, { 2, 4, 1 } };
    if (of->slices > 1)
        return (lay_narrow_cluster){ 1, 1, of->slices <= MOST_BLOCKS ? of->slices : 1 };
    lay_narrow_cluster best = shapes[0];
    double fewest = INFINITY;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && (i == 0 || !row->is_walked); i++) {
        if (!has_tiles(row, of, shapes[i], lay_cuda_rates_get(device)) ||
            (i > 0 && may && !may(row, shapes[i], context)))
            continue;
        const double seconds = cost_with(row, of, shapes[i], device);
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

double lay_narrow_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return cost_with(row, of, lay_narrow_cluster_of(row, of, device, NULL, NULL), device);
}
