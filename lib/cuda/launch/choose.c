/* Which rows and how many slices: keep the cheapest that serve. The order of the sum comes first, from sizes alone. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cuda/launch/cost.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/predict.h"
#include "cuda/launch/rates.h"

typedef lay_cuda_shape shape;

/* What a cost rests on. */
typedef struct ground {
    const lay_device *device;
    const char *wanted;
    const lay_problem *problem; /* NULL: sizes alone */
    const lay_launch *launch;   /* the classes of its operands */
    const lay_cuda_lie *lie;    /* and how they lie */
    lay_cuda_contract contract; /* of the rows */
} ground;

static shape cut(lay_type type, int64_t m, int64_t n, int64_t k, int slices, int unit)
{
    const int64_t length = round_up(ceil_div(k, slices), unit);
    return (shape){ type, m, n, k, (int)ceil_div(k, length), (int)min_of(length, k) };
}

/* The same by the unit or, for rows whose turns are longer, by twice that; no slices where that is nothing new. */
static shape try_cut(lay_type type, int64_t m, int64_t n, int64_t k, int slices, int is_twice)
{
    shape of = cut(type, m, n, k, slices, LAY_CUDA_SLICE_UNIT << is_twice);
    if (of.slices != slices || (is_twice && of.slice_k == cut(type, m, n, k, slices, LAY_CUDA_SLICE_UNIT).slice_k))
        of.slices = 0;
    return of;
}

/* What a dense operand costs whose lines have so many elements: in vectors, or one by one. */
static double fetch_lines(const lay_cuda_kernel *row, int64_t extent, lay_cuda_class vectors, lay_cuda_class ones)
{
    return row->fetch[extent * (int64_t)lay_type_size(row->type) % 16 ? ones : vectors];
}

/* The mean of row-major and column-major operands: one lies in lines along k, the other across. */
static double fetch_dense(const lay_cuda_kernel *row, const shape *of)
{
    const double along = fetch_lines(row, of->k, LAY_CUDA_ALONG_VECTOR, LAY_CUDA_ALONG);
    const double left = fetch_lines(row, of->m, LAY_CUDA_ACROSS_VECTOR, LAY_CUDA_ACROSS);
    const double right = fetch_lines(row, of->n, LAY_CUDA_ACROSS_VECTOR, LAY_CUDA_ACROSS);
    return ((along + left) / row->bn + (along + right) / row->bm) / 2;
}

/* What operands cost that are not in vectors across, the less the larger the tile is. */
static double fetch(const lay_cuda_kernel *row, const shape *of, const ground *on)
{
    if (!on->problem)
        return fetch_dense(row, of);
    return row->fetch[on->launch->left] / row->bn + row->fetch[on->launch->right] / row->bm;
}

/* Lines of the first cache that so many elements are in, fetched one by one by lanes side by side: a multiprocessor
 * takes one of them a clock. What is contiguous, or a small stride apart, shares lines. */
static double count_lines(double elements, const lay_axis *lanes, int64_t size)
{
    enum { LINE = 128, LANES = 32 };
    const int64_t most = min_of(LINE / size, LANES);
    int64_t shared = lanes->run;
    if (shared == 1 && lanes->class != LAY_AXIS_TABLE && lanes->count > 0) {
        const lay_leaf inner = lanes->mode[lanes->count - 1];
        shared = min_of(inner.extent, max_of(1, LINE / size / max_of(1, llabs(inner.stride))));
    }
    return elements * (1 / (double)max_of(1, min_of(shared, most)) - 1 / (double)most);
}

static double count_lines_of(lay_cuda_class class, double elements, const lay_axis *across, const lay_axis *along,
                             int64_t size)
{
    return class == LAY_CUDA_ACROSS  ? count_lines(elements, across, size)
           : class == LAY_CUDA_ALONG ? count_lines(elements, along, size)
                                     : 0;
}

/* Operands fetched element by element from lines that lie apart: each tile of C fetches its own. */
static double gather(const lay_cuda_kernel *row, const shape *of, const ground *on)
{
    const lay_problem *problem = on->problem;
    const int64_t size = (int64_t)lay_type_size(of->type);
    const double left = (double)of->m * (double)of->k * (double)ceil_div(of->n, row->bn);
    const double right = (double)of->n * (double)of->k * (double)ceil_div(of->m, row->bm);
    const double lines = count_lines_of(on->launch->left, left, &problem->left_m, &problem->left_k, size) +
                         count_lines_of(on->launch->right, right, &problem->right_n, &problem->right_k, size);
    return lines / (on->device->multiprocessors * on->device->ghz * 1e9);
}

/* Columns of C that are not contiguous, a little for each element. */
static double scatter(const shape *of, const lay_problem *problem)
{
    static const double scattered = 8e-12;
    const double sector = LAY_CUDA_SECTOR / (double)lay_type_size(problem->types.result);
    const double run = fmin((double)problem->result_n.run, fmin(sector, (double)max_of(problem->n.extent, 1)));
    return (double)of->m * (double)of->n * scattered * (1 / run - 1 / sector);
}

/* By what has rates. Rows of an order of their own have none: there is nothing to choose but which way round. */
static int is_predicted(const lay_cuda_kernel *row, const ground *on)
{
    return on->problem && row->order == LAY_CUDA_CHAIN;
}

/* Seconds of a launch of the row; negative where it cannot serve. */
static double cost(const lay_cuda_kernel *row, const shape *of, const ground *on)
{
    if (lay_cuda_refuse(row, of, on->device, on->wanted))
        return -1;
    if (is_predicted(row, on))
        return lay_cuda_predict(row, of, on->device, on->lie);
    return lay_cuda_cost(row, of, on->device, fetch(row, of, on)) +
           (on->problem ? scatter(of, on->problem) + gather(row, of, on) : 0);
}

/* Not above the cost of a row that serves. */
static double cost_at_least(const lay_cuda_kernel *row, const shape *of, const ground *on)
{
    return is_predicted(row, on) ? lay_cuda_predict_at_least(row, of, on->device, on->lie)
                                 : lay_cuda_cost_at_least(row, of, on->device, fetch(row, of, on));
}

/* Seconds that a second launch takes besides its own: it waits until the first has ended. */
static double find_gap(const ground *on)
{
    static const double settling = 1.5e-6;
    return on->problem ? lay_cuda_predict_gap(on->device) : settling;
}

/* The row whose launch for these rows of C is the cheapest of the order; none, and INFINITY, where none is below so
 * much. */
static double find_rest(const shape *of, const ground *on, lay_cuda_order order, double below,
                        const lay_cuda_kernel **rest)
{
    double least = INFINITY;
    lay_cuda_walk walk = lay_cuda_rows(on->contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != of->type || row->order != order || lay_cuda_is_persistent(row) ||
            cost_at_least(row, of, on) >= fmin(below, least))
            continue;
        const double seconds = cost(row, of, on);
        if (seconds < 0 || seconds >= least)
            continue;
        least = seconds;
        *rest = row;
    }
    return least;
}

/* The same as one launch, or as two where that is cheaper: full waves of the row's blocks, and the rows of C that
 * would be a bad last wave by smaller tiles (*rest, from row *from on). The sum is the same, and so are the bits.
 * Where neither can be below wanted_below it is no more than a bound that is not below it either. */
static double cost_divided(const lay_cuda_kernel *row, const shape *of, const ground *on, double wanted_below,
                           const lay_cuda_kernel **rest, int64_t *from)
{
    static const double most_flops = 256; /* a clock and multiprocessor, that any row does */
    static const double rounding = 1e-9;
    const double gap = find_gap(on);
    *rest = NULL;
    if (lay_cuda_refuse(row, of, on->device, on->wanted))
        return -1;
    const int64_t rows = row->order == LAY_CUDA_LANES ? 0 : lay_cuda_full_rows(row, of, on->device);
    const lay_cuda_kernel *found = NULL;
    shape first = *of, second = *of;
    *from = first.m = rows;
    second.m = of->m - rows;
    const double rest_at_best = 2 * (double)second.m * (double)of->n * (double)of->k /
                                (most_flops * on->device->multiprocessors * on->device->ghz * 1e9);
    const double at_least = cost_at_least(row, of, on);
    if (at_least >= wanted_below &&
        (!rows || cost_at_least(row, &first, on) + gap + rest_at_best * (1 - rounding) >= wanted_below))
        return at_least;
    const double whole = cost(row, of, on);
    if (!rows)
        return whole;
    const double begun = cost(row, &first, on), limit = fmin(whole, wanted_below);
    if (begun < 0 || begun + gap + rest_at_best >= limit)
        return whole;
    const double below = (limit - begun - gap) * (1 + rounding);
    const double seconds = begun + gap + find_rest(&second, on, row->order, below, &found);
    if (seconds >= whole)
        return whole;
    *rest = found;
    return seconds;
}

/* The cheaper way round, and whether it is divided; negative where neither serves. */
static double cost_both(const lay_cuda_kernel *row, const shape *of, const ground *on, double wanted_below,
                        int *is_divided)
{
    const shape transposed = { of->type, of->n, of->m, of->k, of->slices, of->slice_k };
    const lay_cuda_kernel *rest, *other_rest;
    int64_t from;
    const double one = cost_divided(row, of, on, wanted_below, &rest, &from);
    *is_divided = rest != NULL;
    if (of->m == of->n && !row->max_m && !row->max_n)
        return one;
    const double other = cost_divided(row, &transposed, on, wanted_below, &other_rest, &from);
    if (other < 0 || (one >= 0 && one <= other))
        return one;
    *is_divided = other_rest != NULL;
    return other;
}

/* Whether C has tiles for many waves and k few turns: slices would fill nothing, and rows that follow, which have no
 * say here, are quicker then (bench/LOG.md, 145). */
static int fills_by_itself(int64_t m, int64_t n, int64_t k, const lay_device *device)
{
    enum { TILE = 64 * 64 };
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    return (double)k <= rates->filled_steps &&
           (double)m * (double)n >= TILE * rates->filled_waves * device->multiprocessors;
}

/* The index-th cut of k that is weighed (below LAY_CUDA_CUTS); no slices where it is none. */
static shape cut_at(int index, lay_type type, int64_t m, int64_t n, int64_t k, const lay_device *device)
{
    static const int tried[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128 };
    enum { UNITS = 2 };
    static_assert(UNITS * sizeof tried / sizeof tried[0] == LAY_CUDA_CUTS, "each by two units");
    const double most_partial = (double)device->memory / 16;
    shape of = try_cut(type, m, n, k, tried[index / UNITS], index % UNITS);
    if (k > LAY_CUDA_MAX_EXTENT || (of.slices > 1 && fills_by_itself(m, n, k, device)) ||
        (of.slices > 1 && (double)of.slices * (double)m * (double)n * (double)lay_type_size(type) > most_partial))
        of.slices = 0;
    return of;
}

int lay_cuda_cut_at(int index, const lay_problem *problem, const lay_device *device, lay_cuda_sum *out)
{
    const shape of = cut_at(index, problem->types.left, max_of(problem->m.extent, 1), max_of(problem->n.extent, 1),
                            max_of(problem->k.extent, 1), device);
    *out = (lay_cuda_sum){ .slices = of.slices, .slice_k = of.slice_k };
    return of.slices > 0;
}

/* m, n, k >= 1. */
static lay_cuda_sum find_sum(lay_type type, int64_t m, int64_t n, int64_t k, const lay_device *device,
                             const char *wanted)
{
    lay_cuda_sum best = { 0 };
    const ground on = { .device = device, .wanted = wanted };
    double least = 0, wanted_below = INFINITY;
    for (int i = 0; i < LAY_CUDA_CUTS; i++) {
        const shape of = cut_at(i, type, m, n, k, device);
        if (!of.slices)
            continue;
        const double by_slices = of.slices > 1 ? lay_cuda_sliced_at_least(&of, device) : 0;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
            if (row->type != type || (row->follows && !wanted) ||
                (by_slices >= wanted_below && !lay_cuda_is_together(row, of.slices)))
                continue;
            int is_divided;
            const double seconds = cost_both(row, &of, &on, wanted_below, &is_divided);
            const double gain =
                best.slices == 1 && of.slices > 1 ? lay_cuda_slices_gain(row, &of, is_divided, least) : 0;
            if (seconds < 0 || (best.slices && seconds + gain >= least))
                continue;
            least = wanted_below = seconds;
            best =
                (lay_cuda_sum){ row->order, of.slices, of.slice_k, row->order == LAY_CUDA_LANES ? row : NULL, seconds };
        }
    }
    return best;
}

/* A plan asks for the same sum again and again: both ways round, for each executor that might have it. So the thread's
 * last one is kept; it is the same for n x m. */
lay_cuda_sum lay_cuda_sum_choose(lay_type type, int64_t m, int64_t n, int64_t k, const lay_device *device,
                                 const char *wanted)
{
    static _Thread_local struct {
        const lay_device *device; /* NULL at first */
        const char *wanted;
        lay_type type;
        int64_t most, least, k;
        lay_cuda_sum sum;
    } last;
    const int64_t most = max_of(1, max_of(m, n)), least = max_of(1, min_of(m, n));
    k = max_of(k, 1);
    if (last.device != device || last.wanted != wanted || last.type != type || last.most != most ||
        last.least != least || last.k != k) {
        last.sum = find_sum(type, most, least, k, device, wanted);
        last.device = device;
        last.wanted = wanted;
        last.type = type;
        last.most = most;
        last.least = least;
        last.k = k;
    }
    return last.sum;
}

static const char *refuse_order(const lay_cuda_kernel *row, const lay_cuda_sum *sum)
{
    if (sum->kernel && sum->kernel != row)
        return "adds in an order of its own, which sizes alone may choose";
    return row->order != sum->order ? "adds in another order than these sizes have: equal bits rest on it" : NULL;
}

static lay_cuda_contract contract_of(const lay_problem *problem)
{
    return lay_type_is_complex(problem->types.left) ? LAY_CUDA_COMPLEX : LAY_CUDA_STRICT;
}

/* Of a complex product that of the real one, right expanded. */
static shape shape_for(const lay_problem *problem, int64_t m, int64_t n, int64_t k, const lay_cuda_sum *sum)
{
    const int64_t parts = contract_of(problem) == LAY_CUDA_COMPLEX ? 2 : 1;
    return (shape){ lay_type_real(problem->types.left),
                    max_of(m, 1),
                    max_of(n, 1) * parts,
                    max_of(k, 1) * parts,
                    sum->slices,
                    sum->slice_k };
}

static shape shape_of(const lay_problem *problem, const lay_cuda_sum *sum)
{
    return shape_for(problem, problem->m.extent, problem->n.extent, problem->k.extent, sum);
}

/* What a run of this launch takes. */
static void fill(lay_launch *launch, const lay_cuda_kernel *kernel, const shape *of, int64_t first)
{
    launch->kernel = kernel;
    launch->first = (int)first;
    launch->rows = (int)of->m;
    launch->tiles_m = (int)ceil_div(of->m, kernel->bm);
    launch->tiles_n = (int)ceil_div(of->n, kernel->bn);
    launch->counters = lay_cuda_adds_itself(kernel, of->slices)
                           ? ((size_t)launch->tiles_m * (size_t)launch->tiles_n * sizeof(unsigned) + 15) / 16 * 16
                           : 0;
    launch->is_together = lay_cuda_is_together(kernel, of->slices);
    launch->is_shared = lay_cuda_shared_tiles(kernel, of, launch->device) > 0;
    launch->shared = kernel->shared;
    launch->partial =
        of->slices > 1 && !launch->is_together
            ? ((size_t)of->slices * (size_t)of->m * (size_t)of->n * lay_type_size(of->type) + 15) / 16 * 16
            : 0;
    if (launch->is_shared) {
        launch->counters = lay_cuda_shared_counters(kernel, of, launch->device);
        launch->partial = lay_cuda_shared_partial(kernel, of, launch->device);
    }
}

/* Shared memory that makes less than a wave of blocks spread over all multiprocessors. Those of a launch that begins
 * while another ends would fill up the ones that become free first, and leave others without any (bench/LOG.md). */
static int spread(const lay_launch *launch)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    const int64_t blocks = (int64_t)launch->tiles_m * launch->tiles_n * (launch->is_together ? 1 : launch->slices);
    const int64_t each = ceil_div(blocks, launch->device->multiprocessors);
    if (kernel->shared == 0 || each >= kernel->blocks_per_sm)
        return kernel->shared;
    const int64_t room = ((int64_t)launch->device->shared_per_block + LAY_CUDA_BLOCK_SHARED) / each;
    return (int)max_of(kernel->shared, (room - 2 * LAY_CUDA_BLOCK_SHARED) / 128 * 128);
}

/* Why none of the rows that are wanted serves: the last one's reason. */
static const char *refuse_all(const shape *of, const ground *on)
{
    const char *reason =
        on->wanted ? "options.kernel multiplies another type" : "no kernel serves the type, sizes and device";
    lay_cuda_walk walk = lay_cuda_rows(on->contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        if (row->type == of->type && lay_cuda_is_wanted(row, on->wanted) &&
            lay_cuda_refuse(row, of, on->device, on->wanted))
            reason = lay_cuda_refuse(row, of, on->device, on->wanted);
    return reason;
}

static lay_cuda_lie lie_of(const lay_problem *problem, const lay_launch *launch)
{
    return lay_cuda_lie_of(problem, launch->left, launch->right, launch->is_c_vector, launch->down);
}

double lay_launch_choose_by(const lay_problem *problem, const lay_device *device, const char *wanted,
                            const lay_cuda_sum *sum, const lay_cuda_kernel *first_row, int most, lay_launch launch[])
{
    const shape of = shape_of(problem, sum);
    *launch = lay_launch_on(problem, device);
    const lay_cuda_lie lie = lie_of(problem, launch);
    const ground on = { device, wanted, problem, launch, &lie, contract_of(problem) };
    const lay_cuda_kernel *best = NULL, *best_rest = NULL;
    int64_t best_from = 0;
    double least = -1;
    launch->slices = sum->slices;
    launch->slice_k = sum->slice_k;
    lay_cuda_walk walk = lay_cuda_rows(on.contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        const lay_cuda_kernel *rest = NULL;
        int64_t from = 0;
        if (first_row ? row != first_row : most == 1 && !wanted && lay_cuda_is_persistent(row))
            continue; /* one launch of several that run side by side: they fill each other's last waves */
        const double seconds = refuse_order(row, sum) ? -1
                               : most > 1 ? cost_divided(row, &of, &on, best ? least : INFINITY, &rest, &from)
                                          : cost(row, &of, &on);
        if (seconds < 0 || (best && seconds >= least))
            continue;
        least = seconds;
        best = row;
        best_rest = rest;
        best_from = from;
    }
    if (!best)
        return -1;
    shape first = of, second = of;
    if (most > 1) {
        launch[1] = launch[0];
        launch[1].kernel = NULL;
    }
    if (best_rest) {
        first.m = best_from;
        second.m = of.m - best_from;
        fill(&launch[1], best_rest, &second, best_from);
        launch[1].shared = spread(&launch[1]);
    }
    fill(launch, best, &first, 0);
    return least;
}

/* Which settles no sum: it takes the product's. */
static int names_a_complex_row(const char *wanted)
{
    return wanted && !lay_cuda_find_kernel(LAY_CUDA_STRICT, wanted) && lay_cuda_find_kernel(LAY_CUDA_COMPLEX, wanted);
}

/* A part of a product has the whole one's order. */
static lay_cuda_sum sum_of(const lay_problem *problem, const lay_device *device, const char *wanted)
{
    const lay_cuda_sum none = { .slices = 0 };
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    const shape of = shape_for(problem, m, n, k, &none);
    return lay_cuda_sum_choose(of.type, of.m, of.n, of.k, device, names_a_complex_row(wanted) ? NULL : wanted);
}

double lay_launch_choose(const lay_problem *problem, const lay_device *device, const char *wanted, int most,
                         lay_launch launch[], const char **reason)
{
    const lay_cuda_sum sum = sum_of(problem, device, wanted);
    const shape of = shape_of(problem, &sum);
    const ground on = { .device = device, .wanted = wanted, .contract = contract_of(problem) };
    *reason = NULL;
    const double seconds = sum.slices ? lay_launch_choose_by(problem, device, wanted, &sum, NULL, most, launch) : -1;
    if (seconds < 0)
        *reason = refuse_all(&of, &on);
    return seconds;
}

void lay_launch_explain_rows(const lay_problem *problem, const lay_launch *taken, const char *wanted, lay_text *text)
{
    const lay_cuda_sum sum = sum_of(problem, taken->device, wanted);
    const shape of = shape_of(problem, &sum);
    const lay_cuda_lie lie = lie_of(problem, taken);
    const ground on = { taken->device, wanted, problem, taken, &lie, contract_of(problem) };
    lay_cuda_walk walk = lay_cuda_rows(on.contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        const char *refusal = lay_cuda_refuse(row, &of, taken->device, wanted);
        if (!refusal)
            refusal = refuse_order(row, &sum);
        lay_cuda_explain_row(text, row, refusal, row == taken->kernel, refusal ? 0 : cost(row, &of, &on), " alone");
    }
}
