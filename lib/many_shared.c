/* Many runs of one plan by threads that share them. Runs promise an order, so it has to be shown that none can tell:
 * that the bytes which each one writes lie clear of what all others write, and of everything that is read. */
#include "many_shared.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/ranges.h"
#include "base/scalar.h"
#include "base/workspace.h"
#include "device/place.h"
#include "layout/desc.h"
#include "machine/rates.h"

/* What runs write, by address: the first byte of each, all of one length. */
typedef struct written {
    const uintptr_t *first; /* ascending */
    uintptr_t bytes;
    int64_t count;
} written;

static uintptr_t begin(const lay_reach *reach, const void *zero, lay_type type)
{
    return (uintptr_t)zero + (uintptr_t)(reach->lowest * lay_size_of(type));
}

static uintptr_t bytes_of(const lay_reach *reach, lay_type type)
{
    return (uintptr_t)((reach->highest - reach->lowest + 1) * lay_size_of(type));
}

static int compare(const void *x, const void *y)
{
    const uintptr_t one = *(const uintptr_t *)x, other = *(const uintptr_t *)y;
    return one < other ? -1 : one > other;
}

/* Fills first, of count addresses, and *of. Whether no two runs write one byte; unless may_look, only what is in order
 * already is found out. */
static int write_apart(const lay_plan *plan, void *const target[], int64_t count, int may_look, uintptr_t first[],
                       written *of)
{
    int is_ascending = 1;
    *of = (written){ first, bytes_of(&plan->reach_c, plan->types.result), count };
    for (int64_t i = 0; i < count; i++) {
        first[i] = begin(&plan->reach_c, target[i], plan->types.result);
        is_ascending &= i == 0 || first[i] > first[i - 1];
    }
    if (!is_ascending && !may_look)
        return 0;
    if (!is_ascending)
        qsort(first, (size_t)count, sizeof *first, compare);
    for (int64_t i = 1; i < count; i++)
        if (first[i] - first[i - 1] < of->bytes)
            return 0;
    return 1;
}

/* Whether bytes from `from` on are none of those. */
static int is_clear(const written *of, uintptr_t from, uintptr_t bytes)
{
    int64_t low = 0, high = of->count; /* first[low - 1] < from + bytes <= first[high] */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (of->first[middle] < from + bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 || of->first[low - 1] + of->bytes <= from;
}

/* Whether an operand of all runs is clear of what they write: as a whole or, if may_look, each by itself. */
static int read_apart(const written *of, const lay_reach *reach, lay_type type, const void *const operand[],
                      int may_look)
{
    const uintptr_t bytes = bytes_of(reach, type), end = of->first[of->count - 1] + of->bytes;
    uintptr_t lowest = UINTPTR_MAX, highest = 0;
    for (int64_t i = 0; i < of->count; i++) {
        const uintptr_t from = begin(reach, operand[i], type);
        lowest = from < lowest ? from : lowest;
        highest = from > highest ? from : highest;
    }
    if (highest + bytes <= of->first[0] || end <= lowest)
        return 1;
    for (int64_t i = 0; i < of->count; i++)
        if (!may_look || !is_clear(of, begin(reach, operand[i], type), bytes))
            return 0;
    return 1;
}

/* Whether no run sees what another one writes. alpha and beta are read anew by each run in turn, so they count. */
static int are_apart(const lay_plan *plan, const lay_many *runs, void *const target[], int may_look)
{
    const lay_types *types = &plan->types;
    const uintptr_t scalar = (uintptr_t)lay_size_of(types->sum);
    uintptr_t *const first = malloc((size_t)runs->count * sizeof *first);
    written of;
    const int apart = first && write_apart(plan, target, runs->count, may_look, first, &of) &&
                      is_clear(&of, (uintptr_t)runs->alpha, scalar) && is_clear(&of, (uintptr_t)runs->beta, scalar) &&
                      read_apart(&of, &plan->reach_a, types->left, runs->a, may_look) &&
                      read_apart(&of, &plan->reach_b, types->right, runs->b, may_look);
    free(first);
    return apart;
}

/* Whether C is not read, or is where the result goes. */
static int is_in_place(const lay_plan *plan, const lay_many *runs)
{
    if (!plan->addend || lay_scalar_is(runs->beta, plan->types.sum, 0))
        return 1;
    if (!lay_desc_equal(plan->addend, plan->c) || plan->is_conjugated[LAY_RESULT])
        return 0;
    for (int64_t i = 0; i < runs->count; i++)
        if (runs->c[i] != runs->d[i])
            return 0;
    return 1;
}

static int are_host(const lay_plan *plan, const lay_many *runs, void *const target[])
{
    int own;
    if (!lay_place_may_differ())
        return 1;
    for (int64_t i = 0; i < runs->count; i++)
        if (lay_reach_place(&plan->reach_c, target[i], &own) != LAY_PLACE_HOST ||
            lay_reach_place(&plan->reach_a, runs->a[i], &own) != LAY_PLACE_HOST ||
            lay_reach_place(&plan->reach_b, runs->b[i], &own) != LAY_PLACE_HOST)
            return 0;
    return 1;
}

/* The route of operands in host memory, by the plan's threads or by one: NULL where that is not the CPU's. */
static lay_route *find_route(lay_plan *plan, int is_alone)
{
    lay_places places = lay_places_all(LAY_PLACE_HOST, plan->options.device >= 0 ? plan->options.device : 0);
    lay_route *route;
    places.is_alone = is_alone;
    const int is_found = lay_plan_find_route(plan, &places, &route) == LAY_OK;
    return is_found && route->root->setting.order->backend == LAY_BACKEND_CPU ? route : NULL;
}

/* The route by which threads do all runs sooner than the plan would one after the other; NULL: there is none.
 * *may_look: whether it pays to look up each address by itself. */
static lay_route *find_sooner(lay_plan *plan, int64_t count, int64_t shares, int *may_look)
{
    static const size_t most_workspace = (size_t)1 << 30; /* bytes, of all shares */
    const lay_rates *rates = lay_rates_get();
    const double wake = rates->wake * 1e-9, lookup = (double)count * rates->address * 1e-9;
    lay_route *const together = find_route(plan, 0);
    if (!together)
        return NULL;
    const double in_turn = (double)count * together->root->job.seconds;
    if (in_turn < 2 * wake)
        return NULL;
    lay_route *const alone = find_route(plan, 1);
    if (!alone || alone->root->job.workspace > most_workspace / (size_t)shares)
        return NULL;
    const double shared = (double)ceil_div(count, shares) * alone->root->job.seconds + wake;
    *may_look = shared + lookup < in_turn;
    return shared < in_turn ? alone : NULL;
}

/* Runs under way. */
typedef struct work {
    const lay_many *runs;
    void *const *target;
    lay_branch *root;
    int64_t shares;
    char *workspace; /* NULL: none is needed */
    size_t each;     /* bytes of it */
} work;

static void run_one(const work *of, const lay_call *call)
{
    const lay_at_once *job = &of->root->job.at_once;
    if (!job->multiply) {
        const lay_status status = of->root->way->run(of->root, call);
        assert(status == LAY_OK); /* the CPU's ways lack nothing but memory, and here it is */
        (void)status;
        return;
    }
    const lay_at_once_operands at = lay_at_once_find(job, call->left, call->right, call->c);
    job->multiply(&job->whole, call->alpha, at.left, at.right, call->beta, at.result);
}

static void do_share(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_many *runs = of->runs;
    const int64_t each = runs->count / of->shares, more = runs->count % of->shares;
    const int64_t from = each * number + min_of(more, number), to = from + each + (number < more);
    lay_call call = { .alpha = runs->alpha,
                      .beta = runs->beta,
                      .workspace = of->workspace ? of->workspace + (size_t)number * of->each : NULL };
    for (int64_t i = from; i < to; i++) {
        call.left = runs->a[i];
        call.right = runs->b[i];
        call.c = of->target[i];
        run_one(of, &call);
    }
}

static int run_shares(lay_plan *plan, lay_route *route, work *of)
{
    of->root = route->root;
    of->each = (route->root->job.workspace + 63) / 64 * 64;
    of->workspace = of->each ? lay_workspace_take(of->each * (size_t)of->shares) : NULL;
    if (of->each && !of->workspace)
        return 0;
    const lay_lent own = { plan->options.parallel, plan->options.parallel_context };
    const lay_lent before = own.of ? lay_parallel_lend(own) : (lay_lent){ NULL, NULL };
    lay_parallel_for((int)of->shares, of->shares, do_share, of);
    if (own.of)
        lay_parallel_lend(before);
    lay_workspace_give(of->workspace);
    atomic_store_explicit(&plan->last_run, route, memory_order_release);
    return 1;
}

int lay_many_share(lay_plan *plan, const lay_many *runs)
{
    const int64_t shares = min_of(runs->count, plan->choice.threads);
    int may_look = 0;
    if (shares <= 1 || plan->is_empty || plan->k == 0 || lay_scalar_is(runs->alpha, plan->types.sum, 0) ||
        lay_log_tells(LAY_LOG_RUNS))
        return 0;
    lay_route *const route = find_sooner(plan, runs->count, shares, &may_look);
    void *const *const target = plan->addend ? runs->d : runs->c;
    if (!route || !is_in_place(plan, runs) || !are_host(plan, runs, target) || !are_apart(plan, runs, target, may_look))
        return 0;
    const int is_watched = lay_ranges_are_watched();
    if (is_watched)
        lay_plan_begin_range(plan, route->root);
    const int is_done = run_shares(plan, route, &(work){ .runs = runs, .target = target, .shares = shares });
    if (is_watched)
        lay_range_end();
    return is_done;
}
