/* Products on the matrix units: refusals, slices and rows. */
#include "cuda/launch/units.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cuda/launch/offsets.h"

const char *lay_units_refuse(const lay_problem *problem, const lay_device *device, int parts)
{
    if (device->sm != 90)
        return "the matrix units of compute capability 9.0 are needed";
    if (!LAY_CUDA_SM90)
        return "this build has no code for 9.0";
    return lay_units_refuse_sizes(problem, parts);
}

const char *lay_units_refuse_sizes(const lay_problem *problem, int parts)
{
    if (problem->m.extent > LAY_CUDA_MAX_EXTENT || problem->n.extent > LAY_CUDA_MAX_EXTENT ||
        problem->k.extent > LAY_CUDA_MAX_EXTENT)
        return "an extent does not fit 32 bits";
    if (ceil_div(problem->m.extent, 64) * ceil_div(problem->n.extent, 64) > INT32_MAX / parts)
        return "more tiles than a launch counts";
    return NULL;
}

lay_cuda_shape lay_units_cut(lay_type type, int64_t m, int64_t n, int64_t k, int slices)
{
    enum { UNIT = 64, SHORT = 256 };
    const int64_t slice_k = slices > 1 ? round_up(ceil_div(k, slices), UNIT) : k;
    const int is_cut = slices == 1 || (ceil_div(k, slice_k) == slices && slice_k >= SHORT);
    return (lay_cuda_shape){ type, m, n, k, is_cut ? slices : 0, (int)slice_k };
}

lay_cuda_shape lay_units_cut_of(const lay_problem *problem, lay_type type, int slices)
{
    return lay_units_cut(type, max_of(problem->m.extent, 1), max_of(problem->n.extent, 1), max_of(problem->k.extent, 1),
                         slices);
}

double lay_units_turns(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device, double steps)
{
    const double tiles = (double)ceil_div(of->m, row->bm) * (double)ceil_div(of->n, row->bn) * of->slices;
    const double each = 2.0 * row->bm * row->bn * steps / row->rate + row->start;
    return ceil(tiles / device->multiprocessors) * each / (device->ghz * 1e9);
}

const lay_cuda_kernel *lay_units_find_among(lay_cuda_contract contract, const lay_cuda_shape *of,
                                            const lay_device *device, const char *wanted, lay_units_may *may,
                                            const void *context, lay_units_cost *cost, double *seconds)
{
    const lay_cuda_kernel *best = NULL;
    lay_cuda_walk walk = lay_cuda_rows(contract);
    *seconds = INFINITY;
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        const int is_refused = lay_cuda_refuse(row, of, device, wanted) || (may && !may(row, context));
        const double own = is_refused ? INFINITY : cost(row, of, device);
        if (own >= *seconds)
            continue;
        *seconds = own;
        best = row;
    }
    return best;
}

const lay_cuda_kernel *lay_units_find(lay_cuda_contract contract, const lay_cuda_shape *of, const lay_device *device,
                                      const char *wanted, lay_units_cost *cost, double *seconds)
{
    return lay_units_find_among(contract, of, device, wanted, NULL, NULL, cost, seconds);
}

int lay_units_slices(const lay_problem *problem, lay_type type, const lay_device *device, const lay_units_slicing *by)
{
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    const int64_t most = max_of(max_of(m, n), 1), least = max_of(min_of(m, n), 1);
    double fewest = INFINITY;
    int best = 1;
    for (size_t i = 0; i < by->count; i++) {
        const lay_cuda_shape tall = lay_units_cut(type, most, least, max_of(k, 1), by->tried[i]);
        const lay_cuda_shape wide = lay_units_cut(type, least, most, max_of(k, 1), by->tried[i]);
        double one, other;
        if (!tall.slices)
            continue;
        lay_units_find(by->contract, &tall, device, NULL, by->cost, &one);
        lay_units_find(by->contract, &wide, device, NULL, by->cost, &other);
        const double better = fmin(one, other), seconds = by->is_often_tall ? sqrt(one * better) : better;
        if (seconds >= fewest)
            continue;
        fewest = seconds;
        best = by->tried[i];
    }
    return best;
}

void lay_units_take(lay_launch *launch, const lay_cuda_kernel *row, const lay_problem *problem,
                    const lay_cuda_shape *of)
{
    launch->kernel = row;
    launch->slices = of->slices;
    launch->slice_k = of->slice_k;
    launch->tiles_m = (int)ceil_div(problem->m.extent, row->bm);
    launch->tiles_n = (int)ceil_div(problem->n.extent, row->bn);
}

lay_status lay_units_put_sum(const lay_problem *problem, const lay_cuda_args *offsets, const lay_call *call, int slices,
                             float *partial, void *stream)
{
    const lay_types *types = &problem->types;
    lay_cuda_args args = {
        .m = (int)problem->m.extent,
        .n = (int)problem->n.extent,
        .k = (int)problem->k.extent,
        .c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n, types->result),
        .result_m = offsets->result_m,
        .result_n = offsets->result_n,
        .alpha.f32 = lay_scalar_read(call->alpha, types->sum).f32,
        .beta.f32 = lay_scalar_read(call->beta, types->sum).f32,
        .slices = slices,
        .partial = partial,
    };
    return lay_launch_put_sum(types->result, &args, "matrix units: add", stream);
}

void lay_units_explain_memory(const lay_needs *needs, lay_text *text)
{
    lay_text_add(text, "\nmemory    tables %zu bytes, images and sums %zu bytes\nkernels\n", needs->tables,
                 needs->partial);
}

void lay_units_explain(const lay_launch *launch, const lay_cuda_shape *of, const char *wanted, lay_units_cost *cost,
                       const char *alone, lay_text *text)
{
    lay_cuda_walk walk = lay_cuda_rows(launch->kernel->contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        if (row->type == of->type)
            lay_cuda_explain_row(text, row, lay_cuda_refuse(row, of, launch->device, wanted), row == launch->kernel,
                                 cost(row, of, launch->device), alone);
}
