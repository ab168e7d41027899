/* Whether the way through a device is worth it: by sizes, types, places and machine. */
#include <math.h>

#include "base/arith.h"
#include "cuda/stream/stream.h"
#include "cuda/stream/stream_cut.h"
#include "cuda/ways.h"
#include "cuda_kernel.h"
#include "machine/machine.h"
#include "plan/options.h"
#include "plan/summation.h"

/* Below it no device is asked about: the way there and back takes a good part of it, and a process that multiplies
 * small matrices must not start CUDA for nothing. */
static const double least_seconds = 1e-3;

/* Flops that a multiprocessor does a clock. */
static double flops_a_clock(lay_type type, int sm)
{
    const int has_doubles = sm == 80 || sm == 90; /* on the matrix units; elsewhere doubles are a courtesy */
    if (type == LAY_F32)
        return sm == 80 ? 128 : 256;
    return sm == 90 ? 256 : has_doubles ? 128 : sm >= 100 ? 64 : 4;
}

double lay_stream_predict(lay_type type, int64_t m, int64_t n, int64_t k, const lay_place place[LAY_OPERANDS],
                          const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    lay_stream_cut cut;
    lay_stream_ask ask = { .m = m,
                           .n = n,
                           .k = k,
                           .size = (int64_t)lay_type_size(type),
                           .slices = 1,
                           .slice_k = k,
                           .can_resume = 1,
                           .row_m = 128,
                           .row_n = 128,
                           .blocks_at_once = device->multiprocessors,
                           .memory = device->memory / 10 * 9,
                           .link = device->link_per_second,
                           .rate = rates->stream_reached * flops_a_clock(type, device->sm) * device->multiprocessors *
                                   device->ghz * 1e9,
                           .rates = rates };
    for (int i = 0; i < LAY_OPERANDS; i++)
        ask.is_on_host[i] = place[i] != LAY_PLACE_DEVICE;
    return lay_stream_cut_choose(&ask, &cut) ? cut.seconds : INFINITY;
}

/* Bits hang on who computes: so these are no rates, which a file may change, and all machines have the same. */
double lay_stream_predict_cpu(lay_type type, int64_t m, int64_t n, int64_t k, lay_isa isa)
{
    static const double pack = 0.15e-9, update = 0.15e-9; /* seconds an element */
    static const double memory = 8e9;                     /* bytes a second and CPU */
    static const double clock = 2.5e9; /* whatever it is at the moment: which device computes must not hang on that */
    const lay_machine *machine = lay_machine_get();
    const double cpus = machine->cpus, size = (double)lay_type_size(type);
    const double rows = (double)m, columns = (double)n, steps = (double)k;
    double flops_per_cycle = 0;
    for (int i = 0; i < lay_kernel_count; i++)
        if (lay_kernels[i]->type == type && lay_isa_includes(isa, lay_kernels[i]->isa) &&
            lay_isa_is_in(machine->levels, lay_kernels[i]->isa))
            flops_per_cycle = fmax(flops_per_cycle, lay_kernels[i]->flops_per_cycle);
    const double touched = rows * steps + steps * columns, passes = ceil(steps / LAY_KC);
    const double work =
        2 * rows * columns * steps / (flops_per_cycle * clock) + touched * pack + rows * columns * passes * update;
    return fmax(work, (touched + rows * columns) * size / memory) / cpus;
}

const char *lay_stream_wins(const lay_problem *problem, const lay_setting *setting)
{
    const lay_options *options = setting->options;
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    int on_device = 0;
    const char *reason;
    for (int i = 0; i < LAY_OPERANDS; i++)
        on_device += setting->place[i] == LAY_PLACE_DEVICE;
    if (options->backend == LAY_BACKEND_CPU)
        return "options.backend is the CPU";
    if (lay_type_size(problem->types.left) == 2)
        return "passes no 16-bit types through a device";
    if (setting->named && setting->named->backend == LAY_BACKEND_CPU)
        return "options.kernel names a CPU kernel";
    if (lay_compute_rounds(problem->compute))
        return "options.compute asks for rounded operands, which pass no device";
    if (lay_compute_limbs(problem->compute) > 0)
        return "options.compute asks for split operands, which are for operands in device memory";
    if (on_device == LAY_OPERANDS)
        return "all operands lie in device memory";
    if (m > LAY_CUDA_MAX_EXTENT || n > LAY_CUDA_MAX_EXTENT || k > LAY_CUDA_MAX_EXTENT)
        return "an extent does not fit 32 bits";
    /* What a product is made of goes where the product goes: its parts are not worth less than the whole. */
    const int is_part = setting->order == &lay_order_stream;
    const int is_free = options->backend == LAY_BACKEND_AUTO && !options->kernel && on_device == 0 && !is_part;
    if (m == 0 || n == 0 || (k == 0 && is_free)) /* C = beta C, where it is not the CPU's own */
        return "there is nothing to multiply";
    const double cpu = is_free ? lay_stream_predict_cpu(problem->types.left, m, n, k, setting->choice->isa) : INFINITY;
    if (cpu < least_seconds)
        return "a product of this size is done sooner by the CPU";
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    if (is_free && lay_stream_predict(problem->types.left, m, n, k, setting->place, device) >= cpu)
        return "the CPU is predicted to be done sooner than the way to the device and back";
    return NULL;
}
