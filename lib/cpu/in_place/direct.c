/* Direct products: the strided function of a kernel over panels that are cut where storage has a boundary. */
#include "cpu/in_place/direct.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/in_place/direct_cut.h"
#include "cpu/packed/blocks.h"
#include "cpu/packed/pack.h"
#include "cpu/packed/streamed.h"
#include "cpu/packed/tiles.h"
#include "plan/summation.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

/* A product under way. */
typedef struct work {
    const lay_problem *problem;
    const lay_blocked *blocks;
    const lay_part *part;
    const lay_call *call;
    char *workspace;
    int is_streamed; /* C (streamed.h) */
} work;

/* A panel of rows: its first, and where that lies in left and in C. */
typedef struct cut {
    int64_t first, left, result;
    int m;
} cut;

/* A block of C, and the panels of its rows. */
typedef struct area {
    int64_t row, column, m, n, cuts;
    const cut *cut;
} area;

/* The steps p .. p + k, from where they begin in left and, if it is not packed, in right. */
static int find_segments(const work *of, int64_t p, int64_t k, lay_segment out[LAY_KC])
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const int is_packed = direct->is_right_packed;
    int count = 0;
    for (int64_t at = p, end; at < p + k; at = end) {
        end = direct->run_k < p + k ? min_of(p + k, (at / direct->run_k + 1) * direct->run_k) : p + k;
        out[count++] = (lay_segment){ .count = end - at,
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
    const int is_along = n > 1 && problem->right_k.class == LAY_AXIS_UNIT;
    lay_axis_offsets(&problem->right_n, column, n, across);
    lay_axis_offsets(&problem->right_k, p, is_along ? 1 : k, along);
    const lay_panel panel = { .k = k, .w = n, .src = of->call->right, .across = across, .along = along, .dst = to };
    const lay_pack_class class = is_along                          ? LAY_PACK_ALONG
                                 : lay_offsets_are_unit(across, n) ? LAY_PACK_ACROSS
                                 : lay_offsets_are_unit(along, k)  ? LAY_PACK_ALONG
                                                                   : LAY_PACK_ANY;
    of->blocks->kernel->pack_b[class](&panel);
}

/* What rows m from first on are cut in: their offsets are looked up once, not once a tile. */
static int64_t cut_rows(const work *of, int64_t first, int64_t m, cut out[])
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    int64_t count = 0;
    for (int64_t i = first; i < first + m; i += out[count++].m)
        out[count] = (cut){ .first = i,
                            .left = lay_axis_offset(&problem->left_m, i),
                            .result = lay_axis_offset(of->part->rows, i),
                            .m = cut_panel(i, first + m, blocks->direct.run_m, blocks->kernel->mr) };
    return count;
}

size_t lay_direct_cut_bytes(const lay_blocked *blocks)
{
    const int64_t run = min_of(blocks->direct.run_m, blocks->mc),
                  most = (blocks->mc / run + 2) * ceil_div(run, blocks->kernel->mr);
    return lay_workspace_part((size_t)most * sizeof(cut));
}

static void multiply_strided(const work *of, const lay_strided *tile)
{
    const lay_kernel *kernel = of->blocks->kernel;
    if (!of->is_streamed || !lay_stream_strided(kernel, tile))
        kernel->strided(tile);
}

/* A tile, of one block of k: rows and columns, whose first lies so far in C, and the rows that come next. */
static void multiply_tile(const work *of, lay_strided *tile, const cut *rows, int64_t column, int64_t to,
                          const cut *next)
{
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t size = lay_size_of(of->problem->types.left);
    const char *const left = of->call->left;
    char *const c = of->call->c;
    tile->m = rows->m;
    tile->a = left + rows->left * size;
    tile->next_a = NULL;
    if (of->part->is_staged) {
        lay_multiply_staged(kernel, tile, c, of->part->rows, rows->first, of->part->columns, column);
        return;
    }
    tile->c = c + (rows->result + to) * size;
    if (of->blocks->direct.is_left_far)
        tile->next_a = left + next->left * size;
    multiply_strided(of, tile);
}

/* A column: where it lies in C and, where that is read as it lies, in right. */
typedef struct place {
    lay_axis_walk result, right;
} place;

static void start_at(const work *of, int64_t column, place *out)
{
    lay_axis_walk_start(of->part->columns, column, &out->result);
    if (!of->blocks->direct.is_right_packed)
        lay_axis_walk_start(&of->problem->right_n, column, &out->right);
}

static void go_on(const work *of, place *at, int64_t columns)
{
    lay_axis_walk_on(&at->result, columns);
    if (!of->blocks->direct.is_right_packed)
        lay_axis_walk_on(&at->right, columns);
}

/* Where right is read as it lies. */
static const void *find_right(const work *of, const place *at)
{
    return (const char *)of->call->right + at->right.offset * lay_size_of(of->problem->types.right);
}

/* One panel of columns with all rows, whose first lies so far in C. */
static void multiply_rows(const work *of, lay_strided *tile, const area *c, int64_t column, int64_t to)
{
    for (int64_t i = 0; i < c->cuts; i++)
        multiply_tile(of, tile, &c->cut[i], column, to, &c->cut[i + 1 < c->cuts ? i + 1 : 0]);
}

/* k steps of a block of C: each panel of columns with all rows, */
static void multiply_by_columns(const work *of, lay_strided *tile, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t last = c->column + c->n;
    place at;
    start_at(of, c->column, &at);
    for (int64_t j = c->column; j < last; j += tile->n) {
        tile->n = cut_columns(j, last, blocks->direct.run_n, kernel->nr, kernel->lanes);
        if (blocks->direct.is_right_packed)
            pack_right(of, j, tile->n, p, k, scratch);
        tile->b = blocks->direct.is_right_packed ? scratch : find_right(of, &at);
        multiply_rows(of, tile, c, j, at.result.offset);
        go_on(of, &at, tile->n);
    }
}

/* or, for very few rows, columns that are contiguous along k, transposed in registers as they come, */
static void multiply_dots(const work *of, const lay_strided *tile, const area *c, int64_t p, int64_t k)
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t size = lay_size_of(problem->types.left), last = c->column + c->n, run = direct->dot_run;
    for (int64_t j = c->column, n; j < last; j += n) {
        n = run < last ? min_of(last - j, (j / run + 1) * run - j) : last - j;
        if (of->part->is_staged)
            n = min_of(n, kernel->nr);
        lay_dots dots = {
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
            .c_row = tile->c_row,
            .alpha = tile->alpha,
            .beta = tile->beta,
        };
        if (of->part->is_staged) {
            lay_dot_staged(kernel, &dots, of->call->c, of->part->rows, c->row, of->part->columns, j);
            continue;
        }
        dots.c = (char *)of->call->c +
                 (lay_axis_offset(of->part->rows, c->row) + lay_axis_offset(of->part->columns, j)) * size;
        kernel->dots(&dots);
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
    const lay_packing packing = { .type = problem->types.right,
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
            multiply_rows(of, tile, c, j + q, lay_axis_offset(of->part->columns, j + q));
        }
    }
}

/* Steps p .. p + k of a panel, between the ends of what lies side by side along k. */
static void pack_joined(const work *of, int64_t column, int n, int64_t p, int64_t k, const int64_t along[], char *to)
{
    const lay_problem *problem = of->problem;
    const int64_t period = lay_packing_period(&problem->right_k);
    const int64_t step = of->blocks->kernel->nr * lay_size_of(problem->types.right);
    int64_t across[LAY_MAX_NR];
    lay_axis_offsets(&problem->right_n, column, n, across);
    for (int64_t at = 0, steps; at < k; at += steps) {
        steps = min_of(k - at, period - (p + at) % period);
        const lay_panel panel = {
            .k = steps, .w = n, .src = of->call->right, .across = across, .along = along + at, .dst = to + at * step
        };
        of->blocks->kernel->pack_b[LAY_PACK_ANY](&panel);
    }
}

/* or panels of several blocks of k packed at once, where one block has but parts of the lines that right lies in, */
static void multiply_joined(const work *of, lay_strided *tile, lay_segment segment[], const area *c, int64_t p,
                            int64_t k, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_kernel *kernel = blocks->kernel;
    const lay_part *part = of->part;
    const int64_t step = kernel->nr * lay_size_of(of->problem->types.right), last = c->column + c->n;
    const int64_t slice = part->slice > 0 ? part->slice : part->last - part->first;
    const lay_scalar one = lay_scalar_of(1, of->problem->types.sum);
    int64_t *const along = (int64_t *)(void *)(scratch + blocks->right_panel);
    lay_call call = *of->call;
    work now = *of;
    now.call = &call;
    lay_axis_offsets(&of->problem->right_k, p, k, along);
    for (int64_t j = c->column; j < last; j += tile->n) {
        tile->n = cut_columns(j, last, blocks->direct.run_n, kernel->nr, kernel->lanes);
        const int64_t to = lay_axis_offset(part->columns, j);
        pack_joined(of, j, tile->n, p, k, along, scratch);
        for (int64_t q = p; q < p + k; q += blocks->kc) {
            const int64_t done = q - part->first;
            call.c = (char *)of->call->c + done / slice * part->apart;
            tile->segments = find_segments(of, q, min_of(blocks->kc, p + k - q), segment);
            tile->beta = done % slice == 0 ? call.beta : &one;
            tile->b = scratch + (q - p) * step;
            multiply_rows(&now, tile, c, j, to);
        }
    }
}

/* or each panel of columns with all rows by one function, */
static void multiply_panels(const work *of, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const lay_kernel *kernel = of->blocks->kernel;
    const lay_scalar one = lay_scalar_of(1, problem->types.sum);
    const void *const beta = p == of->part->first ? of->call->beta : &one;
    const int64_t size = lay_size_of(problem->types.left), last = c->column + c->n;
    const char *const left = (const char *)of->call->left +
                             (lay_axis_offset(&problem->left_m, c->row) + lay_axis_offset(&problem->left_k, p)) * size;
    char *const to = (char *)of->call->c + lay_axis_offset(of->part->rows, c->row) * size;
    lay_whole panel = { .m = c->m,
                        .k = k,
                        .a_row = direct->left_row,
                        .a_step = direct->left_step,
                        .b_step = direct->right_step,
                        .c_row = of->part->row };
    for (int64_t j = c->column; j < last; j += panel.n) {
        panel.n = min_of(kernel->nr, last - j);
        pack_right(of, j, (int)panel.n, p, k, scratch);
        kernel->choose_whole (&panel)(&panel, of->call->alpha, left, scratch, beta,
                                      to + lay_axis_offset(of->part->columns, j) * size);
    }
}

/* Panels that lie side by side in right, from columns first on. */
static void pack_interleaved(const work *of, int64_t first, int n, int count, int64_t p, int64_t k, char *to)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    int64_t across[LAY_MAX_NR], along[LAY_KC];
    lay_axis_offsets(&problem->right_n, first, n, across);
    lay_axis_offsets(&problem->right_k, p, k, along);
    const lay_interleaved set = {
        .first = { .k = k, .w = n, .src = of->call->right, .across = across, .along = along, .dst = to },
        .count = count,
        .further = (int64_t)blocks->right_panel / lay_size_of(problem->types.right),
    };
    blocks->kernel->interleaved(&set);
}

/* or panels that are transposed together, where what lies side by side in right is far apart in C, */
static void multiply_interleaved(const work *of, lay_strided *tile, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_direct *direct = &blocks->direct;
    const int64_t last = c->column + c->n, step = direct->interleaved_step;
    for (int64_t j = c->column, count; j < last; j += count * step) {
        const int64_t number = j / step % direct->interleaved_run; /* of this panel in its row */
        count = min_of(min_of(direct->interleaved - number % direct->interleaved, direct->interleaved_run - number),
                       (last - j) / step);
        for (int64_t i = j; i < j + step; i += tile->n) {
            tile->n = cut_columns(i, j + step, direct->run_n, blocks->kernel->nr, blocks->kernel->lanes);
            pack_interleaved(of, i, tile->n, (int)count, p, k, scratch);
            for (int64_t q = 0; q < count; q++) {
                tile->b = scratch + (size_t)q * blocks->right_panel;
                multiply_rows(of, tile, c, i + q * step, lay_axis_offset(of->part->columns, i + q * step));
            }
        }
    }
}

/* Columns first .. last, cut at multiples of run: panel after panel. */
static void pack_columns(const work *of, int64_t first, int64_t last, int64_t run, int64_t p, int64_t k, char *to)
{
    const lay_kernel *kernel = of->blocks->kernel;
    for (int64_t j = first, n; j < last; j += n, to += of->blocks->right_panel) {
        n = cut_columns(j, last, run, kernel->nr, kernel->lanes);
        pack_right(of, j, (int)n, p, k, to);
    }
}

/* or each panel of rows with all columns, so that left is read and C written once, row by row. */
static void multiply_by_rows(const work *of, lay_strided *tile, const area *c, int64_t p, int64_t k, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t last = c->column + c->n, run_n = blocks->direct.run_n;
    if (blocks->direct.is_right_packed)
        pack_columns(of, c->column, last, run_n, p, k, scratch);
    place first, at;
    start_at(of, c->column, &first);
    for (int64_t i = 0; i < c->cuts; i++) {
        const cut *const rows = &c->cut[i], *const below = &c->cut[i + 1 < c->cuts ? i + 1 : i];
        char *packed = scratch;
        at = first;
        for (int64_t j = c->column; j < last; j += tile->n) {
            tile->n = cut_columns(j, last, run_n, kernel->nr, kernel->lanes);
            tile->b = blocks->direct.is_right_packed ? packed : find_right(of, &at);
            multiply_tile(of, tile, rows, j, at.result.offset, j + tile->n < last ? rows : below);
            packed += blocks->right_panel;
            go_on(of, &at, tile->n);
        }
    }
}

static void multiply_block(const work *of, const area *c, char *scratch)
{
    const lay_blocked *blocks = of->blocks;
    const lay_direct *direct = &blocks->direct;
    const lay_scalar one = lay_scalar_of(1, of->problem->types.sum);
    lay_segment segment[LAY_KC];
    lay_strided tile; /* not cleared: in a tiny product that would show */
    tile.segment = segment;
    tile.a_row = direct->left_row;
    tile.a_step = direct->left_step;
    tile.b_step = direct->right_step;
    tile.c_row = of->part->row;
    tile.alpha = of->call->alpha;
    for (int64_t p = of->part->first; p < of->part->last; p += direct->joined) {
        const int64_t k = min_of(direct->joined, of->part->last - p);
        if (direct->joined > blocks->kc) {
            multiply_joined(of, &tile, segment, c, p, k, scratch);
            continue;
        }
        if (direct->is_at_once && !of->is_streamed && !of->part->is_staged) {
            multiply_panels(of, c, p, k, scratch);
            continue;
        }
        tile.segments = find_segments(of, p, k, segment);
        tile.beta = p == of->part->first ? of->call->beta : &one;
        if (direct->is_dotted)
            multiply_dots(of, &tile, c, p, k);
        else if (direct->is_by_rows)
            multiply_by_rows(of, &tile, c, p, k, scratch);
        else if (direct->interleaved)
            multiply_interleaved(of, &tile, c, p, k, scratch);
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
    char *const scratch = of->workspace + (size_t)number * (blocks->right_bytes + blocks->direct.cut_bytes);
    cut *const cuts = (cut *)(void *)(scratch + blocks->right_bytes);
    area c = { i, j,   min_of(blocks->mc, of->problem->m.extent - i), min_of(blocks->nc, of->problem->n.extent - j),
               0, cuts };
    c.cuts = cut_rows(of, c.row, c.m, cuts);
    multiply_block(of, &c, scratch);
    if (of->is_streamed)
        lay_end_streams();
}

/* One task, one block of k, one stride each way, right packed in panels: tiles of few steps are done before a general
 * loop has found the next one. */
static void multiply_plain(const work *of)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    const lay_direct *direct = &blocks->direct;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    const int64_t size = lay_size_of(problem->types.left);
    const lay_segment all = { .count = k };
    lay_strided tile = { .segment = &all,
                         .segments = 1,
                         .a = (const char *)of->call->left + direct->left_base * size,
                         .a_row = direct->left_row,
                         .a_step = direct->left_step,
                         .b_step = direct->right_step,
                         .c_row = direct->result_row,
                         .alpha = of->call->alpha,
                         .beta = of->call->beta };
    char *c = (char *)of->call->c + direct->result_base * size;
    pack_columns(of, 0, n, n, 0, k, of->workspace);
    for (int64_t i = 0; i < m; i += tile.m) {
        tile.m = cut_panel(i, m, m, kernel->mr);
        const char *const below = (const char *)tile.a + tile.m * direct->left_row * size;
        tile.b = of->workspace;
        tile.c = c;
        tile.next_a = NULL;
        for (int64_t j = 0; j < n; j += tile.n) {
            tile.n = cut_columns(j, n, n, kernel->nr, kernel->lanes);
            if (direct->is_left_far && j + tile.n >= n)
                tile.next_a = below;
            multiply_strided(of, &tile);
            tile.b = (const char *)tile.b + blocks->right_panel;
            tile.c = (char *)tile.c + tile.n * size;
        }
        tile.a = below;
        c += tile.m * direct->result_row * size;
    }
}

void lay_direct_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                    void *workspace)
{
    const lay_blocked *blocks = job->data;
    const lay_at_once *at_once = &job->at_once;
    work of = { problem, blocks, part, call, workspace, lay_is_streamed(problem, part, call, blocks->kc) };
    if (at_once->multiply) {
        at_once->multiply(&at_once->whole, call->alpha, (const char *)call->left + at_once->left,
                          (const char *)call->right + at_once->right, call->beta, (char *)call->c + at_once->result);
        return;
    }
    if (blocks->direct.is_plain) {
        multiply_plain(&of);
        if (of.is_streamed)
            lay_end_streams();
        return;
    }
    lay_parallel_for(job->threads, blocks->grid_m * blocks->grid_n, multiply_task, &of);
}
