/* lay_plan_layout: layouts that the plan may like, each planned for, and the one whose run is predicted to be shortest.
 */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/ways.h"
#include "layout/desc.h"
#include "plan/branch.h"
#include "plan/packed.h"
#include "plan/plan.h"

enum { LINE = 64 /* bytes */, PAGE = 4096 };
enum { ROWS, COLUMNS, PANELS, CANDIDATES = PANELS + 2 }; /* of a right operand, of a left one */

/* An operand of the plan, as the caller has it. */
typedef struct wish {
    lay_plan *plan;
    lay_operand operand;
    lay_type type;
    int64_t rows, columns;
    lay_place place;
} wish;

/* Lines of so many elements: at multiples of a cache's, but not of a page, where they would meet in the same sets. */
static int64_t find_pitch(const wish *of, int64_t length)
{
    const int64_t unit = LINE / lay_size_of(of->type), pitch = round_up(max_of(length, 1), unit);
    return pitch * lay_size_of(of->type) % PAGE == 0 ? pitch + unit : pitch;
}

static lay_status lay_out_lines(const wish *of, int is_by_rows, lay_desc **out)
{
    const int64_t pitch = find_pitch(of, is_by_rows ? of->columns : of->rows);
    return lay_desc_strided(2, (const int64_t[]){ of->rows, of->columns },
                            (const int64_t[]){ is_by_rows ? pitch : 1, is_by_rows ? 1 : pitch }, out);
}

static const lay_kernel *find_kernel(const char *name)
{
    for (int i = 0; i < lay_kernel_count; i++)
        if (strcmp(lay_kernels[i]->name, name) == 0)
            return lay_kernels[i];
    return NULL;
}

/* Panels of the kernel that the leaf has, as its left or its right operand; *out stays NULL where there are none of the
 * caller's elements. */
static lay_status lay_out_panels(const wish *of, const lay_branch *leaf, int is_right, lay_desc **out)
{
    const lay_kernel *const kernel = find_kernel(leaf->job.kernel);
    if (!kernel || kernel->type != of->type || of->rows == 0 || of->columns == 0)
        return LAY_OK;
    return lay_packed_layout(of->operand, of->type, of->rows, of->columns,
                             (lay_panels){ .kernel = kernel, .is_right = is_right }, out);
}

static lay_status find_route(const wish *of, lay_plan *plan, lay_route **route)
{
    const lay_places places = lay_places_all(of->place, lay_plan_device(plan));
    return lay_plan_find_route(plan, &places, route);
}

/* Predicted seconds of a run with desc in the operand's place. Panels are for the way that would pack them: of others,
 * which read them in place, it promises too much (16 x 4096 x 4096: 8.2 ms, it took 10.4). */
static lay_status predict(const wish *of, const lay_desc *desc, int are_panels, double *seconds)
{
    lay_plan *const plan = of->plan, *other;
    lay_route *route;
    lay_options options = plan->options;
    options.effort = LAY_EFFORT_ESTIMATE;
    lay_asked asked = { .types = plan->types,
                        .a = of->operand == LAY_OPERAND_A ? desc : plan->a,
                        .b = of->operand == LAY_OPERAND_B ? desc : plan->b,
                        .c = plan->c,
                        .addend = plan->addend };
    memcpy(asked.is_conjugated, plan->is_conjugated, sizeof asked.is_conjugated);
    lay_status status = lay_plan_make_asked(plan->table, &asked, &options, &other);
    if (status != LAY_OK)
        return status;
    if ((status = find_route(of, other, &route)) == LAY_OK)
        *seconds =
            are_panels && lay_branch_leaf(route->root)->way != &lay_way_packed ? INFINITY : route->root->job.seconds;
    lay_plan_destroy(other);
    return status;
}

static lay_status make_candidates(const wish *of, lay_desc *candidate[CANDIDATES])
{
    lay_route *route;
    lay_status status = find_route(of, of->plan, &route);
    if (status == LAY_OK && (status = lay_out_lines(of, 1, &candidate[ROWS])) == LAY_OK &&
        (status = lay_out_lines(of, 0, &candidate[COLUMNS])) == LAY_OK &&
        (status = lay_out_panels(of, lay_branch_leaf(route->root), 1, &candidate[PANELS])) == LAY_OK)
        status = lay_out_panels(of, lay_branch_leaf(route->root), 0, &candidate[PANELS + 1]);
    return status;
}

/* What another layout has to gain before it is worth a copy; of lines that begin within a cache's line none has: that
 * costs up to a sixth, and the prediction does not know of it. */
static double find_worth(const wish *of, const lay_desc *own)
{
    int64_t row = 0, column = 0;
    const int has_lines = lay_desc_stride(own, "0", &row) == 1 && lay_desc_stride(own, "1", &column) == 1;
    const int64_t pitch = row == 1 ? column : row;
    return has_lines && pitch * lay_size_of(of->type) % LINE ? 1.005 : 0.99;
}

static lay_status choose(const wish *of, lay_desc **out)
{
    const lay_desc *const own = of->operand == LAY_OPERAND_A ? of->plan->a : of->plan->b;
    lay_desc *candidate[CANDIDATES] = { NULL };
    const lay_desc *best = own;
    double least = 0;
    lay_status status = of->plan->is_empty ? LAY_OK : make_candidates(of, candidate);
    if (status == LAY_OK && !of->plan->is_empty)
        status = predict(of, own, 0, &least);
    least *= find_worth(of, own);
    for (int i = 0; i < CANDIDATES && status == LAY_OK; i++) {
        double seconds;
        if (!candidate[i] || (status = predict(of, candidate[i], i >= PANELS, &seconds)) || seconds >= least)
            continue;
        least = seconds;
        best = candidate[i];
    }
    if (status == LAY_OK)
        status = lay_desc_clone(best, out);
    for (int i = 0; i < CANDIDATES; i++)
        lay_desc_destroy(candidate[i]);
    return status;
}

lay_status lay_plan_layout(const lay_plan *plan, lay_operand operand, lay_memory kind, lay_desc **out)
{
    static const lay_place place[] = { [LAY_MEMORY_HOST] = LAY_PLACE_HOST,
                                       [LAY_MEMORY_PINNED] = LAY_PLACE_PINNED,
                                       [LAY_MEMORY_DEVICE] = LAY_PLACE_DEVICE };
    if (!plan || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : "out");
    if (operand != LAY_OPERAND_A && operand != LAY_OPERAND_B)
        return lay_fail(LAY_ERR_OPTION, "%d is no lay_operand", (int)operand);
    if ((unsigned)kind > LAY_MEMORY_DEVICE)
        return lay_fail(LAY_ERR_OPTION, "%d is no lay_memory", (int)kind);
    const int is_a = operand == LAY_OPERAND_A;
    if (lay_operand_batch(is_a ? plan->a : plan->b))
        return lay_fail(LAY_ERR_UNSUPPORTED, "%s has rank 3: a layout is found for matrices", is_a ? "A" : "B");
    if (plan->contraction)
        return lay_fail(LAY_ERR_UNSUPPORTED, "the plan is of a contraction: a layout is found for matrices");
    const wish of = { .plan = (lay_plan *)plan, /* plans are made in memory that may be written */
                      .operand = operand,
                      .type = is_a ? plan->types.left : plan->types.right,
                      .rows = is_a ? plan->m : plan->k,
                      .columns = is_a ? plan->k : plan->n,
                      .place = place[kind] };
    return choose(&of, out);
}
