/* Turns of a contest in host memory, timed by the clock. */
#include "turns.h"

#include "bench/timing/timing.h"
#include "cold.h"

/* Seconds of one call. */
static double time_calls(const turner *of, int64_t calls)
{
    const double start = seconds_now();
    for (int64_t i = 0; i < calls; i++)
        of->call(of->self);
    return (seconds_now() - start) / (double)calls;
}

/* How many calls make a turn of min_time. */
static int64_t count_calls(turner *of, double min_time)
{
    int64_t calls = 1;
    double each = of->known > min_time ? of->known : time_calls(of, 1);
    while (each * (double)calls < 0.25 * min_time) {
        calls *= 2;
        each = time_calls(of, calls);
    }
    of->known = each;
    return each < min_time ? (int64_t)(min_time / each) + 1 : 1;
}

/* The same of calls that find nothing in the caches; each is timed by itself. */
static double time_cold(const terms *under, const turner *of, int64_t calls)
{
    double sum = 0;
    for (int64_t i = 0; i < calls; i++) {
        cold_empty(under->options.threads);
        sum += time_calls(of, 1);
    }
    return sum / (double)calls;
}

enum { WARM_BELOW_MS = 250 }; /* a call that lasts longer warms up in its own first part */

static void take_turn(const terms *under, const turner *of, result *to, int round)
{
    if (under->pause > 0)
        seconds_sleep(under->pause);
    if (under->is_cold) {
        to->seconds[round] = time_cold(under, of, to->calls);
        return;
    }
    if ((round ? to->seconds[round - 1] : of->known) < 1e-3 * WARM_BELOW_MS)
        of->call(of->self);
    to->seconds[round] = time_calls(of, to->calls);
}

enum { COLD_CALLS = 4 }; /* of a turn at most: to empty the caches takes far longer than a small product */

void turns_count(const terms *under, turner of[], contest *out)
{
    for (int i = 0; i < out->count; i++) {
        int64_t *calls = &out->results[i].calls;
        *calls = count_calls(&of[i], under->min_time);
        *calls = under->is_cold && *calls > COLD_CALLS ? COLD_CALLS : *calls;
    }
}

void turns_take(const terms *under, const turner of[], int round, contest *out)
{
    if (under->options.backend != LAY_BACKEND_CUDA)
        out->peak[round] = peak_together(under->type, peak_level(under->options.isa), under->options.threads);
    for (int i = 0; i < out->count; i++) {
        const int turn = (i + round) % out->count;
        take_turn(under, &of[turn], &out->results[turn], round);
    }
}
