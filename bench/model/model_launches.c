/* What might have been taken on a device: launches of each row by each sum that the planner weighs, images, and the
 * rows of the matrix units. */
#include <math.h>
#include <stdlib.h>

#include "cuda/launch/executor.h"
#include "cuda/launch/launch.h"
#include "cuda/ways.h"
#include "cuda_kernel.h"
#include "device/device.h"
#include "model_place.h"
#include "plan/branch.h"
#include "plan/routes.h"
#include "rewrite/image.h"

/* Predicted at so many times the time of the way taken, and more, it is not tried. */
static const double hopeless = 4;

/* A launch that might have been. */
typedef struct candidate {
    lay_cuda_sum sum;
    const lay_cuda_kernel *row; /* the first launch's */
    int most, is_swapped, is_other_sum;
    double seconds; /* predicted */
} candidate;

enum { CANDIDATES = 512, ORDERS = 2 };
typedef struct candidates {
    const lay_device *device;
    lay_cuda_sum own;       /* the sum of the way taken */
    lay_problem problem[2]; /* as it is and transposed */
    double limit;
    candidate list[CANDIDATES];
    int count;
} candidates;

static int is_same_sum(const lay_cuda_sum *x, const lay_cuda_sum *y)
{
    return x->order == y->order && x->slices == y->slices && x->slice_k == y->slice_k && x->kernel == y->kernel;
}

/* One row for this sum, in one launch or in two. 0 where it does not serve, or is hopeless. */
static int weigh(const candidates *of, candidate *one)
{
    lay_launch launch[2] = { { .kernel = NULL }, { .kernel = NULL } };
    one->seconds =
        lay_launch_choose_by(&of->problem[one->is_swapped], of->device, NULL, &one->sum, one->row, one->most, launch);
    return one->seconds >= 0 && one->seconds <= of->limit && (one->most == 1 || launch[1].kernel);
}

static void keep(candidates *to, const candidate *one)
{
    if (to->count < CANDIDATES)
        to->list[to->count++] = *one;
}

/* All rows by one sum: each, where the bits are those of the way taken; else the best two of an order. */
static void add_sum(candidates *to, const lay_cuda_sum *cut, lay_cuda_order order)
{
    candidate best[2] = { { .seconds = INFINITY }, { .seconds = INFINITY } };
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        for (int form = 0; form < 4; form++) {
            candidate one = { .sum = *cut, .row = row, .most = 1 + form / 2, .is_swapped = form % 2 };
            one.sum.order = order;
            one.sum.kernel = order == LAY_CUDA_LANES ? row : NULL;
            one.is_other_sum = !is_same_sum(&one.sum, &to->own);
            if (row->type != to->problem[0].types.left || row->order != order || !weigh(to, &one))
                continue;
            if (!one.is_other_sum)
                keep(to, &one);
            else if (one.seconds < best[0].seconds)
                best[1] = best[0], best[0] = one;
            else if (one.seconds < best[1].seconds)
                best[1] = one;
        }
    for (int i = 0; i < 2 && isfinite(best[i].seconds); i++)
        keep(to, &best[i]);
}

static int compare(const void *x, const void *y)
{
    const candidate *const a = x, *const b = y;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* As many as can be timed in a while: each runs some five times before it is given up. */
static int count_tried(double seconds)
{
    enum { LEAST = 24, MOST = 150, RUNS = 5 };
    static const double a_while = 0.3;
    const double count = a_while / (RUNS * seconds);
    return count > MOST ? MOST : count < LEAST ? LEAST : (int)count;
}

/* The candidates as ways, by what is predicted. */
static void make_launches(model_choice *to, candidates *of)
{
    const int most = to->count + count_tried(to->way[0].branch->job.seconds);
    qsort(of->list, (size_t)of->count, sizeof *of->list, compare);
    for (int i = 0; i < of->count && to->count < most; i++) {
        const candidate *const one = &of->list[i];
        const model_form in = { &lay_way_launch, NULL, NULL, 1, one->is_swapped, LAY_BENCH_EVERY_WAY };
        model_way *const made = model_make(to, &in);
        if (!made)
            return;
        made->is_other_sum = one->is_other_sum;
        if (lay_launch_prepare_by(made->branch, &one->sum, one->row, one->most))
            model_keep(to, made, NULL);
        else
            lay_branch_destroy(made->branch);
    }
}

static void add_launches(model_choice *to)
{
    static lay_desc *const none[2];
    const lay_branch *const taken = to->way[0].branch;
    const lay_places places = to->place->places();
    const char *reason;
    lay_setting setting;
    candidates *const of = calloc(1, sizeof *of);
    if (!of || !(of->device = lay_device_get(taken->setting.device, &reason))) {
        free(of);
        return;
    }
    lay_route_pose(to->plan, &places, none, &of->problem[0], &setting);
    lay_problem_transpose(&of->problem[0], &of->problem[1]);
    const lay_problem *const problem = &of->problem[0];
    of->own = lay_cuda_sum_choose(problem->types.left, problem->m.extent, problem->n.extent, problem->k.extent,
                                  of->device, NULL);
    of->limit = hopeless * taken->job.seconds;
    for (int i = 0; i < LAY_CUDA_CUTS; i++) {
        lay_cuda_sum cut;
        if (!lay_cuda_cut_at(i, problem, of->device, &cut))
            continue;
        add_sum(of, &cut, LAY_CUDA_CHAIN);
        add_sum(of, &cut, LAY_CUDA_LANES);
    }
    make_launches(to, of);
    free(of);
}

static void add(model_choice *to, const model_form *in)
{
    model_way *const made = model_make(to, in);
    if (made && made->branch->job.seconds <= hopeless * to->way[0].branch->job.seconds)
        model_keep(to, made, NULL);
    else if (made)
        lay_branch_destroy(made->branch);
}

/* Of each set of operands, either way. */
static void add_images(model_choice *to)
{
    enum { SETS = 2 * LAY_IMAGE_AS_IT_LIES };
    for (unsigned set = 1; set < SETS; set++)
        if (set != LAY_IMAGE_AS_IT_LIES)
            add(to, &(model_form){ &lay_way_device_image, NULL, NULL, 1, 0, set * LAY_BENCH_IMAGES });
}

/* Slices of a split product hang on the row that is named. */
static int has_other_slices(const lay_branch *x, const lay_branch *y)
{
    const lay_launch *const one = lay_branch_leaf(x)->job.data, *const other = lay_branch_leaf(y)->job.data;
    return one->slices != other->slices || one->slice_k != other->slice_k;
}

/* A way of the matrix units by the name of each row, both ways round. */
static void add_rows(model_choice *to, const lay_way *way, lay_cuda_contract contract)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
            const model_form in = { way, NULL, row->name, 1, is_swapped, LAY_BENCH_EVERY_WAY };
            model_way *const made = model_make(to, &in);
            if (!made)
                continue;
            made->is_other_sum = contract == LAY_CUDA_SPLIT && has_other_slices(to->way[0].branch, made->branch);
            model_keep(to, made, NULL);
        }
}

void model_add_on_device(model_choice *to)
{
    const lay_order *const order = to->way[0].branch->setting.order;
    if (order == &lay_order_device) {
        add_images(to);
        add_launches(to);
    }
    if (order == &lay_order_device_split)
        add_rows(to, &lay_way_device_split, LAY_CUDA_SPLIT);
    if (order == &lay_order_device_narrow)
        add_rows(to, &lay_way_device_narrow, LAY_CUDA_NARROW);
}

void model_name_on_device(const lay_branch *branch, lay_text *text)
{
    (void)branch;
    (void)text;
}

/* "gemm_f32_128x64x8_simt 4 x 512 + gemm_f32_64x64x8_simt from 896": its slices, and the second launch. */
void model_name_launch(const lay_branch *branch, lay_text *text)
{
    const lay_branch *const leaf = lay_branch_leaf(branch);
    lay_text_add(text, "%s", leaf->job.kernel);
    if (leaf->way != &lay_way_launch)
        return;
    const lay_launch *const launch = leaf->job.data;
    if (launch->slices > 1)
        lay_text_add(text, " %d x %d", launch->slices, launch->slice_k);
    if (launch[1].kernel)
        lay_text_add(text, " + %s from %d", launch[1].kernel->name, launch[1].first);
}
