/* Which row and how many slices: refuse what does not fit, cost the rest by the waves of blocks that a device
 * runs, keep the cheapest. The order of the sum comes first, from sizes alone. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cuda/launch.h"

/* Sizes as the kernel sees them, and how k is cut. */
typedef struct shape {
    lay_type type;
    int64_t m, n, k;
    int slices, slice_k;
} shape;

/* Seconds: a launch; adding slices by a tile's last block or by another launch, and each slice of them. */
static const double a_launch = 2.3e-6, by_a_block = 0.9e-6, by_a_launch = 1.2e-6, a_slice = 0.03e-6;
static const double reached = 0.92; /* of the nominal bandwidth */

static int is_wanted(const lay_cuda_kernel *row, const char *wanted)
{
    return !wanted || strcmp(wanted, row->family) == 0 || strcmp(wanted, row->name) == 0;
}

/* NULL, or why the row cannot serve, as a phrase. */
static const char *refuse(const lay_cuda_kernel *row, const shape *of, const lay_device *device, const char *wanted)
{
    if (row->type != of->type)
        return "multiplies another type";
    if (!is_wanted(row, wanted))
        return "options.kernel names another";
    if (row->least_sm > device->sm)
        return "needs a newer compute capability";
    if (row->least_sm == 90 && (device->sm != 90 || !LAY_CUDA_SM90))
        return LAY_CUDA_SM90 ? "is made for compute capability 9.0 alone" : "this build has no code for 9.0";
    if ((size_t)row->shared > device->shared_per_block)
        return "needs more shared memory than a block may have";
    if (of->m > LAY_CUDA_MAX_EXTENT || of->n > LAY_CUDA_MAX_EXTENT || of->k > LAY_CUDA_MAX_EXTENT)
        return "an extent does not fit 32 bits";
    if ((row->max_m && of->m > row->max_m) || (row->max_n && of->n > row->max_n))
        return "is made for fewer rows or columns";
    if (ceil_div(of->m, row->bm) * ceil_div(of->n, row->bn) > INT32_MAX)
        return "more tiles than a grid has";
    if (of->slices > 1 && !row->can_slice)
        return "cannot cut k in slices";
    if (of->slices > 1 && of->slice_k % row->bk != 0)
        return "slices do not end where its steps do";
    return NULL;
}

/* Whether a block takes all slices of its tile: by groups of its threads, side by side. */
static int is_together(const lay_cuda_kernel *row, int slices)
{
    return slices > 1 && slices <= row->groups;
}

/* Whether the block that is last at a tile adds the slices: where that is little for one block. Rows of lanes
 * read many slices at a time. */
static int adds_itself(const lay_cuda_kernel *row, int slices)
{
    const int64_t little = row->order == LAY_CUDA_LANES ? 512 : 32; /* elements a thread */
    return slices > 1 && !is_together(row, slices) && (int64_t)row->bm * row->bn * slices <= little * row->threads;
}

/* Seconds on clocks: whole waves, then the blocks that are left, which have the multiprocessors to
 * themselves but hide less of their waiting. */
static double cost_blocks(const lay_cuda_kernel *row, const shape *of, const lay_device *device)
{
    const int together = is_together(row, of->slices) ? of->slices : 1;
    const double tiles = (double)(ceil_div(of->m, row->bm) * ceil_div(of->n, row->bn));
    const double blocks = tiles * of->slices / together;
    const double steps = (double)ceil_div(of->slice_k, row->bk) * row->bk;
    const double rate = row->groups ? row->rate / row->groups : row->rate; /* of one group */
    const double each = 2.0 * row->bm * row->bn * steps / rate;
    const double resident = row->blocks_per_sm, at_once = resident * device->multiprocessors;
    const double waves = floor(blocks / at_once), left = blocks - waves * at_once;
    const double crowd = ceil(left / device->multiprocessors);
    double clocks = waves * (row->start + resident * each);
    if (left > 0)
        clocks += row->start + crowd * each * sqrt(resident / crowd);
    return clocks / (device->ghz * 1e9);
}

static double cost(const lay_cuda_kernel *row, const shape *of, const lay_device *device)
{
    const double m = (double)of->m, n = (double)of->n, k = (double)of->k, size = (double)lay_type_size(of->type);
    const double bytes = (m * k + k * n + 2 * m * n) * size;
    const double bandwidth = reached * device->bytes_per_second;
    double seconds = fmax(cost_blocks(row, of, device), bytes / bandwidth) + a_launch;
    if (of->slices > 1 && !is_together(row, of->slices)) {
        const double passes = 3; /* over the partial sums: there, back, and what they push out of L2 */
        seconds += (adds_itself(row, of->slices) ? by_a_block : by_a_launch) + a_slice * of->slices +
                   passes * of->slices * m * n * size / bandwidth;
    }
    return seconds;
}

static shape cut(lay_type type, int64_t m, int64_t n, int64_t k, int slices)
{
    const int64_t length = ceil_div(ceil_div(k, slices), LAY_CUDA_SLICE_UNIT) * LAY_CUDA_SLICE_UNIT;
    return (shape){ type, m, n, k, (int)ceil_div(k, length), (int)min_of(length, k) };
}

/* The cheaper way round; negative where neither serves. */
static double cost_both(const lay_cuda_kernel *row, const shape *of, const lay_device *device, const char *wanted)
{
    const shape turned = { of->type, of->n, of->m, of->k, of->slices, of->slice_k };
    const double one = refuse(row, of, device, wanted) ? -1 : cost(row, of, device);
    const double other = refuse(row, &turned, device, wanted) ? -1 : cost(row, &turned, device);
    return one < 0 ? other : other < 0 ? one : fmin(one, other);
}

lay_cuda_sum lay_cuda_sum_choose(lay_type type, int64_t m, int64_t n, int64_t k, const lay_device *device,
                                 const char *wanted)
{
    static const int tried[] = { 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128 };
    enum { TRIED = sizeof tried / sizeof tried[0] };
    const double most_partial = (double)device->memory / 16;
    lay_cuda_sum best = { 0 };
    double least = 0;
    m = max_of(m, 1), n = max_of(n, 1), k = max_of(k, 1);
    for (int i = 0; i < TRIED && k <= LAY_CUDA_MAX_EXTENT; i++) {
        const shape of = cut(type, m, n, k, tried[i]);
        if (of.slices != tried[i] ||
            (of.slices > 1 && (double)of.slices * (double)m * (double)n * (double)lay_type_size(type) > most_partial))
            continue;
        for (int family = 0; lay_cuda_families[family]; family++)
            for (const lay_cuda_kernel *row = lay_cuda_families[family]; row->name; row++) {
                const double seconds = cost_both(row, &of, device, wanted);
                if (seconds < 0 || (best.slices && seconds >= least))
                    continue;
                least = seconds;
                best = (lay_cuda_sum){ row->order, of.slices, of.slice_k, row->order == LAY_CUDA_LANES ? row : NULL };
            }
    }
    return best;
}

/* How much longer it takes because of layouts: operands whose vectors are not across cost a block some more for
 * each step, the less the larger the tile; and columns of C that are not contiguous. */
static double weigh_layouts(const lay_cuda_kernel *row, const lay_problem *problem, const lay_launch *launch)
{
    static const double slower[LAY_CUDA_CLASSES] = { 0, 5, 10, 10 };
    static const double scattered = 0.02;
    const double sector = 32 / (double)lay_type_size(problem->type);
    const double run = fmin((double)problem->result_n.run, fmin(sector, (double)max_of(problem->n.extent, 1)));
    const double fetched = row->order == LAY_CUDA_LANES /* at home in both */
                               ? 0
                               : slower[launch->left] / row->bn + slower[launch->right] / row->bm;
    return (1 + fetched) * (1 + scattered * (1 / run - 1 / sector));
}

static const char *refuse_order(const lay_cuda_kernel *row, const lay_cuda_sum *sum)
{
    if (sum->kernel && sum->kernel != row)
        return "adds in an order of its own, which sizes alone may choose";
    return row->order != sum->order ? "adds in another order than these sizes have: equal bits rest on it" : NULL;
}

static shape shape_of(const lay_problem *problem, const lay_cuda_sum *sum)
{
    return (shape){ problem->type,
                    max_of(problem->m.extent, 1),
                    max_of(problem->n.extent, 1),
                    max_of(problem->k.extent, 1),
                    sum->slices,
                    sum->slice_k };
}

double lay_launch_choose(const lay_problem *problem, const lay_device *device, const char *wanted, lay_launch *launch,
                         const char **reason)
{
    const lay_cuda_sum sum =
        lay_cuda_sum_choose(problem->type, problem->m.extent, problem->n.extent, problem->k.extent, device, wanted);
    const shape of = shape_of(problem, &sum);
    double least = -1;
    *reason = wanted ? "options.kernel multiplies another type" : "no kernel serves the type, sizes and device";
    *launch = (lay_launch){ .device = device,
                            .left = lay_launch_classify(&problem->left_m, &problem->left_k, problem->type),
                            .right = lay_launch_classify(&problem->right_n, &problem->right_k, problem->type),
                            .is_c_vector = lay_axis_is_in_vectors(&problem->result_n, &problem->result_m,
                                                                  16 / (int)lay_type_size(problem->type)),
                            .slices = sum.slices,
                            .slice_k = sum.slice_k };
    for (int family = 0; lay_cuda_families[family]; family++)
        for (const lay_cuda_kernel *row = lay_cuda_families[family]; row->name; row++) {
            const char *refusal = refuse(row, &of, device, wanted);
            if (!refusal && sum.slices)
                refusal = refuse_order(row, &sum);
            if (refusal && row->type == of.type && is_wanted(row, wanted) && !sum.slices)
                *reason = refusal;
            if (refusal || !sum.slices)
                continue;
            const double seconds = cost(row, &of, device) * weigh_layouts(row, problem, launch);
            if (least >= 0 && seconds >= least)
                continue;
            least = seconds;
            launch->kernel = row;
        }
    if (!launch->kernel)
        return -1;
    launch->tiles_m = (int)ceil_div(of.m, launch->kernel->bm);
    launch->tiles_n = (int)ceil_div(of.n, launch->kernel->bn);
    launch->counters = adds_itself(launch->kernel, sum.slices)
                           ? ((size_t)launch->tiles_m * (size_t)launch->tiles_n * sizeof(unsigned) + 15) / 16 * 16
                           : 0;
    launch->is_together = is_together(launch->kernel, sum.slices);
    launch->partial = sum.slices > 1 && !launch->is_together
                          ? (size_t)sum.slices * (size_t)of.m * (size_t)of.n * lay_type_size(of.type)
                          : 0;
    return least;
}

void lay_launch_explain_rows(const lay_problem *problem, const lay_launch *taken, const char *wanted, lay_text *text)
{
    const lay_cuda_sum sum = lay_cuda_sum_choose(problem->type, problem->m.extent, problem->n.extent, problem->k.extent,
                                                 taken->device, wanted);
    const shape of = shape_of(problem, &sum);
    for (int family = 0; lay_cuda_families[family]; family++)
        for (const lay_cuda_kernel *row = lay_cuda_families[family]; row->name; row++) {
            const char *refusal = refuse(row, &of, taken->device, wanted);
            if (!refusal)
                refusal = refuse_order(row, &sum);
            if (refusal)
                lay_text_add(text, "  %-28s refused: %s\n", row->name, refusal);
            else
                lay_text_add(text, "  %-28s %s, predicted %.3g us\n", row->name,
                             row == taken->kernel ? "taken" : "refused: not cheaper",
                             cost(row, &of, taken->device) * weigh_layouts(row, problem, taken) * 1e6);
        }
}
