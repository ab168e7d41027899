/* Running a plan: special values, overlap, where the operands lie, then the executor of that way. */
#include "base/log.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cuda/place.h"
#include "layout/desc.h"
#include "plan/plan.h"

#include <stdatomic.h>
#include <time.h>

/* Byte ranges as integers: pointers into different blocks may not be compared. */
static int ranges_meet(const lay_reach *x, const void *x_zero, const lay_reach *y, const void *y_zero, int64_t size)
{
    if (x->highest < x->lowest || y->highest < y->lowest)
        return 0;
    const intptr_t x_at = (intptr_t)x_zero, y_at = (intptr_t)y_zero;
    return x_at + x->lowest * size < y_at + (y->highest + 1) * size &&
           y_at + y->lowest * size < x_at + (x->highest + 1) * size;
}

static lay_status check_overlap(const lay_plan *plan, const lay_desc *desc, const lay_reach *reach, const void *data,
                                const char *name, const void *c, _Atomic uintptr_t *known_apart)
{
    const size_t size = lay_type_size(plan->type);
    if (!ranges_meet(reach, data, &plan->reach_c, c, (int64_t)size))
        return LAY_OK;
    const uintptr_t distance = (uintptr_t)data - (uintptr_t)c + 1;
    if (distance != 0 && distance == atomic_load_explicit(known_apart, memory_order_relaxed))
        return LAY_OK;
    const int apart = lay_desc_is_apart(desc, data, plan->c, c, size);
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "C cannot be shown to stay clear of %s, whose elements lie in the same memory",
                        name);
    if (apart < 0)
        return LAY_ERR_MEMORY;
    atomic_store_explicit(known_apart, distance, memory_order_relaxed);
    return LAY_OK;
}

/* Where an operand's elements lie. */
static lay_place find_place(const lay_reach *reach, const void *zero, lay_type type, int *device)
{
    return lay_place_find((const char *)zero + reach->first * (int64_t)lay_type_size(type), device);
}

/* The device of the operands that lie on one; managed memory lies on any. */
static lay_status agree(const lay_plan *plan, int count, const int own[], int *device)
{
    static const char *const name[] = { "C", "A", "B" };
    int first = -1;
    for (int i = 0; i < count; i++) {
        if (own[i] < 0)
            continue;
        if (plan->options.device >= 0 && own[i] != plan->options.device)
            return lay_fail(LAY_ERR_ARGUMENT, "%s lies on device %d, but options.device is %d", name[i], own[i],
                            plan->options.device);
        if (first >= 0 && own[i] != own[first])
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies on device %d, but %s on device %d", name[first], own[first],
                            name[i], own[i]);
        first = i;
    }
    *device = first >= 0 ? own[first] : lay_plan_device(plan);
    return LAY_OK;
}

/* A and B count where they are read, else they are where C is. */
static lay_status find_places(const lay_plan *plan, int has_product, const void *a, const void *b, const void *c,
                              lay_places *places)
{
    static const char *const name[] = { "C", "A", "B" };
    int device[] = { -1, -1, -1 };
    if (!lay_place_may_differ()) {
        const int named = plan->options.device;
        *places = (lay_places){ LAY_PLACE_HOST, LAY_PLACE_HOST, LAY_PLACE_HOST, named >= 0 ? named : 0 };
        return LAY_OK;
    }
    places->c = find_place(&plan->reach_c, c, plan->type, &device[0]);
    places->a = has_product ? find_place(&plan->reach_a, a, plan->type, &device[1]) : places->c;
    places->b = has_product ? find_place(&plan->reach_b, b, plan->type, &device[2]) : places->c;
    const lay_place each[] = { places->c, places->a, places->b };
    for (int i = 0; i < 3; i++)
        if (each[i] == LAY_PLACE_DEVICE && plan->options.backend == LAY_BACKEND_CPU)
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies in device memory, but options.backend is the CPU", name[i]);
    return agree(plan, 3, device, &places->device);
}

static lay_status check_operands(lay_plan *plan, const void *a, const void *b, const void *c)
{
    if (!a || !b)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL, but alpha and k are not 0", !a ? "a" : "b");
    const lay_status status = check_overlap(plan, plan->a, &plan->reach_a, a, "A", c, &plan->apart_a);
    return status ? status : check_overlap(plan, plan->b, &plan->reach_b, b, "B", c, &plan->apart_b);
}

/* *way: who ran it, NULL where there was nothing to run. */
static lay_status run(lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta, void *c,
                      lay_way **way)
{
    lay_places places;
    lay_status status;
    if (plan->m == 0 || plan->n == 0)
        return LAY_OK;
    const int has_product = plan->k > 0 && !lay_scalar_is(alpha, plan->type, 0);
    if (!has_product && lay_scalar_is(beta, plan->type, 1))
        return LAY_OK;
    if (!c)
        return lay_fail(LAY_ERR_ARGUMENT, "c is NULL");
    if ((status = has_product ? check_operands(plan, a, b, c) : LAY_OK) ||
        (status = find_places(plan, has_product, a, b, c, &places)) || (status = lay_plan_find_way(plan, &places, way)))
        return status;
    const int is_turned = (*way)->problem.is_turned;
    const lay_call call = {
        .alpha = alpha, .left = is_turned ? b : a, .right = is_turned ? a : b, .beta = beta, .c = c
    };
    const lay_executor *executor = (*way)->job.executor;
    return has_product ? executor->multiply(*way, &call) : executor->scale(*way, &call);
}

static double now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

lay_status lay_plan_run(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta,
                        void *c)
{
    if (!plan || !alpha || !beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : !alpha ? "alpha" : "beta");
    /* Copies: the caller's may be elements of C, which change on the way. */
    const lay_scalar own_alpha = lay_scalar_read(alpha, plan->type);
    const lay_scalar own_beta = lay_scalar_read(beta, plan->type);
    lay_plan *const remembering = (lay_plan *)plan; /* plans are made in memory that may be written */
    lay_way *way = NULL;
    if (!lay_log_is_on())
        return run(remembering, &own_alpha, a, b, &own_beta, c, &way);
    const double start = now_in_seconds();
    const lay_status status = run(remembering, &own_alpha, a, b, &own_beta, c, &way);
    if (!way)
        way = atomic_load(&plan->ways);
    lay_plan_log(plan, way, status, "run", now_in_seconds() - start);
    return status;
}
