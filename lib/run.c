/* Running a plan: the route for where its operands lie; special values; and a shorter way for tiny products. */
#include "run.h"

#include <stdatomic.h>
#include <time.h>

#include "base/log.h"
#include "base/ranges.h"
#include "base/scalar.h"
#include "base/status.h"
#include "device/place.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "run_check.h"
#include "threads/parallel.h"

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
    lay_status status = lay_run_check_arguments(plan, of);
    if (status != LAY_OK || plan->is_empty)
        return status;
    const int has_product = plan->k > 0 && !lay_scalar_is(of->alpha, plan->types.sum, 0);
    if (!has_product && !plan->addend && !plan->end && lay_scalar_is(of->beta, plan->types.sum, 1))
        return LAY_OK;
    if ((status = lay_run_check_memory(plan, of, has_product, &addend, &places)) ||
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
    return a && b && c && !lay_operands_meet(&plan->meeting_a, a, c) && !lay_operands_meet(&plan->meeting_b, b, c) &&
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
