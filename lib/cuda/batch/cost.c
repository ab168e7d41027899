/* How long a batch takes as one launch: blocks in turns of tiles, or the memory. */
#include <math.h>

#include "base/arith.h"
#include "cuda/batch/batch.h"
#include "cuda/launch/lie.h"
#include "cuda/launch/rates.h"

int lay_batch_shared(const lay_cuda_kernel *row, const lay_problem *problem)
{
    return row->shared + (int)(row->boxes
                                   ? lay_cuda_batch_boxed_offsets(problem->m.extent, problem->n.extent)
                                   : lay_cuda_batch_offsets(problem->m.extent, problem->n.extent, problem->k.extent));
}

int lay_batch_blocks(const lay_cuda_kernel *row, const lay_problem *problem, const lay_device *device)
{
    enum { SYSTEM = 1024 }; /* bytes of a block's shared memory */
    const int64_t each = lay_batch_shared(row, problem);
    return each > (int64_t)device->shared_per_block
               ? 0
               : (int)min_of(row->blocks_per_sm, (int64_t)device->shared_per_sm / (each + SYSTEM));
}

/* Elements of an operand that all products of the batch read or write. */
static double count_elements(double rows, double columns, const lay_axis *batch)
{
    int is_shared = 1;
    for (int i = 0; i < batch->count; i++)
        is_shared &= batch->mode[i].stride == 0;
    is_shared &= batch->class != LAY_AXIS_TABLE;
    return rows * columns * (is_shared ? 1 : (double)batch->extent);
}

/* Seconds of the memory. */
static double pass_memory(const lay_problem *problem, const lay_device *device)
{
    static const double passes = 1.2; /* times as long as the nominal bandwidth says (bench/LOG.md, 56) */
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double read = count_elements(m, k, &problem->left_batch) + count_elements(k, n, &problem->right_batch);
    const double written = count_elements(m, n, &problem->result_batch);
    return passes * (read + written) * (double)lay_type_size(problem->types.result) / device->bytes_per_second;
}

static double count_lines(const lay_batch_fetch *fetch, const lay_axis *across, const lay_axis *along, int64_t size)
{
    return lay_cuda_lines(fetch->is_along ? along : across, size, fetch->bytes > size);
}

enum { LEAST_COPIED = 4 /* bytes: fewer pass through registers */ };

lay_batch_lines lay_batch_lines_of(const lay_problem *problem)
{
    const lay_type type = problem->types.left;
    const int64_t size = (int64_t)lay_type_size(type);
    const lay_batch_fetch left = lay_batch_fetch_of(&problem->left_m, &problem->left_k, &problem->left_batch, type, 1);
    const lay_batch_fetch right =
        lay_batch_fetch_of(&problem->right_n, &problem->right_k, &problem->right_batch, type, 0);
    return (lay_batch_lines){ count_lines(&left, &problem->left_m, &problem->left_k, size),
                              count_lines(&right, &problem->right_n, &problem->right_k, size),
                              left.bytes < LEAST_COPIED, right.bytes < LEAST_COPIED,
                              lay_cuda_lines(&problem->result_n, size, lay_batch_written(problem) > size) };
}

/* Whether lines of an operand begin at no multiple of a sector. */
static int are_torn(const lay_axis *lines, const lay_axis *steps, int64_t size)
{
    const lay_axis *far = lines->class == LAY_AXIS_UNIT ? steps : lines;
    return far->class == LAY_AXIS_STRIDED && far->mode[0].stride * size % LAY_CUDA_SECTOR != 0;
}

/* Lines of boxes that are torn so, of all tiles. */
static double count_torn(const lay_cuda_kernel *row, const lay_problem *problem)
{
    if (row->boxes != LAY_CUDA_LINES)
        return 0;
    const int64_t size = (int64_t)lay_type_size(problem->types.left);
    const double lines = (are_torn(&problem->left_m, &problem->left_k, size) ? row->bm : 0) +
                         (are_torn(&problem->right_n, &problem->right_k, size) ? row->bn : 0);
    return lines * (double)ceil_div(problem->m.extent, row->bm) * (double)ceil_div(problem->n.extent, row->bn) *
           (double)ceil_div(problem->k.extent, row->bk);
}

/* Clocks that all multiprocessors have for lines that lie apart: each tile fetches its own. Tensor copies fetch no
 * elements, and lines that begin anywhere. */
static double clocks_of_lines(const lay_cuda_kernel *row, const lay_problem *problem, const lay_batch_lines *lines,
                              const lay_device *device)
{
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double tiles_m = (double)ceil_div(problem->m.extent, row->bm),
                 tiles_n = (double)ceil_div(problem->n.extent, row->bn);
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const double left = m * k * tiles_n, right = n * k * tiles_m;
    const double read = row->boxes ? 0 : left * lines->left + right * lines->right;
    const double short_ones = row->boxes ? 0 : left * lines->is_left_short + right * lines->is_right_short;
    const double clocks = (read + m * n * lines->c) * rates->batch_line + short_ones * rates->batch_short +
                          count_torn(row, problem) * rates->batch_torn;
    return clocks * (double)problem->batch.extent;
}

double lay_batch_cost(const lay_cuda_kernel *row, const lay_problem *problem, const lay_batch_lines *lines,
                      const lay_device *device)
{
    const lay_cuda_batch_rates *own = lay_cuda_batch_rates_get(row);
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const int together = lay_batch_together(row);
    const int64_t tiles =
        ceil_div(problem->m.extent, row->bm * together) * together * ceil_div(problem->n.extent, row->bn);
    const double turns = (double)ceil_div(problem->k.extent, row->bk);
    const double work = own->start + 2.0 * row->bm * row->bn * row->bk * turns / own->rate;
    const double alone = own->wait + turns * own->turn;
    /* Tiles of the busiest multiprocessor, and how often its blocks take one. */
    const double each = ceil((double)tiles * (double)problem->batch.extent / device->multiprocessors);
    const double rounds = ceil(each / lay_batch_blocks(row, problem, device));
    const double clocks = fmax(each * work, rounds * alone) + own->wait +
                          clocks_of_lines(row, problem, lines, device) / device->multiprocessors;
    const double blocks = clocks / (device->ghz * 1e9), memory = pass_memory(problem, device);
    return rates->launch + fmax(blocks, memory) + rates->batch_beside * fmin(blocks, memory);
}
