/* Multiply-adds a cycle, and panels of extents between boundaries. */
#include "cpu/cost/compute.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/cost.h"
#include "machine/rates.h"

double lay_cost_clock(const lay_machine *machine)
{
    const double measured = lay_rates_get()->clock;
    return (measured > 0 ? measured : machine->ghz) * 1e9;
}

double lay_cost_width(const lay_kernel *kernel, int is_strided)
{
    const double size = (double)lay_size_of(kernel->type), most = lay_rates_get()->flops * 4 / size;
    return fmin(is_strided ? kernel->strided_per_cycle : kernel->flops_per_cycle, most) / 2;
}

double lay_cost_peak(const lay_kernel *kernel, const lay_machine *machine)
{
    return lay_cost_width(kernel, 0) * lay_cost_clock(machine);
}

double lay_cost_least(const lay_problem *problem, const lay_setting *setting)
{
    double most = 0;
    for (int i = 0; i < lay_kernel_count; i++)
        if (lay_kernels[i]->type == problem->types.sum && lay_isa_includes(setting->choice->isa, lay_kernels[i]->isa))
            most = fmax(most, fmax(lay_cost_width(lay_kernels[i], 0), lay_cost_width(lay_kernels[i], 1)));
    const double adds = lay_problem_flops(problem) / 2;
    return most > 0 ? adds / (most * lay_cost_clock(lay_machine_get()) * setting->threads) : 0;
}

int lay_cost_is_wide(const lay_kernel *kernel)
{
    return kernel->lanes * lay_size_of(kernel->type) == LAY_LINE;
}

lay_cut_panels lay_cost_rows(int64_t extent, int64_t run, int width)
{
    const int64_t block = max_of(1, min_of(run, extent)), blocks = ceil_div(max_of(extent, 1), block);
    const double count = (double)(blocks * ceil_div(block, width));
    return (lay_cut_panels){ count, (double)max_of(extent, 1) / count };
}

lay_cut_panels lay_cost_columns(int64_t extent, int64_t run, const lay_kernel *kernel)
{
    const int64_t block = max_of(1, min_of(run, extent)), blocks = ceil_div(max_of(extent, 1), block);
    const int64_t registers = ceil_div(block, kernel->lanes);
    const double count = (double)(blocks * ceil_div(registers * kernel->lanes, kernel->nr));
    return (lay_cut_panels){ count, (double)(blocks * registers) / count };
}

double lay_cost_step(const lay_kernel *kernel, int is_strided, double rows, double registers)
{
    const lay_rates *rates = lay_rates_get();
    const double compute = rows * registers * kernel->lanes / lay_cost_width(kernel, is_strided);
    const double load = (rows + registers) / rates->loads;
    return fmax(fmax(compute, load), lay_cost_is_wide(kernel) ? rates->latency_wide : rates->latency);
}

double lay_cost_multiply(const lay_kernel *kernel, int is_strided, const lay_machine *machine, lay_cut_panels rows,
                         lay_cut_panels columns, double k)
{
    const double two = is_strided && lay_cost_is_wide(kernel) && rows.mean == 2 ? lay_rates_get()->two_rows : 1;
    const double step = lay_cost_step(kernel, is_strided, rows.mean, columns.mean) * two;
    return rows.count * columns.count * k * step / lay_cost_clock(machine);
}

double lay_cost_passes(const lay_problem *problem, const lay_blocked *blocks)
{
    return (double)max_of(1, ceil_div(problem->k.extent, blocks->kc));
}
