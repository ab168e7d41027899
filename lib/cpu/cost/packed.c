/* What a product of packed panels costs. */
#include "cpu/cost/cost.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/compute.h"
#include "cpu/cost/pack.h"
#include "cpu/cost/result.h"
#include "machine/rates.h"

enum { TOGETHER = 48 /* panels that are packed at once */ };

/* Whether an operand has them before the run. */
static int has_panels(const lay_blocked *blocks, int side)
{
    return blocks->is_given[side] || blocks->lying[side].lines > 0;
}

/* Panels that lie come from where so many bytes are kept; packed operands are multiplied by this way whatever it costs.
 */
static double fetch(double bytes, const lay_blocked *blocks, int side, const lay_machine *machine)
{
    return blocks->is_given[side] ? 0 : lay_cost_bytes(bytes, bytes, machine);
}

double lay_cost_packed(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double size = (double)lay_size_of(problem->types.left), passes = lay_cost_passes(problem, blocks);
    const double repacks = (double)ceil_div(max_of(problem->n.extent, 1), blocks->nb);
    const lay_cut_panels rows = lay_cost_rows(problem->m.extent, problem->m.extent, kernel->mr);
    const lay_cut_panels columns = lay_cost_columns(problem->n.extent, problem->n.extent, kernel);
    const double left = m * k * size, right = n * k * size;
    const double pack_left =
        lay_cost_pack(&problem->left_m, &problem->left_k, kernel, kernel->mr, TOGETHER, (double)blocks->kc, machine);
    const double pack_right =
        lay_cost_pack(&problem->right_n, &problem->right_k, kernel, kernel->nr, TOGETHER, (double)blocks->kc, machine);
    /* Packed right goes to where all that is packed at once has room, and comes again for each task's rows. */
    const double moved = lay_cost_bytes(right, (double)blocks->right_bytes, machine);
    const double packing =
        (has_panels(blocks, LAY_LEFT) ? fetch(left, blocks, LAY_LEFT, machine) : repacks * pack_left) +
        (has_panels(blocks, LAY_RIGHT) ? fetch(right, blocks, LAY_RIGHT, machine) : pack_right + moved);
    const double reread = ceil(m / (double)blocks->mc) * moved;
    const double parts = problem->posed.is_of_numbers ? 2 : 1; /* of each element of C, and sums for each */
    const double multiply = parts * lay_cost_multiply(kernel, 0, machine, rows, columns, k);
    const double staged = lay_cost_staged_share(problem, kernel);
    const double update = parts * lay_cost_update(problem, kernel, machine, staged, blocks->stretch > 0, passes);
    const double tiles = rows.count * columns.count * passes * rates->tile_packed * 1e-9;
    const double work = lay_cost_overlap(multiply, reread) + packing + tiles + update;
    return lay_cost_share(job->threads > 1 ? work * rates->packed_shared : work,
                          left > (double)machine->l3 || right > (double)machine->l3 ? left + right : 0, job->threads,
                          rates->flops_per_join / lay_cost_peak(kernel, machine) * passes) +
           rates->call_packed * 1e-9;
}
