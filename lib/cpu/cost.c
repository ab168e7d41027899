/* Time of multiplying, packing, C's update, tiles and calls, and of bytes from where they lie. */
#include "cpu/cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/packed/blocks.h"
#include "machine/rates.h"
#include "machine/visits.h"

enum { VECTOR = 16, LINE = 64, PAGE = 4096, TOGETHER = 48 /* panels that are packed at once */ };

static double clock_of(const lay_machine *machine)
{
    const double measured = lay_rates_get()->clock;
    return (measured > 0 ? measured : machine->ghz) * 1e9;
}

/* Multiply-adds a cycle, of packed panels or of operands as they lie. */
static double width_of(const lay_kernel *kernel, int is_strided)
{
    const double size = (double)lay_size_of(kernel->type), most = lay_rates_get()->flops * 4 / size;
    return fmin(is_strided ? kernel->strided_per_cycle : kernel->flops_per_cycle, most) / 2;
}

double lay_cost_peak(const lay_kernel *kernel, const lay_machine *machine)
{
    return width_of(kernel, 0) * clock_of(machine);
}

/* Whether a register is a whole line. */
static int is_wide(const lay_kernel *kernel)
{
    return kernel->lanes * lay_size_of(kernel->type) == LINE;
}

/* An extent cut in panels, between boundaries run apart: their number, and how much of one they have on average. */
typedef struct panels {
    double count, mean;
} panels;

/* mean: of rows. */
static panels cut_rows(int64_t extent, int64_t run, int width)
{
    const int64_t block = max_of(1, min_of(run, extent)), blocks = ceil_div(max_of(extent, 1), block);
    const double count = (double)(blocks * ceil_div(block, width));
    return (panels){ count, (double)max_of(extent, 1) / count };
}

/* mean: of registers. */
static panels cut_columns(int64_t extent, int64_t run, const lay_kernel *kernel)
{
    const int64_t block = max_of(1, min_of(run, extent)), blocks = ceil_div(max_of(extent, 1), block);
    const int64_t registers = ceil_div(block, kernel->lanes);
    const double count = (double)(blocks * ceil_div(registers * kernel->lanes, kernel->nr));
    return (panels){ count, (double)(blocks * registers) / count };
}

/* Seconds of k steps of all tiles. */
static double multiply(const lay_kernel *kernel, int is_strided, const lay_machine *machine, panels rows,
                       panels columns, double k)
{
    const lay_rates *rates = lay_rates_get();
    const double compute = rows.mean * columns.mean * kernel->lanes / width_of(kernel, is_strided);
    const double load = (rows.mean + columns.mean) / rates->loads;
    const double wait = is_wide(kernel) ? rates->latency_wide : rates->latency;
    const double two = is_strided && is_wide(kernel) && rows.mean == 2 ? rates->two_rows : 1;
    const double step = fmax(fmax(compute, load), wait) * two;
    return rows.count * columns.count * k * step / clock_of(machine);
}

/* The share of a cache's sets that lines meet in which are so many bytes wide and so many apart. */
static double share_of_sets(double width, int64_t apart, double way)
{
    const double step = apart ? (double)(apart & -apart) : LINE;
    return fmin(1, fmax(width, LINE) / fmin(step, way));
}

/* Bytes of such lines that a cache has room for. */
static double room_in_l1(double width, int64_t apart, const lay_machine *machine)
{
    return (double)machine->l1 * share_of_sets(width, apart, PAGE);
}

static double room_in_l2(double width, int64_t apart, const lay_machine *machine)
{
    const double l2 = (double)machine->l2;
    return l2 * share_of_sets(width, apart, l2 / lay_rates_get()->l2_ways);
}

/* Seconds for bytes of lines that lie apart, from the nearest cache that has room for the span of them; from the first
 * one they cost nothing. */
static double seconds_apart(double bytes, double span, double width, int64_t apart, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    if (span <= rates->near_share * room_in_l1(width, apart, machine))
        return 0;
    if (span <= rates->near_share * room_in_l2(width, apart, machine))
        return bytes / (rates->from_l2 * 1e9);
    return bytes / ((span <= rates->near_share * (double)machine->l3 ? rates->from_l3 : rates->from_memory) * 1e9);
}

static double seconds_of(double bytes, double span, const lay_machine *machine)
{
    return seconds_apart(bytes, span, LINE, LINE, machine);
}

/* Of two, the longer one and what it does not hide of the other. */
static double hide(double x, double y, double hidden)
{
    return fmax(x, y) + (1 - hidden) * fmin(x, y);
}

static double overlap(double compute, double read)
{
    return hide(compute, read, lay_rates_get()->overlap);
}

/* What each of several threads takes of work that is shared, the bytes of it from memory at most at the rate of all. */
static double share(double seconds, double from_memory, int threads, double join)
{
    const double bound = from_memory / (lay_rates_get()->memory_all * 1e9);
    return fmax(seconds / threads, bound) + (threads > 1 ? join : 0);
}

/* How many times an element's bytes are moved where steps both ways leave lines partly unused. */
static double waste(int64_t row, int64_t step, int64_t size)
{
    const int64_t least = min_of(llabs(row), llabs(step));
    return (double)min_of(LINE, max_of(least, 1) * size) / (double)size;
}

static double pack_rate(lay_packing_way how)
{
    const lay_rates *rates = lay_rates_get();
    const double rate[] = {
        [LAY_PACKED_COPIED] = rates->pack_copied,     [LAY_PACKED_TRANSPOSED] = rates->pack_transposed,
        [LAY_PACKED_IN_PIECES] = rates->pack_pieces,  [LAY_PACKED_BY_DIGITS] = rates->pack_digits,
        [LAY_PACKED_IN_PAIRS] = rates->pack_gathered, /* no rate of its own: section 61 */
        [LAY_PACKED_GATHERED] = rates->pack_gathered
    };
    return rate[how] * 1e-9;
}

/* Elements of packed panels as they count: what fills up the last panel is written too, and wide ones take longer. */
static double packed_elements(int64_t across, int64_t along, int width, int64_t size)
{
    const lay_rates *rates = lay_rates_get();
    const double padding = (double)(ceil_div(max_of(across, 1), width) * width - across);
    return ((double)across + rates->pack_padding * padding) * (double)along * (size > 4 ? rates->pack_wide : 1);
}

/* The stride of an axis's innermost digit. */
static int64_t inner_stride(const lay_axis *axis)
{
    return axis->count ? llabs(axis->mode[axis->count - 1].stride) : 0;
}

/* Digits of an axis that are not yet in a loop. */
typedef struct digits {
    const lay_axis *of;
    int next;    /* -1: none */
    double done; /* of the next one's extent */
} digits;

static digits all_digits(const lay_axis *of)
{
    return (digits){ of, of->count - 1, 1 };
}

/* The next elements of an axis, so many, as loops around what there is. */
static void visit(lay_visits *to, digits *from, double elements, int64_t size)
{
    while (from->next >= 0 && elements > 1) {
        const lay_leaf *leaf = &from->of->mode[from->next];
        const double steps = fmin((double)leaf->extent / from->done, elements);
        lay_visits_add(to, steps, (int64_t)((double)(leaf->stride * size) * from->done));
        elements /= steps;
        from->done *= steps;
        if (from->done >= (double)leaf->extent)
            *from = (digits){ from->of, from->next - 1, 1 };
    }
}

/* The least distance of two elements of an operand, up to a line's. */
static int64_t nearest(const lay_axis *x, const lay_axis *y)
{
    int64_t least = LINE;
    for (int i = 0; i < x->count; i++)
        least = min_of(least, llabs(x->mode[i].stride));
    for (int i = 0; i < y->count; i++)
        least = min_of(least, llabs(y->mode[i].stride));
    return x->class == LAY_AXIS_TABLE || y->class == LAY_AXIS_TABLE ? 1 : max_of(least, 1);
}

/* Packing hides less of what it reads than multiplying does. */
static double packed_while_read(double pack, double read)
{
    return hide(pack, read, lay_rates_get()->pack_overlap);
}

/* Steps in the order in which they are read by digits: those of unit stride first. */
static lay_axis bring_unit_first(const lay_axis *along)
{
    lay_axis of = *along;
    int at = of.count - 1;
    while (at >= 0 && of.mode[at].stride != 1)
        at--;
    for (; at >= 0 && at + 1 < of.count; at++) {
        const lay_leaf unit = of.mode[at];
        of.mode[at] = of.mode[at + 1];
        of.mode[at + 1] = unit;
    }
    return of;
}

/* Reading an operand as packers do: panels of so many lines, kc steps at a time, a few steps of many panels where
 * those lie in the same lines of a cache. */
static double read_to_pack(const lay_axis *across, const lay_axis *along, int width, int together, double kc,
                           lay_packing_way how, int64_t size, const lay_machine *machine)
{
    enum { AT_ONCE = 8 };
    const int64_t next =
        width < across->extent ? llabs(lay_axis_offset(across, width) - lay_axis_offset(across, 0)) : LINE;
    const int is_turned = how == LAY_PACKED_TRANSPOSED || how == LAY_PACKED_BY_DIGITS;
    const lay_axis in_order = how == LAY_PACKED_BY_DIGITS ? bring_unit_first(along) : *along;
    const int is_close = !is_turned && together > 1 && (how == LAY_PACKED_COPIED || next * size < LINE);
    digits lines = all_digits(across), steps = all_digits(&in_order);
    lay_visits of = { .count = 0 };
    if (is_turned)
        visit(&of, &steps, AT_ONCE, size);
    visit(&of, &lines, width, size);
    if (is_close) {
        visit(&of, &steps, AT_ONCE, size);
        visit(&of, &lines, together, size);
    }
    visit(&of, &steps, is_turned || is_close ? kc / AT_ONCE : kc, size);
    visit(&of, &lines, INFINITY, size);
    visit(&of, &steps, INFINITY, size);
    return lay_visits_predict(&of, machine);
}

/* Packing an operand once: by each element, or by the lines that it is read from. */
static double pack(const lay_axis *across, const lay_axis *along, const lay_kernel *kernel, int width, int together,
                   double kc, const lay_machine *machine)
{
    const int64_t size = lay_size_of(kernel->type), apart = nearest(across, along);
    const double elements = (double)across->extent * (double)along->extent;
    const double bytes = elements * (double)size * waste(apart, apart, size);
    const lay_packing_way how = lay_packing_find(across, along, width);
    const int is_table = across->class == LAY_AXIS_TABLE || along->class == LAY_AXIS_TABLE;
    const double read = is_table ? seconds_of(bytes, bytes, machine)
                                 : read_to_pack(across, along, width, together, kc, how, size, machine);
    return packed_while_read(packed_elements(across->extent, along->extent, width, size) * pack_rate(how), read);
}

/* Whether lines so far apart, which the second cache has room for, push each other out of it. */
static int push_out(double bytes, double width, int64_t apart, const lay_machine *machine)
{
    return llabs(apart) >= PAGE && bytes > room_in_l2(width, apart, machine);
}

/* Seconds until the lines have come that tiles write through a buffer, in the order of the tiles. */
static double reach(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine, int is_along_n)
{
    const int64_t size = lay_size_of(problem->types.result);
    digits rows = all_digits(&problem->result_m), columns = all_digits(&problem->result_n);
    lay_visits of = { .count = 0 };
    if (problem->result_m.class == LAY_AXIS_TABLE || problem->result_n.class == LAY_AXIS_TABLE)
        return 0;
    visit(&of, &columns, kernel->nr, size);
    visit(&of, &rows, kernel->mr, size);
    if (is_along_n)
        visit(&of, &columns, INFINITY, size);
    visit(&of, &rows, INFINITY, size);
    visit(&of, &columns, INFINITY, size);
    return lay_visits_predict(&of, machine);
}

/* The share of C that packed panels' tiles write through a buffer: all of it, or of segments longer than a tile those
 * tiles that have a boundary in them. */
static double staged_share(const lay_problem *problem, const lay_kernel *kernel)
{
    const int64_t run = problem->result_n.run, half = max_of(kernel->nr / 2, 1);
    if (!lay_result_is_direct(problem, kernel))
        return 1;
    return run >= problem->n.extent || run % half == 0 ? 0 : fmin(1, (double)kernel->nr / (double)run);
}

/* C's tiles, once a block of k. Where one tile follows another across C's lines, lines come and go in parts. */
static double update(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine, double staged,
                     int is_along_n, double passes)
{
    const int is_staged = staged >= 1;
    const lay_rates *rates = lay_rates_get();
    const double elements = (double)problem->m.extent * (double)problem->n.extent;
    const int64_t size = lay_size_of(problem->types.result);
    const double bytes = elements * (double)size;
    const int is_fast_n = inner_stride(&problem->result_n) <= inner_stride(&problem->result_m);
    const int is_broken = is_fast_n != is_along_n && bytes > rates->near_share * (double)machine->l1;
    const double width = (double)(kernel->nr * size);
    const int64_t row = inner_stride(&problem->result_m) * size;
    const double far = !is_staged && !is_along_n && push_out((double)problem->m.extent * width, width, row, machine)
                           ? rates->missed * (double)(size) / width
                           : 0;
    const double write = elements * (staged * rates->staged + (1 - staged) * rates->written) * 1e-9;
    const double lines = is_staged
                             ? reach(problem, kernel, machine, is_along_n)
                             : rates->c_moves * seconds_of(bytes, bytes, machine) * (is_broken ? rates->c_broken : 1);
    return passes * (overlap(write, lines) + elements * far * 1e-9);
}

static double passes_of(const lay_problem *problem, const lay_blocked *blocks)
{
    return (double)max_of(1, ceil_div(problem->k.extent, blocks->kc));
}

double lay_cost_packed(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double size = (double)lay_size_of(problem->types.left), passes = passes_of(problem, blocks);
    const double repacks = (double)ceil_div(max_of(problem->n.extent, 1), blocks->nb);
    const panels rows = cut_rows(problem->m.extent, problem->m.extent, kernel->mr);
    const panels columns = cut_columns(problem->n.extent, problem->n.extent, kernel);
    const double left = m * k * size, right = n * k * size;
    const double pack_left =
        pack(&problem->left_m, &problem->left_k, kernel, kernel->mr, TOGETHER, (double)blocks->kc, machine);
    const double pack_right =
        pack(&problem->right_n, &problem->right_k, kernel, kernel->nr, TOGETHER, (double)blocks->kc, machine);
    const double packing =
        (blocks->is_given[LAY_LEFT] ? 0 : repacks * pack_left) + (blocks->is_given[LAY_RIGHT] ? 0 : pack_right);
    /* Packed right comes again for each task's rows, from where all that is packed at once lies. */
    const double reread = ceil(m / (double)blocks->mc) * seconds_of(right, (double)blocks->right_bytes, machine);
    const double tiles = rows.count * columns.count * passes * rates->tile_packed * 1e-9;
    const double work = overlap(multiply(kernel, 0, machine, rows, columns, k), reread) + packing + tiles +
                        update(problem, kernel, machine, staged_share(problem, kernel), 0, passes);
    return share(job->threads > 1 ? work * rates->packed_shared : work,
                 left > (double)machine->l3 || right > (double)machine->l3 ? left + right : 0, job->threads,
                 rates->flops_per_join / lay_cost_peak(kernel, machine) * passes) +
           rates->call_packed * 1e-9;
}

/* Lines of left or right that lie in a page of their own each. */
static double far_lines(double lines, int64_t apart, int64_t size)
{
    return llabs(apart) * size >= PAGE ? lines * lay_rates_get()->line_far * 1e-9 : 0;
}

/* Bytes of the lines that hold steps of left's rows. */
static double footprint(const lay_direct *direct, double rows, double steps, int64_t size)
{
    const double row = (double)(llabs(direct->left_row) * size), step = (double)(llabs(direct->left_step) * size);
    if (step < LINE)
        return rows * steps * fmax(step, (double)size);
    return steps * (row >= LINE ? rows * LINE : fmax(LINE, rows * row));
}

/* Where left is read as it lies, and right too or from panels packed just before. */
static double read_in_place(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine,
                            panels rows, panels columns)
{
    const lay_rates *rates = lay_rates_get();
    const lay_direct *direct = &blocks->direct;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t size = lay_size_of(problem->types.left);
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double kc = fmin((double)blocks->kc, k), all_left = m * k * (double)size, all_right = n * k * (double)size;
    const double wide_left = waste(direct->left_row, direct->left_step, size);
    const int64_t left_apart = llabs(direct->left_step) > 1 ? direct->left_step * size : LINE;
    const int64_t right_apart = direct->is_right_packed ? LINE : direct->right_step * size;
    /* A tile's rows, or columns: the lines of a block of k. */
    const double tile_left = footprint(direct, rows.mean, kc, size);
    const double tile_right = kc * columns.mean * (double)(kernel->lanes * size);
    const double row_bytes = (double)(llabs(direct->left_row) * size) * rows.mean;
    const double column_bytes = columns.mean * (double)(kernel->lanes * size);
    const double left_bytes = rows.count * tile_left * k / kc;
    double seconds = seconds_of(all_left * wide_left, all_left, machine);
    if (!direct->is_right_packed)
        seconds += seconds_of(all_right, all_right, machine);
    const int is_near = all_left <= rates->near_share * (double)machine->l3;
    const double run_far = rates->run_far * (is_near ? rates->run_near : 1) * 1e-9;
    if (llabs(direct->left_row) * size >= PAGE && (double)llabs(direct->left_row) > 2 * k &&
        all_left > (double)machine->l2) /* rows that no other one goes on */
        seconds += m * run_far;
    if (problem->left_k.class == LAY_AXIS_UNIT && blocks->mc > kernel->mr && all_left > (double)machine->l2)
        seconds += m * (ceil(k / kc) - 1) * run_far; /* each block of k begins left's lines anew */
    if (blocks->grid_m > 1)                          /* each row of tasks reads all of right anew */
        seconds += seconds_of((double)(blocks->grid_m - 1) * all_right, all_right, machine);
    seconds += far_lines(rows.count * k, direct->left_step, size) * (direct->is_by_rows ? 1 : columns.count);
    if (!direct->is_right_packed) {
        const double visits = columns.count * k * (direct->is_by_rows ? rows.count : 1);
        seconds += far_lines(visits, direct->right_step, size);
        if (k > rates->pages_near && llabs(direct->right_step) * size >= PAGE && all_right > (double)machine->l2)
            seconds += visits * rates->page_far * 1e-9;
        if (push_out(k * column_bytes, column_bytes, right_apart, machine))
            seconds += visits * rates->missed * 1e-9;
    }
    if (direct->is_by_rows)
        return seconds + seconds_apart((columns.count - 1) * left_bytes, tile_left, row_bytes, left_apart, machine) +
               seconds_apart((rows.count - 1) * all_right, n * kc * (double)size, n * (double)size, right_apart,
                             machine);
    return seconds +
           seconds_apart((columns.count - 1) * fmax(left_bytes, all_left), m * kc * (double)size * wide_left, row_bytes,
                         left_apart, machine) +
           seconds_apart((rows.count - 1) * all_right, tile_right, column_bytes, right_apart, machine);
}

/* Packing right: again for each row of tasks. */
static double pack_right(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const lay_direct *direct = &blocks->direct;
    const double elements = (double)problem->n.extent * (double)problem->k.extent;
    const double bytes = elements * (double)lay_size_of(problem->types.right);
    if (!direct->interleaved)
        return (double)blocks->grid_m * pack(&problem->right_n, &problem->right_k, blocks->kernel, blocks->kernel->nr,
                                             direct->group, (double)blocks->kc, machine);
    /* What is shorter than a register that transposes goes by elements. */
    const int is_short = direct->interleaved_run * lay_size_of(problem->types.right) < VECTOR;
    const double rate = is_short ? lay_rates_get()->copy_single * 1e-9 : pack_rate(LAY_PACKED_TRANSPOSED);
    const double count =
        packed_elements(problem->n.extent, problem->k.extent, blocks->kernel->nr, lay_size_of(problem->types.right));
    return (double)blocks->grid_m * packed_while_read(count * rate, seconds_of(bytes, bytes, machine));
}

/* Columns along k of a sum in slices: each slice begins them all anew, as many at a time as a register has lanes. */
static double short_runs(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const int64_t n = problem->n.extent, k = problem->k.extent, length = problem->sum.slice;
    if (length >= k || n * k * lay_size_of(problem->types.right) <= machine->l2)
        return 0;
    return (double)(n * ceil_div(k, length)) * rates->run_far * 1e-9 * kernel->lanes / rates->streams;
}

double lay_cost_in_place(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const lay_direct *direct = &blocks->direct;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double size = (double)lay_size_of(problem->types.left), passes = passes_of(problem, blocks);
    const double left = m * k * size, right = n * k * size;
    const panels rows = cut_rows(problem->m.extent, direct->run_m, kernel->mr);
    /* Interleaved panels end where the digit does that lies inside of the one of unit stride. */
    const int64_t run_n = direct->interleaved ? min_of(direct->run_n, direct->interleaved_step) : direct->run_n;
    const panels columns = cut_columns(problem->n.extent, run_n, kernel);
    const double a_tile = job->at_once.multiply || direct->is_plain ? rates->tile_whole : rates->tile_in_place;
    /* Each segment of steps begins anew. */
    const double segments = (double)(problem->k.extent / max_of(1, direct->run_k));
    const int is_slowly_masked = problem->n.extent < kernel->lanes && !is_wide(kernel);
    const double a_masked = is_slowly_masked ? rates->row_masked_narrow : rates->row_masked;
    const double masked = problem->n.extent % kernel->lanes ? m * a_masked : 0;
    const double tiles =
        rows.count * columns.count * (passes * a_tile + segments * rates->segment) * 1e-9 + masked * 1e-9;
    double work = update(problem, kernel, machine, direct->is_staged, direct->is_by_rows, passes) +
                  (direct->is_staged ? m * n * passes * rates->staged_offsets * 1e-9 : 0);
    if (direct->is_dotted)
        work += overlap(n * k * rates->transposed_in * 1e-9 * LINE / (kernel->lanes * size) +
                            ceil(n / kernel->lanes) * passes * rates->tile_dotted * 1e-9 +
                            short_runs(problem, kernel, machine) + m * n * k / lay_cost_peak(kernel, machine),
                        seconds_of(right, right, machine));
    else
        work += overlap(multiply(kernel, 1, machine, rows, columns, k),
                        read_in_place(problem, blocks, machine, rows, columns)) +
                (direct->is_right_packed ? pack_right(problem, blocks, machine) : 0) + tiles;
    /* An uneven share is the busiest thread's. */
    const double tasks = (double)(blocks->grid_m * blocks->grid_n);
    const double uneven = job->threads > 1 ? ceil(tasks / job->threads) * job->threads / tasks : 1;
    return share(work * uneven, left > (double)machine->l3 || right > (double)machine->l3 ? left + right : 0,
                 job->threads, rates->join * 1e-9) +
           (job->at_once.multiply ? 0 : rates->call_in_place * 1e-9);
}

double lay_cost_swept(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    enum { SIDE_BY_SIDE = 4 /* registers of a row's sums */ };
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double size = (double)lay_size_of(problem->types.left), right = n * k * size,
                 steps = (double)blocks->swept_steps;
    const panels rows = cut_rows(problem->m.extent, blocks->direct.run_m, (int)ceil_div(2 * kernel->mr, 3));
    /* Segments of columns, between boundaries and no wider than what waits: each packs left anew. */
    const int64_t run_n = max_of(1, min_of(blocks->direct.run_n, problem->n.extent));
    const int64_t each = min_of(run_n, blocks->mc), wide = ceil_div(each, kernel->lanes);
    const double segments = (double)(ceil_div(problem->n.extent, run_n) * ceil_div(run_n, each));
    const double registers = segments * (double)wide;
    const double stops = ceil(k / fmin(steps, (double)max_of(1, blocks->direct.run_k)));
    /* Of a register's columns: a few steps, and its sums in and out. */
    const double compute = steps * rows.mean * kernel->lanes / width_of(kernel, 1);
    const double load = (steps + 3 * rows.mean) / rates->loads;
    const double wait = steps * rates->latency / fmin(SIDE_BY_SIDE, (double)wide);
    const double stop = fmax(fmax(compute, load), wait) + rates->reread * clock_of(machine) * 1e-9 * rows.mean;
    const double multiply = rows.count * registers * stops * stop / clock_of(machine) +
                            rows.count * segments * stops * rates->tile_in_place * 1e-9;
    const double fetch_left =
        m > 1 ? segments * pack(&problem->left_m, &problem->left_k, kernel, kernel->mr, 1, (double)blocks->kc, machine)
              : seconds_of(k * size, k * size, machine);
    const double work = overlap(multiply, seconds_of(right, right, machine)) + fetch_left +
                        far_lines(k * fmax(1, registers * kernel->lanes / (double)blocks->mc),
                                  blocks->direct.right_step, (int64_t)size) +
                        update(problem, kernel, machine, 0, 1, 1);
    return share(work, right > (double)machine->l3 ? right : 0, job->threads, rates->join * 1e-9) +
           rates->call_swept * 1e-9;
}

double lay_cost_vector(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const int wide = is_wide(blocks->kernel);
    const double slower[] = { /* than lines along k */
                              [LAY_VECTOR_ALONG] = 1,
                              [LAY_VECTOR_ACROSS] = rates->vector_across,
                              [LAY_VECTOR_PACKED] = rates->vector_packed * (wide ? rates->packed_wide : 1),
                              [LAY_VECTOR_PANELS] = rates->vector_panels
    };
    const double elements = lay_problem_flops(problem) / 2, bytes = elements * (double)lay_size_of(problem->types.left);
    const double compute = bytes / LINE * (wide ? rates->line_wide : rates->line_narrow) / clock_of(machine);
    const int is_far = bytes > (double)machine->l1;
    const double few = wide && is_far && elements < rates->few_lines * (double)problem->k.extent ? rates->few_wide : 1;
    const double work = slower[blocks->vector.reading] * few * overlap(seconds_of(bytes, bytes, machine), compute);
    return share(work, bytes > (double)machine->l3 ? bytes : 0, job->threads, rates->join * 1e-9) +
           rates->call_vector * 1e-9;
}
