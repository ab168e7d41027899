/* What is read how, by whom; the sums of blocks and pieces; and C. */
#include "cpu/narrow/narrow_vector.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/narrow/pieces.h"
#include "machine/rates.h"
#include "plan/summation.h"
#include "threads/parallel.h"

enum { SIDE = LAY_PIECE_SIDE, MOST_BLOCKS = SIDE / LAY_KC, WIDENED_LINES = 16, ALONG_LINES = 48 };

/* A product on its way. */
typedef struct work {
    const lay_problem *problem;
    const lay_narrow_vector *vector;
    const lay_axis *lines, *steps;   /* of the matrix */
    const lay_axis *result, *across; /* C's, along the lines, and the other one */
    const lay_axis *x_steps;
    const uint16_t *matrix;
    const void *x; /* index 0 of its other dimension */
    void *c;
    float alpha, beta;
    float *shared; /* [pieces][lines] */
    char *own;     /* the tasks' */
} work;

/* A task's memory. */
typedef struct room {
    float *x;    /* [steps at once] */
    float *sums; /* [blocks][width] */
    float *total, *partials, *widened;
} room;

/* Some lines, and steps of one piece or of several whole ones, or of one block of it; blocks have kc steps. */
typedef struct part {
    int64_t line, lines, from, to, kc;
    const float *x; /* step from */
} part;

/* Floats; each part begins where a cache line does. */
typedef struct sizes {
    int64_t x, sums, total, partials, widened;
} sizes;

static sizes sizes_of(const lay_narrow_vector *vector)
{
    return (sizes){ .x = vector->together * SIDE,
                    .sums = round_up(vector->together * MOST_BLOCKS * vector->width, LAY_PIECE_LINE),
                    .total = vector->shared ? 0 : round_up(vector->lines, LAY_PIECE_LINE),
                    .partials = vector->reading == LAY_NARROW_ACROSS
                                    ? (vector->width + LAY_PARTIAL_LINES) * (LAY_PARTIAL_BYTES / (int64_t)sizeof(float))
                                    : 0,
                    .widened = vector->reading == LAY_NARROW_WIDENED ? WIDENED_LINES * LAY_KC : 0 };
}

static room room_of(const work *of, int64_t task)
{
    const sizes size = sizes_of(of->vector);
    float *const at = (float *)(void *)(of->own + (size_t)task * of->vector->task_bytes);
    room own = { .x = at };
    own.sums = own.x + size.x;
    own.total = own.sums + size.sums;
    own.partials = own.total + size.total;
    own.widened = own.partials + size.partials;
    return own;
}

/* Steps that lie a stride apart together. */
static int find_segments(const work *of, const part *own, lay_segment out[LAY_KC])
{
    const int64_t run = of->vector->run_k;
    int count = 0;
    for (int64_t p = own->from, end; p < own->to; p = end) {
        end = of->vector->is_whole ? own->to : min_of(own->to, (p / run + 1) * run);
        out[count++] =
            (lay_segment){ .count = end - p, .from_a = p - own->from, .from_b = lay_axis_offset(of->steps, p) };
    }
    return count;
}

static void sum_along(const work *of, const part *own, const room *in)
{
    int64_t line[ALONG_LINES];
    lay_segment segment[LAY_KC];
    lay_axis_offsets(of->lines, own->line, own->lines, line);
    const lay_along along = { .k = own->to - own->from,
                              .kc = own->kc,
                              .segment = segment,
                              .segments = find_segments(of, own, segment),
                              .n = own->lines,
                              .line = line,
                              .x = own->x,
                              .b = of->matrix,
                              .sums = in->sums,
                              .sums_row = own->lines };
    of->vector->row->along(&along);
}

static void sum_across(const work *of, const part *own, const room *in)
{
    const int64_t run = of->vector->run_lines, last = own->line + own->lines;
    lay_segment segment[LAY_KC];
    lay_across across = { .segment = segment, .x = own->x, .b_step = of->vector->step, .room = in->partials };
    across.segments = find_segments(of, own, segment);
    for (int64_t j = own->line; j < last; j += across.n) {
        across.n = min_of(last - j, (j / run + 1) * run - j);
        across.b = of->matrix + lay_axis_offset(of->lines, j);
        across.sums = in->sums + (j - own->line);
        of->vector->row->across(&across);
    }
}

static void sum_widened(const work *of, const part *own, const room *in)
{
    const int64_t k = own->to - own->from;
    const lay_segment all = { .count = k };
    int64_t line[WIDENED_LINES];
    for (int64_t i = 0; i < own->lines; i++) {
        line[i] = i * LAY_KC;
        lay_piece_widen_line(of->vector->row, of->steps, of->matrix + lay_axis_offset(of->lines, own->line + i),
                             own->from, k, in->widened + line[i]);
    }
    const lay_along along = { .k = k,
                              .kc = k,
                              .segment = &all,
                              .segments = 1,
                              .n = own->lines,
                              .line = line,
                              .x = own->x,
                              .b = in->widened,
                              .sums = in->sums,
                              .sums_row = own->lines };
    of->vector->kernel->along(&along);
}

/* The sums of its blocks go to in->sums[block][line]. */
static void sum_blocks(const work *of, part own, room in)
{
    static void (*const sum[])(const work *of, const part *own, const room *in) = {
        [LAY_NARROW_ALONG] = sum_along, [LAY_NARROW_ACROSS] = sum_across, [LAY_NARROW_WIDENED] = sum_widened
    };
    const lay_narrow_vector *vector = of->vector;
    const int64_t to = own.to, most = vector->reading == LAY_NARROW_ALONG && vector->is_whole ? to - own.from : own.kc;
    for (; own.from < to; own.from = own.to, own.x += most, in.sums += own.lines) {
        own.to = min_of(to, own.from + most);
        sum[vector->reading](of, &own, &in);
    }
}

/* A last piece of too few steps for partial sums: one chain, by the FP32 kernel, a panel of its columns at a time. */
static void sum_chain(const work *of, const part *own, float *out)
{
    static const float one = 1, zero = 0;
    const lay_kernel *kernel = of->vector->kernel;
    const lay_segment all = { .count = own->to - own->from };
    float panel[LAY_MAX_NR * LAY_PARTIAL_SUMS_STEPS], step[LAY_PARTIAL_SUMS_STEPS];
    lay_strided tile = { .segment = &all,
                         .segments = 1,
                         .m = 1,
                         .a = own->x,
                         .a_step = 1,
                         .b = panel,
                         .b_step = kernel->nr,
                         .alpha = &one,
                         .beta = &zero };
    for (int64_t j = 0; j < own->lines; j += tile.n) {
        tile.n = (int)min_of(kernel->nr, own->lines - j);
        for (int i = 0; i < tile.n; i++) {
            lay_piece_widen_line(of->vector->row, of->steps, of->matrix + lay_axis_offset(of->lines, own->line + j + i),
                                 own->from, all.count, step);
            for (int64_t p = 0; p < all.count; p++)
                panel[p * kernel->nr + i] = step[p];
        }
        tile.c = out + j;
        kernel->strided(&tile);
    }
}

/* out[n] = the sum of count rows of n, from +0, in ascending order. */
static void add_rows(const float *rows, int64_t count, int64_t n, float *out)
{
    for (int64_t j = 0; j < n; j++)
        out[j] = 0 + rows[j];
    for (int64_t i = 1; i < count; i++)
        for (int64_t j = 0; j < n; j++)
            out[j] += rows[i * n + j];
}

/* Piece number piece of a line's total: the first one begins it. Where tasks share lines all are kept. */
static void take(const work *of, const part *own, int64_t piece, const float *sum, const room *in, int64_t first_line)
{
    float *const kept = of->shared + piece * of->lines->extent + own->line;
    float *const total = in->total + own->line - first_line;
    if (of->vector->shared || piece == 0)
        memcpy(of->vector->shared ? kept : total, sum, (size_t)own->lines * sizeof *sum);
    else
        for (int64_t j = 0; j < own->lines; j++)
            total[j] += sum[j];
}

/* Whole pieces, which may be several, or a shorter one. */
static void sum_pieces(const work *of, part own, const room *in, int64_t first_line)
{
    const int64_t steps = own.to - own.from, piece = min_of(steps, SIDE);
    if (piece < LAY_PARTIAL_SUMS_STEPS) {
        sum_chain(of, &own, in->sums);
        take(of, &own, own.from / SIDE, in->sums, in, first_line);
        return;
    }
    own.kc = lay_summation_kc(piece);
    sum_blocks(of, own, *in);
    const int64_t blocks = ceil_div(piece, own.kc);
    for (int64_t p = 0; p < steps / piece; p++) {
        float *const rows = in->sums + p * blocks * own.lines;
        add_rows(rows, blocks, own.lines, rows);
        take(of, &own, own.from / SIDE + p, rows, in, first_line);
    }
}

/* The vector's steps in FP32. */
static void widen_vector(const work *of, int64_t first, int64_t count, float to[])
{
    enum { SOME = 512 };
    int64_t offset[SOME];
    const float *const x = of->x;
    if (of->vector->x_row) {
        lay_piece_widen_line(of->vector->x_row, of->x_steps, of->x, first, count, to);
        return;
    }
    for (int64_t p = 0, n; p < count; p += n) {
        n = min_of(SOME, count - p);
        lay_axis_offsets(of->x_steps, first + p, n, offset);
        for (int64_t i = 0; i < n; i++)
            to[p + i] = x[offset[i]];
    }
}

/* C's lines of FP32, which are not rounded. */
static void finish_single(const work *of, int64_t first, int64_t n, const float *total)
{
    enum { SOME = 512 };
    int64_t offset[SOME];
    float *const c = (float *)of->c + lay_axis_offset(of->across, 0);
    for (int64_t j = 0, count; j < n; j += count) {
        count = min_of(SOME, n - j);
        lay_axis_offsets(of->result, first + j, count, offset);
        for (int64_t i = 0; i < count; i++) {
            float *const at = c + offset[i];
            *at = of->beta == 0 ? of->alpha * total[j + i] : of->alpha * total[j + i] + of->beta * *at;
        }
    }
}

/* C's lines first .. first + n take total[n]. */
static void finish(const work *of, int64_t first, int64_t n, float *total)
{
    if (!of->vector->c_row) {
        finish_single(of, first, n, total);
        return;
    }
    for (int64_t j = 0; j < n; j += SIDE) {
        const lay_piece piece = { .row = of->vector->c_row,
                                  .outer = of->across,
                                  .inner = of->result,
                                  .outers = 1,
                                  .first_inner = first + j,
                                  .inners = min_of(SIDE, n - j),
                                  .matrix = of->c,
                                  .dense = total + j };
        lay_piece_round(&piece, of->alpha, of->beta, 1);
    }
}

/* A task's share of the lines or of the pieces. */
static void run_task(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_narrow_vector *vector = of->vector;
    const int64_t k = of->problem->k.extent, lines = of->lines->extent;
    const int64_t begin = vector->shared ? 0 : number * vector->lines, end = min_of(begin + vector->lines, lines);
    const int64_t first = vector->shared ? number * vector->pieces * SIDE : 0;
    const int64_t last = min_of(first + vector->pieces * SIDE, k);
    const room in = room_of(of, number);
    for (int64_t from = first, to; from < last; from = to) {
        to = min_of(last, from + vector->together * SIDE);
        const int64_t whole = from + (to - from) / SIDE * SIDE;
        widen_vector(of, from, to - from, in.x);
        for (int64_t j = begin, n; j < end; j += n) {
            n = min_of(vector->width, end - j);
            if (from < whole)
                sum_pieces(of, (part){ .line = j, .lines = n, .from = from, .to = whole, .x = in.x }, &in, begin);
            if (whole < to)
                sum_pieces(of, (part){ .line = j, .lines = n, .from = whole, .to = to, .x = in.x + (whole - from) },
                           &in, begin);
        }
    }
    if (!vector->shared)
        finish(of, begin, end - begin, in.total);
}

void lay_narrow_vector_run(const lay_problem *problem, const lay_narrow_vector *vector, const lay_call *call,
                           void *workspace)
{
    const int is_left = vector->matrix == LAY_LEFT;
    const lay_axis *const other = is_left ? &problem->right_n : &problem->left_m;
    work of = { .problem = problem,
                .vector = vector,
                .lines = is_left ? &problem->left_m : &problem->right_n,
                .steps = is_left ? &problem->left_k : &problem->right_k,
                .result = is_left ? &problem->result_m : &problem->result_n,
                .across = is_left ? &problem->result_n : &problem->result_m,
                .x_steps = is_left ? &problem->right_k : &problem->left_k,
                .matrix = is_left ? call->left : call->right,
                .x = (const char *)(is_left ? call->right : call->left) +
                     lay_axis_offset(other, 0) * lay_size_of(is_left ? problem->types.right : problem->types.left),
                .c = call->c,
                .alpha = *(const float *)call->alpha,
                .beta = *(const float *)call->beta,
                .shared = workspace,
                .own = (char *)workspace + vector->shared };
    lay_parallel_for(vector->threads, vector->tasks, run_task, &of);
    if (!vector->shared)
        return;
    const int64_t lines = of.lines->extent, pieces = ceil_div(problem->k.extent, SIDE);
    for (int64_t i = 1; i < pieces; i++)
        for (int64_t j = 0; j < lines; j++)
            of.shared[j] += of.shared[i * lines + j];
    finish(&of, 0, lines, of.shared);
}

static lay_leaf inner_leaf(const lay_axis *axis)
{
    if (axis->count == 0)
        return (lay_leaf){ .extent = max_of(axis->extent, 1), .stride = 1 };
    return axis->mode[axis->count - 1];
}

/* Segments begin with a partial sum's first step: so must blocks, those of a shorter last piece too. */
static int has_segments(const lay_axis *steps, int64_t run, int64_t k)
{
    enum { PARTIALS = LAY_PARTIAL_BYTES / (int)sizeof(float) };
    const int64_t rest = k % SIDE;
    return steps->class != LAY_AXIS_TABLE && run % PARTIALS == 0 &&
           (rest < LAY_PARTIAL_SUMS_STEPS || lay_summation_kc(rest) % PARTIALS == 0);
}

static void find_reading(const lay_problem *problem, lay_narrow_vector *vector)
{
    const int is_left = vector->matrix == LAY_LEFT;
    const lay_axis *lines = is_left ? &problem->left_m : &problem->right_n;
    const lay_axis *steps = is_left ? &problem->left_k : &problem->right_k;
    const lay_leaf line = inner_leaf(lines), step = inner_leaf(steps);
    const int64_t k = problem->k.extent, least = min_of(lines->extent, vector->kernel->lanes);
    const int are_side_by_side = lines->class != LAY_AXIS_TABLE && line.stride == 1 && line.extent >= max_of(least, 2);
    vector->run_lines = max_of(line.extent, 1);
    vector->run_k = max_of(step.extent, 1);
    vector->step = step.stride;
    vector->is_whole = steps->class != LAY_AXIS_TABLE && vector->run_k >= k;
    if (!vector->is_whole && !has_segments(steps, vector->run_k, k))
        vector->reading = LAY_NARROW_WIDENED;
    else if (vector->step == 1)
        vector->reading = LAY_NARROW_ALONG;
    else
        vector->reading = are_side_by_side ? LAY_NARROW_ACROSS : LAY_NARROW_WIDENED;
}

/* Tasks of some lines or, where there are too few for that, of some pieces. */
static void choose_tasks(int64_t n, int64_t pieces, lay_narrow_vector *vector)
{
    enum { PARTS_PER_THREAD = 4, LEAST = 8, LEAST_ACROSS = 512, LONG_ACROSS = 2048 /* rows read well */ };
    const int is_across = vector->reading == LAY_NARROW_ACROSS, threads = vector->threads;
    const int64_t unit = is_across ? LEAST_ACROSS : LEAST, most = (int64_t)threads * PARTS_PER_THREAD;
    const int64_t parts = threads == 1 ? 1 : is_across ? min_of(most, max_of(threads, n / LONG_ACROSS)) : most;
    vector->lines = n;
    vector->pieces = pieces;
    if (threads == 1 || n / unit >= threads) {
        vector->lines = ceil_div(ceil_div(n, unit), min_of(parts, ceil_div(n, unit))) * unit;
        vector->tasks = ceil_div(n, vector->lines);
        return;
    }
    vector->pieces = ceil_div(pieces, min_of(parts, pieces));
    vector->tasks = ceil_div(pieces, vector->pieces);
    vector->shared = vector->tasks > 1 ? (size_t)round_up(pieces * n, LAY_PIECE_LINE) * sizeof(float) : 0;
}

/* NULL for f32. */
static const lay_half_row *find_row(lay_type type, const lay_kernel *kernel)
{
    return lay_size_of(type) == 2 ? lay_half_find(type, kernel->isa) : NULL;
}

lay_narrow_vector lay_narrow_vector_choose(const lay_problem *problem, const lay_kernel *kernel, int threads)
{
    enum { TOGETHER = 8, LINES_ACROSS = 8192 /* whose partial sums' sums are 512 KiB */ };
    const lay_rates *rates = lay_rates_get();
    lay_narrow_vector vector = { .kernel = kernel, .matrix = problem->n.extent == 1 ? LAY_LEFT : LAY_RIGHT };
    vector.row = find_row(lay_types_at(&problem->types, vector.matrix), kernel);
    vector.x_row = find_row(lay_types_at(&problem->types, vector.matrix == LAY_LEFT ? LAY_RIGHT : LAY_LEFT), kernel);
    vector.c_row = find_row(problem->types.result, kernel);
    const int64_t k = problem->k.extent, pieces = ceil_div(k, SIDE);
    const int64_t n = max_of(vector.matrix == LAY_LEFT ? problem->m.extent : problem->n.extent, 1);
    const double bytes = (double)n * (double)k * sizeof(uint16_t), share = bytes / rates->half_bytes_per_thread;
    find_reading(problem, &vector);
    vector.threads = share >= threads ? threads : share > 1 ? (int)share : 1;
    choose_tasks(n, pieces, &vector);
    vector.threads = (int)min_of(vector.threads, vector.tasks);
    vector.width = min_of(vector.lines, vector.reading == LAY_NARROW_ALONG    ? ALONG_LINES
                                        : vector.reading == LAY_NARROW_ACROSS ? LINES_ACROSS
                                                                              : WIDENED_LINES);
    vector.together = vector.reading == LAY_NARROW_ACROSS ? 1 : min_of(vector.pieces, TOGETHER);
    const sizes size = sizes_of(&vector);
    vector.task_bytes = (size_t)(size.x + size.sums + size.total + size.partials + size.widened) * sizeof(float);
    vector.seconds = (bytes / rates->half_read / vector.threads + rates->call_half_vector) * 1e-9;
    if (vector.reading == LAY_NARROW_WIDENED)
        vector.seconds *= rates->half_widened;
    return vector;
}

size_t lay_narrow_vector_workspace(const lay_narrow_vector *vector)
{
    return vector->shared + vector->task_bytes * (size_t)vector->tasks;
}

const char *lay_narrow_reading_name(lay_narrow_reading reading)
{
    static const char *const name[] = {
        [LAY_NARROW_ALONG] = "read where it is, lines contiguous along k",
        [LAY_NARROW_ACROSS] = "read where it is, lines side by side",
        [LAY_NARROW_WIDENED] = "widened, some lines of a block at a time",
    };
    return name[reading];
}
