/* Direct products: the strided function of a kernel over panels that are cut where storage has a seam. */
#include "cpu/direct.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/blocks.h"
#include "cpu/pack.h"
#include "cpu/parallel.h"
#include "cpu/tiles.h"
#include "plan/summation.h"

/* A product under way. */
typedef struct work {
    const lay_problem *problem;
    const lay_blocked *blocks;
    const lay_part *part;
    const lay_call *call;
    char *workspace;
} work;

/* A block of C. */
typedef struct area {
    int64_t row, column, m, n;
} area;

/* Columns from first on: whole registers but for the last one, which may begin within the one before, in panels of at most
 * width = 2 * lanes. A panel of fewer than lanes only where there are no more. */
static int cut_columns(int64_t first, int64_t end, int64_t run, int width, int lanes)
{
    const int64_t seam = run < end ? min_of(end, (first / run + 1) * run) : end, rest = seam - first;
    return rest <= width ? (int)rest : rest > width + lanes ? width : (int)(rest - lanes);
}

/* Indices from first on, to the end of the block of `run` that first lies in or to `end`, in equal parts of
 * at most `width`: how many the first part has. */
static int cut_panel(int64_t first, int64_t end, int64_t run, int width)
{
    const int64_t seam = run < end ? min_of(end, (first / run + 1) * run) : end, rest = seam - first;
    return rest <= width ? (int)rest : rest >= 2 * width ? width : (int)((rest + 1) / 2);
}

/* The steps p .. p + k, from where they begin in left and, if it is not packed, in right. */
static int find_stretches(const work *of, int64_t p, int64_t k, lay_stretch out[LAY_KC])
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const int is_packed = direct->is_right_packed;
    int count = 0;
    for (int64_t at = p, end; at < p + k; at = end) {
        end = direct->run_k < p + k ? min_of(p + k, (at / direct->run_k + 1) * direct->run_k) : p + k;
        out[count++] = (lay_stretch){ .count = end - at,
                                      .from_a = lay_axis_offset(&problem->left_k, at),
                                      .from_b = is_packed ? (at - p) * of->blocks->kernel->nr
                                                          : lay_axis_offset(&problem->right_k, at) };
    }
    return count;
}

static void pack_right(const work *of, int64_t column, int n, int64_t p, int64_t k, char *to)
{
    const lay_problem *problem = of->problem;
    int64_t across[LAY_MAX_NR], along[LAY_KC];
    lay_axis_offsets(&problem->right_n, column, n, across);
    lay_axis_offsets(&problem->right_k, p, k, along);
    const lay_panel panel = { .k = k, .w = n, .src = of->call->right, .across = across, .along = along, .dst = to };
    const lay_pack_class class = lay_offsets_are_unit(across, n)  ? LAY_PACK_ACROSS
                                 : lay_offsets_are_unit(along, k) ? LAY_PACK_ALONG
                                                                  : LAY_PACK_ANY;
    of->blocks->kernel->pack_b[class](&panel);
}

/* A tile of rows and columns that are known, of one block of k. */
static void multiply_tile(const work *of, lay_strided *tile, int64_t row, int64_t column)
{
    const lay_problem *problem = of->problem;
    enum { WIDE = 256 }; /* columns, beyond which the next rows are too far ahead */
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t size = lay_size_of(problem->type);
    tile->a = (const char *)of->call->left + lay_axis_offset(&problem->left_m, row) * size;
    tile->next_a = NULL;
    if (of->part->is_staged) {
        lay_multiply_staged(kernel, tile, of->call->c, of->part->rows, row, of->part->columns, column);
        return;
    }
    tile->c = (char *)of->call->c +
              (lay_axis_offset(of->part->rows, row) + lay_axis_offset(of->part->columns, column)) * size;
    if (of->blocks->direct.is_by_rows && problem->n.extent > WIDE) { /* as if there were no seams: hints */
        tile->next_a = tile->a;
        tile->next_c = (const char *)tile->c + tile->n * size;
    } else {
        tile->next_a = (const char *)tile->a + tile->m * tile->a_row * size;
        tile->next_c = (const char *)tile->c + tile->m * tile->c_row * size;
    }
    kernel->strided(tile);
}

/* The panel of right that begins at column: packed into scratch, or where it is. */
static const void *find_panel(const work *of, int64_t column, int n, int64_t p, int64_t k, char *scratch)
{
    const lay_problem *problem = of->problem;
    if (!of->blocks->direct.is_right_packed)
        return (const char *)of->call->right +
               lay_axis_offset(&problem->right_n, column) * lay_size_of(problem->type);
    pack_right(of, column, n, p, k, scratch);
    return scratch;
}

/* One panel of columns with all rows. */
static void multiply_rows(const work *of, lay_strided *tile, const area *c, int64_t column)
{
    const int64_t last = c->row + c->m;
    for (int64_t i = c->row; i < last; i += tile->m) {
        tile->m = cut_panel(i, last, of->blocks->direct.run_m, of->blocks->kernel->mr);
        multiply_tile(of, tile, i, column);
    }
}

/* k steps of a block of C: each panel of columns with all rows, */
static void multiply_by_columns(const work *of, lay_strided *tile, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t last = c->column + c->n;
    for (int64_t j = c->column; j < last; j += tile->n) {
        tile->n = cut_columns(j, last, blocks->direct.run_n, kernel->nr, kernel->lanes);
        tile->b = find_panel(of, j, tile->n, p, k, scratch);
        multiply_rows(of, tile, c, j);
    }
}

/* or, for very few rows, columns that are contiguous along k, turned in registers as they come, */
static void multiply_dots(const work *of, const lay_strided *tile, const area *c, int64_t p, int64_t k)
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const int64_t size = lay_size_of(problem->type), last = c->column + c->n, run = direct->dot_run;
    for (int64_t j = c->column, n; j < last; j += n) {
        n = run < last ? min_of(last - j, (j / run + 1) * run - j) : last - j;
        const lay_dots dots = {
            .k = k,
            .m = (int)c->m,
            .n = n,
            .a = (const char *)of->call->left +
                 (lay_axis_offset(&problem->left_m, c->row) + lay_axis_offset(&problem->left_k, p)) * size,
            .b = (const char *)of->call->right +
                 (lay_axis_offset(&problem->right_k, p) + lay_axis_offset(&problem->right_n, j)) * size,
            .a_row = tile->a_row,
            .a_step = tile->a_step,
            .b_column = direct->dot_column,
            .c = (char *)of->call->c +
                 (lay_axis_offset(of->part->rows, c->row) + lay_axis_offset(of->part->columns, j)) * size,
            .c_row = tile->c_row,
            .alpha = tile->alpha,
            .beta = tile->beta,
        };
        of->blocks->kernel->dots(&dots);
    }
}

/* or several panels packed together, where right's rows are long and far apart, */
static void multiply_in_groups(const work *of, lay_strided *tile, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    const int64_t last = c->column + c->n, nr = blocks->kernel->nr;
    int64_t along[LAY_KC];
    lay_axis_offsets(&problem->right_k, p, k, along);
    const lay_packing packing = { .type = problem->type,
                                  .source = of->call->right,
                                  .across = &problem->right_n,
                                  .width = (int)nr,
                                  .pack = blocks->kernel->pack_b,
                                  .k = k,
                                  .along = along,
                                  .panel = blocks->right_panel };
    for (int64_t j = c->column, n; j < last; j += n) {
        n = min_of(blocks->direct.group * nr, last - j);
        lay_pack_panels(&packing, j, n, scratch);
        for (int64_t q = 0; q < n; q += nr) {
            tile->n = (int)min_of(nr, n - q);
            tile->b = scratch + (size_t)(q / nr) * blocks->right_panel;
            multiply_rows(of, tile, c, j + q);
        }
    }
}

/* or each panel of rows with all columns, so that left is read and C written once, row by row. */
static void multiply_by_rows(const work *of, lay_strided *tile, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t last_row = c->row + c->m, last_column = c->column + c->n, run_n = blocks->direct.run_n;
    char *packed = scratch;
    for (int64_t j = c->column, n; blocks->direct.is_right_packed && j < last_column; j += n) {
        n = cut_columns(j, last_column, run_n, kernel->nr, kernel->lanes);
        pack_right(of, j, (int)n, p, k, packed);
        packed += blocks->right_panel;
    }
    for (int64_t i = c->row; i < last_row; i += tile->m) {
        tile->m = cut_panel(i, last_row, blocks->direct.run_m, kernel->mr);
        packed = scratch;
        for (int64_t j = c->column; j < last_column; j += tile->n) {
            tile->n = cut_columns(j, last_column, run_n, kernel->nr, kernel->lanes);
            tile->b = blocks->direct.is_right_packed ? packed : find_panel(of, j, tile->n, p, k, NULL);
            multiply_tile(of, tile, i, j);
            packed += blocks->right_panel;
        }
    }
}

static void multiply_block(const work *of, const area *c, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_direct *direct = &blocks->direct;
    const lay_scalar one = lay_scalar_of(1, of->problem->type);
    lay_stretch stretch[LAY_KC];
    lay_strided tile; /* not cleared: in a tiny product that would show */
    tile.stretch = stretch;
    tile.a_row = direct->left_row;
    tile.a_step = direct->left_step;
    tile.b_step = direct->right_step;
    tile.c_row = of->part->row;
    tile.alpha = of->call->alpha;
    for (int64_t p = of->part->first; p < of->part->last; p += blocks->kc) {
        const int64_t k = min_of(blocks->kc, of->part->last - p);
        tile.stretches = find_stretches(of, p, k, stretch);
        tile.beta = p == of->part->first ? of->call->beta : &one;
        if (direct->is_dotted && !of->part->is_staged)
            multiply_dots(of, &tile, c, p, k);
        else if (direct->is_by_rows)
            multiply_by_rows(of, &tile, c, p, k, scratch);
        else if (direct->group > 1)
            multiply_in_groups(of, &tile, c, p, k, scratch);
        else
            multiply_by_columns(of, &tile, c, p, k, scratch);
    }
}

static void multiply_task(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_blocked *blocks = of->blocks;
    const int64_t i = number / blocks->grid_n * blocks->mc, j = number % blocks->grid_n * blocks->nc;
    const area c = { i, j, min_of(blocks->mc, of->problem->m.extent - i), min_of(blocks->nc, of->problem->n.extent - j) };
    multiply_block(of, &c, of->workspace + (size_t)number * blocks->right_bytes);
}

/* One task, one block of k, one stride each way. */
static void multiply_plain(const lay_problem *problem, const lay_blocked *blocks, const lay_call *call)
{
    const lay_direct *direct = &blocks->direct;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t m = problem->m.extent, n = problem->n.extent, size = lay_size_of(problem->type);
    const int64_t down = direct->left_row * size, c_down = direct->result_row * size;
    const lay_stretch all = { .count = problem->k.extent, .from_a = direct->left_base, .from_b = direct->right_base };
    lay_strided tile; /* as above */
    tile.stretch = &all;
    tile.stretches = 1;
    tile.a_row = direct->left_row;
    tile.a_step = direct->left_step;
    tile.b = call->right;
    tile.b_step = direct->right_step;
    tile.c_row = direct->result_row;
    tile.alpha = call->alpha;
    tile.beta = call->beta;
    char *c = (char *)call->c + direct->result_base * size;
    for (int64_t j = 0; j < n; j += tile.n) {
        tile.n = cut_columns(j, n, n, kernel->nr, kernel->lanes);
        tile.a = call->left;
        tile.c = c;
        for (int64_t i = 0; i < m; i += tile.m) {
            tile.m = cut_panel(i, m, m, kernel->mr);
            tile.next_a = direct->is_far ? (const char *)tile.a + tile.m * down : NULL;
            tile.next_c = (const char *)tile.c + tile.m * c_down;
            kernel->strided(&tile);
            tile.a = (const char *)tile.a + tile.m * down;
            tile.c = (char *)tile.c + tile.m * c_down;
        }
        tile.b = (const char *)tile.b + tile.n * size;
        c += tile.n * size;
    }
}

void lay_direct_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                    void *workspace)
{
    const lay_blocked *blocks = &job->of.cpu;
    if (blocks->direct.is_plain) {
        multiply_plain(problem, blocks, call);
        return;
    }
    work of = { problem, blocks, part, call, workspace };
    lay_parallel_for(job->threads, blocks->grid_m * blocks->grid_n, multiply_task, &of);
}

/* The innermost mode of a group: all of it where there is but one. */
static lay_mode inner_mode(const lay_group *group)
{
    if (group->count == 0)
        return (lay_mode){ .extent = max_of(group->extent, 1) };
    return group->mode[group->count - 1];
}

static lay_leaf inner_leaf(const lay_axis *axis)
{
    if (axis->count == 0)
        return (lay_leaf){ .extent = max_of(axis->extent, 1) };
    return axis->mode[axis->count - 1];
}

/* Whether so many rows share a panel of right that a packed one, near in the first cache, pays. Steps that are
 * multiples of some lines apart fall into few sets of that cache. */
static int is_worth_packing(const lay_problem *problem, const lay_kernel *kernel, int64_t step)
{
    enum { ALIAS = 512 /* bytes */ };
    const int64_t panels = ceil_div(problem->m.extent, kernel->mr), bytes = step * lay_size_of(problem->type);
    return panels >= kernel->sharers || (2 * panels >= kernel->sharers && bytes % ALIAS == 0);
}

const char *lay_direct_find_strides(const lay_problem *problem, const lay_kernel *kernel, lay_direct *out)
{
    enum { WORTH_STEPS = 8, WORTH_ROWS = 4 };
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    if (!problem->m.is_plain || problem->left_k.class == LAY_AXIS_TABLE)
        return "radices do not divide: rows or steps have no strides";
    const lay_mode rows = inner_mode(&problem->m), columns = inner_mode(&problem->n);
    const lay_mode steps = inner_mode(&problem->k);
    const lay_leaf left_steps = inner_leaf(&problem->left_k), result_columns = inner_leaf(&problem->result_n);
    const int is_in_place = problem->n.is_plain && problem->k.is_plain &&
                            (columns.stride[LAY_RIGHT] == 1 || n == 1) &&
                            columns.extent >= min_of(n, kernel->lanes) && steps.extent >= min_of(k, WORTH_STEPS) &&
                            !is_worth_packing(problem, kernel, steps.stride[LAY_RIGHT]);
    *out = (lay_direct){ .is_right_packed = !is_in_place,
                         .run_m = rows.extent,
                         .run_n = is_in_place ? columns.extent : result_columns.extent,
                         .run_k = is_in_place ? steps.extent : left_steps.extent,
                         .left_row = rows.stride[LAY_LEFT],
                         .left_step = left_steps.stride,
                         .right_step = is_in_place ? steps.stride[LAY_RIGHT] : kernel->nr,
                         .result_row = rows.stride[LAY_RESULT] };
    if (rows.extent < min_of(m, WORTH_ROWS))
        return "blocks of rows are short";
    if (left_steps.extent < min_of(k, WORTH_STEPS))
        return "blocks of steps are short";
    /* A single column is contiguous wherever the next would be. */
    out->is_staged = problem->result_n.class == LAY_AXIS_TABLE || (n > 1 && result_columns.stride != 1) ||
                     result_columns.extent < min_of(n, kernel->lanes);
    if (out->is_staged && !is_in_place)
        out->run_n = n;
    return NULL;
}

/* Whether left is to be read once, and C written row by row: one of them is larger than the second cache, half of
 * which has room for right. */
static int is_by_rows(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const double size = (double)lay_size_of(problem->type), m = (double)problem->m.extent, l2 = (double)machine->l2;
    return m * (double)max_of(problem->k.extent, problem->n.extent) * size > l2 &&
           2 * (double)problem->n.extent * (double)blocks->kc * size <= l2;
}

/* NULL, or why left or right is too large to be read in place as often as it would be. */
static const char *refuse_size(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    enum { LINE = 64 };
    const int64_t size = lay_size_of(problem->type), kc = blocks->kc;
    const int64_t m = problem->m.extent, n = problem->n.extent;
    const lay_direct *direct = &blocks->direct;
    if (!direct->is_by_rows && m * kc * size > blocks->kernel->near)
        return "left is too large to be read in place for each panel of columns";
    if (direct->left_step * size > LINE && direct->left_row * size > LINE && m * kc * size > machine->l1 &&
        n > blocks->kernel->nr)
        return "no line of left serves two elements: only packing uses it up";
    const int64_t lines = direct->left_row * size > LINE ? kc * min_of(m, blocks->kernel->mr) : 2 * kc;
    if (direct->left_step * size > LINE && lines * LINE >= machine->l1 && n > blocks->kernel->nr)
        return "each step of left is another line: they do not fit the first cache";
    if (direct->is_right_packed && n * kc * size > machine->l1 &&
        lay_packing_find(&problem->right_n, &problem->right_k, blocks->kernel->nr) == LAY_PACKED_GATHERED)
        return "right would be gathered one panel after the other, but several share its lines";
    if (!direct->is_right_packed && n * kc * size > machine->l2 && n > blocks->kernel->nr)
        return "right is too large to be read in place";
    return NULL;
}

/* As lay_blocks_cost has it, but for the panels of left. */
static double predict(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    static const double pack[] = { [LAY_PACKED_COPIED] = 0.15e-9,
                                   [LAY_PACKED_TURNED] = 0.25e-9,
                                   [LAY_PACKED_IN_PIECES] = 0.4e-9,
                                   [LAY_PACKED_GATHERED] = 1.2e-9 };
    static const double written = 0.15e-9, staged = 4e-9, a_tile = 8e-9, a_call = 20e-9, turned = 0.08e-9;
    const lay_blocked *blocks = &job->of.cpu;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double passes = (double)ceil_div(problem->k.extent, blocks->kc);
    const double tiles =
        (double)ceil_div(problem->m.extent, kernel->mr) * (double)ceil_div(problem->n.extent, kernel->nr);
    const double columns = (double)(ceil_div(problem->n.extent, kernel->lanes) * kernel->lanes);
    const double multiply = 2 * m * columns * k / (kernel->flops_per_cycle * machine->ghz * 1e9);
    double seconds = multiply + m * n * passes * (blocks->direct.is_staged ? staged : written) + tiles * passes * a_tile;
    if (blocks->direct.is_dotted && !blocks->direct.is_staged)
        seconds = fmax(turned * n * k, 2 * m * n * k / (kernel->flops_per_cycle * machine->ghz * 1e9));
    else if (blocks->direct.is_right_packed)
        seconds += n * k * (double)blocks->grid_m *
                   pack[lay_packing_find(&problem->right_n, &problem->right_k, kernel->nr)];
    return seconds / job->threads + a_call;
}

/* Panels of right that are packed together: more than one where its rows are copied from afar, so that a panel's own
 * would be lines each in another page. */
static int choose_group(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    enum { MOST = 8, L2_SHARE = 2 };
    const int64_t size = lay_size_of(problem->type), n = problem->n.extent, kc = blocks->kc;
    const lay_direct *direct = &blocks->direct;
    if (!direct->is_right_packed || direct->is_by_rows || direct->is_staged || direct->run_n < n ||
        n * kc * size <= machine->l2 || problem->right_n.run < n)
        return 1;
    return (int)max_of(1, min_of(MOST, machine->l2 / L2_SHARE / (kc * blocks->kernel->nr * size)));
}

/* Whether right's columns, contiguous along k, are turned in registers: where rows are few, and columns a stride apart
 * that are also a stride apart, one, in C. */
static void find_dots(const lay_problem *problem, lay_direct *direct)
{
    enum { WORTH_DOTS = 16 /* columns */ };
    const lay_mode columns = inner_mode(&problem->n);
    const int64_t m = max_of(problem->m.extent, 1);
    direct->dot_run = columns.extent;
    direct->dot_column = columns.stride[LAY_RIGHT];
    direct->is_dotted = direct->is_right_packed && !direct->is_staged && m <= min_of(LAY_DOT_ROWS, direct->run_m) &&
                        problem->right_k.class == LAY_AXIS_UNIT && problem->left_k.count <= 1 && problem->n.is_plain &&
                        columns.extent >= WORTH_DOTS;
}

/* Tasks of whole panels, a few for each thread. */
static void choose_grid(const lay_problem *problem, lay_blocked *blocks, int threads)
{
    enum { PARTS_PER_THREAD = 4 };
    const int64_t mr = blocks->kernel->mr, nr = blocks->kernel->nr, size = lay_size_of(problem->type);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    const int64_t m_panels = ceil_div(m, mr), n_panels = ceil_div(n, nr);
    const int64_t parts = threads > 1 ? (int64_t)threads * PARTS_PER_THREAD : 1;
    const int64_t right = blocks->direct.is_by_rows ? 1 : min_of(n_panels, parts);
    blocks->nc = ceil_div(n_panels, right) * nr;
    blocks->grid_n = ceil_div(n, blocks->nc);
    const int64_t down = max_of(1, parts / blocks->grid_n);
    blocks->mc = ceil_div(m_panels, min_of(m_panels, down)) * mr;
    blocks->grid_m = ceil_div(m, blocks->mc);
    if (!blocks->direct.is_right_packed)
        return;
    blocks->right_panel = ((size_t)(blocks->kc * nr * size) + 63) / 64 * 64;
    blocks->right_bytes = blocks->right_panel * (size_t)blocks->direct.group;
    if (blocks->direct.is_by_rows) /* and panels that end at a seam */
        blocks->right_bytes *= (size_t)(n_panels + n / min_of(blocks->direct.run_n, n) + 1);
}

/* Whether multiply_plain serves. */
static void find_plain(const lay_problem *problem, lay_blocked *blocks, const lay_machine *machine)
{
    lay_direct *direct = &blocks->direct;
    direct->is_plain = blocks->grid_m * blocks->grid_n == 1 && !direct->is_right_packed && !direct->is_staged &&
                       problem->m.count <= 1 && problem->n.count <= 1 && problem->k.count <= 1 &&
                       problem->k.extent <= blocks->kc;
    const double size = (double)lay_size_of(problem->type), m = (double)problem->m.extent, n = (double)problem->n.extent;
    direct->is_far = (m * n + (m + n) * (double)problem->k.extent) * size > (double)machine->l1;
    direct->left_base = problem->left_m.base + problem->left_k.base;
    direct->right_base = problem->right_k.base + problem->right_n.base;
    direct->result_base = problem->result_m.base + problem->result_n.base;
}

const char *lay_direct_choose(const lay_problem *problem, const lay_kernel *kernel, int threads,
                              const lay_machine *machine, lay_job *job)
{
    static const double flops_per_thread = 2e6, bytes_per_thread = 1e6;
    const int64_t size = lay_size_of(problem->type);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    lay_blocked *blocks = &job->of.cpu;
    *blocks = (lay_blocked){ .kernel = kernel, .way = LAY_READ_IN_PLACE, .kc = lay_summation_kc(max_of(problem->k.extent, 1)) };
    const char *reason = lay_direct_find_strides(problem, kernel, &blocks->direct);
    blocks->direct.is_by_rows = is_by_rows(problem, blocks, machine);
    if (!reason)
        reason = refuse_size(problem, blocks, machine);
    if (reason)
        return reason;
    const double bytes = (double)size * ((double)m * (double)problem->k.extent +
                                         (double)n * (double)problem->k.extent + (double)m * (double)n);
    const double share = fmax(lay_problem_flops(problem) / flops_per_thread, bytes / bytes_per_thread);
    const int busy = share >= threads ? threads : share > 1 ? (int)share : 1;
    find_dots(problem, &blocks->direct);
    blocks->direct.group = choose_group(problem, blocks, machine);
    choose_grid(problem, blocks, busy);
    job->kernel = kernel->name;
    job->threads = (int)min_of(busy, blocks->grid_m * blocks->grid_n);
    job->workspace = blocks->right_bytes * (size_t)(blocks->grid_m * blocks->grid_n);
    job->seconds = predict(problem, job, machine);
    find_plain(problem, blocks, machine);
    return NULL;
}
