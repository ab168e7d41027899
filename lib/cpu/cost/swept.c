/* What a sweep costs: the rows of right as they lie, a few at a time. */
#include "cpu/cost/cost.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/compute.h"
#include "cpu/cost/pack.h"
#include "cpu/cost/result.h"
#include "machine/rates.h"

double lay_cost_swept(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    enum { SIDE_BY_SIDE = 4 /* registers of a row's sums */ };
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double size = (double)lay_size_of(problem->types.left), right = n * k * size,
                 steps = (double)blocks->swept_steps;
    const lay_cut_panels rows =
        lay_cost_rows(problem->m.extent, blocks->direct.run_m, (int)ceil_div(2 * kernel->mr, 3));
    /* Segments of columns, between boundaries and no wider than what waits: each packs left anew. */
    const int64_t run_n = max_of(1, min_of(blocks->direct.run_n, problem->n.extent));
    const int64_t each = min_of(run_n, blocks->mc), wide = ceil_div(each, kernel->lanes);
    const double segments = (double)(ceil_div(problem->n.extent, run_n) * ceil_div(run_n, each));
    const double registers = segments * (double)wide;
    const double stops = ceil(k / fmin(steps, (double)max_of(1, blocks->direct.run_k)));
    /* Of a register's columns: a few steps, and its sums in and out. */
    const double compute = steps * rows.mean * kernel->lanes / lay_cost_width(kernel, 1);
    const double load = (steps + 3 * rows.mean) / rates->loads;
    const double wait = steps * rates->latency / fmin(SIDE_BY_SIDE, (double)wide);
    const double stop = fmax(fmax(compute, load), wait) + rates->reread * lay_cost_clock(machine) * 1e-9 * rows.mean;
    const double multiply = rows.count * registers * stops * stop / lay_cost_clock(machine) +
                            rows.count * segments * stops * rates->tile_in_place * 1e-9;
    const double fetch_left = m > 1 ? segments * lay_cost_pack(&problem->left_m, &problem->left_k, kernel, kernel->mr,
                                                               1, (double)blocks->kc, machine)
                                    : lay_cost_bytes(k * size, k * size, machine);
    /* Sums that the first cache cannot hold come and go between it and the second. */
    const double waiting = m * (double)each * size;
    const double sums = waiting > (double)machine->l1 ? (2 * stops - 1) * m * n * size / (rates->from_l2 * 1e9) : 0;
    const double work = lay_cost_overlap(multiply, lay_cost_bytes(right, right, machine) + sums) + fetch_left +
                        lay_cost_far_lines(k * fmax(1, registers * kernel->lanes / (double)blocks->mc),
                                           blocks->direct.right_step, (int64_t)size) +
                        lay_cost_update(problem, kernel, machine, 0, 1, 1);
    return lay_cost_share(work, right > (double)machine->l3 ? right : 0, job->threads, rates->join * 1e-9) +
           rates->call_swept * 1e-9;
}
