/* Planning: refuse what does not fit, cost the rest, keep the cheapest. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/scalar.h"
#include "base/status.h"
#include "device/device.h"
#include "layout/desc.h"
#include "plan/branch.h"
#include "plan/options.h"
#include "plan/routes.h"
#include "plan/tuning/file.h"

static lay_status own(const lay_desc *desc, lay_type type, lay_desc **copy, lay_reach *reach)
{
    lay_desc_span(desc, &reach->lowest, &reach->highest);
    reach->first = lay_desc_extent(desc, NULL) > 0 ? lay_desc_offset(desc, 1, &(int64_t){ 0 }) * lay_size_of(type) : 0;
    return lay_desc_permute(desc, (const int[]){ 0, 1, 2 }, copy);
}

static lay_meeting find_meeting(const lay_reach *x, int64_t x_size, const lay_reach *c, int64_t c_size)
{
    if (x->highest < x->lowest || c->highest < c->lowest)
        return (lay_meeting){ 0, 0 };
    const int64_t first = c->lowest * c_size - (x->highest + 1) * x_size + 1;
    const int64_t last = (c->highest + 1) * c_size - x->lowest * x_size - 1;
    return (lay_meeting){ (uintptr_t)first, (uintptr_t)(last - first + 1) };
}

lay_place lay_reach_place(const lay_reach *reach, const void *zero, int *device)
{
    return lay_place_find((const char *)zero + reach->first, device);
}

int lay_plan_device(const lay_plan *plan)
{
    return plan->options.device != LAY_DEVICE_AUTO ? plan->options.device : lay_device_current();
}

static int names_cuda(const lay_plan *plan)
{
    return plan->named && plan->named->backend == LAY_BACKEND_CUDA;
}

/* What a caller who names a backend wants to be told of at once. */
static lay_status make_first_route(lay_plan *plan)
{
    lay_places places = lay_places_all(LAY_PLACE_HOST, lay_plan_device(plan));
    const char *reason;
    lay_route *route;
    const int is_device = plan->options.backend == LAY_BACKEND_CUDA || names_cuda(plan);
    lay_status status = lay_options_check_device(&plan->options, plan->named);
    if (status != LAY_OK)
        return status;
    status = is_device ? LAY_ERR_UNSUPPORTED : lay_plan_find_route(plan, &places, &route);
    /* Split operands may be for the device alone, rounded ones are. */
    const int asks = plan->options.compute == LAY_COMPUTE_F32_SPLIT || lay_compute_rounds(plan->options.compute);
    const int may_be_device =
        asks && !plan->options.kernel && plan->options.backend == LAY_BACKEND_AUTO && lay_device_count(&reason) > 0;
    if (is_device || (status == LAY_ERR_UNSUPPORTED && may_be_device)) {
        places.a = places.b = places.c = LAY_PLACE_DEVICE;
        status = lay_plan_find_route(plan, &places, &route);
    }
    return status;
}

/* C's extents are D's. */
static lay_status check_addend(const lay_asked *asked)
{
    lay_status status = asked->addend ? lay_desc_refuse_places(asked->addend, "C") : LAY_OK;
    if (status == LAY_OK && asked->addend)
        status = lay_problem_check_bytes(asked->types.addend, asked->addend, "C");
    const int rank = lay_desc_rank(asked->c);
    if (status == LAY_OK && asked->addend && lay_desc_rank(asked->addend) != rank)
        return lay_fail(LAY_ERR_RANK, "C has rank %d but D has rank %d", lay_desc_rank(asked->addend), rank);
    for (int i = 0; i < rank && asked->addend && status == LAY_OK; i++)
        if (lay_desc_map(asked->addend, i)->extent != lay_desc_map(asked->c, i)->extent)
            status = lay_fail(LAY_ERR_SHAPE, "C and D have other extents");
    return status;
}

static int *copy_devices(const lay_options *options)
{
    const size_t bytes = (size_t)options->device_count * sizeof *options->devices;
    int *const copy = malloc(bytes);
    return copy ? memcpy(copy, options->devices, bytes) : NULL;
}

/* The plan's own copies. */
static lay_status own_all(lay_plan *plan, const lay_asked *asked)
{
    lay_status status;
    if ((status = own(asked->a, plan->types.left, &plan->a, &plan->reach_a)) ||
        (status = own(asked->b, plan->types.right, &plan->b, &plan->reach_b)) ||
        (status = own(asked->c, plan->types.result, &plan->c, &plan->reach_c)))
        return status;
    lay_reach reach;
    if (asked->end && !(plan->end = lay_end_clone(asked->end)))
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    return asked->addend ? own(asked->addend, plan->types.addend, &plan->addend, &reach) : LAY_OK;
}

lay_status lay_plan_make_asked(const lay_table *table, const lay_asked *asked, const lay_options *options,
                               lay_plan **out)
{
    const lay_order *named;
    lay_options complete;
    lay_choice choice;
    lay_status status;
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    if ((status = lay_options_read(options, table, &complete, &named)) ||
        (status = lay_machine_choose(complete.threads, complete.isa, &choice)) || (status = lay_tuning_check(table)) ||
        (status = lay_problem_check(&asked->types, asked->a, asked->b, asked->c, asked->addend ? "D" : "C")) ||
        (status = check_addend(asked)))
        return status;

    lay_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    plan->table = table;
    plan->tuning = lay_store_generation();
    plan->may_measure = complete.effort == LAY_EFFORT_MEASURE;
    plan->options = complete;
    plan->options.skip = complete.skip ? strdup(complete.skip) : NULL; /* the plan's own, and so are devices */
    plan->options.devices = complete.devices ? copy_devices(&complete) : NULL;
    plan->named = named;
    plan->choice = choice;
    plan->types = asked->types;
    const lay_type type[] = { plan->types.left, plan->types.right, plan->types.addend };
    for (int i = 0; i < 3; i++)
        plan->is_conjugated[i] = asked->is_conjugated[i] && lay_type_is_complex(type[i]);
    plan->m = lay_operand_map(asked->c, 0)->extent;
    plan->n = lay_operand_map(asked->c, 1)->extent;
    plan->k = lay_operand_map(asked->a, 1)->extent;
    plan->whole[0] = asked->whole[0];
    plan->whole[1] = asked->whole[1];
    plan->whole[2] = asked->whole[2];
    plan->is_empty = lay_desc_extent(asked->c, NULL) == 0;
    if ((complete.skip && !plan->options.skip) || (complete.devices && !plan->options.devices))
        status = lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    if (status != LAY_OK || (status = own_all(plan, asked)) || (status = make_first_route(plan))) {
        lay_plan_destroy(plan);
        return status;
    }
    plan->may_measure = 0;
    const int64_t c_size = lay_size_of(plan->types.result);
    plan->meeting_a = find_meeting(&plan->reach_a, lay_size_of(plan->types.left), &plan->reach_c, c_size);
    plan->meeting_b = find_meeting(&plan->reach_b, lay_size_of(plan->types.right), &plan->reach_c, c_size);
    *out = plan;
    return LAY_OK;
}

lay_status lay_plan_make(const lay_table *table, lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                         const lay_desc *desc_c, const lay_options *options, lay_plan **out)
{
    const lay_asked asked = { .types = lay_types_of(type), .a = desc_a, .b = desc_b, .c = desc_c };
    return lay_plan_make_asked(table, &asked, options, out);
}

/* For operands in the device's memory, those in packed (bit i: lay_operand i) packed. */
static lay_status reserve(lay_plan *plan, int device, unsigned packed)
{
    static const lay_packed any = { .order = NULL };
    lay_places places = lay_places_all(LAY_PLACE_DEVICE, device);
    lay_route *route;
    places.packed[0] = packed & 1 ? &any : NULL;
    places.packed[1] = packed & 2 ? &any : NULL;
    const lay_status status = lay_plan_find_route(plan, &places, &route);
    return status == LAY_OK ? lay_branch_reserve(route->root) : status;
}

/* Whether no order of a device takes operands there: then the plan is the CPU's. */
static int is_the_cpus(lay_plan *plan)
{
    const lay_places places = lay_places_all(LAY_PLACE_DEVICE, lay_plan_device(plan));
    const char *refusal;
    return !lay_plan_try_route(plan, &places, &refusal, NULL) && refusal != lay_no_memory;
}

lay_status lay_plan_reserve(lay_plan *plan)
{
    if (!plan)
        return lay_fail(LAY_ERR_ARGUMENT, "plan is NULL");
    const char *reason;
    if (plan->options.backend == LAY_BACKEND_CPU || (plan->named && !names_cuda(plan)))
        return LAY_OK;
    const int device = lay_plan_device(plan);
    if (plan->options.backend == LAY_BACKEND_AUTO && !lay_device_get(device, &reason))
        return LAY_OK;
    if (plan->options.backend == LAY_BACKEND_AUTO && is_the_cpus(plan))
        return LAY_OK;
    const unsigned packed = atomic_load(&plan->packed);
    lay_status status = LAY_OK;
    for (unsigned some = 0; some <= 3 && status == LAY_OK; some++)
        if ((some & packed) == some)
            status = reserve(plan, device, some);
    return status;
}

lay_status lay_plan_path(const lay_plan *plan, lay_path *path)
{
    if (!plan || !path)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : "path");
    lay_status status = LAY_OK;
    *path = LAY_PATH_NONE;
    const lay_route *route = atomic_load(&plan->last_run);
    if (route) {
        const lay_branch *leaf = lay_branch_leaf(route->root);
        *path = LAY_PATH_STRICT;
        if (leaf->way->find_path)
            status = leaf->way->find_path(leaf, path);
    }
    return status;
}

/* That of the last run, if its path is found without waiting. */
static const lay_branch *find_sender(const lay_plan *plan)
{
    const lay_route *const route = atomic_load(&plan->last_run);
    const lay_branch *const leaf = route ? lay_branch_leaf(route->root) : NULL;
    return leaf && leaf->way->send_path ? leaf : NULL;
}

lay_status lay_plan_send_path(const lay_plan *plan, unsigned *to)
{
    const lay_branch *const leaf = find_sender(plan);
    return leaf ? leaf->way->send_path(leaf, to) : LAY_OK;
}

lay_status lay_plan_read_path(const lay_plan *plan, unsigned sent, lay_path *path)
{
    const lay_branch *const leaf = find_sender(plan);
    if (!leaf)
        return lay_plan_path(plan, path);
    *path = leaf->way->read_path(sent);
    return LAY_OK;
}

static void destroy_contraction(lay_contraction *of)
{
    if (!of)
        return;
    free(of->text);
    lay_desc_destroy(of->other[0]);
    lay_desc_destroy(of->other[1]);
    free(of);
}

void lay_plan_destroy(lay_plan *plan)
{
    if (!plan)
        return;
    lay_routes_destroy(atomic_load(&plan->routes));
    lay_desc_destroy(plan->a);
    lay_desc_destroy(plan->b);
    lay_desc_destroy(plan->c);
    lay_desc_destroy(plan->addend);
    lay_end_destroy(plan->end);
    destroy_contraction(plan->contraction);
    free((void *)(uintptr_t)plan->options.skip); /* made by strdup */
    free((void *)(uintptr_t)plan->options.devices);
    free(plan);
}
