/* Races among candidates: all in turns, so that what disturbs one disturbs the others; the slow ones leave early; the
 * sizes of who is left are varied; and at last it meets what the estimate takes. */
#include "plan/tuning/measure.h"

#include <math.h>
#include <stdlib.h>

#include "plan/tuning/scratch.h"
#include "plan/tuning/search.h"
#include "threads/parallel.h"

/* A measurement under way. */
typedef struct race {
    lay_search search;
    lay_scratch scratch;
    double start, seconds;
} race;

/* Of a run, in a product so short that the clock shows. */
static const double turn = 1e-4;

/* Whether so large a share of the time is over. */
static int is_over(const race *of, double share)
{
    return lay_scratch_now() - of->start > share * of->seconds;
}

/* The lower of what it took before and now. */
static void time_again(race *of, lay_candidate *one)
{
    const double now = lay_scratch_time(one->root, &of->scratch, turn);
    one->is_out |= now < 0;
    if (now >= 0)
        one->seconds = one->seconds > 0 ? fmin(one->seconds, now) : now;
}

static int is_timed(const lay_candidate *one)
{
    return one->seconds > 0 && !one->is_out;
}

/* By number. */
static int fastest(const lay_search *in)
{
    int best = 0;
    for (int i = 1; i < in->count; i++)
        if (is_timed(&in->candidate[i]) && in->candidate[i].seconds < in->candidate[best].seconds)
            best = i;
    return best;
}

/* But for the first one, which is wanted at the end. */
static void drop_slow(lay_search *in, double times)
{
    const double most = times * in->candidate[fastest(in)].seconds;
    for (int i = 1; i < in->count; i++)
        in->candidate[i].is_out |= in->candidate[i].seconds == 0 || in->candidate[i].seconds > most;
}

static void race_all(race *of)
{
    enum { ROUNDS = 12 };
    static const double share = 0.5, of_rounds[] = { 2, 1.5, 1.2, 1.1 };
    lay_search *in = &of->search;
    lay_scratch_time(in->candidate[0].root, &of->scratch, 0); /* the first run of all finds new pages */
    time_again(of, &in->candidate[0]);
    for (int round = 0; round < ROUNDS && !is_over(of, share); round++) {
        for (int i = 0; i < in->count && !is_over(of, share); i++)
            if (!in->candidate[i].is_out)
                time_again(of, &in->candidate[i]);
        drop_slow(in, of_rounds[round < 4 ? round : 3]);
    }
}

/* Whether one is faster than the best there is; each has as many turns. */
static int beats(race *of, lay_candidate *one, lay_candidate *best)
{
    enum { ROUNDS = 4 };
    static const double worth = 0.985, hopeless = 1.1;
    double least_one = INFINITY, least_best = INFINITY;
    for (int round = 0; round < ROUNDS && least_one < hopeless * fmin(least_best, least_one); round++) {
        const double now = lay_scratch_time(one->root, &of->scratch, turn);
        if (now < 0)
            return 0;
        least_one = fmin(least_one, now);
        least_best = fmin(least_best, lay_scratch_time(best->root, &of->scratch, turn));
    }
    one->seconds = least_one;
    one->is_out = !(least_one < worth * least_best);
    return !one->is_out;
}

/* From the fastest to its fastest neighbour, and on. */
static int climb(race *of, int best)
{
    static const double share = 0.85;
    lay_search *in = &of->search;
    for (int moved = 1; moved && !is_over(of, share);) {
        int is_end = 0;
        moved = 0;
        for (int number = 0; !is_end && !is_over(of, share); number++) {
            lay_candidate *const one = lay_search_neighbour(in, best, number, &is_end);
            if (!one || !beats(of, one, &in->candidate[best]))
                continue;
            best = (int)(one - in->candidate);
            moved = 1;
        }
    }
    return best;
}

static int compare(const void *x, const void *y)
{
    return (*(const double *)x > *(const double *)y) - (*(const double *)x < *(const double *)y);
}

static double median(double values[], int count)
{
    qsort(values, (size_t)count, sizeof values[0], compare);
    return values[count / 2];
}

/* The estimate's tree against the fastest, by medians; the fastest has to be worth it. */
static const lay_candidate *meet(race *of, int best, lay_tuning *out)
{
    enum { LEAST = 3, MOST = 31 };
    static const double worth = 0.98;
    lay_candidate *const first = &of->search.candidate[0], *const other = &of->search.candidate[best];
    double of_first[MOST], of_other[MOST];
    int count = 0;
    for (; count < LEAST || (count < MOST && !is_over(of, 1)); count++) {
        of_first[count] = lay_scratch_time(first->root, &of->scratch, turn);
        of_other[count] = best ? lay_scratch_time(other->root, &of->scratch, turn) : of_first[count];
    }
    out->estimate = median(of_first, count);
    out->seconds = median(of_other, count);
    if (out->seconds < worth * out->estimate)
        return other;
    out->seconds = out->estimate;
    return first;
}

static const char *measure(race *of, const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                           lay_tuning *out)
{
    static const double plausible = 4; /* times the soonest's predicted time */
    const char *reason = lay_scratch_take(&problem->posed, &of->scratch);
    if (reason)
        return reason;
    if (!lay_search_start(problem, setting, order, &of->search))
        return lay_no_memory;
    lay_search_sort(&of->search, plausible);
    race_all(of);
    if (!is_timed(&of->search.candidate[0]))
        return "what the estimate takes cannot be run";
    out->recipe = meet(of, climb(of, fastest(&of->search)), out)->recipe;
    return NULL;
}

const char *lay_tuning_measure(const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                               double seconds, lay_tuning *out)
{
    race *const of = malloc(sizeof *of);
    const lay_options *options = setting->options;
    if (!of)
        return lay_no_memory;
    of->search.count = 0;
    of->start = lay_scratch_now();
    of->seconds = seconds;
    const lay_lent before = options->parallel
                                ? lay_parallel_lend((lay_lent){ options->parallel, options->parallel_context })
                                : (lay_lent){ NULL, NULL };
    const char *reason = measure(of, problem, setting, order, out);
    if (options->parallel)
        lay_parallel_lend(before);
    lay_search_end(&of->search);
    lay_scratch_give(&of->scratch);
    free(of);
    return reason;
}
