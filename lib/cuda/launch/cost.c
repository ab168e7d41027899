/* The cost of a launch: waves of blocks that a device runs, what the memory bears, slices that are to be added. */
#include "cuda/launch/cost.h"

#include <math.h>

#include "base/arith.h"

/* Seconds, on which the order of the sum hangs: no rates, which are fitted anew (docs/decisions/0023). A launch; adding
 * slices by a tile's last block or by another launch, and each slice of them. */
static const double a_launch = 2.3e-6, by_a_block = 0.9e-6, by_a_launch = 1.2e-6, a_slice = 0.03e-6;
static const double reached = 0.92; /* of the nominal bandwidth */
static const double passes = 3;     /* over the partial sums: there, back, and what they push out of L2 */
/* The same where persistent blocks keep them, in no launch of their own; and bytes a second of whoever settles the last
 * tile, which nothing hides (bench/LOG.md, 168). */
static const double kept = 1.5, settling = 50e9;

int lay_cuda_is_together(const lay_cuda_kernel *row, int slices)
{
    return slices > 1 && slices <= row->groups;
}

int lay_cuda_adds_itself(const lay_cuda_kernel *row, int slices)
{
    const int64_t little = 512; /* elements a thread; tiles of one chain take 2 to 3 us for 16 (bench/LOG.md) */
    return slices > 1 && row->order == LAY_CUDA_LANES && (int64_t)row->bm * row->bn * slices <= little * row->threads;
}

/* Clocks that so many blocks of a multiprocessor take, each of which has groups at work on slices of so many flops: as
 * long as the busiest scheduler does, which is between an even share of the warps and an integer of them. Warps of
 * several blocks meet on the same schedulers; those of one group wait for each other: less where others are at work. */
static double span_of_groups(const lay_cuda_kernel *row, int together, double blocks, double flops)
{
    const int groups = row->at_once ? row->at_once : row->groups;
    const double schedulers = 4, warps = (double)row->threads / groups / 32;
    const double rounds = ceil((double)together / groups);
    together = together < groups ? together : groups;
    const double meeting = warps > 1 ? 0.2 / fmin(2, blocks * together) : 0;
    const double even = blocks * fmax(1, together * warps / schedulers);
    const double busiest = fmax(row->lone, (ceil(even) + even) / 2 + meeting);
    return rounds * flops * busiest * schedulers / (row->rate * warps);
}

/* Groups of which no more is known share the rate, which falls with the fourth root of their part. */
double lay_cuda_span(const lay_cuda_kernel *row, int together, double blocks, double flops)
{
    const double resident = row->blocks_per_sm;
    if (row->groups && row->lone > 0)
        return span_of_groups(row, together, blocks, flops);
    const double rate = !row->groups    ? row->rate
                        : together == 1 ? row->rate / row->groups
                                        : row->rate * pow((double)together / row->groups, 0.25) / together;
    return resident * flops / rate * pow(blocks / resident, row->crowding);
}

/* Seconds on clocks: whole waves, then the blocks that are left, which have the multiprocessors to
 * themselves but hide less of their waiting. */
static double cost_blocks(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double fetch)
{
    const int together = lay_cuda_is_together(row, of->slices) ? of->slices : 1;
    const double tiles = (double)(ceil_div(of->m, row->bm) * ceil_div(of->n, row->bn));
    const double blocks = tiles * of->slices / together;
    const double steps = (double)round_up(of->slice_k, row->bk);
    const double flops = 2.0 * row->bm * row->bn * steps * (1 + fetch);
    const double resident = row->blocks_per_sm, at_once = resident * device->multiprocessors;
    const double waves = floor(blocks / at_once), left = blocks - waves * at_once;
    if (lay_cuda_shared_tiles(row, of, device)) /* evenly; to hand sums over takes as long as another start */
        return (row->start + blocks / at_once * (row->start + lay_cuda_span(row, together, resident, flops))) /
               (device->ghz * 1e9);
    double clocks = waves * (row->start + lay_cuda_span(row, together, resident, flops));
    if (left > 0)
        clocks += row->start + lay_cuda_span(row, together, ceil(left / device->multiprocessors), flops);
    return clocks / (device->ghz * 1e9);
}

/* The same from below, in a fraction of the time: blocks share a multiprocessor at the row's rate, or one has it alone.
 * Crowding is at most 1, a schedule at best even. */
static double bound_blocks(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double fetch)
{
    const int together = lay_cuda_is_together(row, of->slices) ? of->slices : 1;
    const double tiles = (double)(ceil_div(of->m, row->bm) * ceil_div(of->n, row->bn));
    const double each = tiles * of->slices / together / device->multiprocessors;
    const double steps = (double)round_up(of->slice_k, row->bk);
    const double flops = 2.0 * row->bm * row->bn * steps * (1 + fetch) * together;
    return (row->start + flops / row->rate * fmax(1, each)) / (device->ghz * 1e9);
}

/* What blocks take that long, with what memory bears and the sum of slices. */
static double add_memory(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double blocks)
{
    const double m = (double)of->m, n = (double)of->n, k = (double)of->k, size = (double)lay_type_size(of->type);
    const double bytes = (m * k + k * n + 2 * m * n) * size;
    const double bandwidth = reached * device->bytes_per_second;
    double seconds = fmax(blocks, bytes / bandwidth) + a_launch;
    if (of->slices > 1 && lay_cuda_shared_tiles(row, of, device)) {
        const double tile = (double)row->bm * row->bn * size;
        seconds += by_a_block + a_slice * of->slices + of->slices * (kept * m * n * size / bandwidth + tile / settling);
    } else if (of->slices > 1 && !lay_cuda_is_together(row, of->slices)) {
        seconds += (lay_cuda_adds_itself(row, of->slices) ? by_a_block : by_a_launch) + a_slice * of->slices +
                   passes * of->slices * m * n * size / bandwidth;
    }
    return seconds;
}

double lay_cuda_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double fetch)
{
    return add_memory(row, of, device, cost_blocks(row, of, device, fetch));
}

double lay_cuda_cost_at_least(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                              double fetch)
{
    static const double rounding = 1e-9; /* far more than that of either */
    return add_memory(row, of, device, bound_blocks(row, of, device, fetch)) * (1 - rounding);
}

double lay_cuda_sliced_at_least(const lay_cuda_shape *of, const lay_device *device)
{
    const double sums = (double)of->slices * (double)of->m * (double)of->n * (double)lay_type_size(of->type);
    return a_launch + fmin(by_a_block, by_a_launch) + a_slice * of->slices +
           kept * sums / (reached * device->bytes_per_second);
}

double lay_cuda_slices_gain(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_divided, double unsliced)
{
    static const double share = 0.002, least = 0.35e-6;
    static const double divided = 12e-6; /* those of floats took 18 to 26 us more than told (bench/LOG.md, 158) */
    const int owns = row->type == LAY_F32 && !row->groups && row->blocks_per_sm == 1; /* a multiprocessor */
    return is_divided && owns && !lay_cuda_is_together(row, of->slices) ? divided : fmin(share * unsliced, least);
}

int64_t lay_cuda_full_rows(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    const int64_t at_once = (int64_t)row->blocks_per_sm * device->multiprocessors;
    const int64_t across = ceil_div(of->n, row->bn) * (lay_cuda_is_together(row, of->slices) ? 1 : of->slices);
    const int64_t waves = ceil_div(of->m, row->bm) * across / at_once;
    const int64_t rows = lay_cuda_is_persistent(row) ? 0 : waves * at_once / across * row->bm;
    return rows < of->m && rows % 16 == 0 ? rows : 0; /* vectors begin where they began */
}
