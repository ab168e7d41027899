/* A batch whose index lies innermost, in chunks of products: those of a chunk are transposed into images that stay in
 * the second cache, a matrix each, are multiplied there one after the other, and C is transposed back. */
#include "rewrite/chunks.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/digits.h"
#include "cpu/lanes/lanes.h"
#include "cpu/ways.h"
#include "layout/build.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "rewrite/ways.h"
#include "threads/workspace.h"

static const lay_mode *innermost(const lay_chunks *own)
{
    return &own->batch.mode[own->batch.count - 1];
}

static const char *refuse(const lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const int64_t size = lay_size_of(problem->types.result);
    if (branch->setting.inside)
        return "is part of another way's work";
    if (problem->posed.is_m_in_order || problem->posed.is_n_in_order)
        return "an operand is packed";
    if (problem->is_transposed || problem->sum.has_partial_sums)
        return "a product with a vector reads its matrix once";
    if (size != 4 && size != 8)
        return "elements of other sizes than 4 and 8 bytes are not transposed";
    if (!problem->batch.is_plain)
        return "radices do not divide: the batch's index has no strides";
    if (lay_problem_flops(problem) < lay_rates_get()->chunk_flops)
        return "copies take longer than so small a product";
    return NULL;
}

/* Which operands become images: products of theirs lie side by side. 0: none. */
static int find_sides(const lay_problem *problem, lay_chunks *own)
{
    int turned = 0;
    own->batch = problem->batch;
    lay_group_order_by(&own->batch, LAY_RESULT);
    if (own->batch.count == 0)
        return 0;
    for (int x = 0; x < LAY_OPERANDS; x++)
        turned += own->side[x].is_turned = innermost(own)->stride[x] == 1;
    own->runs = own->batch.extent / innermost(own)->extent;
    return turned > 0;
}

/* Where the caller's elements lie, and how an image has them: what is near there is near in the image, too. */
static const char *describe_image(const lay_desc *of, int64_t size, lay_chunk_side *side)
{
    const lay_node *const rows = lay_operand_map(of, 0), *const columns = lay_operand_map(of, 1);
    const int64_t unit = LAY_LINE / size, m = rows->extent, n = columns->extent;
    const int64_t down = m > 1 ? llabs(lay_map_offset(rows, 1) - lay_map_offset(rows, 0)) : INT64_MAX;
    const int64_t on = n > 1 ? llabs(lay_map_offset(columns, 1) - lay_map_offset(columns, 0)) : INT64_MAX;
    side->is_by_columns = down < on;
    side->near = side->is_by_columns ? m : n;
    side->far = side->is_by_columns ? n : m;
    side->plane = (ceil_div(m * n, unit) | 1) * unit; /* an odd number of lines: images' sets differ */
    side->offset = malloc((size_t)(m + n) * sizeof *side->offset);
    if (!side->offset)
        return lay_no_memory;
    lay_map_offsets(side->is_by_columns ? rows : columns, 0, side->near, side->offset);
    lay_map_offsets(side->is_by_columns ? columns : rows, 0, side->far, side->offset + side->near);
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    const lay_dim dims[2] = {
        { lay_shape_leaf(&arena, m), lay_func_leaf(&arena, m, 0, side->is_by_columns ? 1 : n) },
        { lay_shape_leaf(&arena, n), lay_func_leaf(&arena, n, 0, side->is_by_columns ? m : 1) },
    };
    return lay_desc_finish(&arena, 2, dims, &side->desc) == LAY_OK ? NULL : lay_no_memory;
}

/* One product of an operand that is taken as it lies. */
static const char *describe_matrix(const lay_desc *of, lay_chunk_side *side)
{
    lay_arena arena;
    if (!lay_operand_batch(of))
        return NULL;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    const lay_dim dims[2] = { lay_dim_load(&arena, of, 1), lay_dim_load(&arena, of, 2) };
    return lay_desc_finish(&arena, 2, dims, &side->desc) == LAY_OK ? NULL : lay_no_memory;
}

static const char *describe(const lay_posed *posed, lay_chunks *own)
{
    const char *reason = NULL;
    for (int x = 0; x < LAY_OPERANDS && !reason; x++) {
        const lay_desc *const of = lay_posed_operand(posed, x);
        reason =
            own->side[x].is_turned ? describe_image(of, own->size, &own->side[x]) : describe_matrix(of, &own->side[x]);
    }
    return reason;
}

/* Products of a chunk: as many as the second cache has room for, in whole lines, and each thread a share of them. */
static void choose_width(lay_chunks *own, const lay_machine *machine, int threads)
{
    const lay_rates *rates = lay_rates_get();
    const int64_t unit = LAY_LINE / own->size, all = innermost(own)->extent;
    int64_t bytes = 0;
    for (int x = 0; x < LAY_OPERANDS; x++)
        bytes += own->side[x].is_turned ? own->side[x].plane * own->size : 0;
    const int64_t room = (int64_t)(rates->chunk_share * (double)machine->l2) / bytes / unit * unit;
    own->width = min_of(all, max_of(unit, min_of((int64_t)rates->chunk_most, room)));
    if (own->runs * ceil_div(all, own->width) < threads)
        own->width = min_of(own->width, ceil_div(all, ceil_div((int64_t)threads, own->runs)));
    own->count = ceil_div(all, own->width);
    own->shares = min_of(own->runs * own->count, threads);
}

/* The product of one index. */
static const char *find_child(lay_branch *branch, lay_chunks *own)
{
    const char *refusal = lay_no_memory;
    lay_problem *const one = malloc(sizeof *one); /* large: callers' stacks may be small */
    lay_setting setting = branch->setting;
    lay_posed posed = branch->problem.posed;
    const lay_desc **const of[LAY_OPERANDS] = { &posed.a, &posed.b, &posed.c };
    for (int x = 0; x < LAY_OPERANDS; x++)
        if (own->side[x].desc)
            *of[x] = own->side[x].desc;
    setting.threads = 1;
    setting.inside |= LAY_INSIDE_IMAGE;
    setting.limit = setting.limit * (double)own->shares / (double)branch->problem.batch.extent;
    if (one) {
        lay_problem_pose(&posed, one);
        branch->child = lay_branch_find(one, &setting, &refusal, NULL);
    }
    free(one);
    return branch->child ? NULL : refusal;
}

/* Seconds until an operand's lines have come, of one chunk after the other: the elements of all its products in the
 * order of its images. */
static double visit(const lay_branch *branch, const lay_chunks *own, int operand, const lay_machine *machine)
{
    const lay_problem *problem = &branch->problem;
    const lay_axis *const axes[LAY_OPERANDS][2] = { { &problem->left_m, &problem->left_k },
                                                    { &problem->right_k, &problem->right_n },
                                                    { &problem->result_m, &problem->result_n } };
    const lay_chunk_side *side = &own->side[operand];
    lay_cost_digits near = lay_cost_digits_of(axes[operand][!side->is_by_columns]);
    lay_cost_digits far = lay_cost_digits_of(axes[operand][side->is_by_columns]);
    lay_visits of = { .begins_anywhere = 1 };
    lay_visits_add(&of, (double)own->width, own->size);
    lay_cost_visit(&of, &near, INFINITY, own->size);
    lay_cost_visit(&of, &far, INFINITY, own->size);
    lay_visits_add(&of, (double)own->count, own->width * own->size);
    for (int d = own->batch.count - 2; d >= 0; d--)
        lay_visits_add(&of, (double)own->batch.mode[d].extent, own->batch.mode[d].stride[operand] * own->size);
    return lay_visits_predict(&of, machine);
}

static double predict(const lay_branch *branch, const lay_chunks *own)
{
    const lay_rates *rates = lay_rates_get();
    const lay_machine *machine = lay_machine_get();
    const double products = (double)branch->problem.batch.extent, size = (double)own->size;
    double bytes = 0, turned = 0, images = 0, visits = 0;
    for (int x = 0; x < LAY_OPERANDS; x++) {
        const lay_chunk_side *side = &own->side[x];
        if (!side->is_turned)
            continue;
        const double elements = (double)side->near * (double)side->far * products;
        bytes += elements * size * (x == LAY_RESULT ? 2 : 1);
        turned += elements * size;
        visits += visit(branch, own, x, machine) * (x == LAY_RESULT ? 2 : 1);
        images += (double)side->plane * size;
    }
    const double from = bytes <= (double)machine->l2                        ? rates->from_l2
                        : turned <= rates->lanes_kept * (double)machine->l3 ? rates->from_l3
                                                                            : rates->from_memory;
    const double near = images * (double)own->width <= (double)machine->l2 ? rates->from_l2 : rates->from_l3;
    const double alone = products * branch->child->job.seconds + (turned * rates->chunk_turned + turned / near) * 1e-9 +
                         fmax(bytes / from * 1e-9, visits);
    const double tasks = (double)(own->runs * own->count);
    return alone * ceil(tasks / (double)own->shares) / tasks + (own->shares > 1 ? rates->wake * 1e-9 : 0);
}

static const char *prepare(lay_branch *branch)
{
    lay_chunks *const own = branch->job.data;
    const lay_problem *problem = &branch->problem;
    const char *reason = refuse(branch);
    if (reason)
        return reason;
    if (!find_sides(problem, own))
        return "products do not lie side by side";
    own->size = lay_size_of(problem->types.result);
    own->row = lay_lanes_find(own->size == 4 ? LAY_F32 : LAY_F64, branch->setting.choice); /* bits are kept */
    if (!own->row)
        return "no kernel transposes";
    if ((reason = describe(&problem->posed, own)))
        return reason;
    choose_width(own, lay_machine_get(), branch->setting.threads);
    for (int x = 0; x < LAY_OPERANDS; x++)
        if (own->side[x].is_turned) {
            own->side[x].at = own->images;
            own->images += (size_t)(own->width * own->side[x].plane * own->size);
        }
    if ((reason = find_child(branch, own)))
        return reason;
    own->share = lay_workspace_part(own->images + branch->child->job.workspace);
    branch->job.kernel = branch->child->job.kernel;
    branch->job.threads = (int)own->shares;
    branch->job.seconds = predict(branch, own);
    branch->job.workspace = own->share * (size_t)own->shares;
    return NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_chunks *own = branch->job.data;
    char names[LAY_OPERANDS + 1] = "";
    int count = 0;
    for (int x = 0; x < LAY_OPERANDS; x++)
        if (own->side[x].is_turned)
            names[count++] = "ABC"[x];
    lay_text_add(text,
                 "chunks    %lld runs of %lld products side by side, %lld of them at a time; images of %s,\n"
                 "          %zu bytes; %lld threads share %lld chunks\n",
                 (long long)own->runs, (long long)innermost(own)->extent, (long long)own->width, names, own->images,
                 (long long)own->shares, (long long)(own->runs * own->count));
}

static void release(lay_branch *branch)
{
    lay_chunks *own = branch->job.data;
    for (int x = 0; x < LAY_OPERANDS; x++) {
        lay_desc_destroy(own->side[x].desc);
        free(own->side[x].offset);
    }
}

const lay_way lay_way_chunks = {
    .name = "chunks",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_BATCH | LAY_TAKES_COMPLEX,
    .only = LAY_TAKES_BATCH,
    .data = sizeof(lay_chunks),
    .prepare = prepare,
    .run = lay_chunks_run,
    .scale = lay_lanes_scale,
    .explain = explain,
    .release = release,
};
