/* The time of a launch: what its blocks wait for, what they compute, fetch and write, and what the memory bears. */
#include "cuda/launch/predict.h"

#include <assert.h>
#include <math.h>

#include "base/arith.h"
#include "cuda/launch/cost.h"
#include "cuda/launch/rates.h"

/* A launch in numbers. */
typedef struct work {
    const lay_cuda_kernel *row;
    const lay_cuda_shape *of;
    const lay_cuda_lie *lie;
    const lay_cuda_row_rates *own;
    const lay_cuda_rates *rates;
    double processors, size;
    double tiles_m, tiles_n;
    int is_matrix;               /* all of it real, no operand in a table */
    int together, has_partial;   /* slices of a block; sums that are added later */
    int is_shared, is_kept;      /* by persistent blocks, which keep the sums of slices until the last one is there */
    double blocks, turns, flops; /* turns and flops: of a block */
} work;

static work work_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                    const lay_cuda_lie *lie)
{
    work w = { .row = row, .of = of, .lie = lie };
    w.is_matrix = row->contract == LAY_CUDA_STRICT && !lie->left.has_table && !lie->right.has_table &&
                  !lie->has_table_k && lie->c.is_even;
    w.own = lay_cuda_row_rates_get(row, w.is_matrix);
    assert(w.own);
    w.rates = lay_cuda_rates_get(device);
    w.processors = device->multiprocessors;
    w.size = (double)lay_type_size(of->type);
    w.tiles_m = (double)ceil_div(of->m, row->bm);
    w.tiles_n = (double)ceil_div(of->n, row->bn);
    w.together = lay_cuda_is_together(row, of->slices) ? of->slices : 1;
    w.is_shared = lay_cuda_shared_tiles(row, of, device) > 0;
    w.is_kept = w.is_shared && of->slices > 1;
    w.has_partial = of->slices > 1 && w.together == 1 && !w.is_shared;
    w.blocks = w.tiles_m * w.tiles_n * of->slices / w.together;
    w.turns = (double)ceil_div(of->slice_k, row->bk);
    w.flops = 2.0 * row->bm * row->bn * (w.own->kind->is_exact ? (double)of->slice_k : w.turns * row->bk);
    return w;
}

/* Clocks that a turn waits: for an operand that nobody has fetched before, and for what comes by no vectors across. */
static double wait_for(const work *w, const lay_cuda_read *operand, double extent)
{
    const double more[LAY_CUDA_CLASSES] = { 0, w->own->along, w->own->across_ones, w->own->along_ones };
    return more[operand->class] * extent / (w->row->bm + w->row->bn);
}

/* Of what a tile fetches: tiles in a line share it. */
static double share_fresh(const work *w)
{
    return (1 / w->tiles_m + 1 / w->tiles_n) / 2;
}

static double wait_in_turn(const work *w)
{
    return w->own->cold * share_fresh(w) + wait_for(w, &w->lie->left, w->row->bm) +
           wait_for(w, &w->lie->right, w->row->bn);
}

/* Whether lanes write down C's columns. */
static int is_down(const work *w)
{
    const lay_cuda_written *c = &w->lie->c;
    return !w->has_partial && c->is_down && w->own->kind->goes_down;
}

/* Times as many sectors as they need be: a low tile of crossed rows writes parts of them. */
static double count_parts(const work *w)
{
    return fmax(1, (double)w->lie->c.full / w->row->bm);
}

/* Clocks of an element that a thread writes: lines of C, columns, or each element by itself. */
static double clocks_of_element(const work *w)
{
    const lay_cuda_kind *kind = w->own->kind;
    const lay_cuda_written *c = &w->lie->c;
    if (w->has_partial || c->is_row || (kind->takes_tables && c->has_vectors))
        return w->has_partial || c->has_vectors ? kind->written : kind->alone;
    return is_down(w) ? kind->down * count_parts(w) / c->together : kind->scattered;
}

/* That a thread writes. */
static double count_elements(const work *w)
{
    return (double)w->row->bm * w->row->bn / w->row->threads;
}

/* Clocks of a block besides its multiplications. */
static double wait_in_block(const work *w)
{
    const lay_cuda_kind *kind = w->own->kind;
    const lay_cuda_lie *lie = w->lie;
    const double tables = (lie->left.has_table + lie->right.has_table) * kind->table;
    const double along = !lie->has_table_k ? 0 : lie->is_segmented_k ? kind->segment_turn : kind->table_turn;
    const double leaving = w->is_kept ? w->rates->kept + clocks_of_element(w) / w->of->slices : clocks_of_element(w);
    return w->own->start + tables + w->turns * (along + wait_in_turn(w)) + count_elements(w) * leaving;
}

/* Sectors of C, or of partial sums, an element. */
static double count_sectors(const work *w)
{
    const lay_cuda_written *c = &w->lie->c;
    if (w->has_partial)
        return w->size / LAY_CUDA_SECTOR;
    if (is_down(w))
        return c->down * count_parts(w);
    switch (w->own->kind->lanes) {
    case LAY_CUDA_LANES_DOWN:
        return c->is_column ? c->down : c->across;
    case LAY_CUDA_LANES_EITHER:
        return !c->has_vectors && c->is_column_of_table ? c->down : c->across;
    default:
        return c->across;
    }
}

/* Clocks that all of a multiprocessor's blocks take for lines, sectors and operands that no other block has. */
static double move(const work *w)
{
    const double fresh = w->is_matrix ? w->blocks * share_fresh(w) * w->own->kind->fresh : 0;
    const double m = (double)w->of->m, n = (double)w->of->n, k = (double)w->of->k;
    const double lines = m * k * w->tiles_n * w->lie->left.lines + n * k * w->tiles_m * w->lie->right.lines;
    const double sectors = count_sectors(w) * m * n * (w->has_partial ? w->of->slices : 1);
    return (lines * w->own->kind->line + sectors * w->own->kind->sector + fresh) / w->processors;
}

/* Whether so many bytes stay in the second cache until lines of them are whole. */
static int are_held(const work *w, const lay_device *device, double bytes)
{
    return bytes < w->rates->held * (double)device->l2;
}

/* Times the nominal seconds that C takes: parts of sectors that the second cache cannot hold until they are whole go to
 * memory one by one, and those that nobody makes whole are read first. */
static double write_memory(const work *w, const lay_device *device)
{
    const double passing = w->lie->c.passing, bytes = (double)w->of->m * (double)w->of->n * w->size;
    const double least = (double)w->lie->c.least;
    if (least > 1 && !are_held(w, device, bytes * least))
        return w->rates->written + (least - 1) * w->rates->lone;
    return are_held(w, device, bytes) ? passing * w->rates->written
                                      : w->rates->written + (passing - 1) * w->rates->torn;
}

/* Elements that pass for each of an operand's. Of a matrix that is read along k a turn of bk steps takes bk elements of
 * each line in memory: where these are no whole lines the memory opens each of them several times. Single elements
 * begin anywhere, so that even a line's length of them lies in two. */
static double pass_operand(const work *w, const lay_cuda_read *operand)
{
    const double turn = w->row->bk * w->size;
    const int is_parted = (operand->class == LAY_CUDA_ALONG_VECTOR && turn < LAY_CUDA_CACHE_LINE) ||
                          (operand->class == LAY_CUDA_ALONG && turn <= LAY_CUDA_CACHE_LINE);
    return operand->passing * (w->is_matrix && is_parted ? w->rates->parts : 1);
}

/* The same, and what else comes where an operand that the second cache cannot hold is read in parts of sectors: memory
 * opens a line for each. */
static double gather_operand(const work *w, const lay_device *device, const lay_cuda_read *operand, double elements)
{
    const double passing = pass_operand(w, operand);
    const int is_held = are_held(w, device, elements * w->size);
    return elements * (passing + (is_held ? 0 : w->rates->gathered * fmax(0, operand->passing - 1)));
}

/* Seconds of the memory. */
static double pass_memory(const work *w, const lay_device *device)
{
    const double m = (double)w->of->m, n = (double)w->of->n, k = (double)w->of->k;
    const double read =
        gather_operand(w, device, &w->lie->left, m * k) + gather_operand(w, device, &w->lie->right, k * n);
    const double written = w->has_partial ? 0 : m * n * write_memory(w, device);
    return (read * w->rates->read + written) * w->size / device->bytes_per_second;
}

/* Seconds besides blocks and memory. */
static double begin_and_add(const work *w, const lay_device *device)
{
    if (!w->has_partial)
        return w->rates->launch;
    const lay_cuda_rates *rates = w->rates;
    const double bytes = (double)w->of->slices * (double)w->of->m * (double)w->of->n * w->size;
    const double sum = w->is_matrix ? rates->matrix_sum : rates->sum;
    const double partials = w->is_matrix ? rates->matrix_partials : rates->partials;
    return rates->launch + sum + partials * bytes / device->bytes_per_second;
}

/* Each of the two hides in the longer one, but for what they have in common at its ends. */
static double overlap(double x, double y)
{
    const double squares = x * x * x * x + y * y * y * y;
    return sqrt(sqrt(squares));
}

double lay_cuda_predict(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                        const lay_cuda_lie *lie)
{
    const work w = work_of(row, of, device, lie);
    const double resident = row->blocks_per_sm, at_once = resident * w.processors;
    const int is_even = w.is_shared;
    const double waves = is_even ? w.blocks / at_once : floor(w.blocks / at_once), left = w.blocks - waves * at_once;
    const double last = ceil(left / w.processors); /* blocks of a multiprocessor, behind the whole waves */
    const double series = waves + (left > 0), others = waves * (resident - 1) + (left > 0 ? last - 1 : 0);
    double span = waves > 0 ? waves * lay_cuda_span(row, w.together, resident, w.flops) : 0;
    if (left > 0)
        span += lay_cuda_span(row, w.together, last, w.flops);
    const double crowded = is_even ? 1 : others; /* sums are handed over once */
    const double settled = w.is_kept ? of->slices * count_elements(&w) * w.rates->kept : 0; /* the last tile's slices */
    const double clocks = series * wait_in_block(&w) + crowded * w.own->crowd + span * w.own->span + move(&w) + settled;
    return begin_and_add(&w, device) + overlap(clocks / (device->ghz * 1e9), pass_memory(&w, device));
}

/* Blocks that share a multiprocessor have its rate between them, or one has it alone; lines and sectors come to it. */
double lay_cuda_predict_at_least(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                                 const lay_cuda_lie *lie)
{
    static const double rounding = 1e-9;
    const work w = work_of(row, of, device, lie);
    const double each = w.blocks / w.processors;
    const double clocks = fmax(1, each / row->blocks_per_sm) * wait_in_block(&w) +
                          w.own->span * w.flops * w.together / row->rate * fmax(1, each) + move(&w);
    return (begin_and_add(&w, device) + fmax(clocks / (device->ghz * 1e9), pass_memory(&w, device))) * (1 - rounding);
}

double lay_cuda_predict_gap(const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    return rates->gap - rates->launch;
}
