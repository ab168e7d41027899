/* C's tiles, written in place or through a buffer. */
#include "cpu/cost/result.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/digits.h"
#include "cpu/packed/blocks.h"
#include "machine/rates.h"

/* The stride of an axis's innermost digit. */
static int64_t inner_stride(const lay_axis *axis)
{
    return axis->count ? llabs(axis->mode[axis->count - 1].stride) : 0;
}

/* Seconds until the lines have come that tiles write through a buffer, in the order of the tiles. */
static double reach(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine, int is_along_n)
{
    const int64_t size = lay_size_of(problem->types.result);
    lay_cost_digits rows = lay_cost_digits_of(&problem->result_m), columns = lay_cost_digits_of(&problem->result_n);
    lay_visits of = { .count = 0 };
    if (problem->result_m.class == LAY_AXIS_TABLE || problem->result_n.class == LAY_AXIS_TABLE)
        return 0;
    lay_cost_visit(&of, &columns, kernel->nr, size);
    lay_cost_visit(&of, &rows, kernel->mr, size);
    if (is_along_n)
        lay_cost_visit(&of, &columns, INFINITY, size);
    lay_cost_visit(&of, &rows, INFINITY, size);
    lay_cost_visit(&of, &columns, INFINITY, size);
    return lay_visits_predict(&of, machine);
}

double lay_cost_unasked(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine, double passes)
{
    const int64_t size = lay_size_of(problem->types.result);
    const double bytes = (double)problem->m.extent * (double)problem->n.extent * (double)size;
    if (inner_stride(&problem->result_m) * size < LAY_PAGE || bytes <= (double)machine->l2)
        return 0;
    return passes * reach(problem, kernel, machine, 0);
}

double lay_cost_staged_share(const lay_problem *problem, const lay_kernel *kernel)
{
    const int64_t run = problem->result_n.run, half = max_of(kernel->nr / 2, 1);
    if (!lay_result_is_direct(problem, kernel))
        return 1;
    return run >= problem->n.extent || run % half == 0 ? 0 : fmin(1, (double)kernel->nr / (double)run);
}

double lay_cost_update(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine, double staged,
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
    const double far =
        !is_staged && !is_along_n && lay_cost_is_pushed_out((double)problem->m.extent * width, width, row, machine)
            ? rates->missed * (double)(size) / width
            : 0;
    /* Tiles down C's rows come through all their pages again for each panel of columns. */
    const int are_pages_far =
        !is_staged && !is_along_n && row >= LAY_PAGE && (double)problem->m.extent > rates->pages_near;
    const double pages = are_pages_far ? elements / kernel->nr * rates->page_second * 1e-9 : 0;
    const double write = elements * (staged * rates->staged + (1 - staged) * rates->written) * 1e-9;
    const double lines =
        is_staged ? reach(problem, kernel, machine, is_along_n)
                  : rates->c_moves * lay_cost_bytes(bytes, bytes, machine) * (is_broken ? rates->c_broken : 1);
    return passes * (lay_cost_overlap(write, lines) + elements * far * 1e-9 + pages);
}
