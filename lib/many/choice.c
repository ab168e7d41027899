/* Which of many runs threads share. Groups whose runs are long may stay out: all threads do each of those. */
#include "many/choice.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "machine/rates.h"
#include "many/apart.h"

static int multiplies(const lay_runs *group)
{
    return group->plan->k > 0 && !lay_scalar_is(group->alpha, group->plan->types.sum, 0);
}

/* The route of operands in host memory, by the plan's threads or by one: NULL where that is not the CPU's. */
static lay_route *find_route(const lay_plan *plan, int is_alone)
{
    lay_places places = lay_places_all(LAY_PLACE_HOST, plan->options.device >= 0 ? plan->options.device : 0);
    lay_route *route;
    places.is_alone = is_alone;
    const int is_found = lay_plan_find_route((lay_plan *)plan, &places, &route) == LAY_OK; /* plans may be written */
    return is_found && route->root->setting.order->backend == LAY_BACKEND_CPU ? route : NULL;
}

/* Fills of->of and shares from the groups that are not idle. 0: theirs are not runs that the same threads could share.
 * *runs: how many there are. */
static int find_parties(int64_t count, const lay_runs groups[], lay_shares *of, int64_t *runs)
{
    const lay_options *common = NULL;
    of->shares = INT64_MAX;
    for (int64_t g = 0; g < count; g++) {
        const lay_plan *const plan = groups[g].plan;
        if (lay_runs_are_idle(&groups[g]))
            continue;
        common = common ? common : &plan->options;
        lay_route *const together = multiplies(&groups[g]) && plan->options.parallel == common->parallel &&
                                            plan->options.parallel_context == common->parallel_context
                                        ? find_route(plan, 0)
                                        : NULL;
        if (!together)
            return 0;
        *runs += groups[g].count;
        of->shares = min_of(of->shares, plan->choice.threads);
        of->of[of->parties++] =
            (lay_party){ .group = &groups[g], .in_turn = (double)groups[g].count * together->root->job.seconds };
    }
    of->shares = min_of(of->shares, *runs);
    return of->shares > 1;
}

static void find_alone(lay_party *of, int64_t shares)
{
    static const size_t most_workspace = (size_t)1 << 30; /* bytes, of all shares */
    of->alone = find_route(of->group->plan, 1);
    const lay_job *const job = of->alone ? &of->alone->root->job : NULL;
    const int may_share = job && job->workspace <= most_workspace / (size_t)shares;
    of->one = may_share ? fmax(job->seconds, 1e-12) : INFINITY;
}

static int compare_runs(const void *x, const void *y)
{
    const double one = ((const lay_party *)x)->one, other = ((const lay_party *)y)->one;
    return one < other ? -1 : one > other;
}

/* The first run of a party that is not a share's before this one: runs lie in a row of time that is cut in shares of
 * one length, and each is the share's in which its middle is. */
int64_t lay_shares_cut(const lay_shares *of, const lay_party *at, int64_t share)
{
    const int64_t count = at->group->count;
    const double from = of->all / (double)of->shares * (double)share - at->before;
    if (share == of->shares || from > ((double)count - 0.5) * at->one)
        return count;
    return from <= 0.5 * at->one ? 0 : (int64_t)fmin(ceil(from / at->one - 0.5), (double)count);
}

static double find_longest_share(const lay_shares *of)
{
    double longest = 0;
    for (int64_t share = 0; share < of->shares; share++) {
        double seconds = 0;
        for (int64_t p = 0; p < of->shared; p++)
            seconds += (double)(lay_shares_cut(of, &of->of[p], share + 1) - lay_shares_cut(of, &of->of[p], share)) *
                       of->of[p].one;
        longest = fmax(longest, seconds);
    }
    return longest;
}

/* All of them: how long the longest run is. */
static double share_all(lay_shares *of)
{
    double longest = 0;
    of->shared = of->parties;
    of->all = 0;
    for (int64_t p = 0; p < of->parties; p++) {
        of->of[p].before = of->all;
        of->all += (double)of->of[p].group->count * of->of[p].one;
        longest = fmax(longest, of->of[p].one);
    }
    return longest;
}

/* Which groups to share, those of short runs first, so that all is done soonest. */
static void choose_shared(lay_shares *of)
{
    double rest = 0, all = 0, best = INFINITY;
    qsort(of->of, (size_t)of->parties, sizeof *of->of, compare_runs);
    of->shared = 0;
    for (int64_t p = 0; p < of->parties; p++)
        rest += of->of[p].in_turn;
    for (int64_t p = 0; p < of->parties && isfinite(of->of[p].one); p++) {
        of->of[p].before = all;
        all += (double)of->of[p].group->count * of->of[p].one;
        rest -= of->of[p].in_turn;
        const double seconds = fmax(all / (double)of->shares, of->of[p].one) + rest;
        if (seconds < best) {
            best = seconds;
            of->shared = p + 1;
            of->all = all;
        }
    }
}

static int is_sooner(lay_shares *of, int64_t runs, int *may_look)
{
    const lay_rates *rates = lay_rates_get();
    const double wake = rates->wake * 1e-9, lookup = (double)runs * rates->address * 1e-9;
    double in_turn = 0, rest = 0;
    for (int64_t p = 0; p < of->parties; p++)
        in_turn += of->of[p].in_turn;
    of->is_short = in_turn < 2 * wake;
    if (of->is_short)
        return 0;
    for (int64_t p = 0; p < of->parties; p++)
        find_alone(&of->of[p], of->shares);
    const double longest = share_all(of), fair = of->all / (double)of->shares;
    double shared = fair + longest + wake; /* no share is as long as that */
    if (longest > fair / 8) {
        choose_shared(of);
        for (int64_t p = of->shared; p < of->parties; p++)
            rest += of->of[p].in_turn;
        shared = find_longest_share(of) + wake + rest;
    }
    *may_look = shared + lookup < in_turn;
    return shared < in_turn;
}

int lay_shares_find(int64_t count, const lay_runs groups[], lay_shares *of, int *may_look)
{
    int64_t runs = 0;
    return find_parties(count, groups, of, &runs) && is_sooner(of, runs, may_look);
}
