/* Running a plan: special values, overlap, where the operands lie, then the route for those places. */
#include "run.h"
#include "base/log.h"
#include "base/ranges.h"
#include "base/scalar.h"
#include "base/status.h"
#include "device/place.h"
#include "layout/desc.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "threads/parallel.h"

#include <stdatomic.h>
#include <time.h>

/* Whether bytes meet, as integers: pointers into different blocks may not be compared. */
static inline int operands_meet(const lay_meeting *meeting, const void *x_zero, const void *c_zero)
{
    return (uintptr_t)x_zero - (uintptr_t)c_zero - meeting->first < meeting->count;
}

/* Whether elements at data stay clear of what is written at c: 1, 0 where that cannot be shown, -1 without memory. A
 * distance that was found clear is kept in known_apart. */
static __attribute__((noinline)) int are_apart(const lay_plan *plan, lay_type type, const lay_desc *desc,
                                               const void *data, const void *c, _Atomic uintptr_t *known_apart)
{
    const uintptr_t distance = (uintptr_t)data - (uintptr_t)c + 1;
    if (distance != 0 && distance == atomic_load_explicit(known_apart, memory_order_relaxed))
        return 1;
    const int apart =
        lay_desc_is_clear(desc, data, (size_t)lay_size_of(type), plan->c, c, (size_t)lay_size_of(plan->types.result));
    if (apart == 1)
        atomic_store_explicit(known_apart, distance, memory_order_relaxed);
    return apart;
}

/* Of ranges that meet. */
static lay_status check_overlap(const lay_plan *plan, lay_type type, const lay_desc *desc, const void *data,
                                const char *name, const void *c, _Atomic uintptr_t *known_apart)
{
    const int apart = are_apart(plan, type, desc, data, c, known_apart);
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP,
                        "%c cannot be shown to stay clear of %s, whose elements lie in the same memory",
                        plan->addend ? 'D' : 'C', name);
    return apart < 0 ? LAY_ERR_MEMORY : LAY_OK;
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
            return lay_fail(LAY_ERR_ARGUMENT, "%s lies on device %d, but options.device%s %d", name[i], own[i],
                            plan->options.device_count ? "s begins with" : " is", plan->options.device);
        if (first >= 0 && own[i] != own[first])
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies on device %d, but %s on device %d", name[first], own[first],
                            name[i], own[i]);
        first = i;
    }
    *device = first >= 0 ? own[first] : lay_plan_device(plan);
    return LAY_OK;
}

static lay_place find_place(const lay_reach *reach, const lay_given *operand, int *device)
{
    if (!operand->packed)
        return lay_reach_place(reach, operand->data, device);
    *device = operand->packed->place == LAY_PLACE_DEVICE ? operand->packed->device : -1;
    return operand->packed->place;
}

/* A and B count where they are read, else they are where C is. */
static lay_status find_places(const lay_plan *plan, int has_product, const lay_asked_run *of, lay_places *places)
{
    const lay_given *operand = of->operand;
    const void *c = of->c;
    static const char *const name[] = { "C", "A", "B" };
    int device[] = { -1, -1, -1 };
    *places = lay_places_all(LAY_PLACE_HOST, plan->options.device >= 0 ? plan->options.device : 0);
    if (has_product) {
        places->packed[0] = operand[0].packed;
        places->packed[1] = operand[1].packed;
    }
    if (!lay_place_may_differ())
        return LAY_OK;
    places->c = lay_reach_place(&plan->reach_c, c, &device[0]);
    places->a = has_product ? find_place(&plan->reach_a, &operand[0], &device[1]) : places->c;
    places->b = has_product ? find_place(&plan->reach_b, &operand[1], &device[2]) : places->c;
    const lay_place each[] = { places->c, places->a, places->b };
    for (int i = 0; i < 3; i++)
        if (each[i] == LAY_PLACE_DEVICE && plan->options.backend == LAY_BACKEND_CPU)
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies in device memory, but options.backend is the CPU", name[i]);
    return agree(plan, 3, device, &places->device);
}

/* Whether a packed operand is this plan's, by what it is. */
static lay_status check_packed(const lay_plan *plan, lay_operand which, const lay_packed *packed)
{
    static const char *const name[] = { "A", "B" };
    const int64_t rows = which == LAY_OPERAND_A ? plan->m : plan->k;
    const int64_t columns = which == LAY_OPERAND_A ? plan->k : plan->n;
    if (packed->operand != which)
        return lay_fail(LAY_ERR_ARGUMENT, "packed_%c was packed as %s", which == LAY_OPERAND_A ? 'a' : 'b',
                        name[packed->operand]);
    if (packed->type != lay_types_at(&plan->types, (int)which))
        return lay_fail(LAY_ERR_TYPE, "%s was packed from elements of another type than the plan's", name[which]);
    const lay_node *batch = lay_operand_batch(which == LAY_OPERAND_A ? plan->a : plan->b);
    if (batch)
        return lay_fail(LAY_ERR_SHAPE,
                        "%s was packed from %lld x %lld elements, the plan's is a batch of %lld matrices", name[which],
                        (long long)packed->rows, (long long)packed->columns, (long long)batch->extent);
    if (packed->rows != rows || packed->columns != columns)
        return lay_fail(LAY_ERR_SHAPE, "%s was packed from %lld x %lld elements, the plan's is %lld x %lld",
                        name[which], (long long)packed->rows, (long long)packed->columns, (long long)rows,
                        (long long)columns);
    return LAY_OK;
}

static lay_status check_given(const lay_plan *plan, const lay_given operand[2])
{
    for (int i = 0; i < 2; i++) {
        const lay_status status = operand[i].packed ? check_packed(plan, (lay_operand)i, operand[i].packed) : LAY_OK;
        if (status != LAY_OK)
            return status;
        if (operand[i].packed && operand[i].data)
            return lay_fail(LAY_ERR_ARGUMENT, "%c is given twice, by its address and packed", "ab"[i]);
    }
    return LAY_OK;
}

/* What the caller promised of addresses; NULL ones are another matter. */
static lay_status check_alignment(const lay_plan *plan, const lay_asked_run *of)
{
    const void *const at[] = { of->operand[0].data, of->operand[1].data, of->addend, of->c };
    const char *const name = plan->addend ? "abcd" : "abcc";
    for (int i = 0; i < 4; i++)
        if ((uintptr_t)at[i] & (plan->options.alignment - 1))
            return lay_fail(LAY_ERR_ARGUMENT, "%c is no multiple of %zu bytes, as options.alignment promises", name[i],
                            plan->options.alignment);
    return LAY_OK;
}

/* What a product reads. */
static lay_status check_operands(lay_plan *plan, const lay_given operand[2], const void *c)
{
    static const char *const name[] = { "A", "B" };
    const lay_desc *const desc[] = { plan->a, plan->b };
    const lay_meeting *const meeting[] = { &plan->meeting_a, &plan->meeting_b };
    _Atomic uintptr_t *const apart[] = { &plan->apart_a, &plan->apart_b };
    for (int i = 0; i < 2; i++)
        if (!operand[i].data && !operand[i].packed)
            return lay_fail(LAY_ERR_ARGUMENT, "%c is NULL, but alpha and k are not 0", "ab"[i]);
    for (int i = 0; i < 2; i++) {
        if (operand[i].packed || !operands_meet(meeting[i], operand[i].data, c))
            continue;
        const lay_status status =
            check_overlap(plan, lay_types_at(&plan->types, i), desc[i], operand[i].data, name[i], c, apart[i]);
        if (status != LAY_OK)
            return status;
    }
    return LAY_OK;
}

/* C, if it is read and is not where the result goes; else NULL. */
static lay_status find_addend(lay_plan *plan, const lay_asked_run *of, const void **addend)
{
    *addend = NULL;
    if (!plan->addend || of->is_begun || lay_scalar_is(of->beta, plan->types.sum, 0))
        return LAY_OK;
    if (!of->addend)
        return lay_fail(LAY_ERR_ARGUMENT, "c is NULL, but beta is not 0");
    if (of->addend == of->c && plan->types.addend == plan->types.result && lay_desc_equal(plan->addend, plan->c) &&
        !plan->is_conjugated[LAY_RESULT])
        return LAY_OK;
    const int apart = are_apart(plan, plan->types.addend, plan->addend, of->addend, of->c, &plan->apart_addend);
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "D is neither C nor can it be shown to stay clear of it");
    *addend = of->addend;
    return apart < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

/* Scales and bias of an ending: all there, on the host, and clear of D. */
static lay_status check_terms(const lay_plan *plan, const lay_asked_run *of)
{
    for (int i = 0; i < LAY_END_TERMS; i++) {
        const void *const term = of->term[i];
        const lay_desc *const desc = plan->end ? plan->end->term[i].desc : NULL;
        if (!desc != !term)
            return lay_fail(LAY_ERR_ARGUMENT,
                            desc ? "%s is NULL, but the plan's ending has one: lay_plan_run_arguments takes it"
                                 : "%s is given, but the plan's ending has none",
                            lay_end_name(i));
        if (!desc || plan->is_empty || !of->c)
            continue;
        const lay_type type = plan->end->term[i].type;
        int device = -1;
        if (lay_place_may_differ() &&
            lay_place_find((const char *)term + lay_desc_offset(desc, 1, &(int64_t){ 0 }) * lay_size_of(type),
                           &device) == LAY_PLACE_DEVICE)
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies in device memory: endings are of host memory",
                            lay_end_name(i));
        const int apart = lay_desc_is_clear(desc, term, (size_t)lay_size_of(type), plan->c, of->c,
                                            (size_t)lay_size_of(plan->types.result));
        if (apart <= 0)
            return apart < 0 ? LAY_ERR_MEMORY
                             : lay_fail(LAY_ERR_OVERLAP,
                                        "%c cannot be shown to stay clear of %s, which lies in the "
                                        "same memory",
                                        plan->addend ? 'D' : 'C', lay_end_name(i));
    }
    return LAY_OK;
}

/* With its name for profilers, where one listens. */
static lay_status run_named(const lay_plan *plan, lay_branch *root, const lay_call *call)
{
    lay_plan_begin_range(plan, root);
    const lay_status status = root->way->run(root, call);
    lay_range_end();
    return status;
}

static const lay_packed *find_packed(const lay_given *operand)
{
    return operand->packed ? operand->packed : operand->limbs;
}

static lay_status multiply(const lay_plan *plan, lay_branch *root, const lay_asked_run *of, const void *addend)
{
    const void *data[2];
    for (int i = 0; i < 2; i++)
        data[i] = of->operand[i].packed ? of->operand[i].packed->elements : of->operand[i].data;
    const lay_call call = { .alpha = of->alpha,
                            .left = data[0],
                            .right = data[1],
                            .beta = of->beta,
                            .addend = addend,
                            .terms = of->term,
                            .c = of->c,
                            .workspace = of->workspace,
                            .packed = { find_packed(&of->operand[0]), find_packed(&of->operand[1]) } };
    return lay_ranges_are_watched() ? run_named(plan, root, &call) : root->way->run(root, &call);
}

/* Whether what is lent serves a run of this way. */
static lay_status check_workspace(const lay_branch *root, const lay_asked_run *of)
{
    if (root->setting.order->backend != LAY_BACKEND_CPU)
        return lay_fail(LAY_ERR_UNSUPPORTED, "a device computes the product: it takes no workspace of the caller's");
    if (!of->workspace && root->job.workspace > 0)
        return lay_fail(LAY_ERR_ARGUMENT, "workspace is NULL, but the run needs %zu bytes", root->job.workspace);
    if (of->size < root->job.workspace)
        return lay_fail(LAY_ERR_ARGUMENT, "the workspace has %zu bytes, but the run needs %zu", of->size,
                        root->job.workspace);
    return LAY_OK;
}

static int are_all(const lay_branch *root, lay_place place)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (root->setting.place[i] != place)
            return 0;
    return 1;
}

/* Whether later runs of this route may take a fast lane: then nothing is left to be told, to the log, a profiler or
 * lay_plan_path. */
static int is_for_fast_lane(const lay_branch *root, const lay_given operand[2])
{
    return (root->job.at_once.multiply || root->job.is_prompt) && !operand[0].packed && !operand[1].packed &&
           !lay_log_tells(LAY_LOG_RUNS) && !lay_ranges_are_watched() && are_all(root, LAY_PLACE_HOST) &&
           !root->setting.options->alignment; /* which each run checks */
}

/* Written only where it changes: plans are shared. */
static void note_run(lay_plan *plan, lay_route *route)
{
    if (atomic_load_explicit(&plan->last_run, memory_order_relaxed) != route)
        atomic_store_explicit(&plan->last_run, route, memory_order_release);
}

static lay_status run(lay_plan *plan, const lay_asked_run *of, lay_route **route);

/* Whether C is to be scaled by a complex beta where the product's way does not: on a device, to which what is
 * multiplied passes from host memory. */
static int is_scaled_apart(const lay_plan *plan, const lay_asked_run *of, const lay_places *places)
{
    return lay_type_is_complex(plan->types.sum) && lay_scalar_imaginary(of->beta, plan->types.sum) != 0 &&
           places->c == LAY_PLACE_DEVICE && (places->a != LAY_PLACE_DEVICE || places->b != LAY_PLACE_DEVICE);
}

/* C = beta C or D = beta C, then the product is added to it. */
static lay_status scale_then_add(lay_plan *plan, const lay_asked_run *of, lay_route **route)
{
    const lay_scalar zero = { .c64 = { 0, 0 } };
    const lay_scalar one =
        plan->types.sum == LAY_C64 ? (lay_scalar){ .c64 = { 1, 0 } } : (lay_scalar){ .c32 = { 1, 0 } };
    lay_asked_run scaling = *of, adding = *of;
    scaling.alpha = &zero;
    adding.beta = &one;
    adding.is_begun = 1;
    lay_status status = run(plan, &scaling, route);
    if (status == LAY_OK && (status = run(plan, &adding, route)))
        status = lay_fail_spoilt(status);
    return status;
}

/* *route: what ran it, NULL where there was nothing to run. */
static lay_status run(lay_plan *plan, const lay_asked_run *of, lay_route **route)
{
    lay_places places;
    const void *addend;
    lay_status status = check_given(plan, of->operand);
    if (status == LAY_OK && plan->options.alignment)
        status = check_alignment(plan, of);
    if (status == LAY_OK)
        status = check_terms(plan, of);
    if (status != LAY_OK || plan->is_empty)
        return status;
    const int has_product = plan->k > 0 && !lay_scalar_is(of->alpha, plan->types.sum, 0);
    if (!has_product && !plan->addend && !plan->end && lay_scalar_is(of->beta, plan->types.sum, 1))
        return LAY_OK;
    if (!of->c)
        return lay_fail(LAY_ERR_ARGUMENT, "%c is NULL", plan->addend ? 'd' : 'c');
    if ((status = has_product ? check_operands(plan, of->operand, of->c) : LAY_OK) ||
        (status = find_addend(plan, of, &addend)) || (status = find_places(plan, has_product, of, &places)) ||
        (status = lay_plan_find_route(plan, &places, route)))
        return status;
    lay_branch *const root = (*route)->root;
    if (of->is_lent && (status = check_workspace(root, of)))
        return status;
    if (!has_product)
        return lay_branch_scale(root, &(lay_call){ .alpha = of->alpha,
                                                   .beta = of->beta,
                                                   .addend = addend,
                                                   .terms = of->term,
                                                   .c = of->c,
                                                   .workspace = plan->end ? of->workspace : NULL });
    if (is_scaled_apart(plan, of, &places))
        return scale_then_add(plan, of, route);
    status = multiply(plan, root, of, addend);
    if (status != LAY_OK)
        return status;
    note_run(plan, *route);
    if (is_for_fast_lane(root, of->operand))
        atomic_store_explicit(root->job.at_once.multiply ? &plan->at_once : &plan->prompt, *route,
                              memory_order_release);
    return status;
}

/* The same on the threads that the caller lends. */
static lay_status run_lent(lay_plan *plan, const lay_asked_run *of, lay_route **route)
{
    if (!plan->options.parallel)
        return run(plan, of, route);
    const lay_lent before = lay_parallel_lend((lay_lent){ plan->options.parallel, plan->options.parallel_context });
    const lay_status status = run(plan, of, route);
    lay_parallel_lend(before);
    return status;
}

static double now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* alpha and beta are the caller's, and may be elements of C, which change on the way. */
lay_status lay_run_asked(const lay_plan *plan, lay_asked_run *of)
{
    const lay_scalar own_alpha = lay_scalar_read(of->alpha, plan->types.sum);
    const lay_scalar own_beta = lay_scalar_read(of->beta, plan->types.sum);
    lay_plan *const remembering = (lay_plan *)plan; /* plans are made in memory that may be written */
    lay_route *route = NULL;
    of->alpha = &own_alpha;
    of->beta = &own_beta;
    if (!lay_log_tells(LAY_LOG_RUNS))
        return run_lent(remembering, of, &route);
    const double start = now_in_seconds();
    const lay_status status = run_lent(remembering, of, &route);
    if (!route)
        route = atomic_load(&plan->routes);
    lay_plan_log(plan, route->root, status, "run", now_in_seconds() - start);
    return status;
}

/* Whether nothing but the arithmetic is left to be done, if operands lie in host memory and there is a way for them.
 * alpha and beta are there. alpha is asked about in place: of lay_scalar_is gcc makes four instructions more. A complex
 * one whose real part is 0 goes the longer way. */
static inline int is_clear(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *c)
{
    return a && b && c && !operands_meet(&plan->meeting_a, a, c) && !operands_meet(&plan->meeting_b, b, c) &&
           (lay_type_is_double(plan->types.sum) ? *(const double *)alpha != 0 : *(const float *)alpha != 0);
}

/* The route of operands in host memory whose runs ask nothing more: what lay_plan_run_packed would find out again, for
 * products so small that finding out shows. */
static lay_route *find_prompt(const lay_plan *plan)
{
    lay_route *route = atomic_load_explicit(&plan->prompt, memory_order_acquire);
    return route && !plan->options.parallel && !lay_log_tells(LAY_LOG_RUNS) ? route : NULL;
}

static int are_first_host(const lay_plan *plan, const void *a, const void *b, const void *c)
{
    return lay_place_are_host((const char *)a + plan->reach_a.first, (const char *)b + plan->reach_b.first,
                              (const char *)c + plan->reach_c.first);
}

static lay_status run_promptly(const lay_plan *plan, lay_branch *root, const void *alpha, const void *a, const void *b,
                               const void *beta, void *c)
{
    const lay_scalar own_alpha = lay_scalar_read(alpha, plan->types.sum);
    const lay_scalar own_beta = lay_scalar_read(beta, plan->types.sum);
    const lay_call call = { .alpha = &own_alpha, .left = a, .right = b, .beta = &own_beta, .c = c };
    return root->way->run(root, &call);
}

/* The rest of lay_plan_run: in a function of its own, whose registers are not saved for a run at once. */
static __attribute__((noinline)) lay_status run_any(const lay_plan *plan, const void *alpha, const void *a,
                                                    const void *b, const void *beta, void *c)
{
    lay_route *const prompt =
        plan && alpha && beta && !atomic_load_explicit(&plan->at_once, memory_order_relaxed) ? find_prompt(plan) : NULL;
    if (!prompt || !is_clear(plan, alpha, a, b, c) || !are_first_host(plan, a, b, c))
        return lay_plan_run_packed(plan, alpha, a, NULL, b, NULL, beta, c);
    note_run((lay_plan *)plan, prompt);
    return run_promptly(plan, prompt->root, alpha, a, b, beta, c);
}

/* The same of a run at once, where there are devices: asking where its operands lie takes registers too. */
static __attribute__((noinline)) lay_status run_if_host(const lay_plan *plan, lay_route *route, const void *alpha,
                                                        const void *a, const void *b, const void *beta, void *c)
{
    const lay_at_once *const job = &route->root->job.at_once;
    const lay_at_once_operands at = lay_at_once_find(job, a, b, c);
    if (!lay_place_are_host(at.result, at.left, at.right))
        return run_any(plan, alpha, a, b, beta, c);
    note_run((lay_plan *)plan, route);
    job->multiply(&job->whole, alpha, at.left, at.right, beta, at.result);
    return LAY_OK;
}

lay_status lay_plan_run(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta,
                        void *c)
{
    lay_route *const route = plan && alpha && beta ? atomic_load_explicit(&plan->at_once, memory_order_acquire) : NULL;
    if (!route || !is_clear(plan, alpha, a, b, c) || lay_log_tells_now(LAY_LOG_RUNS))
        return run_any(plan, alpha, a, b, beta, c);
    if (!lay_place_is_always_host())
        return run_if_host(plan, route, alpha, a, b, beta, c);
    const lay_at_once *const job = &route->root->job.at_once;
    const lay_at_once_operands at = lay_at_once_find(job, a, b, c);
    note_run((lay_plan *)plan, route); /* first: so nothing is kept while it runs */
    job->multiply(&job->whole, alpha, at.left, at.right, beta, at.result);
    return LAY_OK;
}
