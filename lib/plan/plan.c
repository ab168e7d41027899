/* Planning: refuse what does not fit, cost the rest, keep the cheapest. */
#include "plan/plan.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cuda/device.h"
#include "layout/desc.h"
#include "plan/options.h"
#include "plan/ways.h"

static lay_status own(const lay_desc *desc, lay_desc **copy, lay_reach *reach)
{
    lay_desc_span(desc, &reach->lowest, &reach->highest);
    reach->first = lay_desc_extent(desc, NULL) > 0 ? lay_desc_offset(desc, 2, (const int64_t[]){ 0, 0 }) : 0;
    return lay_desc_permute(desc, (const int[]){ 0, 1 }, copy);
}

static lay_meeting find_meeting(const lay_reach *x, const lay_reach *c, int64_t size)
{
    if (x->highest < x->lowest || c->highest < c->lowest)
        return (lay_meeting){ 0, 0 };
    const int64_t first = (c->lowest - x->highest - 1) * size + 1, last = (c->highest + 1 - x->lowest) * size - 1;
    return (lay_meeting){ (uintptr_t)first, (uintptr_t)(last - first + 1) };
}

lay_place lay_reach_place(const lay_reach *reach, const void *zero, lay_type type, int *device)
{
    return lay_place_find((const char *)zero + reach->first * (int64_t)lay_type_size(type), device);
}

int lay_plan_device(const lay_plan *plan)
{
    return plan->options.device != LAY_DEVICE_AUTO ? plan->options.device : lay_device_current();
}

/* What a caller who names a backend wants to be told of at once. */
static lay_status make_first_way(lay_plan *plan)
{
    lay_places places = lay_places_all(LAY_PLACE_HOST, lay_plan_device(plan));
    const char *reason;
    lay_way *way;
    const int is_device = plan->options.backend == LAY_BACKEND_CUDA || lay_options_names_cuda(&plan->options);
    lay_status status = is_device ? LAY_ERR_UNSUPPORTED : lay_plan_find_way(plan, &places, &way);
    /* Split operands may be for the device alone, rounded ones are. */
    const int asks = plan->options.compute == LAY_COMPUTE_F32_SPLIT || lay_options_round(&plan->options);
    const int may_be_device =
        asks && !plan->options.kernel && plan->options.backend == LAY_BACKEND_AUTO && lay_device_count(&reason) > 0;
    if (is_device || (status == LAY_ERR_UNSUPPORTED && may_be_device)) {
        places.a = places.b = places.c = LAY_PLACE_DEVICE;
        status = lay_plan_find_way(plan, &places, &way);
    }
    return status;
}

lay_status lay_plan_create(lay_type type, const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c,
                           const lay_options *options, lay_plan **out)
{
    lay_options complete;
    lay_choice choice;
    lay_status status;
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    if ((status = lay_options_read(options, &complete)) ||
        (status = lay_machine_choose(complete.threads, complete.isa, &choice)) ||
        (status = lay_problem_check(type, desc_a, desc_b, desc_c)))
        return status;

    lay_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    plan->options = complete;
    plan->choice = choice;
    plan->type = type;
    plan->m = lay_desc_map(desc_c, 0)->extent;
    plan->n = lay_desc_map(desc_c, 1)->extent;
    plan->k = lay_desc_map(desc_a, 1)->extent;
    if ((status = own(desc_a, &plan->a, &plan->reach_a)) || (status = own(desc_b, &plan->b, &plan->reach_b)) ||
        (status = own(desc_c, &plan->c, &plan->reach_c)) || (status = make_first_way(plan))) {
        lay_plan_destroy(plan);
        return status;
    }
    plan->meeting_a = find_meeting(&plan->reach_a, &plan->reach_c, lay_size_of(type));
    plan->meeting_b = find_meeting(&plan->reach_b, &plan->reach_c, lay_size_of(type));
    *out = plan;
    return LAY_OK;
}

/* For operands in the device's memory, those in packed (bit i: lay_operand i) packed. */
static lay_status reserve(lay_plan *plan, int device, unsigned packed)
{
    static const lay_packed any = { .executor = NULL };
    lay_places places = lay_places_all(LAY_PLACE_DEVICE, device);
    lay_way *way;
    places.packed[0] = packed & 1 ? &any : NULL;
    places.packed[1] = packed & 2 ? &any : NULL;
    const lay_status status = lay_plan_find_way(plan, &places, &way);
    if (status != LAY_OK)
        return status;
    return way->job.executor->reserve ? way->job.executor->reserve(way) : LAY_OK;
}

lay_status lay_plan_reserve(lay_plan *plan)
{
    if (!plan)
        return lay_fail(LAY_ERR_ARGUMENT, "plan is NULL");
    const char *reason;
    if (plan->options.backend == LAY_BACKEND_CPU || (plan->options.kernel && !lay_options_names_cuda(&plan->options)))
        return LAY_OK;
    const int device = lay_plan_device(plan);
    if (plan->options.backend == LAY_BACKEND_AUTO && !lay_device_get(device, &reason))
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
    for (const lay_way *way = atomic_load(&plan->ways); way && status == LAY_OK && *path == LAY_PATH_NONE;
         way = way->next)
        if (way->job.executor->find_path)
            status = way->job.executor->find_path(way, path);
        else if (atomic_load(&((lay_way *)way)->own))
            *path = LAY_PATH_STRICT;
    return status;
}

void lay_plan_log(const lay_plan *plan, const lay_way *way, lay_status status, const char *event, double seconds)
{
    if (!lay_log_is_on())
        return;
    lay_log_line("%s,%s,%s,%lld,%lld,%lld,%s,%s,%d,%.9f,%.3f", event, lay_status_name(status),
                 lay_type_name(plan->type), (long long)plan->m, (long long)plan->n, (long long)plan->k,
                 way->job.executor->name, way->job.kernel, way->job.threads, seconds,
                 seconds > 0 ? lay_problem_flops(&way->problem) / seconds * 1e-9 : 0);
}

void lay_plan_destroy(lay_plan *plan)
{
    if (!plan)
        return;
    lay_ways_destroy(atomic_load(&plan->ways));
    lay_desc_destroy(plan->a);
    lay_desc_destroy(plan->b);
    lay_desc_destroy(plan->c);
    free(plan);
}
