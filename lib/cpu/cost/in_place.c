/* What a product costs of which left is read as it lies, and right too or from panels packed just before. */
#include "cpu/cost/cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/compute.h"
#include "cpu/cost/digits.h"
#include "cpu/cost/pack.h"
#include "cpu/cost/result.h"
#include "cpu/cost/whole.h"
#include "machine/rates.h"
#include "machine/visits.h"

/* Bytes of the lines that hold steps of left's rows. */
static double footprint(const lay_direct *direct, double rows, double steps, int64_t size)
{
    const double row = (double)(llabs(direct->left_row) * size), step = (double)(llabs(direct->left_step) * size);
    if (step < LAY_LINE)
        return rows * steps * fmax(step, (double)size);
    return steps * (row >= LAY_LINE ? rows * LAY_LINE : fmax(LAY_LINE, rows * row));
}

/* Left's lines where each step has its own, in the order of tiles of so many rows, a block of k after the other; each
 * tile's, or all of those whose panels are packed at once, once for each of a task's panels of columns. */
static double visit_left(const lay_problem *problem, double rows, double kc, double joined, double columns,
                         double tasks, int is_by_rows, const lay_machine *machine)
{
    const int64_t size = lay_size_of(problem->types.left);
    lay_cost_digits lines = lay_cost_digits_of(&problem->left_m), steps = lay_cost_digits_of(&problem->left_k);
    lay_visits of = { .count = 0 };
    lay_cost_visit(&of, &lines, rows, size);
    lay_cost_visit(&of, &steps, kc, size);
    if (is_by_rows)
        lay_visits_add(&of, columns, 0);
    lay_cost_visit(&of, &lines, INFINITY, size);
    lay_cost_visit(&of, &steps, joined / kc, size);
    if (!is_by_rows)
        lay_visits_add(&of, columns, 0);
    lay_cost_visit(&of, &steps, INFINITY, size);
    lay_visits_add(&of, tasks, 0);
    return lay_visits_predict(&of, machine);
}

static double bytes_of_left(const lay_problem *problem)
{
    return (double)problem->m.extent * (double)problem->k.extent * (double)lay_size_of(problem->types.left);
}

int lay_cost_is_left_in_memory(const lay_problem *problem, const lay_machine *machine)
{
    return bytes_of_left(problem) > lay_kept_by_l3(machine);
}

/* More seconds of left's rows in memory, of which a tile reads several side by side: no prefetcher follows the first
 * lines of each, and multiplying does not hide that they come late, the later the more threads wait for memory. */
static double begin_rows(const lay_problem *problem, const lay_blocked *blocks, int threads, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_direct *direct = &blocks->direct;
    const double tasks = (double)blocks->grid_n, bytes = bytes_of_left(problem);
    if (llabs(direct->left_step) != 1 || !lay_cost_is_left_in_memory(problem, machine))
        return 0;
    const double run = (double)(problem->left_k.run * lay_size_of(problem->types.left));
    const double late = (rates->line_memory - LAY_LINE / rates->from_memory) *
                        fmax(1, threads * rates->from_memory / rates->memory_all);
    return tasks * bytes / LAY_LINE * fmin(1, rates->lines_begun * LAY_LINE / run) * late * 1e-9;
}

/* Where left is read as it lies, and right too or from panels packed just before. */
static double read_in_place(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine,
                            lay_cut_panels rows, lay_cut_panels columns)
{
    const lay_rates *rates = lay_rates_get();
    const lay_direct *direct = &blocks->direct;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t size = lay_size_of(problem->types.left);
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double kc = fmin((double)blocks->kc, k), all_left = m * k * (double)size, all_right = n * k * (double)size;
    const double joined = fmin((double)direct->joined, k);
    const double wide_left = lay_cost_waste(direct->left_row, direct->left_step, size);
    const int64_t left_apart = llabs(direct->left_step) > 1 ? direct->left_step * size : LAY_LINE;
    const int64_t right_apart = direct->is_right_packed ? LAY_LINE : direct->right_step * size;
    /* A tile's rows, or columns: the lines of a block of k. */
    const double tile_left = footprint(direct, rows.mean, kc, size);
    const double tile_right = kc * columns.mean * (double)(kernel->lanes * size);
    const double row_bytes = (double)(llabs(direct->left_row) * size) * rows.mean;
    const double column_bytes = columns.mean * (double)(kernel->lanes * size);
    const double left_bytes = rows.count * tile_left * k / kc;
    const int has_lines = llabs(direct->left_step) * size >= LAY_LINE; /* each step its own */
    /* Each task of columns goes through all of left. */
    const double tasks = (double)blocks->grid_n, panels = columns.count / tasks;
    const double first = lay_cost_bytes(tasks * all_left * wide_left, all_left, machine);
    const double again =
        direct->is_by_rows
            ? lay_cost_bytes_apart((columns.count - tasks) * left_bytes, tile_left, row_bytes, left_apart, machine)
            : lay_cost_bytes_apart((columns.count - tasks) * fmax(left_bytes, all_left),
                                   m * joined * (double)size * wide_left, row_bytes, left_apart, machine);
    double seconds = has_lines ? visit_left(problem, rows.mean, kc, joined, panels, tasks, direct->is_by_rows, machine)
                               : first + again;
    if (!direct->is_right_packed)
        seconds += lay_cost_bytes(all_right, all_right, machine);
    const int is_near = all_left <= lay_kept_by_l3(machine);
    const double run_far = rates->run_far * (is_near ? rates->run_near : 1) * 1e-9;
    if (lay_cost_is_page_apart(direct->left_row, size) && (double)llabs(direct->left_row) > 2 * k &&
        all_left > (double)machine->l2) /* rows that no other one goes on */
        seconds += m * run_far;
    if (problem->left_k.class == LAY_AXIS_UNIT && blocks->mc > kernel->mr && all_left > (double)machine->l2)
        seconds += m * (ceil(k / kc) - 1) * run_far; /* each block of k begins left's lines anew */
    if (blocks->grid_m > 1)                          /* each row of tasks reads all of right anew */
        seconds += lay_cost_bytes((double)(blocks->grid_m - 1) * all_right, all_right, machine);
    seconds += lay_cost_far_lines(rows.count * k, direct->left_step, size) * (direct->is_by_rows ? 1 : columns.count);
    if (lay_cost_is_page_apart(direct->left_step, size) && kc > rates->pages_near) /* again for each panel of columns */
        seconds += rows.count * fmax(0, columns.count - 1) * k * rates->page_second * 1e-9;
    if (!direct->is_right_packed) {
        const double visits = columns.count * k * (direct->is_by_rows ? rows.count : 1);
        seconds += lay_cost_far_lines(visits, direct->right_step, size);
        if (k > rates->pages_near && lay_cost_is_page_apart(direct->right_step, size) &&
            all_right > (double)machine->l2)
            seconds += visits * rates->page_far * 1e-9;
        if (lay_cost_is_pushed_out(k * column_bytes, column_bytes, right_apart, machine))
            seconds += visits * rates->missed * 1e-9;
    }
    if (direct->is_by_rows)
        return seconds + lay_cost_bytes_apart((rows.count - 1) * all_right, n * kc * (double)size, n * (double)size,
                                              right_apart, machine);
    return seconds + lay_cost_bytes_apart((rows.count - 1) * all_right, tile_right, column_bytes, right_apart, machine);
}

/* Whether threads read so many of left's rows, of a block of k, for each panel of columns from the third cache. */
static int is_from_l3(const lay_problem *problem, const lay_blocked *blocks, int threads, int64_t rows,
                      const lay_machine *machine)
{
    const double bytes = (double)rows * (double)blocks->kc * (double)lay_size_of(problem->types.left);
    return threads > 1 && !blocks->direct.is_by_rows && !lay_direct_has_own_width(&blocks->direct) &&
           bytes > (double)machine->l2;
}

int lay_cost_is_left_beyond(const lay_problem *problem, const lay_blocked *blocks, int threads,
                            const lay_machine *machine)
{
    const double left = (double)problem->m.extent * (double)blocks->kc * (double)lay_size_of(problem->types.left);
    return is_from_l3(problem, blocks, threads, problem->m.extent, machine) && left * threads > lay_kept_by_l3(machine);
}

/* What multiplying does not hide where threads read left's rows from the third cache at the same time: once for each
 * panel of columns (bench/LOG.md, 157). */
static double read_beside_others(const lay_problem *problem, const lay_job *job, const lay_machine *machine,
                                 lay_cut_panels columns)
{
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const int64_t rows = min_of(problem->m.extent, blocks->mc);
    const int is_beyond = lay_cost_is_left_beyond(problem, blocks, job->threads, machine);
    if (!is_beyond && !is_from_l3(problem, blocks, job->threads, rows, machine))
        return 0;
    const double hidden = is_beyond ? 0 : rates->beside_hidden;
    return (1 - hidden) * (columns.count - 1) * bytes_of_left(problem) / rates->from_l3 * 1e-9;
}

/* Panels of columns, of each of which one function does all rows. */
static double multiply_panels(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const lay_kernel *kernel = blocks->kernel;
    const int64_t nr = kernel->nr, rest = problem->n.extent % nr;
    lay_whole panel = { .m = max_of(problem->m.extent, 1), .n = nr, .k = max_of(problem->k.extent, 1) };
    double seconds = (double)(problem->n.extent / nr) * lay_cost_whole(kernel, &panel, machine);
    panel.n = rest;
    return seconds + (rest ? lay_cost_whole(kernel, &panel, machine) : 0);
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
    const double size = (double)lay_size_of(problem->types.left), passes = lay_cost_passes(problem, blocks);
    const double left = m * k * size, right = n * k * size;
    const lay_cut_panels rows = lay_cost_rows(problem->m.extent, direct->run_m, kernel->mr);
    /* Interleaved panels end where the digit does that lies inside of the one of unit stride. */
    const int64_t run_n = direct->interleaved ? min_of(direct->run_n, direct->interleaved_step) : direct->run_n;
    const lay_cut_panels columns = lay_cost_columns(problem->n.extent, run_n, kernel);
    const double a_tile = rates->tile_in_place;
    /* Each segment of steps begins anew. */
    const double segments = (double)(problem->k.extent / max_of(1, direct->run_k));
    const double masked = problem->n.extent % kernel->lanes ? m * rates->row_masked : 0;
    const int is_crossed = !direct->is_right_packed && lay_cost_is_page_apart(direct->right_step, (int64_t)size);
    const double crossed = is_crossed ? k * rates->line_crossed : 0;
    const double tiles = direct->is_at_once ? 0
                                            : rows.count * columns.count *
                                                      (passes * a_tile + segments * rates->segment + crossed) * 1e-9 +
                                                  masked * 1e-9;
    double work = lay_cost_update(problem, kernel, machine, direct->is_staged, direct->is_by_rows, passes) +
                  (direct->is_staged ? m * n * passes * rates->staged_offsets * 1e-9 : 0);
    if (!direct->is_staged && !direct->is_by_rows)
        work += lay_cost_unasked(problem, kernel, machine, passes);
    if (direct->is_dotted)
        work += lay_cost_overlap(n * k * rates->transposed_in * 1e-9 * LAY_LINE / (kernel->lanes * size) +
                                     ceil(n / kernel->lanes) * passes * rates->tile_dotted * 1e-9 +
                                     short_runs(problem, kernel, machine) + m * n * k / lay_cost_peak(kernel, machine),
                                 lay_cost_bytes(right, right, machine));
    else if (job->at_once.multiply)
        work += lay_cost_overlap(lay_cost_whole(kernel, &job->at_once.whole, machine),
                                 read_in_place(problem, blocks, machine, rows, columns)) +
                begin_rows(problem, blocks, job->threads, machine);
    else
        work += lay_cost_overlap(direct->is_at_once ? multiply_panels(problem, blocks, machine)
                                                    : lay_cost_multiply(kernel, 1, machine, rows, columns, k),
                                 read_in_place(problem, blocks, machine, rows, columns)) +
                (direct->is_right_packed ? lay_cost_pack_right(problem, blocks, machine) : 0) + tiles +
                begin_rows(problem, blocks, job->threads, machine) + read_beside_others(problem, job, machine, columns);
    /* An uneven share is the busiest thread's. */
    const double tasks = (double)(blocks->grid_m * blocks->grid_n);
    const double uneven = job->threads > 1 ? ceil(tasks / job->threads) * job->threads / tasks : 1;
    /* Threads that go through left at the same time may share what comes from memory. */
    const double passes_of_left = left > (double)machine->l3 ? ceil((double)blocks->grid_n / job->threads) : 1;
    const int is_in_memory = left > (double)machine->l3 || right > (double)machine->l3;
    return lay_cost_share(work * uneven, is_in_memory ? left * passes_of_left + right : 0, job->threads,
                          rates->join * 1e-9) +
           (job->at_once.multiply ? 0 : rates->call_in_place * 1e-9);
}
